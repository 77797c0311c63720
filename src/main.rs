//! The command line: arguments to options, run, print, exit code.

#![forbid(unsafe_code)]

mod cli;
mod outputs;
mod report;

use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;

use cli::{Cli, Deny, Messages};
use gen_tools::diagnostic::{Code, Severity};
use gen_tools::{CallMap, Generation, Input, Layout, LeftOut, ToolsWriter};
use outputs::OutputFile;
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
    // `-` is standard output, as it is standard input.
    let output = cli.output.as_deref().filter(|path| path.as_os_str() != "-");
    outputs::refuse_overwriting(cli.spec(), output, cli.calls.as_deref())?;
    let input = Input::read_with(cli.spec(), &cli.access())?;
    let generation = gen_tools::generate(&input, &cli.options())?;
    let layout = if cli.compact { Layout::Compact } else { Layout::Pretty };
    // Both are ready before either is put in its place.
    let mut tools_file = output.map(OutputFile::create).transpose()?;
    let mut calls_file = cli.calls.as_deref().map(OutputFile::create).transpose()?;
    let mut calls = calls_file.as_ref().map(|_| CallMap::default());
    let (tools, left_out) = match &mut tools_file {
        Some(file) => file.write(|out| write_tools(&generation, out, layout, calls.as_mut()))?,
        None => standard_output()
            .and_then(|out| write_tools(&generation, out, layout, calls.as_mut()))
            .context("standard output")?,
    };
    if let (Some(file), Some(calls)) = (&mut calls_file, calls) {
        file.write(|out| calls.write(out, generation.security_schemes()))?;
    }
    for file in [calls_file, tools_file].into_iter().flatten() {
        file.finish()?;
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

/// Whether the reader of our output went away, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
