//! How diagnostics are shown: to people with the line that caused them, or one a line for scripts,
//! as JSON, as annotations of GitHub Actions.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use serde_json::json;

use gen_tools::diagnostic::{Diagnostic, Severity};
use gen_tools::{Input, LeftOut, is_hidden};

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// With the line that caused them.
    Human,
    /// One a line.
    Short,
    /// One JSON object a line.
    Json,
    /// Annotations of GitHub Actions.
    Github,
}

/// A message to show.
struct Message<'d> {
    severity: Severity,
    diagnostic: &'d Diagnostic,
    /// The operation that is left out for it.
    operation: Option<&'d str>,
    /// How many further places it is about.
    more: usize,
}

/// The end of a run, in numbers.
pub(crate) struct Summary {
    /// Tools made.
    pub(crate) tools: usize,
    /// Operations left out.
    pub(crate) left_out: usize,
    /// Warnings.
    pub(crate) warnings: usize,
    /// Operations that nobody asked for.
    pub(crate) not_selected: usize,
}

/// Shows what was left out, then what was repaired, then the count of all.
///
/// # Errors
/// What the writer says.
pub(crate) fn report(
    out: &mut impl Write,
    format: Format,
    input: &Input,
    left_out: &[LeftOut],
    diagnostics: &[Diagnostic],
    summary: &Summary,
) -> io::Result<()> {
    let lost = left_out.iter().map(|reason| Message {
        severity: Severity::Error,
        diagnostic: &reason.diagnostic,
        operation: Some(&reason.operation),
        more: 0,
    });
    let gathered = match format {
        Format::Human | Format::Short => gather(diagnostics),
        Format::Json | Format::Github => diagnostics.iter().map(|diagnostic| alone(diagnostic)).collect(),
    };
    let messages: Vec<Message<'_>> = lost.chain(gathered).collect();
    let renderer =
        if io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty()) {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
    for message in &messages {
        match format {
            Format::Human => human(out, input, &renderer, message)?,
            Format::Short => short(out, input, message)?,
            Format::Json => json_line(out, input, message)?,
            Format::Github => github(out, input, message)?,
        }
    }
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let Summary { tools, left_out, warnings, not_selected } = *summary;
    if format == Format::Json {
        let counts =
            json!({"tools": tools, "leftOut": left_out, "warnings": warnings, "notSelected": not_selected});
        return writeln!(out, "{counts}");
    }
    write!(
        out,
        "{tools} tool{}, {left_out} operation{} left out, {warnings} warning{}",
        plural(tools),
        plural(left_out),
        plural(warnings)
    )?;
    match not_selected {
        0 => writeln!(out),
        count => writeln!(out, ", {count} not selected"),
    }
}

fn alone(diagnostic: &Diagnostic) -> Message<'_> {
    Message { severity: diagnostic.severity(), diagnostic, operation: None, more: 0 }
}

/// One message for all places of which the same is said: the first of them, and how many more.
fn gather(diagnostics: &[Diagnostic]) -> Vec<Message<'_>> {
    let mut messages: Vec<Message<'_>> = Vec::new();
    let mut known = HashMap::new();
    for diagnostic in diagnostics {
        let at = *known.entry((diagnostic.code, &diagnostic.message)).or_insert(messages.len());
        match messages.get_mut(at) {
            Some(message) => message.more += 1,
            None => messages.push(alone(diagnostic)),
        }
    }
    messages.sort_by_key(|message| std::cmp::Reverse(message.severity));
    messages
}

fn human(out: &mut impl Write, input: &Input, renderer: &Renderer, message: &Message<'_>) -> io::Result<()> {
    let Message { severity, diagnostic, operation, more } = message;
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let at = input.locate(diagnostic.span);
    let excerpt = input.excerpt(diagnostic.span);
    let file = printable(at.file);
    let origin = Origin::path(&file).line(at.line).char_column(at.column);
    let part = |from: usize, to: usize| printable(excerpt.text.get(from..to).unwrap_or_default());
    let (before, marked) = (part(0, excerpt.start), part(excerpt.start, excerpt.end));
    let span = before.len()..before.len() + marked.len();
    let snippet = Snippet::source(before + &marked + &part(excerpt.end, excerpt.text.len()))
        .line_start(at.line)
        .annotation(AnnotationKind::Primary.span(span));
    let mut notes = vec![format!("at #{}", printable(&diagnostic.pointer))];
    notes.extend(operation.map(|operation| format!("left out: {}", printable(operation))));
    if *more > 0 {
        notes.push(format!("and {more} more place{}", if *more == 1 { "" } else { "s" }));
    }
    let text = printable(&diagnostic.message);
    let group = level
        .primary_title(&text)
        .id(diagnostic.code.name())
        .element(origin)
        .element(snippet)
        .elements(notes.iter().map(|note| Element::from(Level::NOTE.no_name().message(note))));
    let shown = renderer.render(&[group]);
    for line in shown.lines().filter(|line| !is_separator(line)) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)
}

