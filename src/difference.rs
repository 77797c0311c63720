//! How a comparison is shown: what it means for callers first, then the lines that differ.

use std::io::{self, Write};

use serde_json::Value;
use similar::TextDiff;

use crate::list::visible;
use gen_tools::Comparison;
use gen_tools::output::{Change, DefinitionChange, ToolChange, Verdict};

/// The most lines of both sides together that are compared line by line: the time grows with the
/// product of the lines and the differences.
const MAX_LINES: usize = 20_000;

/// Where a report goes, and how it is shown.
pub(crate) struct View<'v> {
    /// What the tools are compared with.
    pub(crate) old: &'v str,
    /// What they are.
    pub(crate) new: &'v str,
    /// Whether there are colours.
    pub(crate) colours: bool,
}

/// Shows what differs.
///
/// # Errors
/// What the writer says.
pub(crate) fn report(out: &mut impl Write, comparison: &Comparison, view: &View<'_>) -> io::Result<()> {
    if comparison.is_empty() {
        return writeln!(
            out,
            "The tools are the same; only the layout, the shape of the list or the order of their parts differs."
        );
    }
    summary(out, comparison)?;
    let tools = comparison.removed.iter().map(|name| (Verdict::Breaking, "removed", visible(name)));
    let renamed = comparison.changed.iter().filter(|tool| tool.is_renamed());
    let renamed = renamed.map(|tool| {
        (Verdict::Breaking, "renamed", format!("{} -> {}", visible(&tool.old_name), visible(&tool.name)))
    });
    let added = comparison.added.iter().map(|name| (Verdict::Compatible, "added", visible(name)));
    let tools: Vec<_> = tools.chain(renamed).chain(added).collect();
    if !tools.is_empty() {
        writeln!(out)?;
    }
    for (verdict, what, name) in tools {
        writeln!(out, "{}  {what:7}  {name}", view.verdict(verdict))?;
    }
    for tool in comparison.changed.iter().filter(|tool| !tool.changes.is_empty()) {
        writeln!(out, "\n{}", view.bold(&visible(&tool.name)))?;
        changes(out, &tool.changes, view)?;
    }
    let stays = |definition: &&DefinitionChange| definition.old.is_some() && definition.new.is_some();
    for definition in comparison.definitions.iter().filter(stays) {
        let name = format!("definition {}", visible(&definition.name));
        writeln!(out, "\n{}, in {}", view.bold(&name), users(definition))?;
        changes(out, &definition.changes, view)?;
    }
    for (at, definition) in comparison.definitions.iter().filter(|found| !stays(found)).enumerate() {
        let state = if definition.old.is_none() { "added" } else { "no more needed" };
        let space = if at == 0 { "\n" } else { "" };
        writeln!(out, "{space}definition {}, {state}, in {}", visible(&definition.name), users(definition))?;
    }
    let both = |old: &Value, new: &Value| [old, new].map(|value| pretty(Some(value)));
    let differ = |tool: &&ToolChange| !tool.changes.is_empty();
    for ToolChange { old_name, name, old, new, .. } in comparison.changed.iter().filter(differ) {
        lines(out, [old_name, name], both(old, new), view)?;
    }
    for DefinitionChange { name, old, new, .. } in &comparison.definitions {
        let name = format!("definition {name}");
        lines(out, [&name, &name], [pretty(old.as_ref()), pretty(new.as_ref())], view)?;
    }
    Ok(())
}

fn summary(out: &mut impl Write, comparison: &Comparison) -> io::Result<()> {
    let renamed = comparison.changed.iter().filter(|tool| tool.is_renamed()).count();
    let changed = comparison.changed.iter().filter(|tool| !tool.changes.is_empty()).count();
    let definitions =
        comparison.definitions.iter().filter(|found| found.old.is_some() && found.new.is_some());
    let parts = [
        (comparison.removed.len(), "removed"),
        (renamed, "renamed"),
        (comparison.added.len(), "added"),
        (changed, "changed"),
    ];
    let mut parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", counted(*count, "tool")))
        .collect();
    match definitions.count() {
        0 => {}
        count => parts.push(format!("{} changed", counted(count, "definition"))),
    }
    if comparison.rewritten > 0 {
        parts.push(format!("{} written otherwise", counted(comparison.rewritten, "tool")));
    }
    if comparison.reordered {
        parts.push("another order of the tools".to_owned());
    }
    writeln!(
        out,
        "{}, {} compatible: {}",
        counted(comparison.count(Verdict::Breaking), "breaking change"),
        comparison.count(Verdict::Compatible),
        parts.join(", ")
    )
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The tools of a definition, the first of them by name.
fn users(definition: &DefinitionChange) -> String {
    const SHOWN: usize = 4;
    let tools = &definition.tools;
    let names: Vec<String> = tools.iter().take(SHOWN).map(|name| visible(name)).collect();
    let more = if tools.len() > SHOWN { format!(" and {} more", tools.len() - SHOWN) } else { String::new() };
    format!("{}: {}{more}", counted(tools.len(), "tool"), names.join(", "))
}

/// A line for each change, the breaking ones first.
fn changes(out: &mut impl Write, changes: &[Change], view: &View<'_>) -> io::Result<()> {
    let mut sorted: Vec<&Change> = changes.iter().collect();
    sorted.sort_by_key(|change| change.verdict);
    for change in sorted {
        let place =
            if change.place.is_empty() { String::new() } else { format!("{}: ", visible(&change.place)) };
        writeln!(out, "  {}  {place}{}", view.verdict(change.verdict), visible(&change.text))?;
    }
    Ok(())
}

fn pretty(value: Option<&Value>) -> String {
    value.map_or(String::new(), |value| format!("{value:#}\n"))
}

/// The lines that differ, with those around them.
fn lines(
    out: &mut impl Write,
    [old_name, name]: [&String; 2],
    [old, new]: [String; 2],
    view: &View<'_>,
) -> io::Result<()> {
    if old == new {
        return Ok(());
    }
    let headings =
        [format!("--- {} {}", view.old, visible(old_name)), format!("+++ {} {}", view.new, visible(name))];
    writeln!(out)?;
    for heading in headings {
        writeln!(out, "{}", view.bold(&heading))?;
    }
    if old.lines().count() + new.lines().count() > MAX_LINES {
        return writeln!(out, "(more than {MAX_LINES} lines: not shown)");
    }
    let difference = TextDiff::from_lines(&old, &new);
    for line in difference.unified_diff().context_radius(3).to_string().lines() {
        let code = match line.as_bytes().first() {
            Some(b'-') => RED,
            Some(b'+') => GREEN,
            Some(b'@') => CYAN,
            _ => "",
        };
        writeln!(out, "{}", view.coloured(code, &visible(line)))?;
    }
    Ok(())
}

const BOLD: &str = "1";
const RED: &str = "31";
const GREEN: &str = "32";
const CYAN: &str = "36";

impl View<'_> {
    fn coloured(&self, code: &str, text: &str) -> String {
        if self.colours && !code.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    fn bold(&self, text: &str) -> String {
        self.coloured(BOLD, text)
    }

    fn verdict(&self, verdict: Verdict) -> String {
        match verdict {
            Verdict::Breaking => self.coloured(RED, "breaking  "),
            Verdict::Compatible => self.coloured(GREEN, "compatible"),
        }
    }
}
