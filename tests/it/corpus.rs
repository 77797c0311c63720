//! Every real document below `GEN_TOOLS_CORPUS` becomes tools.
//!
//! `cargo test --test it corpus -- --nocapture` shows the table.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::check::check_list;
use crate::corpus_reading::{count_operations, parse, version};
use crate::run::{ALL, Outcome, SOME, files_below, gen_tools, left_out, not_selected, shared, warnings};

/// A document that the test runs on.
struct Document {
    path: PathBuf,
    version: String,
    /// As counted here; `None` where they stand in other files.
    operations: Option<usize>,
}

/// One row of the table.
struct Row {
    tools: usize,
    left_out: usize,
    warnings: usize,
    compact: usize,
}

/// The documents below a folder.
fn documents(folder: &Path) -> Vec<Document> {
    let names_openapi = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| ["json", "yaml", "yml"].contains(&extension))
    };
    let paths = files_below(folder).into_iter().filter(names_openapi);
    let read = |path: PathBuf| {
        let (value, version) = read(&path)?;
        Some(Document { path, version, operations: count_operations(&value) })
    };
    paths.filter_map(read).collect()
}

/// The document in a file and its version, if it is one that is read.
fn read(path: &Path) -> Option<(Value, String)> {
    let text = String::from_utf8(fs::read(path).ok()?).ok()?;
    let named = text.contains("openapi") || text.contains("swagger");
    let value = named.then(|| parse(text.trim_start_matches('\u{feff}')))??;
    let version = version(&value)?;
    Some((value, version))
}

/// What a run says about a document with so many operations, and its faults.
fn judge(operations: Option<usize>, outcome: &Outcome) -> (Row, Vec<String>) {
    let list = outcome.list();
    let tools = list.as_ref().map_or(0, |list| list["tools"].as_array().map_or(0, Vec::len));
    let row = Row {
        tools,
        left_out: left_out(&outcome.stderr),
        warnings: warnings(&outcome.stderr),
        compact: outcome.stdout.len(),
    };
    let mut faults = Vec::new();
    let expected = if row.left_out == 0 { ALL } else { SOME };
    if outcome.code != Some(expected) {
        faults.push(format!("exit code {:?} with {} left out", outcome.code, row.left_out));
    }
    if outcome.stderr.contains("panicked") {
        faults.push("it panicked".to_owned());
    }
    // `x-internal` and its sisters leave operations out by choice.
    let hidden = not_selected(&outcome.stderr);
    if let Some(operations) = operations.filter(|operations| row.tools + row.left_out + hidden != *operations)
    {
        let Row { tools, left_out, .. } = row;
        faults.push(format!(
            "{tools} tools, {left_out} left out and {hidden} hidden of {operations} operations"
        ));
    }
    faults.extend(list.map_or_else(|fault| vec![first_line(&fault)], |list| check_list(&list)));
    (row, faults)
}

/// The first line of a text, not more than 200 characters.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}

#[test]
fn real_documents_become_tools() {
    let Some(folder) = shared("GEN_TOOLS_CORPUS") else {
        eprintln!("ran 0 documents: GEN_TOOLS_CORPUS is not set");
        return;
    };
    let documents = documents(&folder);
    assert!(!documents.is_empty(), "there is no document below {}", folder.display());
    let mut all = Vec::new();
    eprintln!(
        "{:44} {:8} {:>6} {:>6} {:>5} {:>5} {:>11}",
        "file", "version", "ops", "tools", "out", "warn", "bytes"
    );
    for Document { path, version, operations } in &documents {
        let name = path.strip_prefix(&folder).unwrap_or(path).display().to_string();
        let (row, faults) = judge(
            *operations,
            &gen_tools([path.as_os_str(), "--compact".as_ref(), "--root".as_ref(), folder.as_os_str()]),
        );
        let operations = operations.map_or("?".to_owned(), |count| count.to_string());
        let Row { tools, left_out, warnings, compact } = row;
        eprintln!(
            "{name:44} {version:8} {operations:>6} {tools:>6} {left_out:>5} {warnings:>5} {compact:>11}"
        );
        let more = faults.len().saturating_sub(5);
        all.extend(faults.iter().take(5).map(|fault| format!("{name}: {fault}")));
        all.extend((more > 0).then(|| format!("{name}: and {more} more faults")));
    }
    eprintln!("ran {} documents", documents.len());
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::run::scratch;

    fn outcome(code: i32, list: &Value, stderr: &str) -> Outcome {
        Outcome { code: Some(code), stdout: list.to_string().into_bytes(), stderr: stderr.into() }
    }

    fn list() -> Value {
        let input = json!({"type": "object", "properties": {}, "$defs": {}});
        json!({"tools": [{"name": "a", "description": "Does.", "inputSchema": input}]})
    }

    #[test]
    fn good_runs_have_no_fault() {
        let (row, faults) =
            judge(Some(1), &outcome(0, &list(), "1 tool, 0 operations left out, 1 warning\n"));
        assert_eq!(faults, Vec::<String>::new());
        assert_eq!((row.tools, row.left_out, row.warnings), (1, 0, 1));
        assert_eq!(row.compact, list().to_string().len());
        assert_eq!(judge(Some(3), &outcome(1, &list(), "2 operations left out\n")).1, Vec::<String>::new());
    }

    #[test]
    fn bad_runs_have_faults() {
        for (operations, code, list, stderr) in [
            (2, 0, list(), ""),
            (1, 1, list(), ""),
            (2, 0, list(), "1 operation left out"),
            (1, 2, list(), ""),
            (1, 101, list(), ""),
            (1, 0, list(), "thread 'main' panicked at"),
            (1, 0, json!({"tools": [{}]}), ""),
            (0, 0, json!([]), ""),
        ] {
            let (_, faults) = judge(Some(operations), &outcome(code, &list, stderr));
            assert!(!faults.is_empty(), "{operations} {code} {list} {stderr}");
        }
        let nothing = Outcome { code: Some(0), stdout: Vec::new(), stderr: String::new() };
        assert!(!judge(Some(0), &nothing).1.is_empty());
    }

    #[test]
    fn documents_of_every_version_are_run() {
        let folder = scratch("corpus-documents");
        for (file, text) in [
            ("a.yaml", "openapi: 3.0.0\npaths: {/a: {get: {}}}\n"),
            ("b.json", "{\"openapi\": \"3.1.0\"}"),
            ("c.yml", "openapi: 4.0.0\n"),
            ("d.yaml", "swagger: '2.0'\n"),
            ("e.yaml", "openapi: 3.2.0\npaths: {/a: {$ref: a.yaml}}\n"),
            ("f.txt", "openapi: 3.0.0\n"),
        ] {
            fs::write(folder.join(file), text).unwrap();
        }
        let found = documents(&folder);
        let found: Vec<_> = found.iter().map(|d| (&d.version[..], d.operations)).collect();
        assert_eq!(found, [("3.0.0", Some(1)), ("3.1.0", Some(0)), ("2.0", Some(0)), ("3.2.0", None)]);
    }
}
