//! Every document below `specs/` gives what `golden/` holds under the same stem.
//!
//! - `golden/S.json` is standard output and `golden/S.txt` standard error, byte for byte. A file
//!   that is missing is empty, and no file is empty.
//! - A document may begin with comments that are instructions: `# options: --body nested` passes
//!   options on; `# calls` asks for `golden/S.calls.json`, the call map.
//! - Files below a folder called `parts` are no documents of their own: others refer to them.
//! - `UPDATE_GOLDEN=1 cargo test --test it golden` writes what changed, and only that.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::check::check_list;
use crate::run::{ALL, NONE, Outcome, SOME, files_below, gen_tools, left_out, root, scratch};

/// Accepts all changes.
const ACCEPT: &str = "UPDATE_GOLDEN=1 cargo test --test it golden";

/// A document of `specs/`.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    /// The path from the root of the package, as it stands in messages.
    pub(crate) path: PathBuf,
    /// The path from `specs/` without the extension.
    pub(crate) stem: String,
    /// The options that it asks for.
    pub(crate) options: Vec<String>,
    /// Does it ask for its call map?
    pub(crate) calls: bool,
}

/// All documents below `specs`, a folder in `root`.
pub(crate) fn specs(root: &Path, specs: &str) -> Vec<Spec> {
    let folder = root.join(specs);
    let is_document = |path: &PathBuf| {
        let name = path.to_string_lossy();
        !name.ends_with(".calls.yaml") && [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end))
    };
    whole_files(&folder).into_iter().filter(is_document).map(|path| spec(root, &folder, &path)).collect()
}

/// All files below `folder` but those that only other documents refer to, in folders called `parts`.
pub(crate) fn whole_files(folder: &Path) -> Vec<PathBuf> {
    let is_part = |path: &Path| {
        let inside = path.strip_prefix(folder).ok().and_then(Path::parent);
        inside.is_some_and(|inside| inside.components().any(|component| component.as_os_str() == "parts"))
    };
    files_below(folder).into_iter().filter(|path| !is_part(path)).collect()
}

/// Reads what a document asks for.
fn spec(root: &Path, folder: &Path, path: &Path) -> Spec {
    let text = fs::read(path).expect("the document can be read");
    let text = String::from_utf8_lossy(&text);
    let comments: Vec<&str> = text
        .lines()
        .take_while(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim())
        .collect();
    let options = comments.iter().filter_map(|line| line.strip_prefix("options:"));
    let stem = path.strip_prefix(folder).expect("it stands in the folder").with_extension("");
    Spec {
        path: path.strip_prefix(root).expect("it stands in the package").to_path_buf(),
        stem: stem.to_string_lossy().replace('\\', "/"),
        options: options.flat_map(str::split_whitespace).map(str::to_owned).collect(),
        calls: comments.contains(&"calls"),
    }
}

/// What a document gave: the run, and the call map if it asks for one.
pub(crate) struct Given {
    pub(crate) outcome: Outcome,
    pub(crate) calls: Vec<u8>,
}

/// Runs the binary on a document with the options that it asks for.
pub(crate) fn give(spec: &Spec, scratch: &Path) -> Given {
    let calls = scratch.join(format!("{}.calls.json", spec.stem.replace('/', "-")));
    let mut arguments = vec![spec.path.display().to_string()];
    arguments.extend(spec.options.iter().cloned());
    if spec.calls {
        arguments.extend(["--calls".to_owned(), calls.display().to_string()]);
    }
    let outcome = gen_tools(arguments);
    let calls = fs::read(&calls).unwrap_or_default();
    Given { outcome, calls }
}

