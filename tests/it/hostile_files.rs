//! Hostile input through files: links, pipes, devices, files that grow; and outputs that can't be written.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::hostile::{assert_ends, with_body, with_property};
use crate::run::{ALL, NONE, SOME, convert, gen_tools, scratch};

#[track_caller]
fn assert_kept_out(folder: &Path, reference: &str, code: &str) {
    let text = with_property(&json!({"$ref": reference}), &json!({}));
    let outcome = convert(folder, "doc.json", &text, &[]);
    assert_ends(reference, &outcome, SOME, code);
    let tools = String::from_utf8_lossy(&outcome.stdout);
    assert!(!tools.contains("SECRET") && !outcome.stderr.contains("SECRET"), "{reference}: {outcome:?}");
}

#[test]
fn references_do_not_leave_the_folder() {
    let above = scratch("hostile-folder");
    let folder = above.join("in");
    fs::create_dir_all(folder.join("sub")).unwrap();
    let secret = above.join("secret.yaml");
    fs::write(&secret, "root: {type: string, description: SECRET}\n").unwrap();
    let absolute = format!("{}#/root", secret.display());
    for reference in [
        "../secret.yaml#/root",
        "%2e%2e/secret.yaml#/root",
        "..%2fsecret.yaml#/root",
        "sub/../../secret.yaml#/root",
        "../../../../../../../../etc/passwd",
        "/etc/passwd",
        absolute.as_str(),
        "file:///etc/passwd",
        "http://127.0.0.1:1/x",
        "//etc/passwd",
    ] {
        assert_kept_out(&folder, reference, "error[external-reference]");
    }
    for reference in ["%252e%252e/secret.yaml#/root", ".", "sub", "a%00b.yaml", "none.yaml", "%ff"] {
        assert_kept_out(&folder, reference, "error[unreadable-file]");
    }
}

#[test]
fn links_do_not_leave_the_folder() {
    use std::os::unix::fs::symlink;

    let above = scratch("hostile-links");
    let folder = above.join("in");
    fs::create_dir(&folder).unwrap();
    fs::write(above.join("secret.yaml"), "root: {type: string, description: SECRET}\n").unwrap();
    for (target, link) in [
        ("../secret.yaml", "link.yaml"),
        ("..", "up"),
        ("/dev/zero", "zero.yaml"),
        ("loop.yaml", "loop.yaml"),
    ] {
        symlink(target, folder.join(link)).unwrap();
    }
    for reference in ["link.yaml#/root", "up/secret.yaml#/root", "zero.yaml"] {
        assert_kept_out(&folder, reference, "error[external-reference]");
    }
    assert_kept_out(&folder, "loop.yaml", "error[unreadable-file]");
    let text = with_property(&json!({"$ref": "zero.yaml"}), &json!({}));
    let outcome = convert(&folder, "doc.json", &text, &["--root", "/"]);
    assert_ends("a device", &outcome, SOME, "it is no regular file");
}

#[test]
fn devices_and_folders_are_no_documents() {
    for path in ["/dev/zero", "/dev/null"] {
        assert_ends(path, &gen_tools([path]), NONE, "it is no regular file");
    }
    assert_ends("a folder", &gen_tools([scratch("hostile-device")]), NONE, "it is a folder");
}

#[test]
fn pipes_and_unreadable_files_are_no_documents() {
    use std::os::unix::fs::PermissionsExt;

    let folder = scratch("hostile-pipe");
    let made = std::process::Command::new("mkfifo").arg(folder.join("pipe.yaml")).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");
    let locked = folder.join("locked.yaml");
    fs::write(&locked, "type: string\n").unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let refer = |to: &str| with_property(&json!({"$ref": to}), &json!({}));
    let outcome = convert(&folder, "doc.json", &refer("pipe.yaml"), &[]);
    assert_ends("a pipe", &outcome, SOME, "it is no regular file");
    assert_ends("a pipe", &gen_tools([folder.join("pipe.yaml")]), NONE, "it is no regular file");
    // The superuser may read everything.
    if fs::read(&locked).is_err() {
        let outcome = convert(&folder, "doc.json", &refer("locked.yaml"), &[]);
        assert_ends("a locked file", &outcome, SOME, "Permission denied");
        assert_ends("a locked file", &gen_tools([&locked]), NONE, "Permission denied");
    }
}

