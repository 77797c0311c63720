//! Fills `fuzz/corpus` from folders of documents: each that is small enough as it is for the readers,
//! and as JSON for the mutator.
//!
//! `cargo run --manifest-path fuzz/Cargo.toml --bin seeds -- FOLDER...`

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use gen_tools::{Input, Node};

/// Larger documents make each execution slow and teach the fuzzer little more.
const LARGEST: u64 = 100_000;

fn main() -> io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for target in ["json", "yaml", "references", "documents"] {
        fs::create_dir_all(corpus.join(target))?;
    }
    let mut open: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let mut count = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        } else if let Some(reader) = reader(&path) {
            let text = fs::read(&path)?;
            count += 1;
            fs::write(corpus.join(reader).join(count.to_string()), &text)?;
            let Ok(text) = String::from_utf8(text) else { continue };
            let Ok(input) = Input::parse(&path.to_string_lossy(), text) else { continue };
            let document = input.root().map(Node::to_value).unwrap_or_default().to_string();
            fs::write(corpus.join("documents").join(count.to_string()), &document)?;
            fs::write(corpus.join("references").join(count.to_string()), format!("#/a~1b/0\n{document}"))?;
        }
    }
    println!("{count} documents");
    Ok(())
}

fn reader(path: &Path) -> Option<&'static str> {
    let small = path.metadata().is_ok_and(|metadata| metadata.len() < LARGEST);
    let extension = path.extension()?.to_str().filter(|_| small)?;
    match extension {
        "json" => Some("json"),
        "yaml" | "yml" => Some("yaml"),
        _ => None,
    }
}
