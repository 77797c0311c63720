//! Files: found from the file that refers to them, read once, never outside the folder, never from
//! the network.

use std::cell::{OnceCell, RefCell};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use elsa::FrozenVec;
use percent_encoding::percent_decode_str;

use super::lines::Lines;
use super::node::Node;
use super::pointer::Unresolved;
use super::tree::SyntaxError;
use super::{Access, File, Format, Input, Limits, ReadError, json, yaml};
use crate::diagnostic::FileId;

/// Reads the document that the user named; see [`Input::read_with`].
pub(super) fn read_first(path: &Path, access: &Access) -> Result<Input, ReadError> {
    let standard = path.as_os_str() == "-";
    let name = if standard { "<stdin>".to_owned() } else { path.display().to_string() };
    let fault = |source| ReadError::Io { file: name.clone(), source };
    let folder = match (standard, &access.base) {
        (true, Some(base)) => Some(canonical_folder(base)?),
        (true, None) => None,
        (false, _) => path.canonicalize().map_err(fault)?.parent().map(Path::to_path_buf),
    };
    let root = match &access.root {
        Some(root) => Some(canonical_folder(root)?),
        None => folder.clone(),
    };
    let bytes = if standard {
        read_limited(io::stdin().lock(), 0, access.limits.bytes)
    } else {
        read_file(path, access.limits.bytes)
    }
    .map_err(fault)?;
    let text = decode(&name, bytes)?;
    let root_name =
        access.root.clone().or_else(|| access.base.clone()).unwrap_or_else(|| path.with_file_name(""));
    let input = Input {
        files: FrozenVec::new(),
        by_path: RefCell::default(),
        root,
        root_name,
        limits: access.limits,
    };
    let id = add(&input, name, String::new(), folder, text)?;
    if let Some(known) = (!standard).then(|| path.canonicalize().ok()).flatten() {
        input.by_path.borrow_mut().insert(known, Ok(id));
    }
    Ok(input)
}

fn canonical_folder(path: &Path) -> Result<PathBuf, ReadError> {
    let fault = |source| ReadError::Io { file: path.display().to_string(), source };
    let folder = path.canonicalize().map_err(fault)?;
    if folder.is_dir() { Ok(folder) } else { Err(fault(io::Error::from(io::ErrorKind::NotADirectory))) }
}

/// A regular file's bytes: a pipe or a device could be without end.
fn read_file(path: &Path, limit: u32) -> io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name the document in it"));
    }
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file; give its content on standard input (`-`)"));
    }
    let size = metadata.len();
    let bytes = read_limited(std::fs::File::open(path)?, size, limit)?;
    // Files that the system makes up, such as those in `/proc`, have no size.
    if size > 0 && bytes.len() as u64 > size {
        return Err(io::Error::other("it grew while it was read; try again when it is written"));
    }
    Ok(bytes)
}

/// All that `reader` gives, which is probably `expected` bytes: a buffer that grows is copied, and its
/// pages are cleared by the system each time.
fn read_limited(reader: impl Read, expected: u64, limit: u32) -> io::Result<Vec<u8>> {
    let limit = u64::from(limit);
    // One byte more, so that the end is seen without growing, or that there is none.
    let enough = if expected > 0 { expected.min(limit) } else { limit } + 1;
    let mut bytes = Vec::with_capacity(usize::try_from(expected.min(limit) + 1).unwrap_or(0));
    reader.take(enough).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("it is larger than {limit} bytes (`--max-bytes` allows more)");
        return Err(io::Error::other(message));
    }
    Ok(bytes)
}

fn decode(name: &str, bytes: Vec<u8>) -> Result<String, ReadError> {
    let no_document = |found| Err(ReadError::NoDocument { file: name.to_owned(), found });
    let encoding = |found: &str| Err(ReadError::Encoding { file: name.to_owned(), found: found.to_owned() });
    match bytes.get(..4).unwrap_or(&bytes) {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return encoding("the text is UTF-16"),
        [0, 0, ..] | [0, _, 0, _] | [_, 0, _, 0] => {
            return encoding("the text is UTF-16 or UTF-32, or no text");
        }
        [b'P', b'K', 3, 4] => return no_document("this is a ZIP archive"),
        [0x1f, 0x8b, ..] => return no_document("this is compressed by gzip"),
        _ => {}
    }
    match String::from_utf8(bytes) {
        Ok(text) if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') => {
            no_document("this is HTML or XML")
        }
        Ok(text) => Ok(text),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            encoding(&format!("the text is not UTF-8 (byte {at}), perhaps Latin-1"))
        }
    }
}

