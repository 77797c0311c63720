//! What is wrong with a JSON text, in words: what was found, what was expected, what to do.

use crate::input::lines::Lines;
use crate::input::tree::SyntaxError;

/// What could have stood at the place of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// A value.
    Value,
    /// A key in quotes.
    Key,
    /// The colon after a key.
    Colon,
    /// A comma, or the end of the container.
    Comma,
    /// Nothing more.
    EndOfText,
}

fn error(offset: usize, message: impl Into<String>) -> SyntaxError {
    SyntaxError { offset, message: message.into() }
}

/// Something else than `expected` stands at `at`; `open` is the bracket that encloses it.
pub(super) fn unexpected(text: &str, at: usize, expected: Expected, open: Option<usize>) -> SyntaxError {
    let rest = text.get(at..).unwrap_or("");
    let Some(character) = rest.chars().next() else { return end_of_text(text, at, open) };
    if let Some(comma) = comma_before(text, at).filter(|_| matches!(character, '}' | ']')) {
        return error(comma, format!("a comma before `{character}`; remove it, JSON allows none there"));
    }
    if let Some(hint) = slip(rest, expected) {
        return error(at, hint);
    }
    let container = open.and_then(|open| text.get(open..)).unwrap_or("");
    let wanted = match expected {
        Expected::Value => "a value",
        Expected::Key => "a key in double quotes",
        Expected::Colon => "`:` after the key",
        Expected::Comma if container.starts_with('{') => "`,` or `}`",
        Expected::Comma => "`,` or `]`",
        Expected::EndOfText => "nothing after the value; a file holds one JSON value",
    };
    let hint = match (expected, character) {
        (Expected::Comma, '"' | '{' | '[' | '0'..='9' | '-') => "; is a comma missing?",
        (Expected::Value, _) if open.is_none() => "; a YAML file needs the extension .yaml",
        _ => "",
    };
    error(at, format!("found {}, expected {wanted}{hint}", shown(rest)))
}

/// The words for slips that need no expectation: comments, other quotes, other languages' words.
fn slip(rest: &str, expected: Expected) -> Option<String> {
    let value = expected == Expected::Value;
    let message = match rest.chars().next()? {
        '/' | '#' => "a comment; JSON has none, remove it".to_owned(),
        '\'' => "a single quote; JSON strings stand in double quotes".to_owned(),
        '\u{201c}' | '\u{201d}' | '\u{201e}' => {
            "a typographic quote; JSON strings stand in plain double quotes (\")".to_owned()
        }
        '\u{a0}' | '\u{feff}' | '\u{200b}' => {
            format!("{}; only space, tab and line breaks may stand between values", shown(rest))
        }
        '+' if value => "a number may not begin with `+`; remove it".to_owned(),
        '.' if value => "a number needs a digit before the point: `0.5`, not `.5`".to_owned(),
        first if first.is_alphabetic() || first == '_' || first == '$' => return word(rest, expected),
        _ => return None,
    };
    Some(message)
}

/// The words for a bare word where a value or a key should stand.
fn word(rest: &str, expected: Expected) -> Option<String> {
    let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '-'));
    let word: String = rest.get(..end.unwrap_or(rest.len()))?.chars().take(40).collect();
    if expected == Expected::Key {
        return Some(format!("the key `{word}` needs double quotes: \"{word}\""));
    }
    if expected != Expected::Value {
        return None;
    }
    let known = match word.to_ascii_lowercase().as_str() {
        "true" | "yes" => "true",
        "false" | "no" => "false",
        "null" | "none" | "undefined" | "nil" => "null",
        "nan" | "infinity" | "inf" => {
            return Some(format!("`{word}` is no JSON number, nor any other JSON value"));
        }
        _ => return None,
    };
    Some(format!("found `{word}`; JSON writes it `{known}`"))
}

/// The text ends too early.
fn end_of_text(text: &str, at: usize, open: Option<usize>) -> SyntaxError {
    let Some(open) = open else {
        return error(at, "the file is empty; expected a JSON value");
    };
    let (line, column) = Lines::default().line_and_column(text, open);
    let (what, bracket) = if text.get(open..).is_some_and(|rest| rest.starts_with('{')) {
        ("object", '}')
    } else {
        ("array", ']')
    };
    error(
        at,
        format!("the file ends inside the {what} that begins at {line}:{column}; `{bracket}` is missing"),
    )
}

/// The comma that stands before the byte `at`, whitespace between them aside.
fn comma_before(text: &str, at: usize) -> Option<usize> {
    let before = text.get(..at)?.trim_end_matches([' ', '\t', '\r', '\n']);
    before.strip_suffix(',').map(str::len)
}

/// A number leaves the grammar at `at`.
pub(super) fn number(text: &str, at: usize) -> SyntaxError {
    let rest = text.get(at..).unwrap_or("");
    if rest.starts_with('0') {
        return error(at, "a number may not begin with 0; remove it, or write a string in double quotes");
    }
    if rest.is_empty() {
        return error(at, "the file ends inside a number; expected a digit");
    }
    error(at, format!("found {} in a number, expected a digit", shown(rest)))
}

/// A string that begins at `start` (after its quote) never ends.
pub(super) fn unterminated(start: usize) -> SyntaxError {
    error(start.saturating_sub(1), "this string never ends; `\"` is missing")
}

/// A control character, `byte`, stands at `at` in the string that begins at `start`.
pub(super) fn control(text: &str, start: usize, at: usize, byte: u8) -> SyntaxError {
    match byte {
        b'\n' | b'\r' => {
            let (line, column) = Lines::default().line_and_column(text, start.saturating_sub(1));
            let message = format!(
                "the line ends inside the string that begins at {line}:{column}; `\"` is missing, or a line break is not written `\\n`"
            );
            error(at, message)
        }
        b'\t' => error(at, "a tab inside a string; write it `\\t`"),
        _ => error(at, format!("a control character inside a string; write it `\\u{byte:04x}`")),
    }
}

/// The backslash at `at` begins no escape.
pub(super) fn escape(text: &str, at: usize) -> SyntaxError {
    let mut following = text.get(at + 1..).unwrap_or("").chars();
    match following.next() {
        None => error(at, "the file ends inside a string"),
        Some('u') => error(at, "`\\u` needs four hexadecimal digits"),
        Some(other) => {
            let other = other.escape_debug();
            error(at, format!("`\\{other}` is no escape of JSON; a backslash itself is written `\\\\`"))
        }
    }
}

/// The escape at `at` is half of a pair, and the other half is missing.
pub(super) fn surrogate(at: usize) -> SyntaxError {
    error(at, "half of a `\\u` pair (a lone surrogate); write both halves, or the character itself")
}

/// The first character of `rest` for a message.
fn shown(rest: &str) -> String {
    match rest.chars().next() {
        None => "the end of the file".to_owned(),
        Some('"') => "a string".to_owned(),
        Some(c) if c.is_ascii_graphic() || c.is_alphanumeric() => format!("`{c}`"),
        Some(c) => format!("the character U+{:04X}", u32::from(c)),
    }
}
