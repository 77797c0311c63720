//! Every small document below `GEN_TOOLS_FIXTURES`, many of them invalid on purpose, gives a list of
//! tools or a message, never a panic, never a hang.
//!
//! `cargo test --test it fixtures -- --nocapture` shows the table.

use std::path::Path;

use crate::check::check_list;
use crate::run::{ALL, NONE, Outcome, SOME, files_below, gen_tools, left_out, shared, warnings};

/// What is wrong with a run on a document that may be anything.
fn faults(outcome: &Outcome) -> Vec<String> {
    if outcome.stderr.contains("panicked") || !matches!(outcome.code, Some(ALL | SOME | NONE)) {
        return vec![format!("exit code {:?}: {}", outcome.code, outcome.stderr)];
    }
    if outcome.code == Some(NONE) {
        let silent = outcome.stderr.trim().is_empty() || !outcome.stdout.is_empty();
        return silent.then(|| "refused without a word, or with output".to_owned()).into_iter().collect();
    }
    outcome.list().map_or_else(|fault| vec![fault], |list| check_list(&list))
}

#[test]
fn small_documents_give_tools_or_a_message() {
    let Some(folder) = shared("GEN_TOOLS_FIXTURES") else {
        eprintln!("ran 0 documents: GEN_TOOLS_FIXTURES is not set");
        return;
    };
    let is_document = |path: &Path| {
        path.extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| ["json", "yaml", "yml"].contains(&extension))
    };
    let (mut ran, mut all) = (0, Vec::new());
    eprintln!("{:90} {:>4} {:>6} {:>5} {:>5}", "file", "exit", "tools", "out", "warn");
    for path in files_below(&folder).into_iter().filter(|path| is_document(path)) {
        let outcome = gen_tools([path.as_os_str(), "--root".as_ref(), folder.as_os_str()]);
        let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
        let tools = outcome.list().map_or(0, |list| list["tools"].as_array().map_or(0, Vec::len));
        let (out, warned) = (left_out(&outcome.stderr), warnings(&outcome.stderr));
        eprintln!("{name:90} {:>4} {tools:>6} {out:>5} {warned:>5}", outcome.code.unwrap_or(-1));
        all.extend(faults(&outcome).into_iter().take(3).map(|fault| format!("{name}: {fault}")));
        ran += 1;
    }
    eprintln!("ran {ran} documents");
    assert!(ran > 0, "there is no document below {}", folder.display());
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn bad_runs_have_faults() {
    let outcome = |code, stdout: &str, stderr: &str| Outcome {
        code: Some(code),
        stdout: stdout.into(),
        stderr: stderr.to_owned(),
    };
    for bad in [
        outcome(101, "", "thread 'main' panicked at"),
        outcome(NONE, "", ""),
        outcome(NONE, "{}", "error: no"),
        outcome(ALL, "{\"tools\": [", ""),
        outcome(SOME, "{\"tools\": [{}]}", ""),
    ] {
        assert!(!faults(&bad).is_empty(), "{bad:?}");
    }
    assert!(faults(&outcome(NONE, "", "error: no")).is_empty());
    assert!(faults(&outcome(ALL, "{\"tools\": []}", "")).is_empty());
}
