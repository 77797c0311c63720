//! Comparing with a golden file: byte by byte as the tools come.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use gen_tools::{Comparison, Generation, GoldenError, Layout, Shape};

/// Compares what is written with a text, and keeps nothing of it.
pub(crate) struct Comparing<'g> {
    /// What is still to come.
    rest: &'g [u8],
    equal: bool,
}

impl<'g> Comparing<'g> {
    /// Begins a comparison.
    pub(crate) fn new(golden: &'g [u8]) -> Self {
        Comparing { rest: golden, equal: true }
    }

    /// Whether all that was written is all of the text.
    pub(crate) fn is_equal(&self) -> bool {
        self.equal && self.rest.is_empty()
    }
}

impl Write for Comparing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.equal {
            match self.rest.strip_prefix(bytes) {
                Some(rest) => self.rest = rest,
                None => self.equal = false,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a golden file.
///
/// # Errors
/// It can't be read; with the command that writes it.
pub(crate) fn read_golden(path: &Path) -> Result<Vec<u8>> {
    fs::read(path)
        .map_err(io_words)
        .with_context(|| format!("{}: cannot be read", path.display()))
        .map_err(|error| anyhow::anyhow!("{error:#}; this writes it: {}", accepting(path)))
}

/// An error in words that are the same on every system, as far as they are known.
fn io_words(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::NotFound => anyhow::anyhow!("there is no such file"),
        _ => error.into(),
    }
}

/// What differs between a golden file and the tools.
///
/// # Errors
/// The file holds no tools; with the command that writes it.
pub(crate) fn against_golden(
    generation: &Generation<'_>,
    path: &Path,
    golden: &[u8],
    (layout, shape): (Layout, Shape),
) -> Result<Comparison> {
    let compared = text_of(golden)
        .and_then(|text| Ok(generation.compare(text, layout, shape)?))
        .with_context(|| path.display().to_string());
    compared.map_err(|error| anyhow::anyhow!("{error:#}; this writes it: {}", accepting(path)))
}

/// What differs between two files; `None` if they are equal to the byte.
///
/// # Errors
/// One of them can't be read, or holds no tools.
pub(crate) fn two_files(old: &Path, new: &Path) -> Result<Option<Comparison>> {
    let read = |path: &Path| {
        fs::read(path).map_err(io_words).with_context(|| format!("{}: cannot be read", path.display()))
    };
    let (before, now) = (read(old)?, read(new)?);
    let before = text_of(&before).with_context(|| old.display().to_string())?;
    let now = text_of(&now).with_context(|| new.display().to_string())?;
    let failed = |(which, error): (&str, GoldenError)| {
        let path = if which == "old" { old } else { new };
        anyhow::Error::from(error).context(path.display().to_string())
    };
    // Two equal files that are no lists of tools are a mistake, too.
    let comparison = gen_tools::compare(before, now).map_err(failed)?;
    Ok((before != now).then_some(comparison))
}

fn text_of(bytes: &[u8]) -> Result<&str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => bail!("this is no JSON: {error}"),
    }
}

/// The command that writes the golden file: this one, with `--output` in place of `--check`.
pub(crate) fn accepting(path: &Path) -> String {
    let mut words = vec!["gen-tools".to_owned()];
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--check") => drop(arguments.next()),
            Some(text) if text.starts_with("--check=") => {}
            _ => words.push(quoted(&argument)),
        }
    }
    words.extend(["--output".to_owned(), quoted(path)]);
    words.join(" ")
}

/// A word as a shell reads it.
fn quoted(word: impl AsRef<std::ffi::OsStr>) -> String {
    let word = OsString::from(word.as_ref()).to_string_lossy().into_owned();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
