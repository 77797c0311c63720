//! What is wrong with a YAML text, in words: what was found, what was expected, what to do.

use granit_parser::{ErrorKind, ScanError};

use crate::input::tree::{MAX_DEPTH, SyntaxError};

fn error(offset: usize, message: impl Into<String>) -> SyntaxError {
    SyntaxError { offset, message: message.into() }
}

/// The parser's error, at its byte, in words that say what to do where that is known.
pub(super) fn scan(text: &str, scan: &ScanError) -> SyntaxError {
    let marker = scan.marker();
    let offset = marker.byte_offset().unwrap_or_else(|| byte_offset(text, marker.index()));
    let message = match scan.kind() {
        ErrorKind::MappingValueNotAllowed => {
            "a `:` where no key can stand; quote the text if it holds `: `, else check the indentation"
        }
        ErrorKind::ExpectedBlockMappingKey => {
            "expected a key of the mapping; check the indentation of this line and the lines above"
        }
        ErrorKind::ExpectedBlockSequenceEntry => {
            "expected `- `; check the indentation of this line, or whether a list and a mapping are mixed"
        }
        ErrorKind::BlockSequenceEntryNotAllowed => {
            "a list item cannot begin here; begin it on a line of its own"
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            "expected `:` after the key; write `key: value`, or check the indentation"
        }
        ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabNotAllowed
        | ErrorKind::TabInPlainScalar
        | ErrorKind::TabAtBlockScalarStart => "a tab in the indentation; YAML is indented by spaces only",
        ErrorKind::InvalidIndentation | ErrorKind::InvalidQuotedScalarIndent => {
            "this line is not indented far enough for what it continues"
        }
        ErrorKind::UnclosedQuotedScalar => {
            "the text in quotes that begins here never ends; a quote is missing"
        }
        ErrorKind::InvalidTrailingDoubleQuotedScalar | ErrorKind::InvalidTrailingSingleQuotedScalar => {
            "text after the closing quote; quote the whole, or double a `'` that stands inside single quotes"
        }
        ErrorKind::UnknownQuotedScalarEscape => {
            "an unknown escape in double quotes; write a backslash as `\\\\`, or use single quotes"
        }
        ErrorKind::MisplacedFlowCollectionEnd => "a closing bracket without an opening one; remove it",
        ErrorKind::InvalidColonPlacement
        | ErrorKind::ExpectedFlowMappingSeparator
        | ErrorKind::ExpectedFlowSequenceSeparator => {
            "expected `,` or the closing bracket; a bracket that was opened above may never be closed"
        }
        ErrorKind::UnknownAnchor => return unknown_alias(offset),
        ErrorKind::RecursionLimitExceeded => {
            return error(offset, format!("nested more than {MAX_DEPTH} levels deep"));
        }
        kind => return error(offset, other(kind, scan)),
    };
    error(offset, message)
}

/// The words for errors that name a character or a bracket, and the parser's own for the rest.
fn other(kind: &ErrorKind, scan: &ScanError) -> String {
    match kind {
        ErrorKind::UnexpectedCharacter { character } => {
            let shown = character.escape_debug();
            format!("a plain text cannot begin with `{shown}`; put it in quotes")
        }
        ErrorKind::UnclosedFlowCollection { open } => format!("this `{open}` is never closed"),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            format!("`{close}` closes what `{open}` opened; the brackets don't match")
        }
        _ => format!("not YAML: {}", scan.info()),
    }
}

/// The byte offset of the character `index`.
fn byte_offset(text: &str, index: usize) -> usize {
    text.char_indices().nth(index).map_or(text.len(), |(offset, _)| offset)
}

/// An alias names no anchor.
pub(super) fn unknown_alias(offset: usize) -> SyntaxError {
    error(offset, "no anchor (`&name`) of this name stands above; quote the text if `*` is no alias")
}

/// A second document begins.
pub(super) fn second_document(offset: usize) -> SyntaxError {
    error(
        offset,
        "a second document begins here; one file holds one document, put the others into files of their own",
    )
}

/// A sequence or a mapping stands where a key should.
pub(super) fn collection_as_key(text: &str, offset: usize) -> SyntaxError {
    let template = text.get(..offset).is_some_and(|before| before.ends_with('{'));
    let hint =
        if template { "; put a template such as `{{ name }}` in quotes" } else { "; put the key in quotes" };
    error(offset, format!("a list or a mapping as a key: JSON has only text as keys{hint}"))
}

/// The text of a scalar is not what its tag `!!name` says.
pub(super) fn wrong_tag(offset: usize, name: &str, text: &str) -> SyntaxError {
    let shown: String = text.chars().take(40).collect();
    error(offset, format!("{shown:?} is no value of its tag `!!{name}`; correct it, or remove the tag"))
}