/// Whether a line only parts an origin from an excerpt that has no path of its own.
fn is_separator(line: &str) -> bool {
    let shown: String = line
        .split('\u{1b}')
        .map(|part| {
            part.strip_prefix('[').and_then(|code| code.split_once('m')).map_or(part, |(_, text)| text)
        })
        .collect();
    shown.trim() == ":::"
}

/// The most characters of a text in a message; a name may have a million.
const LONG_TEXT: usize = 1_000;

/// A text without what could speak to the terminal, turn it around, or hide: control characters and
/// those that show nothing. What is very long is cut in its middle.
fn printable(text: &str) -> String {
    let shown = |text: &str| text.chars().map(|c| if speaks(c) { '\u{fffd}' } else { c }).collect();
    let count = text.chars().count();
    if count <= LONG_TEXT {
        return shown(text);
    }
    let start: String = text.chars().take(LONG_TEXT / 2).collect();
    let end: String = text.chars().skip(count - LONG_TEXT / 2).collect();
    shown(&format!("{start}[... {} characters ...]{end}", count - LONG_TEXT))
}

fn speaks(c: char) -> bool {
    c == '\n' || is_hidden(c)
}

fn short(out: &mut impl Write, input: &Input, message: &Message<'_>) -> io::Result<()> {
    let Message { severity, diagnostic, more, .. } = message;
    let at = input.locate(diagnostic.span);
    let text = printable(&diagnostic.message);
    write!(out, "{}:{}:{}: {severity}[{}]: {text}", printable(at.file), at.line, at.column, diagnostic.code)?;
    match more {
        0 => writeln!(out),
        more => writeln!(out, " (and {more} more)"),
    }
}

fn json_line(out: &mut impl Write, input: &Input, message: &Message<'_>) -> io::Result<()> {
    let Message { severity, diagnostic, operation, .. } = message;
    let at = input.locate(diagnostic.span);
    let mut line = json!({
        "severity": severity.to_string(),
        "code": diagnostic.code.name(),
        "message": diagnostic.message,
        "file": at.file,
        "line": at.line,
        "column": at.column,
        "pointer": diagnostic.pointer,
    });
    if let (Some(operation), Some(line)) = (operation, line.as_object_mut()) {
        line.insert("leftOut".to_owned(), json!(operation));
    }
    for c in line.to_string().chars() {
        match c {
            _ if !speaks(c) => write!(out, "{c}")?,
            // JSON may write any character of the basic plane so (RFC 8259, section 7).
            _ => c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))?,
        }
    }
    writeln!(out)
}

/// A workflow command of GitHub Actions.
fn github(out: &mut impl Write, input: &Input, message: &Message<'_>) -> io::Result<()> {
    let Message { severity, diagnostic, operation, .. } = message;
    let command = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let at = input.locate(diagnostic.span);
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let lost = operation.map_or(String::new(), |operation| format!(" (left out: {})", printable(operation)));
    writeln!(
        out,
        "::{command} file={},line={},col={},title={}::{}",
        property(&printable(at.file)),
        at.line,
        at.column,
        property(diagnostic.code.name()),
        data(&format!("{}{lost}", printable(&diagnostic.message)))
    )
}

/// Shows why nothing could be done.
///
/// # Errors
/// What the writer says.
pub(crate) fn failure(out: &mut impl Write, format: Format, error: &anyhow::Error) -> io::Result<()> {
    let text = printable(&format!("{error:#}"));
    match format {
        Format::Human | Format::Short => writeln!(out, "error: {text}"),
        Format::Json => writeln!(out, "{}", json!({"severity": "error", "message": text})),
        Format::Github => writeln!(out, "::error::{}", text.replace('%', "%25")),
    }
}
