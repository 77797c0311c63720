//! Builds a tree from a parser's events, without recursion, and refuses what would grow out of
//! hand: depth, alias bombs, merge bombs.

use foldhash::{HashMap, HashSet};

use super::{Kind, OWNED, Raw, SHADOWED, SyntaxError, Tag, Tree, fingerprint, short_fingerprint};

/// Nesting beyond this depth is refused, so that no later walk can run out of stack. Real documents
/// stay below 60; schema examples in test collections reach 200.
pub(crate) const MAX_DEPTH: u32 = 256;

/// How many values of the limit an entry takes that a merge key brings in. Real documents bring in a
/// few thousand entries.
const MERGED: u64 = 50;

/// The words of the set that clears most objects of duplicate keys: 32,768 bits, so that a hundred
/// keys seldom meet in one.
const SEEN: usize = 512;

/// A container that is not closed yet.
struct Open {
    index: u32,
    object: bool,
    /// What the aliases below stand for, beyond their own nodes.
    extra: u64,
    /// Levels below, aliases counted with all that they stand for.
    depth: u32,
    /// Where its keys begin in [`Builder::keys`].
    keys: usize,
}

/// Builds a [`Tree`] from a parser's events, without recursion.
pub(crate) struct Builder<'t> {
    file: &'t str,
    tree: Tree,
    open: Vec<Open>,
    /// For each alias target: its expanded size and depth.
    measures: HashMap<u32, (u64, u32)>,
    /// Entries that merge keys brought in so far.
    merged: u64,
    /// The most values once aliases are followed; more is an alias bomb. Merge keys may bring in a
    /// [`MERGED`]th of it: each entry is written as nodes of its own.
    max_values: u64,
    /// Fingerprints and indices of the keys of the open objects, the innermost last.
    keys: Vec<(u32, u32)>,
    /// A set of fingerprints, empty between two objects.
    seen: Box<[u64; SEEN]>,
}

impl<'t> Builder<'t> {
    /// An empty tree over `file`. `max_values` is the most values once aliases are followed.
    ///
    /// # Errors
    /// A file whose offsets, or whose nodes, may not fit 32 bits.
    pub(crate) fn new(file: &'t str, max_values: u64) -> Result<Self, SyntaxError> {
        // In YAML two bytes (`:,`) may be three nodes, and each merged entry is two.
        let own = (file.len() as u64).saturating_mul(3).div_ceil(2);
        let most = own.saturating_add((max_values / MERGED).saturating_mul(2));
        if most > u64::from(u32::MAX) {
            let message = "the file and what merge keys bring in may come to more than 4 GiB".to_owned();
            return Err(SyntaxError { offset: 0, message });
        }
        let mut tree = Tree::default();
        tree.nodes.reserve(file.len() / 12);
        Ok(Builder {
            file,
            tree,
            open: Vec::new(),
            measures: HashMap::default(),
            merged: 0,
            max_values,
            keys: Vec::new(),
            seen: Box::new([0; SEEN]),
        })
    }

    #[inline]
    fn push(&mut self, span: (usize, usize), link: u32, tag: Tag, flags: u8) -> u32 {
        let index = short(self.tree.nodes.len());
        self.tree.nodes.push(Raw { start: short(span.0), end: short(span.1), link, tag, flags });
        index
    }

    /// Adds a scalar of `kind` at `span`. `owned` is its text where the file's differs. Containers
    /// have [`Builder::open`]; given here they become null.
    #[inline]
    pub(crate) fn scalar(&mut self, kind: Kind, span: (usize, usize), owned: Option<&str>) -> u32 {
        let tag = match kind {
            // By far the most, and so before the others.
            _ if kind == Kind::String => Tag::String,
            Kind::Bool(false) => Tag::False,
            Kind::Bool(true) => Tag::True,
            Kind::Number => Tag::Number,
            _ => Tag::Null,
        };
        match owned {
            None => self.push(span, 0, tag, 0),
            Some(text) => self.owned_scalar(tag, span, text),
        }
    }

    #[cold]
    fn owned_scalar(&mut self, tag: Tag, span: (usize, usize), text: &str) -> u32 {
        if self.tree.owned.is_empty() {
            // A text that grows step by step touches many times its memory.
            self.tree.owned_text.reserve(self.file.len() / 8);
        }
        let start = self.tree.owned_text.len();
        self.tree.owned_text.push_str(text);
        let index = self.push(span, 0, tag, OWNED);
        self.tree.owned.push((index, start..self.tree.owned_text.len()));
        index
    }

