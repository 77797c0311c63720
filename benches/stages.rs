//! Each stage alone, over generated documents and over those of the folder `GEN_TOOLS_CORPUS`; and a
//! bare parse of the same text, to compare with.

#![expect(clippy::expect_used, reason = "a benchmark that can't run has nothing to measure")]

mod documents;

use std::fmt;
use std::io;
use std::path::PathBuf;

use divan::{Bencher, black_box, counter::BytesCount};
use documents::Shape;
use gen_tools::{Input, Layout, Options, generate};
use serde_json::Value;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// A document by its name; its text is made, or read, when it is needed.
#[derive(Clone)]
enum Document {
    Generated(Shape, usize),
    Real(PathBuf),
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Document::Generated(shape, operations) => write!(f, "{} {operations}", shape.name()),
            Document::Real(path) => write!(f, "{}", path.file_name().unwrap_or_default().display()),
        }
    }
}

impl Document {
    fn text(&self) -> String {
        match self {
            Document::Generated(shape, operations) => documents::json(*shape, *operations),
            Document::Real(path) => std::fs::read_to_string(path).expect("the document can be read"),
        }
    }

    fn name(&self) -> String {
        match self {
            Document::Generated(..) => "generated.json".to_owned(),
            Document::Real(path) => path.display().to_string(),
        }
    }

    fn input(&self) -> Input {
        Input::parse(&self.name(), self.text()).expect("the document is JSON or YAML")
    }
}

fn generated() -> Vec<Document> {
    let sizes = [10, 100, 1_000, 10_000];
    let of = |shape| sizes.map(|operations| Document::Generated(shape, operations));
    Shape::ALL.into_iter().flat_map(of).collect()
}

/// The documents of the corpus that are large enough to measure, those of one file.
fn real(extensions: &[&str]) -> Vec<Document> {
    let Some(root) = std::env::var_os("GEN_TOOLS_CORPUS") else { return Vec::new() };
    let mut open = vec![PathBuf::from(root)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let large = entry.metadata().is_ok_and(|metadata| metadata.len() > 1_000_000);
            let known =
                path.extension().is_some_and(|ending| extensions.iter().any(|known| ending == *known));
            if path.is_dir() {
                open.push(path);
            } else if large && known {
                found.push(path);
            }
        }
    }
    found.sort();
    found.into_iter().map(Document::Real).collect()
}

fn all() -> Vec<Document> {
    generated().into_iter().chain(real(&["json", "yaml", "yml"])).collect()
}

fn in_json() -> Vec<Document> {
    generated().into_iter().chain(real(&["json"])).collect()
}

/// `serde_json` into a `Value` and back to bytes: what the other stages are compared with.
#[divan::bench(args = in_json())]
fn bare_parse(bencher: Bencher, document: &Document) {
    let text = document.text();
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let value: Value = serde_json::from_str(&text).expect("the document is JSON");
        serde_json::to_vec(&value)
    });
}

#[divan::bench(args = in_json())]
fn read_json(bencher: Bencher, document: &Document) {
    read(bencher, document);
}

#[divan::bench(args = real(&["yaml", "yml"]))]
fn read_yaml(bencher: Bencher, document: &Document) {
    read(bencher, document);
}

fn read(bencher: Bencher, document: &Document) {
    let (name, text) = (document.name(), document.text());
    bencher
        .counter(BytesCount::of_str(&text))
        .with_inputs(|| text.clone())
        .bench_values(|text| Input::parse(&name, text).expect("the document is JSON or YAML"));
}

/// The operations found and named, the components listed.
#[divan::bench(args = all())]
fn operations(bencher: Bencher, document: &Document) {
    let input = document.input();
    bencher
        .bench_local(|| generate(black_box(&input), &Options::default()).expect("it is an OpenAPI document"));
}

/// Every tool made, none written.
#[divan::bench(args = all(), sample_count = 20)]
fn tools(bencher: Bencher, document: &Document) {
    let input = document.input();
    bencher
        .with_inputs(|| generate(&input, &Options::default()).expect("it is an OpenAPI document"))
        .bench_local_refs(|generation| generation.tools().count());
}

/// Every tool made and written; the definitions are converted already.
#[divan::bench(args = all(), sample_count = 20)]
fn write(bencher: Bencher, document: &Document) {
    let input = document.input();
    let generation = generate(&input, &Options::default()).expect("it is an OpenAPI document");
    let mut bytes = Counted(0);
    generation.write(&mut bytes, Layout::Compact).expect("counting does not fail");
    bencher
        .counter(BytesCount::new(bytes.0))
        .bench_local(|| generation.write(io::sink(), Layout::Compact).expect("a sink does not fail").len());
}

/// Counts what is written.
struct Counted(usize);

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
