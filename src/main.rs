//! The command line: arguments to options, run, print, exit code.

#![forbid(unsafe_code)]

mod check;
mod cli;
mod difference;
mod list;
mod outputs;
mod report;

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;

use check::Comparing;
use cli::{Cli, Deny, Messages, StatsForm};
use difference::View;
use gen_tools::diagnostic::{Code, Severity};
use gen_tools::{
    CallMap, Comparison, Generation, Input, Layout, LeftOut, Shape, Stats, ToolsWriter, write_stats,
};
use outputs::OutputFile;
use report::{Format, Summary};

// Half of a run is making small values.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Some operations were left out, or something differs.
const INCOMPLETE: u8 = 1;
/// Nothing could be done.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match (&cli.explain, cli.compare.as_deref()) {
        (Some(code), _) => explain(code),
        (None, Some([old, new])) => compare(old, new),
        (None, _) => run(&cli),
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
    let golden = cli.check.as_deref().map(|path| Ok::<_, anyhow::Error>((path, check::read_golden(path)?)));
    let golden = golden.transpose()?;
    let input = Input::read_with(cli.spec(), &cli.access())?;
    let generation = gen_tools::generate(&input, &cli.options())?;
    if cli.list {
        let mut table = Vec::new();
        list::list(&mut table, &generation)?;
        standard_output().and_then(|mut out| out.write_all(&table)).context("standard output")?;
        return Ok(true);
    }
    // Both are ready before either is put in its place.
    let mut tools_file = output.map(OutputFile::create).transpose()?;
    let mut calls_file = cli.calls.as_deref().map(OutputFile::create).transpose()?;
    let mut calls = calls_file.as_ref().map(|_| CallMap::default());
    let mut comparing = golden.as_ref().map(|(_, golden)| Comparing::new(golden));
    let mut stats = cli.stats.map(|_| generation.stats());
    let sinks = (calls.as_mut(), stats.as_mut());
    let (tools, left_out) = match (&mut tools_file, &mut comparing) {
        (_, Some(golden)) => write_tools(&generation, golden, cli.form(), sinks)?,
        (Some(file), _) => file.write(|out| write_tools(&generation, out, cli.form(), sinks))?,
        _ => standard_output()
            .and_then(|out| write_tools(&generation, out, cli.form(), sinks))
            .context("standard output")?,
    };
    if let (Some(file), Some(calls)) = (&mut calls_file, calls) {
        file.write(|out| calls.write(out, generation.security_schemes()))?;
    }
    for file in [calls_file, tools_file].into_iter().flatten() {
        file.finish()?;
    }
    let is_equal = comparing.is_none_or(|comparing| comparing.is_equal());
    if let Some((path, golden)) = golden.as_ref().filter(|_| !is_equal) {
        let comparison = check::against_golden(&generation, path, golden, cli.form())?;
        show(&comparison, path, cli.spec(), &format!("\nTo accept this: {}\n", check::accepting(path)))?;
    }
    let mut diagnostics = generation.diagnostics();
    let warnings = diagnostics.iter().filter(|diagnostic| diagnostic.severity() == Severity::Warning).count();
    if let (Some(form), Some(stats)) = (cli.stats, stats) {
        say_stats(form, stats)?;
    }
    let denied = matches!(cli.deny, Some(Deny::Warnings)) && warnings > 0;
    if golden.is_some() && !denied {
        // They were there when the golden file was written; what is left out explains a difference.
        diagnostics.clear();
    }
    if !cli.quiet && (golden.is_none() || denied || !left_out.is_empty()) {
        let not_selected = generation.not_selected();
        let summary = Summary { tools, left_out: left_out.len(), warnings, not_selected };
        let mut messages = Vec::new();
        report::report(&mut messages, format(cli.messages), &input, &left_out, &diagnostics, &summary)?;
        io::stderr().write_all(&messages)?;
    }
    let complete = golden.is_some() || left_out.is_empty() || cli.keep_going;
    Ok(is_equal && !denied && complete)
}

/// Compares two files; whether their tools are the same.
fn compare(old: &Path, new: &Path) -> Result<bool> {
    let Some(comparison) = check::two_files(old, new)?.filter(|found| !found.is_empty()) else {
        return Ok(true);
    };
    show(&comparison, old, new, "")?;
    Ok(false)
}

/// Shows on standard output what differs.
fn show(comparison: &Comparison, old: &Path, new: &Path, end: &str) -> Result<()> {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
    let [old, new] = [old, new].map(|path| list::visible(&path.display().to_string()));
    let view = View { old: &old, new: &new, colours: io::stdout().is_terminal() && !no_colour };
    let mut text = Vec::new();
    difference::report(&mut text, comparison, &view)?;
    text.extend_from_slice(end.as_bytes());
    standard_output().and_then(|mut out| out.write_all(&text)).context("standard output")
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

/// Writes statistics to standard error.
fn say_stats(form: StatsForm, stats: Stats<'_, '_>) -> io::Result<()> {
    let stats = stats.finish();
    let mut text = Vec::new();
    match form {
        StatsForm::Json => writeln!(text, "{stats}")?,
        StatsForm::Largest | StatsForm::All => write_stats(&mut text, &stats, form == StatsForm::All)?,
    }
    io::stderr().write_all(&text)
}

/// Writes every tool; gives the count of tools and what was left out.
fn write_tools<'g, 'i>(
    generation: &'g Generation<'i>,
    out: impl Write,
    (layout, shape): (Layout, Shape),
    (mut calls, mut stats): (Option<&mut CallMap>, Option<&mut Stats<'g, 'i>>),
) -> io::Result<(usize, Vec<LeftOut>)> {
    let mut writer = ToolsWriter::new(out, layout).shaped(shape);
    let (mut count, mut left_out) = (0, Vec::new());
    for tool in generation.tools() {
        match tool {
            Ok(tool) => {
                writer.tool(&tool)?;
                count += 1;
                if let Some(calls) = calls.as_deref_mut() {
                    calls.tool(&tool);
                }
                if let Some(stats) = stats.as_deref_mut() {
                    stats.tool(&tool);
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
