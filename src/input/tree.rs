//! The document tree: one flat array of nodes with spans, offsets into the text.
//!
//! Nodes stand in the order of the document. A container is followed by its children, an object's
//! by turns a key and its value. Sixteen bytes a node, and the text is not copied: a scalar is a
//! stretch of the file unless it has escapes.

mod builder;

use std::ops::Range;

pub(crate) use builder::{Builder, MAX_DEPTH};

/// What a node is, aliases looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number; its digits are the node's text.
    Number,
    /// A string; its characters are the node's text.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag {
    Null,
    False,
    True,
    Number,
    String,
    Array,
    Object,
    Alias,
}

/// The text of a scalar is the stretch `owned[link]` of `owned_text`, not one of the file.
const OWNED: u8 = 1;
/// A key that a later key of the same name, or a merge, replaces.
const SHADOWED: u8 = 2;

#[derive(Clone, Copy, Debug)]
struct Raw {
    start: u32,
    end: u32,
    /// Container: the index after its last descendant. Alias: its target. Owned scalar: its text.
    link: u32,
    tag: Tag,
    flags: u8,
}

/// A parsed document. Node 0 is its root.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Raw>,
    /// The texts of scalars whose characters the file writes differently, one after the other.
    owned_text: String,
    owned: Vec<Range<usize>>,
    duplicates: Vec<u32>,
    identifies: bool,
}

impl Tree {
    /// The number of nodes; indices below it are valid.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// The node that `index` stands for: the target, if it is an alias.
    pub(crate) fn resolve(&self, index: u32) -> u32 {
        match self.nodes.get(index as usize) {
            Some(raw) if raw.tag == Tag::Alias => raw.link,
            _ => index,
        }
    }

    /// What the node is.
    pub(crate) fn kind(&self, index: u32) -> Kind {
        match self.nodes.get(self.resolve(index) as usize).map(|raw| raw.tag) {
            Some(Tag::False) => Kind::Bool(false),
            Some(Tag::True) => Kind::Bool(true),
            Some(Tag::Number) => Kind::Number,
            Some(Tag::String) => Kind::String,
            Some(Tag::Array) => Kind::Array,
            Some(Tag::Object) => Kind::Object,
            Some(Tag::Null | Tag::Alias) | None => Kind::Null,
        }
    }

    /// Where the node stands in the text: an alias at its own place, not its target's.
    pub(crate) fn span(&self, index: u32) -> (u32, u32) {
        self.nodes.get(index as usize).map_or((0, 0), |raw| (raw.start, raw.end))
    }

    /// A scalar's text: a string's characters, a number's digits, `true`, `false`, `null` however
    /// they are written. Empty for containers.
    pub(crate) fn text<'t>(&'t self, file: &'t str, index: u32) -> &'t str {
        let Some(raw) = self.nodes.get(self.resolve(index) as usize) else { return "" };
        if raw.flags & OWNED != 0 {
            let range = self.owned.get(raw.link as usize).cloned();
            return range.and_then(|range| self.owned_text.get(range)).unwrap_or("");
        }
        match raw.tag {
            Tag::Array | Tag::Object | Tag::Alias => "",
            Tag::Null => "null",
            Tag::False => "false",
            Tag::True => "true",
            Tag::Number | Tag::String => file.get(raw.start as usize..raw.end as usize).unwrap_or(""),
        }
    }

    /// The index after the node and all that stands below it.
    pub(super) fn next(&self, index: u32) -> u32 {
        match self.nodes.get(index as usize) {
            Some(raw) if matches!(raw.tag, Tag::Array | Tag::Object) => raw.link,
            _ => index + 1,
        }
    }

    /// The children of a container, as they stand: for an object by turns key and value, with keys
    /// that are shadowed. The indices are not resolved.
    pub(crate) fn children(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        let container = self.resolve(index);
        let end = match self.nodes.get(container as usize) {
            Some(raw) if matches!(raw.tag, Tag::Array | Tag::Object) => raw.link,
            _ => 0,
        };
        let mut at = container + 1;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let child = at;
                at = self.next(child);
                child
            })
        })
    }

    /// An object's entries as indices of key and value: each key once, the last of that name.
    pub(crate) fn entries(&self, index: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let object = self.kind(index) == Kind::Object;
        let mut children = self.children(index);
        std::iter::from_fn(move || {
            loop {
                let key = children.next().filter(|_| object)?;
                let value = children.next()?;
                if self.nodes.get(key as usize).is_none_or(|raw| raw.flags & SHADOWED == 0) {
                    return Some((key, value));
                }
            }
        })
    }

    /// The value of an object's key.
    pub(crate) fn get(&self, file: &str, index: u32, key: &str) -> Option<u32> {
        let object = self.nodes.get(self.resolve(index) as usize).filter(|raw| raw.tag == Tag::Object)?;
        let mut at = self.resolve(index) + 1;
        while at < object.link {
            let raw = self.nodes.get(at as usize)?;
            // Most keys of a file differ in length from the one that is looked for.
            let same = if raw.flags & OWNED == 0 && raw.tag == Tag::String {
                (raw.end - raw.start) as usize == key.len()
                    && file.as_bytes().get(raw.start as usize..raw.end as usize).is_some_and(|bytes| {
                        bytes.first() == key.as_bytes().first() && bytes == key.as_bytes()
                    })
            } else {
                self.text(file, at) == key
            };
            if same && raw.flags & SHADOWED == 0 {
                return Some(at + 1);
            }
            at = self.next(at + 1);
        }
        None
    }

    /// Whether some key may be `$id` or `$self`.
    pub(crate) fn identifies(&self) -> bool {
        self.identifies
    }

    /// The keys that a later key of the same object replaces.
    pub(crate) fn duplicates(&self) -> &[u32] {
        &self.duplicates
    }
}

/// A text that cannot become a tree, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// The byte offset.
    pub(crate) offset: usize,
    /// What was found and what was expected, in one line.
    pub(crate) message: String,
}
