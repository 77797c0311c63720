//! How diagnostics are shown: `file:line:column: severity[code]: message`, and the JSON Pointer.

use std::collections::HashMap;
use std::io::{self, Write};

use gen_tools::diagnostic::{Code, Diagnostic, Severity};
use gen_tools::{Input, LeftOut};

/// The most places that are shown of one kind of message.
const SHOWN: usize = 5;

/// Shows what was left out, then what was repaired, then the count of all.
///
/// # Errors
/// What the writer says.
pub(crate) fn report(
    out: &mut impl Write,
    input: &Input,
    tools: usize,
    left_out: &[LeftOut],
    diagnostics: &[Diagnostic],
) -> io::Result<()> {
    for LeftOut { operation, diagnostic } in left_out {
        show(out, input, diagnostic, Severity::Error)?;
        if !operation.is_empty() {
            writeln!(out, "  left out: {operation}")?;
        }
    }
    let mut counts: HashMap<Code, usize> = HashMap::new();
    for diagnostic in diagnostics {
        *counts.entry(diagnostic.code).or_default() += 1;
    }
    let mut shown: HashMap<Code, usize> = HashMap::new();
    for diagnostic in diagnostics {
        let count = shown.entry(diagnostic.code).or_default();
        *count += 1;
        match *count {
            at if at <= SHOWN => show(out, input, diagnostic, diagnostic.severity())?,
            at if at == SHOWN + 1 => {
                let more = counts.get(&diagnostic.code).map_or(0, |all| all - SHOWN);
                writeln!(out, "{}[{}]: and {more} more", diagnostic.severity(), diagnostic.code)?;
            }
            _ => {}
        }
    }
    let warnings = diagnostics.iter().filter(|diagnostic| diagnostic.severity() == Severity::Warning).count();
    if !left_out.is_empty() || warnings > 0 {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        writeln!(
            out,
            "{tools} tool{}, {} operation{} left out, {warnings} warning{}",
            plural(tools),
            left_out.len(),
            plural(left_out.len()),
            plural(warnings)
        )?;
    }
    Ok(())
}

fn show(out: &mut impl Write, input: &Input, diagnostic: &Diagnostic, severity: Severity) -> io::Result<()> {
    let at = input.locate(diagnostic.span);
    let Diagnostic { code, pointer, message, .. } = diagnostic;
    writeln!(out, "{}:{}:{}: {severity}[{code}]: {message}\n  at #{pointer}", at.file, at.line, at.column)
}
