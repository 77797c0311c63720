//! The command line: arguments to options, run, print, exit code.

#![forbid(unsafe_code)]

mod cli;
mod report;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use tempfile::NamedTempFile;

use cli::{Cli, Deny, Messages};
use gen_tools::diagnostic::{Code, Severity};
use gen_tools::{CallMap, Generation, Input, Layout, LeftOut, ToolsWriter};
use report::{Format, Summary};

// Half of a run is making small values.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Some operations were left out.
const INCOMPLETE: u8 = 1;
/// Nothing could be done.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.explain {
        Some(code) => explain(code),
        None => run(&cli),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(INCOMPLETE),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = report::failure(&mut io::stderr(), format(cli.messages), &error);
            ExitCode::from(FAILED)
        }
    }
}

fn format(messages: Messages) -> Format {
    match messages {
        Messages::Human => Format::Human,
        Messages::Short => Format::Short,
        Messages::Json => Format::Json,
        Messages::Github => Format::Github,
    }
}

/// Explains a diagnostic's code on standard output.
fn explain(name: &str) -> Result<bool> {
    let Some(code) = Code::ALL.iter().find(|code| code.name() == name) else {
        let known: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        bail!("there is no code {name:?}; the codes are {}", known.join(", "));
    };
    writeln!(io::stdout(), "{}[{code}]: {}", code.severity(), code.explanation())?;
    Ok(true)
}

/// Whether all is as the user wants it: by default, if all operations became tools.
fn run(cli: &Cli) -> Result<bool> {
    refuse_overwriting(cli)?;
    let input = Input::read_with(cli.spec(), &cli.access())?;
    let generation = gen_tools::generate(&input, &cli.options())?;
    let layout = if cli.compact { Layout::Compact } else { Layout::Pretty };
    let mut calls = cli.calls.as_ref().map(|_| CallMap::default());
    let (tools, left_out) = match &cli.output {
        Some(path) => whole_file(path, |file| write_tools(&generation, file, layout, calls.as_mut()))?,
        None => standard_output()
            .and_then(|out| write_tools(&generation, out, layout, calls.as_mut()))
            .context("standard output")?,
    };
    if let (Some(path), Some(calls)) = (&cli.calls, calls) {
        whole_file(path, |file| calls.write(file, generation.security_schemes()))?;
    }
    let diagnostics = generation.diagnostics();
    let warnings = diagnostics.iter().filter(|diagnostic| diagnostic.severity() == Severity::Warning).count();
    if !cli.quiet {
        let summary = Summary { tools, left_out: left_out.len(), warnings };
        let mut messages = Vec::new();
        report::report(&mut messages, format(cli.messages), &input, &left_out, &diagnostics, &summary)?;
        io::stderr().write_all(&messages)?;
    }
    let denied = matches!(cli.deny, Some(Deny::Warnings)) && warnings > 0;
    Ok(!denied && (left_out.is_empty() || cli.keep_going))
}

/// Refuses outputs that can't be written, or would replace the document or each other, before any is
/// touched.
fn refuse_overwriting(cli: &Cli) -> Result<()> {
    let place = |path: &Path| {
        std::fs::canonicalize(path).unwrap_or_else(|_| std::path::absolute(path).unwrap_or_default())
    };
    let regular = |path: &Path| std::fs::metadata(path).is_ok_and(|found| found.is_file());
    for output in [&cli.output, &cli.calls].into_iter().flatten() {
        let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            bail!("{}: cannot be written: there is no such folder", output.display());
        }
        if regular(output) && place(output) == place(cli.spec()) {
            bail!("{}: the output would replace the document; name another file", output.display());
        }
    }
    if let (Some(tools), Some(calls)) = (&cli.output, &cli.calls)
        && place(tools) == place(calls)
    {
        bail!("{}: the tools and the call map can't be one file; name two", tools.display());
    }
    Ok(())
}

/// Standard output as it is: what [`io::stdout`] gives looks for the ends of lines in all that is
/// written.
#[cfg(unix)]
fn standard_output() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

#[cfg(not(unix))]
fn standard_output() -> io::Result<io::StdoutLock<'static>> {
    Ok(io::stdout().lock())
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

/// Writes a file whole or not at all: beside it, then renamed over it. A link is followed first; what
/// is no regular file (a pipe, a device) is written as it is, since it can't be replaced.
fn whole_file<T>(path: &Path, write: impl FnOnce(BufWriter<&mut File>) -> io::Result<T>) -> Result<T> {
    let context = || format!("{}: cannot be written", path.display());
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let existing = std::fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        let mut file = File::options().write(true).open(&target).with_context(context)?;
        return write(BufWriter::new(&mut file)).with_context(context);
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder).with_context(context)?;
    let value = write(BufWriter::new(file.as_file_mut())).with_context(context)?;
    file.persist(&target).with_context(context)?;
    match existing {
        Some(existing) => std::fs::set_permissions(&target, existing.permissions()).with_context(context)?,
        None => make_readable(&target).with_context(context)?,
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