/// Compares everything; gives the faults. `run` is the binary, or a stand-in.
pub(crate) fn compare(
    specs: &[Spec],
    golden: &Path,
    update: bool,
    mut run: impl FnMut(&Spec) -> Given,
) -> Vec<String> {
    let mut faults = Vec::new();
    let mut known = BTreeSet::new();
    for spec in specs {
        let (given, again) = (run(spec), run(spec));
        if given.outcome != again.outcome || given.calls != again.calls {
            faults.push(format!("{}: two runs differ", spec.path.display()));
        }
        faults
            .extend(outcome_faults(&given.outcome).map(|fault| format!("{}: {fault}", spec.path.display())));
        let mut files =
            vec![("json", &given.outcome.stdout[..]), ("txt", messages(&given.outcome.stderr).as_bytes())];
        if spec.calls {
            files.push(("calls.json", &given.calls));
        }
        for (extension, actual) in files {
            let path = golden.join(format!("{}.{extension}", spec.stem));
            faults.extend(settle(&path, actual, update));
            if !known.insert(path.clone()) {
                faults.push(format!("{} belongs to two documents of one stem", path.display()));
            }
        }
    }
    let orphans = files_below(golden).into_iter().filter(|path| !known.contains(path));
    faults.extend(
        orphans.map(|path| format!("{0} belongs to no document; accept with: rm '{0}'", path.display())),
    );
    faults
}

/// What is wrong with a run whatever the golden says.
fn outcome_faults(outcome: &Outcome) -> impl Iterator<Item = String> {
    let mut faults = Vec::new();
    let left_out = left_out(&outcome.stderr);
    match outcome.code {
        Some(ALL) if left_out == 0 => {}
        Some(SOME) if left_out > 0 => {}
        Some(NONE) if outcome.stdout.is_empty() && !outcome.stderr.is_empty() => {}
        code => {
            faults
                .push(format!("exit code {code:?} with {left_out} operations left out: {}", outcome.stderr));
        }
    }
    if outcome.code != Some(NONE) {
        match outcome.list() {
            Ok(list) => faults.extend(check_list(&list)),
            Err(fault) => faults.push(fault),
        }
    }
    faults.into_iter()
}

/// Compares one golden file, or writes it if `update` and it differs; gives the fault.
fn settle(path: &Path, actual: &[u8], update: bool) -> Option<String> {
    let expected = fs::read(path).ok();
    if expected.as_deref() == Some(actual).filter(|bytes| !bytes.is_empty()) {
        return None;
    }
    if !update {
        let difference = difference(&expected.unwrap_or_default(), actual);
        return Some(format!("{} differs; accept with: {ACCEPT}\n{difference}", path.display()));
    }
    if actual.is_empty() {
        fs::remove_file(path).expect("the golden can be removed");
    } else {
        fs::create_dir_all(path.parent().expect("it stands in a folder")).expect("the folder can be made");
        fs::write(path, actual).expect("the golden can be written");
    }
    None
}

/// The lines that differ, without what is equal before and after them; at most ten of each side.
fn difference(expected: &[u8], actual: &[u8]) -> String {
    let (expected, actual) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(actual));
    let expected: Vec<&str> = expected.split_inclusive('\n').collect();
    let actual: Vec<&str> = actual.split_inclusive('\n').collect();
    let before = expected.iter().zip(&actual).take_while(|(a, b)| a == b).count();
    let rest = expected.len().min(actual.len()) - before;
    let after = expected.iter().rev().zip(actual.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let mut shown = vec![format!("  line {}:", before + 1)];
    for (mark, lines) in [('-', &expected), ('+', &actual)] {
        let changed = &lines[before..lines.len() - after];
        let start = |line: &&str| line.chars().take(200).collect::<String>();
        shown.extend(changed.iter().take(10).map(|line| format!("  {mark} {:?}", start(line))));
        if changed.len() > 10 {
            shown.push(format!("  {mark} ... and {} more lines", changed.len() - 10));
        }
    }
    shown.join("\n")
}

#[test]
fn every_document_gives_its_golden() {
    let scratch = scratch("golden");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1");
    let specs = specs(root(), "specs");
    assert!(!specs.is_empty(), "there is no document below specs/");
    let faults = compare(&specs, &root().join("golden"), update, |spec| give(spec, &scratch));
    let faults = faults.join("\n").replace(&format!("{}/", root().display()), "");
    assert!(faults.is_empty(), "{faults}");
}

/// Standard error; nothing where it is only the closing line of a run without a message.
fn messages(stderr: &str) -> &str {
    let silent = stderr.lines().count() == 1 && stderr.ends_with(", 0 operations left out, 0 warnings\n");
    if silent { "" } else { stderr }
}
