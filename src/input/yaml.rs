//! YAML 1.2 text (core schema, with merge keys) to a tree, from the events of `granit-parser`.

mod core;
mod explain;

use std::borrow::Cow;

use foldhash::HashMap;
use granit_parser::{Event, Parser, ScalarStyle, Tag};

use super::tree::{Builder, Kind, MAX_DEPTH, SyntaxError, Tree};

/// Reads `text` as one YAML document. A text without a value gives a tree without nodes.
///
/// # Errors
/// The first place where the text leaves the grammar, nests too deep, expands too far, or has no
/// counterpart in JSON: a collection as a key, a second document.
pub(super) fn parse(text: &str, max_values: u64) -> Result<Tree, SyntaxError> {
    // The builder's limit speaks first, since it counts both kinds of nesting together.
    let limit = MAX_DEPTH as usize + 1;
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: limit,
        block_nesting_limit: limit,
    };
    let mut reader = Reader {
        text,
        builder: Builder::new(text, max_values)?,
        open: Vec::new(),
        anchors: HashMap::default(),
        documents: 0,
        end: 0,
    };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| explain::scan(text, &error))?;
        let span = span.byte_range().map_or((reader.end, reader.end), |range| (range.start, range.end));
        reader.event(event, span)?;
    }
    Ok(reader.builder.finish())
}

/// A collection that is not closed yet.
struct Open {
    mapping: bool,
    /// Whether the next node of a mapping is a key.
    at_key: bool,
    /// The keys of a mapping that are merge keys.
    merges: Vec<u32>,
}

/// What an anchor names.
#[derive(Clone, Copy)]
struct Anchor {
    index: u32,
    collection: bool,
}

struct Reader<'t> {
    text: &'t str,
    builder: Builder<'t>,
    open: Vec<Open>,
    /// By the parser's number for each anchor.
    anchors: HashMap<usize, Anchor>,
    documents: usize,
    /// The end of the last content: a block collection ends there, not at what follows it.
    end: usize,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, span: (usize, usize)) -> Result<(), SyntaxError> {
        match event {
            Event::DocumentStart(..) => self.document(span.0),
            Event::Alias(anchor) => self.alias(anchor, span),
            Event::Scalar(value, style, anchor, tag) => {
                self.scalar(value, style, anchor, tag.as_deref(), span)
            }
            Event::SequenceStart(_, anchor, _) => self.open(false, anchor, span),
            Event::MappingStart(_, anchor, _) => self.open(true, anchor, span),
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            _ => Ok(()),
        }
    }

    fn document(&mut self, at: usize) -> Result<(), SyntaxError> {
        self.documents += 1;
        if self.documents > 1 {
            return Err(explain::second_document(at));
        }
        Ok(())
    }

    /// Whether the node that comes now is a key; the one after it is the other kind.
    fn takes_key(&mut self) -> bool {
        let Some(open) = self.open.last_mut().filter(|open| open.mapping) else { return false };
        open.at_key = !open.at_key;
        !open.at_key
    }

    /// Remembers the anchor of the node `index`; 0 is none.
    fn anchor(&mut self, anchor: usize, index: u32, collection: bool) {
        if anchor != 0 {
            self.builder.anchor(index);
            self.anchors.insert(anchor, Anchor { index, collection });
        }
    }

    fn open(&mut self, mapping: bool, anchor: usize, span: (usize, usize)) -> Result<(), SyntaxError> {
        if self.takes_key() {
            return Err(explain::collection_as_key(self.text, span.0));
        }
        self.end = span.1;
        let index = self.builder.open(mapping, span.0)?;
        self.anchor(anchor, index, true);
        self.open.push(Open { mapping, at_key: mapping, merges: Vec::new() });
        Ok(())
    }

    fn close(&mut self, span: (usize, usize)) -> Result<(), SyntaxError> {
        // The end of a block collection is empty, and stands at what follows.
        if span.0 < span.1 {
            self.end = span.1;
        }
        let merges = self.open.pop().map(|open| open.merges).unwrap_or_default();
        self.builder.close(self.end, &merges)
    }

    fn alias(&mut self, anchor: usize, span: (usize, usize)) -> Result<(), SyntaxError> {
        let key = self.takes_key();
        self.end = span.1;
        let Some(&target) = self.anchors.get(&anchor) else { return Err(explain::unknown_alias(span.0)) };
        if key && target.collection {
            return Err(explain::collection_as_key(self.text, span.0));
        }
        let index = self.builder.alias(target.index, span)?;
        if key {
            self.builder.key(index);
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        value: Cow<'_, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: (usize, usize),
    ) -> Result<(), SyntaxError> {
        let key = self.takes_key();
        let plain = style == ScalarStyle::Plain;
        // The parser writes a node that is not there as `~`.
        let value = if plain && span.0 == span.1 { Cow::Borrowed("") } else { value };
        let merge = key && core::is_merge(&value, plain, tag);
        let (kind, digits) = if key {
            (Kind::String, None)
        } else {
            core::resolve(&value, plain, tag).map_err(|name| explain::wrong_tag(span.0, name, &value))?
        };
        let missing = !key && plain && span.0 == span.1 && self.text.as_bytes().get(span.0) == Some(&b':');
        // A value that is not there stands after its colon.
        let span = if missing { (span.1 + 1, span.1 + 1) } else { span };
        let span = self.content(span, style, &value);
        let same = self.text.get(span.0..span.1) == Some(&*value);
        let owned = digits.as_deref().or_else(|| (kind == Kind::String && !same).then_some(&*value));
        let index = self.builder.scalar(kind, span, owned);
        self.anchor(anchor, index, false);
        if key {
            self.builder.key(index);
        }
        if let Some(open) = self.open.last_mut().filter(|_| merge) {
            open.merges.push(index);
        }
        Ok(())
    }

    /// The characters of a scalar: without quotes, without the blank lines after a block; exactly
    /// those of `value` where they stand in the text as they are.
    fn content(&mut self, span: (usize, usize), style: ScalarStyle, value: &str) -> (usize, usize) {
        let (start, end) = span;
        match style {
            ScalarStyle::Plain => {
                self.end = end;
                span
            }
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                self.end = end;
                (start + 1, end.saturating_sub(1).max(start + 1))
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let text = self.text.get(start..end).unwrap_or("");
                self.end = start + text.trim_end().len();
                let whole = if text.starts_with(value) { start + value.len() } else { self.end };
                (start, whole)
            }
        }
    }
}
