//! The outside world: files, their trees, places in them. Knows no OpenAPI.

mod files;
pub(crate) mod json;
mod lines;
mod node;
pub(crate) mod pointer;
pub(crate) mod resource;
mod tree;
mod yaml;

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use elsa::FrozenVec;
use foldhash::HashMap;
use thiserror::Error;

pub use node::Node;
pub(crate) use node::Place;
pub use tree::Kind;

use crate::diagnostic::{Code, Diagnostic, FileId, Span};
use lines::Lines;
use tree::Tree;

/// An input that cannot be read at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file could not be opened or read.
    #[error("{file}: cannot be read")]
    Io {
        /// As it was given.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The text is not UTF-8.
    #[error("{file}: {found}; save it as UTF-8")]
    Encoding {
        /// As it was given.
        file: String,
        /// What it seems to be.
        found: String,
    },
    /// It is no text that could be a document.
    #[error("{file}: {found}; expected an OpenAPI document in JSON or YAML")]
    NoDocument {
        /// As it was given.
        file: String,
        /// What it is.
        found: &'static str,
    },
    /// The text is not JSON or YAML.
    #[error("{file}:{line}:{column}: {message}")]
    Syntax {
        /// As it was given.
        file: String,
        /// Counted from 1.
        line: usize,
        /// In characters, counted from 1.
        column: usize,
        /// What was found and what was expected.
        message: String,
    },
}

/// A place in the text as people count: from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location<'i> {
    /// The file's name as it was given.
    pub file: &'i str,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
}

/// A part of one line, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excerpt<'i> {
    /// The text.
    pub text: &'i str,
    /// Where the span begins in it, in bytes.
    pub start: usize,
    /// Where the span, or the text, ends.
    pub end: usize,
}

/// How much of a long line is shown before and after the beginning of a span, in bytes.
const EXCERPT_BEFORE: usize = 80;
const EXCERPT_AFTER: usize = 120;

/// Objects by their resource, or of all, and a plain name.
type Anchors = HashMap<(Option<u32>, String), Vec<u32>>;

/// One file: its text and its tree.
pub(crate) struct File {
    /// For messages: as the user named it, or beside the first document's name.
    name: String,
    /// Its path from the first document's folder, with `/`; empty for the first.
    relative: String,
    /// The folder that its references start from; `None` for a text that has none.
    folder: Option<PathBuf>,
    text: String,
    tree: Tree,
    /// Its lines, counted as far as places are asked for.
    lines: Lines,
    /// The resources in it, found when the first reference is resolved.
    resources: std::cell::OnceCell<resource::Resources>,
    /// The schemas with a plain name, once who knows schemas has found them.
    anchors: std::cell::OnceCell<Anchors>,
    /// Where the children of its large containers begin, for those that were searched.
    children: RefCell<HashMap<u32, Vec<u32>>>,
    /// The files that its references lead to.
    references: RefCell<HashMap<String, FileId>>,
    /// Where references to places of this file lead, if it has no `$id` that they are relative to.
    resolved: RefCell<HashMap<String, u32>>,
    /// Entries of the objects that references lead through.
    entries: RefCell<HashMap<u32, HashMap<String, u32>>>,
}

/// The documents that are read: the one that the user named first, others when a reference to them
/// is followed.
pub struct Input {
    files: FrozenVec<Box<File>>,
    /// By canonical path, so that a file is read once.
    by_path: RefCell<HashMap<PathBuf, Result<FileId, String>>>,
    /// The canonical folder that no file is read outside of.
    root: Option<PathBuf>,
    /// The same folder as the user named it, for messages.
    root_name: PathBuf,
    limits: Limits,
}

/// How much is read, so that hostile input ends soon. No real document known comes near the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The most files of one document.
    pub files: usize,
    /// The largest file, in bytes: below 4 GiB, since places are 32 bits wide.
    pub bytes: u32,
    /// The most values in one file after all its aliases are followed; merge keys (`<<`), each of
    /// whose entries takes memory, may bring in a fiftieth of that.
    pub values: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { files: 20_000, bytes: 1 << 30, values: 50_000_000 }
    }
}

