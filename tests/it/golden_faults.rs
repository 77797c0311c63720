//! Shows that the comparison with golden files can fail, with a stand-in for the binary.

use std::fs;
use std::path::{Path, PathBuf};

use crate::golden::{Given, Spec, compare, specs};
use crate::run::{Outcome, scratch};

const LIST: &str = "{\n  \"tools\": []\n}\n";

/// A run with this exit code and these texts.
fn given(code: i32, stdout: &str, stderr: &str) -> Given {
    let outcome = Outcome { code: Some(code), stdout: stdout.into(), stderr: stderr.into() };
    Given { outcome, calls: b"{}\n".to_vec() }
}

/// A folder with the document `specs/a/b.yaml`, which has this text, and these golden files.
fn package(name: &str, document: &str, golden: &[(&str, &str)]) -> PathBuf {
    let root = scratch(name);
    write(&root.join("specs/a/b.yaml"), document);
    write(&root.join("specs/a/b.calls.yaml"), "");
    write(&root.join("specs/notes.md"), "");
    for (path, text) in golden {
        write(&root.join("golden").join(path), text);
    }
    root
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The faults when the stand-in always gives the same.
fn faults(root: &Path, update: bool, run: impl Fn() -> Given) -> Vec<String> {
    compare(&specs(root, "specs"), &root.join("golden"), update, |_| run())
}

#[test]
fn a_document_says_how_it_is_run() {
    let root = package(
        "golden-header",
        "# A line.\n# calls\n#options: --body nested -x\nopenapi: 3.0.0\n# calls",
        &[],
    );
    let [Spec { path, stem, options, calls }] = &specs(&root, "specs")[..] else { panic!("one document") };
    assert_eq!((path.as_path(), &stem[..], *calls), (Path::new("specs/a/b.yaml"), "a/b", true));
    assert_eq!(options, &["--body", "nested", "-x"]);
    let root = package("golden-no-header", "openapi: 3.0.0\n# calls\n# options: -x", &[]);
    let [spec] = &specs(&root, "specs")[..] else { panic!("one document") };
    assert!(!spec.calls && spec.options.is_empty());
}

#[test]
fn parts_are_no_documents_of_their_own() {
    let root = package("golden-parts", "", &[]);
    for path in ["specs/parts/c.yaml", "specs/a/parts/d/e.json", "specs/a/parts.yaml"] {
        write(&root.join(path), "{}");
    }
    let stems: Vec<String> = specs(&root, "specs").into_iter().map(|spec| spec.stem).collect();
    assert_eq!(stems, ["a/b", "a/parts"]);
    let root = package("parts", "", &[]);
    assert_eq!(specs(&root, "specs").len(), 1, "a folder further up may have any name");
}

#[test]
fn a_run_that_gives_nothing_is_held_to_its_messages() {
    let root = package("golden-nothing", "", &[("a/b.txt", "no document\n")]);
    assert_eq!(faults(&root, false, || given(2, "", "no document\n")), Vec::<String>::new());
    assert_eq!(faults(&root, false, || given(2, "", "other words\n")).len(), 1);
    let root = package("golden-nothing-left", "", &[("a/b.json", LIST), ("a/b.txt", "no document\n")]);
    let found = faults(&root, false, || given(2, "", "no document\n"));
    assert!(found.len() == 1 && found[0].contains("a/b.json differs"), "{found:?}");
}

#[test]
fn equal_bytes_are_no_fault() {
    let root = package(
        "golden-equal",
        "# calls",
        &[("a/b.json", LIST), ("a/b.txt", "w\n"), ("a/b.calls.json", "{}\n")],
    );
    assert_eq!(faults(&root, false, || given(0, LIST, "w\n")), Vec::<String>::new());
}

#[test]
fn every_difference_is_a_fault_that_says_how_to_accept_it() {
    let root = package("golden-differs", "# calls", &[("a/b.json", "{\"tools\": []}\r\n")]);
    let found = faults(&root, false, || given(0, LIST, "w\n"));
    let [json, text, calls] = &found[..] else { panic!("{found:#?}") };
    for (fault, file) in [(json, "a/b.json"), (text, "a/b.txt"), (calls, "a/b.calls.json")] {
        assert!(
            fault.contains(file) && fault.contains("UPDATE_GOLDEN=1 cargo test --test it golden"),
            "{fault}"
        );
    }
    assert!(
        json.contains(r#"- "{\"tools\": []}\r\n""#) && json.contains(r#"+ "  \"tools\": []\n""#),
        "{json}"
    );
}

#[test]
fn an_update_writes_what_changed_and_only_that() {
    let root = package("golden-update", "", &[("a/b.txt", "old\n")]);
    assert_eq!(faults(&root, true, || given(0, LIST, "")), Vec::<String>::new());
    let json = root.join("golden/a/b.json");
    assert_eq!(fs::read_to_string(&json).unwrap(), LIST);
    assert!(!root.join("golden/a/b.txt").exists());
    let written = fs::metadata(&json).unwrap().modified().unwrap();
    assert_eq!(faults(&root, true, || given(0, LIST, "")), Vec::<String>::new());
    assert_eq!(fs::metadata(&json).unwrap().modified().unwrap(), written);
    assert_eq!(faults(&root, false, || given(0, LIST, "")), Vec::<String>::new());
}

#[test]
fn a_golden_without_a_document_is_a_fault() {
    for orphan in ["c.json", "a/b.calls.json", "a/b.yaml", "b.json"] {
        let root = package("golden-orphan", "", &[("a/b.json", LIST), (orphan, "{}")]);
        for update in [false, true] {
            let found = faults(&root, update, || given(0, LIST, ""));
            assert!(found.len() == 1 && found[0].contains("belongs to no document"), "{orphan}: {found:?}");
            assert!(found[0].contains("rm '") && found[0].contains(orphan), "{found:?}");
        }
    }
    let root = package("golden-empty", "", &[("a/b.json", LIST), ("a/b.txt", "")]);
    assert_eq!(faults(&root, false, || given(0, LIST, "")).len(), 1);
}

#[test]
fn two_documents_of_one_stem_are_a_fault() {
    let root = package("golden-stems", "", &[("a/b.json", LIST)]);
    write(&root.join("specs/a/b.json"), "{}");
    let found = faults(&root, false, || given(0, LIST, ""));
    assert!(found.iter().any(|fault| fault.contains("two documents of one stem")), "{found:?}");
}

#[test]
fn runs_that_differ_are_a_fault() {
    let root = package("golden-twice", "", &[("a/b.json", LIST), ("a/b.txt", "0")]);
    let mut count = 0;
    let found = compare(&specs(&root, "specs"), &root.join("golden"), false, |_| {
        count += 1;
        given(0, LIST, &(count - 1).to_string())
    });
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("two runs differ"));
}

#[test]
fn bad_runs_are_faults_even_when_the_golden_agrees() {
    for (code, stdout, stderr) in [
        (0, LIST, "1 operation left out\n"),
        (1, LIST, "warning\n"),
        (2, LIST, "no document\n"),
        (2, "", ""),
        (101, LIST, "panicked\n"),
        (0, "", ""),
        (0, "{\"tools\": [1]}\n", ""),
        (0, "{\"tools\": []}\nwarning\n", ""),
    ] {
        let root = package("golden-bad", "", &[]);
        faults(&root, true, || given(code, stdout, stderr));
        let found = faults(&root, false, || given(code, stdout, stderr));
        assert!(!found.is_empty(), "{code} {stdout:?} {stderr:?}");
        assert!(found.iter().all(|fault| !fault.contains("differs")), "{found:?}");
    }
}