    /// Adds a string, a key of the innermost object: the stretch of the file of so many bytes, fewer than
    /// sixteen, from `start` on, where `text` stands.
    #[inline]
    pub(crate) fn short_key(&mut self, start: usize, length: usize, text: &[u8; 16]) {
        let print = short_fingerprint(text, length);
        let key = self.push((start, start + length), print, Tag::String, 0);
        self.remember(print, key);
    }

    /// Says that the node added last, a scalar or an alias of one, is a key of the innermost object.
    pub(crate) fn key(&mut self, key: u32) {
        let text = self.tree.text(self.file, key).as_bytes();
        let print = fingerprint(text);
        if let Some(raw) = self.tree.nodes.get_mut(key as usize).filter(|raw| raw.tag != Tag::Alias) {
            raw.link = print;
        }
        self.remember(print, key);
    }

    #[inline]
    fn remember(&mut self, print: u32, key: u32) {
        if print == fingerprint(b"$id") || print == fingerprint(b"$self") {
            self.tree.identifies = true;
        }
        self.keys.push((print, key));
    }

    /// Begins an array, or an object if `object`, at the byte `start`.
    pub(crate) fn open(&mut self, object: bool, start: usize) -> Result<u32, SyntaxError> {
        if self.open.len() >= MAX_DEPTH as usize {
            return Err(too_deep(start));
        }
        let tag = if object { Tag::Object } else { Tag::Array };
        let index = self.push((start, start), 0, tag, 0);
        self.open.push(Open { index, object, extra: 0, depth: 0, keys: self.keys.len() });
        Ok(index)
    }

    /// The innermost container that is open: whether it is an object, and where it begins.
    #[inline]
    pub(crate) fn innermost(&self) -> Option<(bool, usize)> {
        let open = self.open.last()?;
        Some((open.object, self.tree.span(open.index).0 as usize))
    }

    /// Ends the innermost container before the byte `end`, where the text has no aliases to be counted.
    #[inline]
    pub(crate) fn close_plain(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        self.seal(open.index, end);
        if open.object {
            self.settle_keys(open.keys);
        }
    }

    /// Ends the keys from `first` on, those of the innermost object.
    fn settle_keys(&mut self, first: usize) {
        if !self.are_different(first) {
            self.shadow_duplicates(first);
        }
        self.keys.truncate(first);
    }