/// Where files may be read, and how much.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The folder that no file is read outside of; the first document's own if `None`.
    pub root: Option<PathBuf>,
    /// The folder that references start from in a document that is read from standard input.
    pub base: Option<PathBuf>,
    /// How much is read.
    pub limits: Limits,
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// RFC 8259.
    Json,
    /// YAML 1.2, core schema, with merge keys.
    Yaml,
}

impl Format {
    /// By the file's extension, else by the first character of the text.
    fn guess(name: &str, text: &str) -> Format {
        let extension = Path::new(name).extension().map(std::ffi::OsStr::to_ascii_lowercase);
        match extension.as_deref().and_then(std::ffi::OsStr::to_str) {
            Some("json") => Format::Json,
            Some("yaml" | "yml") => Format::Yaml,
            _ if text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).starts_with(['{', '[']) => {
                Format::Json
            }
            _ => Format::Yaml,
        }
    }
}

impl Input {
    /// Reads the file at `path`, or standard input if that is `-`. References are followed inside
    /// the file's folder.
    ///
    /// # Errors
    /// [`ReadError`]: unreadable, not UTF-8, or neither JSON nor YAML.
    pub fn read(path: impl AsRef<Path>) -> Result<Input, ReadError> {
        Input::read_with(path, &Access::default())
    }

    /// As [`Input::read`], with a say in where references may lead.
    ///
    /// # Errors
    /// As [`Input::read`]; also if a folder of `access` is none.
    pub fn read_with(path: impl AsRef<Path>, access: &Access) -> Result<Input, ReadError> {
        files::read_first(path.as_ref(), access)
    }

    /// Reads `text`; `name` stands in messages, and its extension says the format. References to
    /// other files are not followed.
    ///
    /// # Errors
    /// [`ReadError::Syntax`]: neither JSON nor YAML.
    pub fn parse(name: &str, text: impl Into<String>) -> Result<Input, ReadError> {
        let input = Input {
            files: FrozenVec::new(),
            by_path: RefCell::default(),
            root: None,
            root_name: PathBuf::new(),
            limits: Limits::default(),
        };
        files::add(&input, name.to_owned(), String::new(), None, text.into())?;
        Ok(input)
    }

    /// The file with this number. Numbers are made when files are added, and none is removed.
    fn file(&self, id: FileId) -> &File {
        &self.files[id.0 as usize]
    }

    /// How many files were read.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The first document's name, as it was given.
    pub fn name(&self) -> &str {
        self.files.get(0).map_or("", |file| &file.name)
    }

    /// The root of the first document; `None` for a text without a value.
    pub fn root(&self) -> Option<Node<'_>> {
        let file = self.files.get(0)?;
        (file.tree.len() > 0).then(|| Node::new(self, FileId(0), 0))
    }

    /// Where a span stands, as people count.
    pub fn locate(&self, span: Span) -> Location<'_> {
        let Some(file) = self.files.get(span.file.0 as usize) else {
            return Location { file: "", line: 1, column: 1 };
        };
        let (line, column) = file.lines.line_and_column(&file.text, span.start as usize);
        Location { file: &file.name, line, column }
    }

    /// The line on which a span begins, or a window of it where it is long, and the part of that
    /// which the span takes.
    pub fn excerpt(&self, span: Span) -> Excerpt<'_> {
        let text = self.files.get(span.file.0 as usize).map_or("", |file| file.text.as_str());
        let floor = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = floor((span.start as usize).min(text.len()));
        // A line may be as long as its document, and have a diagnostic at every byte.
        let from = floor(start.saturating_sub(EXCERPT_BEFORE));
        let to = floor((start + EXCERPT_AFTER).min(text.len()));
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or("");
        let from = part(from, start).rfind('\n').map_or(from, |at| from + at + 1);
        let to = part(start, to).find(['\n', '\r']).map_or(to, |at| start + at);
        let end = (span.end as usize).clamp(start, to);
        let end = floor(end).max(start);
        Excerpt { text: part(from, to), start: start - from, end: end - from }
    }

    /// The duplicate keys of all files that were read.
    pub(crate) fn duplicate_keys(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (id, file) in (0..).zip(&self.files) {
            for &key in file.tree.duplicates() {
                let node = Node::new(self, FileId(id), key);
                let message =
                    format!("the key {:?} stands twice in one object; the last one is used", node.text());
                found.push(node.diagnostic(Code::DuplicateKey, message));
            }
        }
        found
    }
}
