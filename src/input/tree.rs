//! The document tree: one flat array of nodes with spans, offsets into the text.
//!
//! Nodes stand in the order of the document. A container is followed by its children, an object's
//! by turns a key and its value. Sixteen bytes a node, and the text is not copied: a scalar is a
//! stretch of the file unless it has escapes.

use std::collections::HashSet;

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

/// The text of a scalar is `owned[link]`, not a stretch of the file.
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
    owned: Vec<Box<str>>,
    duplicates: Vec<u32>,
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

    /// A scalar's text: a string's characters, a number's digits. Empty for containers.
    pub(crate) fn text<'t>(&'t self, file: &'t str, index: u32) -> &'t str {
        let Some(raw) = self.nodes.get(self.resolve(index) as usize) else { return "" };
        if raw.flags & OWNED != 0 {
            return self.owned.get(raw.link as usize).map_or("", |text| text);
        }
        match raw.tag {
            Tag::Array | Tag::Object | Tag::Alias => "",
            _ => file.get(raw.start as usize..raw.end as usize).unwrap_or(""),
        }
    }

    /// The index after the node and all that stands below it.
    fn next(&self, index: u32) -> u32 {
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

/// Nesting beyond this depth is refused, so that no later walk can run out of stack. Real documents
/// stay below 60; schema examples in test collections reach 200.
pub(crate) const MAX_DEPTH: u32 = 256;

/// Values after all aliases are followed; more is an alias bomb.
pub(crate) const MAX_EXPANDED: u64 = 50_000_000;

struct Open {
    index: u32,
    /// Nodes below, aliases counted with all that they stand for.
    size: u64,
    /// Levels below, likewise.
    depth: u32,
}

/// Builds a [`Tree`] from a parser's events, without recursion.
pub(crate) struct Builder<'t> {
    file: &'t str,
    tree: Tree,
    open: Vec<Open>,
    /// For each alias target: its expanded size and depth.
    measures: std::collections::HashMap<u32, (u64, u32)>,
}

impl<'t> Builder<'t> {
    /// An empty tree over `file`, whose length must fit 32 bits.
    pub(crate) fn new(file: &'t str) -> Self {
        let mut tree = Tree::default();
        tree.nodes.reserve(file.len() / 12);
        Builder { file, tree, open: Vec::new(), measures: std::collections::HashMap::new() }
    }

    fn push(&mut self, span: (usize, usize), link: u32, tag: Tag, flags: u8) -> Result<u32, SyntaxError> {
        let fits = |offset| u32::try_from(offset).map_err(|_| too_large(offset));
        let index = u32::try_from(self.tree.nodes.len()).map_err(|_| too_large(span.0))?;
        self.tree.nodes.push(Raw { start: fits(span.0)?, end: fits(span.1)?, link, tag, flags });
        Ok(index)
    }

    /// Counts a finished node, and all that it stands for, into the container that holds it.
    fn count(&mut self, size: u64, depth: u32, offset: usize) -> Result<(), SyntaxError> {
        let levels = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        if levels.saturating_add(depth) > MAX_DEPTH {
            return Err(too_deep(offset));
        }
        if let Some(open) = self.open.last_mut() {
            open.size = open.size.saturating_add(size);
            open.depth = open.depth.max(depth);
            if open.size > MAX_EXPANDED {
                let message = format!("aliases expand to more than {MAX_EXPANDED} values; write them out or use fewer");
                return Err(SyntaxError { offset, message });
            }
        }
        Ok(())
    }

    /// Adds a scalar of `kind` at `span`, or a key. `owned` is its text where the file's differs.
    /// Containers have [`Builder::open`]; given here they become null.
    pub(crate) fn scalar(&mut self, kind: Kind, span: (usize, usize), owned: Option<String>) -> Result<u32, SyntaxError> {
        let tag = match kind {
            Kind::Bool(false) => Tag::False,
            Kind::Bool(true) => Tag::True,
            Kind::Number => Tag::Number,
            Kind::String => Tag::String,
            Kind::Null | Kind::Array | Kind::Object => Tag::Null,
        };
        self.count(1, 0, span.0)?;
        let Some(text) = owned else { return self.push(span, 0, tag, 0) };
        let row = u32::try_from(self.tree.owned.len()).map_err(|_| too_large(span.0))?;
        self.tree.owned.push(text.into_boxed_str());
        self.push(span, row, tag, OWNED)
    }

    /// Begins an array, or an object if `object`, at the byte `start`.
    pub(crate) fn open(&mut self, object: bool, start: usize) -> Result<u32, SyntaxError> {
        if self.open.len() >= MAX_DEPTH as usize {
            return Err(too_deep(start));
        }
        let tag = if object { Tag::Object } else { Tag::Array };
        let index = self.push((start, start), 0, tag, 0)?;
        self.open.push(Open { index, size: 1, depth: 0 });
        Ok(index)
    }