    /// Ends the innermost container before the byte `end`. `merges` are the keys of an object that
    /// are YAML merge keys (`<<`).
    pub(crate) fn close(&mut self, end: usize, merges: &[u32]) -> Result<(), SyntaxError> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        self.seal(open.index, end);
        if open.object {
            for &key in merges {
                self.shadow(key);
            }
            self.settle_keys(open.keys);
            if !merges.is_empty() {
                self.merge(open.index, merges)?;
                self.seal(open.index, end);
            }
        }
        let nodes = self.tree.nodes.len() as u64 - u64::from(open.index);
        let size = nodes.saturating_add(open.extra);
        if let Some(measure) = self.measures.get_mut(&open.index) {
            *measure = (size, open.depth + 1);
        }
        self.count(open.extra, size, open.depth + 1, end)
    }

    fn seal(&mut self, index: u32, end: usize) {
        let link = short(self.tree.nodes.len());
        if let Some(raw) = self.tree.nodes.get_mut(index as usize) {
            raw.link = link;
            raw.end = short(end);
        }
    }

    /// Counts a finished container or alias into the container that holds it.
    fn count(&mut self, extra: u64, size: u64, depth: u32, offset: usize) -> Result<(), SyntaxError> {
        let levels = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        if levels.saturating_add(depth) > MAX_DEPTH {
            return Err(too_deep(offset));
        }
        let sum = self.open.last().map_or(0, |open| open.extra).saturating_add(extra);
        if size.max(sum) > self.max_values {
            let message = format!(
                "more than {} values once aliases are followed; write fewer aliases of aliases (`--max-values` \
                 allows more)",
                self.max_values
            );
            return Err(SyntaxError { offset, message });
        }
        if let Some(open) = self.open.last_mut() {
            open.extra = sum;
            open.depth = open.depth.max(depth);
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
            let message =
                "an alias stands inside its own anchor; a document cannot contain itself".to_owned();
            return Err(SyntaxError { offset: span.0, message });
        }
        let (size, depth) = self.measures.get(&target).copied().unwrap_or((1, 0));
        self.count(size, size, depth, span.0)?;
        Ok(self.push(span, self.tree.resolve(target), Tag::Alias, 0))
    }

    /// The finished tree. All containers must be closed.
    pub(crate) fn finish(self) -> Tree {
        self.tree
    }

    /// Marks those of the keys from `first` on, a closed object's, that a later key of the same text
    /// replaces.
    ///
    /// Most objects are cleared by a set of bits. In the others, keys are sorted by a fingerprint of
    /// a few instructions, and only those that share one are compared as texts, by sorting too: no
    /// choice of keys makes this quadratic.
    #[cold]
    fn shadow_duplicates(&mut self, first: usize) {
        let shadowed =
            |key: u32| self.tree.nodes.get(key as usize).is_none_or(|raw| raw.flags & SHADOWED != 0);
        let mut keys: Vec<_> = self.keys.drain(first..).filter(|&(_, key)| !shadowed(key)).collect();
        let text = |key: u32| self.tree.text(self.file, key);
        keys.sort_unstable();
        let mut replaced = Vec::new();
        for alike in keys.chunk_by_mut(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            alike.sort_unstable_by_key(|&(_, key)| (text(key), key));
            let pairs = alike.iter().zip(alike.iter().skip(1));
            replaced.extend(pairs.filter(|(one, next)| text(one.1) == text(next.1)).map(|(one, _)| one.1));
        }
        replaced.sort_unstable();
        for key in replaced {
            self.shadow(key);
            self.tree.duplicates.push(key);
        }
    }

    /// Whether the keys from `first` on are surely all different.
    fn are_different(&mut self, first: usize) -> bool {
        let keys = self.keys.get(first..).unwrap_or_default();
        if keys.len() < 4 {
            // Most objects have so few.
            return match keys {
                [a, b] => a.0 != b.0,
                [a, b, c] => a.0 != b.0 && b.0 != c.0 && a.0 != c.0,
                _ => true,
            };
        }
        let word = |print: u32| (print >> 6) as usize % SEEN;
        let mut different = true;
        for &(print, _) in keys {
            if let Some(word) = self.seen.get_mut(word(print)) {
                let bit = 1 << (print & 63);
                different &= *word & bit == 0;
                *word |= bit;
            }
        }
        // Sooner than clearing all of it.
        for &(print, _) in keys {
            if let Some(word) = self.seen.get_mut(word(print)) {
                *word = 0;
            }
        }
        different
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
        let brought = self.merged_entries(merges)?;
        let text = |key: u32| self.tree.text(self.file, key);
        let mut seen: HashSet<&str> = self.tree.entries(object).map(|(key, _)| text(key)).collect();
        let new: Vec<(u32, u32)> = brought.into_iter().filter(|&(key, _)| seen.insert(text(key))).collect();
        for (key, value) in new {
            self.push_copy(key);
            let (start, end) = self.tree.span(value);
            self.push((start as usize, end as usize), self.tree.resolve(value), Tag::Alias, 0);
        }
        Ok(())
    }

    /// Adds a copy of a key of another object.
    fn push_copy(&mut self, key: u32) {
        let Some(&raw) = self.tree.nodes.get(key as usize) else { return };
        let copy = short(self.tree.nodes.len());
        self.tree.nodes.push(raw);
        if raw.flags & OWNED != 0
            && let Ok(at) = self.tree.owned.binary_search_by_key(&key, |(node, _)| *node)
            && let Some((_, range)) = self.tree.owned.get(at).cloned()
        {
            self.tree.owned.push((copy, range));
        }
    }

    /// The entries of all mappings that the merge keys `merges` name, in their order.
    fn merged_entries(&mut self, merges: &[u32]) -> Result<Vec<(u32, u32)>, SyntaxError> {
        let mut brought: Vec<(u32, u32)> = Vec::new();
        for &key in merges {
            let value = self.tree.next(key);
            let sources: Vec<u32> = match self.tree.kind(value) {
                Kind::Array => self.tree.children(value).collect(),
                _ => vec![value],
            };
            for source in sources {
                let offset = self.tree.span(source).0 as usize;
                if self.tree.kind(source) != Kind::Object {
                    let message = "a merge key (`<<`) needs a mapping, or a list of mappings".to_owned();
                    return Err(SyntaxError { offset, message });
                }
                let before = brought.len();
                brought.extend(self.tree.entries(source));
                self.merged = self.merged.saturating_add((brought.len() - before) as u64);
                if self.merged > self.max_values / MERGED {
                    let message = format!(
                        "merge keys (`<<`) bring in more than {} entries; use fewer (`--max-values` allows more)",
                        self.max_values / MERGED
                    );
                    return Err(SyntaxError { offset, message });
                }
            }
        }
        Ok(brought)
    }
}

fn too_deep(offset: usize) -> SyntaxError {
    SyntaxError { offset, message: format!("nested more than {MAX_DEPTH} levels deep") }
}

/// An offset or an index of a file that [`Builder::new`] took.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "`Builder::new` has made sure, so that no node pays for it"
)]
fn short(number: usize) -> u32 {
    number as u32
}
