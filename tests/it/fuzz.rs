//! A short fuzzing run that is the same every time; `fuzz/` has the long ones.
//!
//! `GEN_TOOLS_FUZZ=N` changes each document N times as often, from other seeds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use gen_tools::Input;
use serde_json::Value;

use crate::check::check_list;
use crate::mutate::{Random, mutate};
use crate::oracle::{document_is_converted, json_is_read, reference_is_resolved, yaml_is_read};
use crate::run::{files_below, root, shared};

/// How often each document is changed, and how often more than by default.
fn rounds(usual: usize) -> (usize, u64) {
    let more = std::env::var("GEN_TOOLS_FUZZ").ok().and_then(|times| times.parse::<usize>().ok());
    (usual * more.unwrap_or(1), more.map_or(0, |more| more as u64) << 32)
}

/// The documents of `specs/`, and those of the corpus that are small.
fn documents(largest: u64) -> Vec<(PathBuf, String)> {
    let folders = [Some(root().join("specs")), shared("GEN_TOOLS_CORPUS")];
    let is_document = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| ["json", "yaml", "yml"].contains(&extension))
            && path.metadata().is_ok_and(|metadata| metadata.len() < largest)
    };
    let files = folders.into_iter().flatten().flat_map(|folder| files_below(&folder));
    files
        .filter(|path| is_document(path))
        .filter_map(|path| Some((path.clone(), std::fs::read_to_string(&path).ok()?)))
        .collect()
}

fn value(path: &Path, text: &str) -> Option<Value> {
    Some(Input::parse(&path.to_string_lossy(), text).ok()?.root()?.to_value())
}

/// Runs `judge`; where it panics, fails with what it was given.
#[track_caller]
fn judged(of: &Path, given: &str, judge: impl FnOnce()) {
    let holds = catch_unwind(AssertUnwindSafe(judge)).is_ok();
    assert!(holds, "changed from {}: {given}", of.display());
}

#[test]
fn changed_documents_are_converted_or_refused() {
    let (rounds, seed) = rounds(4);
    let mut ran = 0;
    for (number, (path, text)) in (0..).zip(documents(100_000)) {
        let Some(document) = value(&path, &text) else { continue };
        let mut random = Random::new(seed + number);
        for round in 0..rounds {
            let mut changed = document.clone();
            mutate(&mut changed, &mut random);
            let text = changed.to_string();
            judged(&path, &text, || {
                document_is_converted("a.json", &text);
            });
            if round == 0 {
                judged(&path, &text, || list_is_valid(&text));
            }
            ran += 1;
        }
    }
    eprintln!("changed {ran} documents");
    assert!(ran > 1000, "only {ran} documents");
}

/// Every tool of a document passes the checks of all goldens.
fn list_is_valid(text: &str) {
    let input = Input::parse("a.json", text).expect("JSON");
    let Ok(generation) = gen_tools::generate(&input, &gen_tools::Options::default()) else { return };
    let mut list = Vec::new();
    generation.write(&mut list, gen_tools::Layout::Compact).expect("memory takes everything");
    let mut faults = check_list(&serde_json::from_slice(&list).expect("JSON"));
    // What data mentions may be an alias or a place; the judge above knows of that.
    faults.retain(|fault| !fault.contains("cannot be reached"));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn spoilt_texts_are_read_or_refused() {
    const PUT: &[&str] = &[
        "\"",
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\n",
        "\t",
        " ",
        "-",
        "&a ",
        "*a",
        "!!str ",
        "|\n",
        ">-\n",
        "#",
        "'",
        "? ",
        "<<: ",
        "---\n",
        "%YAML 1.2\n",
        "\u{feff}",
        "\u{0}",
        "\u{85}",
        "1e",
        "0x1",
        "~",
        "\\u",
        "\\ud800",
    ];
    let (rounds, seed) = rounds(4);
    for (number, (path, text)) in (0..).zip(documents(20_000)) {
        let mut random = Random::new(seed + number);
        for _ in 0..rounds {
            let mut characters: Vec<char> = text.chars().collect();
            for _ in 0..=random.below(3) {
                let at = random.below(characters.len() + 1);
                let end = (at + random.below(30)).min(characters.len());
                match random.below(3) {
                    0 => drop(characters.splice(at..at, random.pick(PUT).chars())),
                    1 => drop(characters.drain(at..end)),
                    _ => {
                        let taken = characters[at..end].to_vec();
                        let to = random.below(characters.len() + 1);
                        characters.splice(to..to, taken);
                    }
                }
            }
            let changed: String = characters.into_iter().collect();
            judged(&path, &changed, || {
                json_is_read(&changed);
                yaml_is_read(&changed);
            });
        }
    }
}

#[test]
fn any_reference_is_resolved_or_reported() {
    const PARTS: &[&str] = &[
        "#",
        "/",
        "~0",
        "~1",
        "~",
        "%25",
        "%2F",
        "%",
        "components",
        "schemas",
        "X",
        "paths",
        "~1a",
        "get",
        "0",
        "00",
        "-",
        "a",
        "",
        "$defs",
        "properties",
        "é",
        "%C3%A9",
        "..",
        ".",
        "file:",
        "http://",
        "?",
        "\\",
        " ",
        "b",
    ];
    let document: Value = serde_json::json!({
        "a": {"b": {"type": "string"}, "": {}, "é": {"type": "integer"}, "0": true, "$defs": {"a": {}}},
        "0": [{"type": "null"}, {"enum": [1]}],
        "properties": {"properties": {"required": ["a"]}},
    });
    let (rounds, seed) = rounds(2000);
    let mut random = Random::new(seed);
    for _ in 0..rounds {
        let mut reference =
            if random.below(2) == 0 { "#/components/schemas/X".to_owned() } else { String::new() };
        for _ in 0..random.below(8) {
            if random.below(2) == 0 {
                reference.push('/');
            }
            reference.push_str(random.pick(PARTS));
        }
        judged(Path::new("a reference"), &reference, || reference_is_resolved(&document, &reference));
    }
}
