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

/// The text of a scalar is one of [`Tree::owned`], not a stretch of the file.
const OWNED: u8 = 1;
/// A key that a later key of the same name, or a merge, replaces.
const SHADOWED: u8 = 2;

#[derive(Clone, Copy, Debug)]
struct Raw {
    start: u32,
    end: u32,
    /// Container: the index after its last descendant. Alias: its target. A key that is no alias: the
    /// [`fingerprint`] of its text. Else 0.
    link: u32,
    tag: Tag,
    flags: u8,
}

impl Raw {
    fn is_container(self) -> bool {
        matches!(self.tag, Tag::Array | Tag::Object)
    }
}

/// A parsed document. Node 0 is its root.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Raw>,
    /// The texts of scalars whose characters the file writes differently, one after the other.
    owned_text: String,
    /// Where the text of a node stands in [`Tree::owned_text`], in the order of the nodes.
    owned: Vec<(u32, Range<usize>)>,
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
        let index = self.resolve(index);
        let Some(raw) = self.nodes.get(index as usize) else { return "" };
        if raw.flags & OWNED != 0 {
            return self.owned_text(index);
        }
        match raw.tag {
            Tag::Array | Tag::Object | Tag::Alias => "",
            Tag::Null => "null",
            Tag::False => "false",
            Tag::True => "true",
            Tag::Number | Tag::String => file.get(raw.start as usize..raw.end as usize).unwrap_or(""),
        }
    }

    #[cold]
    fn owned_text(&self, index: u32) -> &str {
        let found = self.owned.binary_search_by_key(&index, |(node, _)| *node);
        let range = found.ok().and_then(|at| self.owned.get(at)).map(|(_, range)| range.clone());
        range.and_then(|range| self.owned_text.get(range)).unwrap_or("")
    }

    /// The index after the node and all that stands below it.
    pub(super) fn next(&self, index: u32) -> u32 {
        match self.nodes.get(index as usize) {
            Some(raw) if raw.is_container() => raw.link,
            _ => index + 1,
        }
    }

    /// The children of a container, as they stand: for an object by turns key and value, with keys
    /// that are shadowed. The indices are not resolved.
    pub(crate) fn children(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        let container = self.resolve(index);
        let end = match self.nodes.get(container as usize) {
            Some(raw) if raw.is_container() => raw.link,
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

    /// Looks for an object's key, whose [`fingerprint`] is `print`, among its first [`LARGE`] entries.
    pub(crate) fn get(&self, file: &str, index: u32, key: &str, print: u32) -> Lookup {
        let mut at = self.resolve(index);
        let object = self.nodes.get(at as usize).filter(|raw| raw.tag == Tag::Object);
        let end = object.map_or(0, |object| object.link);
        at += 1;
        for _ in 0..LARGE {
            if at >= end {
                return Lookup::Nowhere;
            }
            let Some([raw, value]) = self.nodes.get(at as usize..).and_then(<[Raw]>::first_chunk) else {
                return Lookup::Nowhere;
            };
            // The texts of the others need not be looked at.
            let candidate = raw.link == print || raw.tag == Tag::Alias;
            if candidate && raw.flags & SHADOWED == 0 && self.text(file, at) == key {
                return Lookup::At(at + 1);
            }
            at = if value.is_container() { value.link } else { at + 2 };
        }
        Lookup::Further
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

/// The most entries of an object that are looked through for one key.
const LARGE: usize = 64;

/// What comes of looking for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// The index of its value.
    At(u32),
    /// The object does not have it.
    Nowhere,
    /// It is not among the first entries, but there are more.
    Further,
}

/// A text that cannot become a tree, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// The byte offset.
    pub(crate) offset: usize,
    /// What was found and what was expected, in one line.
    pub(crate) message: String,
}

/// A number that is equal for equal texts and seldom for others: made of the length and of the first and
/// last eight bytes.
#[inline]
pub(super) fn fingerprint(text: &[u8]) -> u32 {
    let (head, tail) = match (text.first_chunk(), text.last_chunk()) {
        (Some(&head), Some(&tail)) => (u64::from_le_bytes(head), u64::from_le_bytes(tail)),
        _ => (text.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)), 0),
    };
    mixed(head, tail, text.len())
}

/// The [`fingerprint`] of the first `length` bytes, fewer than sixteen, of a text.
#[inline]
fn short_fingerprint(text: &[u8; 16], length: usize) -> u32 {
    let word = u128::from_le_bytes(*text);
    let [head, tail] = if length < 8 {
        [low(word) & ((1 << (8 * length)) - 1), 0]
    } else {
        [low(word), low(word >> (8 * (length - 8)))]
    };
    mixed(head, tail, length)
}

#[inline]
fn mixed(head: u64, tail: u64, length: usize) -> u32 {
    let mixed = (head ^ tail.rotate_left(23) ^ length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    u32::try_from(mixed >> 32).unwrap_or(0)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the lower half is asked for")]
fn low(word: u128) -> u64 {
    word as u64
}

#[cfg(test)]
mod tests {
    use super::{fingerprint, short_fingerprint};

    #[test]
    fn short_texts_have_the_same_fingerprint_wherever_they_stand() {
        let text = b"abcdefghijklmnop";
        let prints: Vec<u32> = (0..16).map(|length| short_fingerprint(text, length)).collect();
        let expected: Vec<u32> = (0..16).map(|length| fingerprint(&text[..length])).collect();
        assert_eq!(prints, expected);
        let distinct: std::collections::BTreeSet<_> = prints.iter().collect();
        assert_eq!(distinct.len(), prints.len());
    }
}