#[test]
fn a_file_that_grows_is_read_as_it_was_or_refused() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let folder = scratch("hostile-growing");
    let path = folder.join("log.yaml");
    fs::write(&path, "openapi: 3.1.0\npaths: {}\n".to_owned() + &"# more\n".repeat(100_000)).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = fs::File::options().append(true).open(&path).unwrap();
            while !stop.load(Ordering::Relaxed) {
                std::io::Write::write_all(&mut file, b"# more\n").unwrap();
            }
        });
        for _ in 0..10 {
            let outcome = gen_tools([&path]);
            if outcome.code != Some(ALL) {
                assert_ends("a growing file", &outcome, NONE, "it grew while it was read");
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_ends("a file that has grown", &gen_tools([&path]), ALL, "");
}

#[test]
fn limits_have_flags() {
    let folder = scratch("hostile-limits");
    fs::write(folder.join("part.yaml"), "type: string\n").unwrap();
    let text = with_property(&json!({"$ref": "part.yaml"}), &json!({}));
    let outcome = convert(&folder, "doc.json", &text, &["--max-files", "1"]);
    assert_ends("files", &outcome, SOME, "one file more than 1 (`--max-files` allows more)");
    let outcome = convert(&folder, "doc.json", &text, &["--max-bytes", "20"]);
    assert_ends("bytes", &outcome, NONE, "larger than 20 bytes (`--max-bytes` allows more)");
    let text = "openapi: 3.1.0\npaths: {}\nx: &x [1, 2]\ny: [*x, *x, *x]\n";
    assert_ends(
        "values",
        &convert(&folder, "doc.yaml", text, &["--max-values", "10"]),
        NONE,
        "`--max-values`",
    );
    assert_ends("values", &convert(&folder, "doc.yaml", text, &["--max-values", "100"]), ALL, "");
    let text = "openapi: 3.1.0\npaths: {}\nx: &x {a: 1, b: 2}\ny: {<<: *x}\n";
    assert_ends(
        "merges",
        &convert(&folder, "doc.yaml", text, &["--max-values", "50"]),
        NONE,
        "`--max-values`",
    );
}

#[test]
fn outputs_are_written_together_or_not_at_all() {
    let folder = scratch("hostile-outputs");
    let text = with_body(&json!({}), &json!({}));
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    fs::write(path("tools.json"), "old").unwrap();
    #[cfg(target_os = "linux")]
    {
        let outcome =
            convert(&folder, "doc.json", &text, &["-o", &path("tools.json"), "--calls", "/dev/full"]);
        assert_ends("a full disk", &outcome, NONE, "/dev/full: cannot be written");
        assert_eq!(fs::read_to_string(path("tools.json")).unwrap(), "old");
    }
    std::os::unix::fs::symlink("new.json", path("link.json")).unwrap();
    let outcome = convert(&folder, "doc.json", &text, &["-o", &path("link.json")]);
    assert_eq!(outcome.code, Some(ALL), "{outcome:?}");
    assert!(fs::symlink_metadata(path("link.json")).unwrap().is_symlink());
    assert!(fs::read_to_string(path("new.json")).unwrap().contains("tools"));
    let outcome = convert(&folder, "doc.json", &text, &["-o", "-"]);
    assert_ends("standard output", &outcome, ALL, "");
    let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["doc.json", "link.json", "new.json", "tools.json"]);
}

#[test]
fn a_full_disk_is_reported() {
    let folder = scratch("hostile-full");
    let text = with_body(&json!({}), &json!({}));
    for option in ["-o", "--calls"] {
        let path = folder.join("doc.json");
        fs::write(&path, &text).unwrap();
        let outcome = gen_tools([path.to_str().unwrap(), option, "/dev/full"]);
        assert_eq!(outcome.code, Some(NONE), "{option}: {outcome:?}");
        assert!(outcome.stderr.contains("/dev/full: cannot be written"), "{option}: {outcome:?}");
    }
}

#[test]
fn files_in_a_ring_end() {
    let folder = scratch("hostile-files");
    let count = 1000;
    for at in 0..count {
        let text = format!("properties: {{n: {{$ref: f{}.yaml}}}}\n", (at + 1) % count);
        fs::write(folder.join(format!("f{at}.yaml")), text).unwrap();
    }
    let text = with_property(&json!({"$ref": "f0.yaml"}), &json!({}));
    assert_ends("a ring of files", &convert(&folder, "doc.json", &text, &[]), ALL, "");
}
