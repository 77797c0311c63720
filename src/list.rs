//! The table of a document's operations: what is a tool, and why the others are none.

use std::collections::HashMap;
use std::io::{self, Write};

use gen_tools::{Generation, is_hidden};

/// The widest that a column may make others wait for.
const MAX_WIDTH: usize = 120;

/// Writes a line for each operation, in the order of the document: a mark (`+` for a tool), the
/// tool's name, method, path, tags, and why it is no tool. Each selected tool is made once, since
/// only so is known whether it can be.
///
/// # Errors
/// What the writer says.
pub(crate) fn list(out: &mut impl Write, generation: &Generation<'_>) -> io::Result<()> {
    let lost: HashMap<String, &str> = generation
        .tools()
        .filter_map(Result::err)
        .map(|reason| (reason.operation, reason.diagnostic.code.name()))
        .collect();
    let heading = ["", "TOOL", "METHOD", "PATH", "TAGS", "LEFT OUT"].map(str::to_owned);
    let mut rows = vec![heading];
    for operation in generation.operations() {
        let code = || lost.get(&operation.operation()).map(|code| (*code).to_owned());
        let reason = operation.not_selected.map(ToString::to_string).or_else(code);
        rows.push([
            if reason.is_none() { "+" } else { "-" }.to_owned(),
            visible(operation.tool.unwrap_or("?")),
            visible(operation.method.unwrap_or("?")),
            visible(operation.path),
            visible(&operation.tags.join(", ")),
            visible(&reason.unwrap_or_default()),
        ]);
    }
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().min(MAX_WIDTH).max(*width);
        }
    }
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    Ok(())
}

/// A text without what could speak to the terminal, or hide: such characters are spelled.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || is_hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}