    /// Ends the innermost container before the byte `end`. `merges` are the keys of an object that
    /// are YAML merge keys (`<<`).
    pub(crate) fn close(&mut self, end: usize, merges: &[u32]) -> Result<(), SyntaxError> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        self.seal(open.index, end)?;
        if self.tree.kind(open.index) == Kind::Object {
            self.shadow_duplicates(open.index);
            if !merges.is_empty() {
                self.merge(open.index, merges)?;
                self.seal(open.index, end)?;
            }
        }
        self.measures_on_close(&open, end)
    }

    fn measures_on_close(&mut self, open: &Open, end: usize) -> Result<(), SyntaxError> {
        if self.measures.contains_key(&open.index) {
            self.measures.insert(open.index, (open.size, open.depth + 1));
        }
        self.count(open.size, open.depth + 1, end)
    }

    fn seal(&mut self, index: u32, end: usize) -> Result<(), SyntaxError> {
        let link = u32::try_from(self.tree.nodes.len()).map_err(|_| too_large(end))?;
        let end = u32::try_from(end).map_err(|_| too_large(end))?;
        if let Some(raw) = self.tree.nodes.get_mut(index as usize) {
            raw.link = link;
            raw.end = end;
        }
        Ok(())
    }

    /// Says that aliases may point to `index`: its size is remembered when it closes.
    pub(crate) fn anchor(&mut self, index: u32) {
        self.measures.insert(index, (1, 0));
    }

    /// Adds an alias of the node `target`, which must be closed and named by [`Builder::anchor`].
    pub(crate) fn alias(&mut self, target: u32, span: (usize, usize)) -> Result<u32, SyntaxError> {
        if self.open.iter().any(|open| open.index == target) {
            let message = "an alias stands inside its own anchor; a document cannot contain itself".to_owned();
            return Err(SyntaxError { offset: span.0, message });
        }
        let (size, depth) = self.measures.get(&target).copied().unwrap_or((1, 0));
        self.count(size, depth, span.0)?;
        self.push(span, self.tree.resolve(target), Tag::Alias, 0)
    }

    /// The finished tree. All containers must be closed.
    pub(crate) fn finish(self) -> Tree {
        self.tree
    }

    fn shadow_duplicates(&mut self, object: u32) {
        let keys: Vec<u32> = self.tree.entries(object).map(|(key, _)| key).collect();
        let tree = &self.tree;
        let text = |key: u32| tree.text(self.file, key);
        let shadowed: Vec<u32> = if keys.len() <= 8 {
            let later = |at: usize| keys[at + 1..].iter().any(|&other| text(other) == text(keys[at]));
            (0..keys.len()).filter(|&at| later(at)).map(|at| keys[at]).collect()
        } else {
            let mut seen = HashSet::with_capacity(keys.len());
            keys.iter().rev().copied().filter(|&key| !seen.insert(text(key))).collect()
        };
        for key in shadowed {
            self.shadow(key);
            self.tree.duplicates.push(key);
        }
    }

    fn shadow(&mut self, key: u32) {
        if let Some(raw) = self.tree.nodes.get_mut(key as usize) {
            raw.flags |= SHADOWED;
        }
    }

    /// Writes the entries that merge keys bring as nodes that point to them: a key of the object
    /// itself wins over a merged one, and an earlier merged map over a later one.
    /// Rule: <https://yaml.org/type/merge.html>.
    fn merge(&mut self, object: u32, merges: &[u32]) -> Result<(), SyntaxError> {
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for &key in merges {
            let value = self.tree.next(key);
            let sources: Vec<u32> = match self.tree.kind(value) {
                Kind::Array => self.tree.children(value).collect(),
                _ => vec![value],
            };
            for source in sources {
                if self.tree.kind(source) != Kind::Object {
                    let offset = self.tree.span(source).0 as usize;
                    let message = "a merge key (`<<`) needs a mapping, or a list of mappings".to_owned();
                    return Err(SyntaxError { offset, message });
                }
                merged.extend(self.tree.entries(source));
            }
            self.shadow(key);
        }
        let own: Vec<u32> = self.tree.entries(object).map(|(key, _)| key).collect();
        let mut seen: HashSet<&str> = own.iter().map(|&key| self.tree.text(self.file, key)).collect();
        let new: Vec<(u32, u32)> =
            merged.into_iter().filter(|&(key, _)| seen.insert(self.tree.text(self.file, key))).collect();
        for (key, value) in new {
            if let Some(&raw) = self.tree.nodes.get(key as usize) {
                self.tree.nodes.push(raw);
            }
            let (start, end) = self.tree.span(value);
            self.push((start as usize, end as usize), self.tree.resolve(value), Tag::Alias, 0)?;
        }
        Ok(())
    }
}

fn too_deep(offset: usize) -> SyntaxError {
    SyntaxError { offset, message: format!("nested more than {MAX_DEPTH} levels deep") }
}

fn too_large(offset: usize) -> SyntaxError {
    SyntaxError { offset, message: "the file is larger than 4 GiB".to_owned() }
}
