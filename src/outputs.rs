//! Output files: each is replaced when all of it is written, or stays as it was.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

/// An output file that is being written.
pub(crate) struct OutputFile {
    /// As the user named it.
    path: PathBuf,
    writer: BufWriter<File>,
    /// What takes the place of which file at the end; `None` for what can't be replaced.
    replacing: Option<(NamedTempFile, PathBuf)>,
    existing: Option<Metadata>,
}

impl OutputFile {
    /// Opens a file for writing, beside the one that it will replace. Links are followed; what is no
    /// regular file (a pipe, a device) is written as it is.
    ///
    /// # Errors
    /// The folder or the device can't be written.
    pub(crate) fn create(path: &Path) -> Result<OutputFile> {
        let context = || format!("{}: cannot be written", path.display());
        let target = followed(path).with_context(context)?;
        let existing = fs::metadata(&target).ok();
        let (file, replacing) = if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
            (File::options().write(true).open(&target).with_context(context)?, None)
        } else {
            let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
            let temporary = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")));
            // Its own message would name the temporary file.
            let temporary = temporary.map_err(|error| io::Error::from(error.kind())).with_context(context)?;
            (temporary.as_file().try_clone().with_context(context)?, Some((temporary, target)))
        };
        Ok(OutputFile { path: path.to_owned(), writer: BufWriter::new(file), replacing, existing })
    }

    /// Writes what `write` does.
    ///
    /// # Errors
    /// What `write` says, with the file's name.
    pub(crate) fn write<T>(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T> {
        let written = write(&mut self.writer).and_then(|value| self.writer.flush().map(|()| value));
        written.with_context(|| format!("{}: cannot be written", self.path.display()))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// It can't be put there; the old file is still there.
    pub(crate) fn finish(self) -> Result<()> {
        let Some((temporary, target)) = self.replacing else { return Ok(()) };
        let finished = set_permissions(temporary.path(), self.existing.as_ref())
            .and_then(|()| temporary.persist(&target).map(drop).map_err(|error| error.error));
        finished.with_context(|| format!("{}: cannot be written", self.path.display()))
    }
}

/// The file that a path names at last, which need not exist.
fn followed(path: &Path) -> io::Result<PathBuf> {
    const MAX_LINKS: usize = 40;
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(found) = fs::canonicalize(&at) {
            return Ok(found);
        }
        match fs::read_link(&at) {
            Ok(next) => at = at.with_file_name("").join(next),
            Err(_) => return Ok(at),
        }
    }
    Err(io::Error::other("the link leads in a circle"))
}

/// A temporary file is its owner's alone; an output is as the file that it replaces, or everybody's to
/// read, as the shell's `>` has it.
#[cfg(unix)]
fn set_permissions(path: &Path, existing: Option<&Metadata>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, existing.map_or(Permissions::from_mode(0o644), Metadata::permissions))
}

#[cfg(not(unix))]
fn set_permissions(path: &Path, existing: Option<&Metadata>) -> io::Result<()> {
    existing.map_or(Ok(()), |existing| fs::set_permissions(path, existing.permissions()))
}

/// Refuses outputs that can't be written, or would replace the document or each other, before any is
/// touched.
///
/// # Errors
/// The first of them.
pub(crate) fn refuse_overwriting(spec: &Path, tools: Option<&Path>, calls: Option<&Path>) -> Result<()> {
    let place = |path: &Path| {
        fs::canonicalize(path).unwrap_or_else(|_| std::path::absolute(path).unwrap_or_default())
    };
    let regular = |path: &Path| fs::metadata(path).is_ok_and(|found| found.is_file());
    for output in [tools, calls].into_iter().flatten() {
        let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            bail!("{}: cannot be written: there is no such folder", output.display());
        }
        if regular(output) && place(output) == place(spec) {
            bail!("{}: the output would replace the document; name another file", output.display());
        }
    }
    if let (Some(tools), Some(calls)) = (tools, calls)
        && place(tools) == place(calls)
    {
        bail!("{}: the tools and the call map can't be one file; name two", tools.display());
    }
    Ok(())
}