/// Parses a text and adds it to the files.
pub(super) fn add(
    input: &Input,
    name: String,
    relative: String,
    folder: Option<PathBuf>,
    text: String,
) -> Result<FileId, ReadError> {
    if text.len() > input.limits.bytes as usize {
        let source = io::Error::other(format!("it is larger than {} bytes", input.limits.bytes));
        return Err(ReadError::Io { file: name, source });
    }
    let parsed = match Format::guess(&name, &text) {
        Format::Json => json::parse(&text),
        Format::Yaml => yaml::parse(&text, input.limits.values),
    };
    let tree = parsed.map_err(|SyntaxError { offset, message }| {
        let (line, column) = Lines::default().line_and_column(&text, offset);
        ReadError::Syntax { file: name.clone(), line, column, message }
    })?;
    let id = FileId(u32::try_from(input.files.len()).unwrap_or(u32::MAX));
    input.files.push(Box::new(File {
        name,
        relative,
        folder,
        text,
        tree,
        lines: Lines::default(),
        resources: OnceCell::new(),
        anchors: OnceCell::new(),
        children: RefCell::default(),
        references: RefCell::default(),
        resolved: RefCell::default(),
        entries: RefCell::default(),
    }));
    Ok(id)
}

/// The root of the file that `reference`, without its fragment, names from the file of `from`
/// (RFC 3986, section 5). The file is read if it was not yet.
///
/// # Errors
/// [`Unresolved`]
pub(super) fn load<'i>(from: Node<'i>, reference: &str) -> Result<Node<'i>, Unresolved> {
    if reference.starts_with("file:") {
        return Err(Unresolved::Scheme);
    }
    if is_remote(reference) {
        return Err(Unresolved::Remote);
    }
    let input = from.input();
    // Finding a path asks the system, and most references stand in a document many times.
    let known = from.file().references.borrow().get(reference).copied();
    let id = match known {
        Some(id) => id,
        None => find(from, reference)?,
    };
    from.file().references.borrow_mut().insert(reference.to_owned(), id);
    match input.file(id).tree.len() {
        0 => Err(Unresolved::Unreadable(format!("{} is empty", input.file(id).name))),
        _ => Ok(Node::new(input, id, 0)),
    }
}

/// The file that a relative path names, read if it was not yet.
fn find(from: Node<'_>, reference: &str) -> Result<FileId, Unresolved> {
    let input = from.input();
    let outside = || Unresolved::Outside(reference.to_owned());
    let (Some(folder), Some(root)) = (&from.file().folder, &input.root) else {
        return Err(Unresolved::NoFolder);
    };
    let decoded = percent_decode_str(reference).decode_utf8_lossy();
    let tries = [folder.join(&*decoded), folder.join(reference)];
    // Before anything is touched: what is plainly outside is not even looked for.
    if !lexically_inside(&tries[0], root) {
        return Err(outside());
    }
    let found = tries.iter().find_map(|path| path.canonicalize().ok());
    let Some(path) = found else {
        return Err(Unresolved::Unreadable(format!(
            "there is no file {decoded:?} beside {:?}",
            from.file().name
        )));
    };
    let Ok(relative) = path.strip_prefix(root) else { return Err(outside()) };
    let known = input.by_path.borrow().get(&path).cloned();
    let id = known.unwrap_or_else(|| {
        let loaded = read_other(input, &path, relative);
        input.by_path.borrow_mut().insert(path.clone(), loaded.clone());
        loaded
    });
    id.map_err(Unresolved::Unreadable)
}

fn is_remote(reference: &str) -> bool {
    let scheme = reference.split_once(':').map_or("", |(scheme, _)| scheme);
    // One letter before a colon is a drive.
    reference.starts_with("//")
        || (scheme.len() > 1
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte)))
}

fn lexically_inside(path: &Path, root: &Path) -> bool {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal.starts_with(root)
}

fn read_other(input: &Input, path: &Path, relative: &Path) -> Result<FileId, String> {
    let name = input.root_name.join(relative).display().to_string();
    let Limits { files, bytes, .. } = input.limits;
    if input.files.len() >= files {
        return Err(format!("{name} would be one file more than {files} (`--max-files` allows more)"));
    }
    let bytes = read_file(path, bytes).map_err(|error| format!("{name}: {error}"))?;
    let text = decode(&name, bytes).map_err(|error| error.to_string())?;
    let relative =
        relative.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
    add(input, name, relative, path.parent().map(Path::to_path_buf), text).map_err(|error| error.to_string())
}
