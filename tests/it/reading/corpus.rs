//! Real documents, where `GEN_TOOLS_CORPUS` names a folder of them: every one reads, and as other
//! readers read it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{plain_numbers, read, yaml};

/// The files below `folder` whose extension is one of `extensions`, sorted.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|found| extensions.iter().any(|extension| found == *extension))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Reads every file of `extensions`, and compares it with what `theirs` reads. Says how many.
fn compare(extensions: &[&str], theirs: fn(&str) -> Option<Value>) {
    let Some(folder) = std::env::var_os("GEN_TOOLS_CORPUS") else {
        eprintln!("GEN_TOOLS_CORPUS is not set: no real document was read");
        return;
    };
    let (mut run, mut compared, mut wrong) = (0, 0, Vec::new());
    for path in files(Path::new(&folder), extensions) {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect(&name);
        run += 1;
        match (read(&name, &text), theirs(&text)) {
            (Err(message), _) => wrong.push(message),
            (Ok(_), None) => eprintln!("read by us alone: {name}"),
            (Ok(ours), Some(other)) => {
                compared += 1;
                if plain_numbers(ours) != plain_numbers(other) {
                    wrong.push(format!("{name}: the other reader differs"));
                }
            }
        }
    }
    eprintln!("{run} files of {extensions:?} read, {compared} of them compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn real_json_documents_read_as_serde_json_reads_them() {
    compare(&["json"], |text| serde_json::from_str(text.trim_start_matches('\u{feff}')).ok());
}

#[test]
fn real_yaml_documents_read_as_serde_yaml_reads_them() {
    // A block at the end of a file without a last line break: see the table of differences.
    compare(&["yaml", "yml"], |text| yaml::theirs(&format!("{text}\n")));
}
