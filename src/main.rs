//! The command line: arguments to options, run, print, exit code.

mod cli;
mod report;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use tempfile::NamedTempFile;

use cli::Cli;
use gen_tools::{CallMap, Generation, Input, Layout, LeftOut, ToolsWriter};

// Half of a run is making small values.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Some operations were left out.
const INCOMPLETE: u8 = 1;
/// Nothing could be done.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(INCOMPLETE),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

/// Whether all operations became tools.
fn run(cli: &Cli) -> Result<bool> {
    let input = Input::read_with(&cli.spec, &cli.access())?;
    let generation = gen_tools::generate(&input, &cli.options())?;
    let layout = if cli.compact { Layout::Compact } else { Layout::Pretty };
    let mut calls = cli.calls.as_ref().map(|_| CallMap::default());
    let made = match &cli.output {
        Some(path) => whole_file(path, |file| write_tools(&generation, file, layout, calls.as_mut()))?,
        None => write_tools(&generation, BufWriter::new(io::stdout().lock()), layout, calls.as_mut())
            .context("standard output")?,
    };
    if let (Some(path), Some(calls)) = (&cli.calls, calls) {
        whole_file(path, |file| calls.write(file, generation.security_schemes()))?;
    }
    let (tools, left_out) = made;
    let mut messages = Vec::new();
    report::report(&mut messages, &input, tools, &left_out, &generation.diagnostics())?;
    io::stderr().write_all(&messages)?;
    Ok(left_out.is_empty())
}

/// Writes every tool; gives the count of tools and what was left out.
fn write_tools(
    generation: &Generation<'_>,
    out: impl Write,
    layout: Layout,
    mut calls: Option<&mut CallMap>,
) -> io::Result<(usize, Vec<LeftOut>)> {
    let mut writer = ToolsWriter::new(out, layout);
    let (mut count, mut left_out) = (0, Vec::new());
    for tool in generation.tools() {
        match tool {
            Ok(tool) => {
                writer.tool(&tool)?;
                count += 1;
                if let Some(calls) = calls.as_deref_mut() {
                    calls.tool(&tool);
                }
            }
            Err(reason) => left_out.push(reason),
        }
    }
    writer.finish()?;
    Ok((count, left_out))
}

/// Writes a file whole or not at all: beside it, then renamed over it.
fn whole_file<T>(path: &Path, write: impl FnOnce(BufWriter<&mut File>) -> io::Result<T>) -> Result<T> {
    let context = || format!("{}: cannot be written", path.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder).with_context(context)?;
    let value = write(BufWriter::new(file.as_file_mut())).with_context(context)?;
    let permissions = std::fs::metadata(path).map(|existing| existing.permissions()).ok();
    file.persist(path).with_context(context)?;
    match permissions {
        Some(permissions) => std::fs::set_permissions(path, permissions).with_context(context)?,
        None => make_readable(path).with_context(context)?,
    }
    Ok(value)
}

/// A temporary file is its owner's alone; an output is everybody's to read, as the shell's `>` has it.
#[cfg(unix)]
fn make_readable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether the reader of our output went away, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
