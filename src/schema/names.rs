//! Names of definitions: each follows from its place alone, never from a counter.

use foldhash::{HashMap, HashSet};

use super::keywords::{Holds, keyword};
use super::look;
use super::{Dialect, Schema};
use crate::input::{Node, Place};

/// The first `digits` (at most 16) hexadecimal digits of the 64-bit FNV-1a hash of a text: short,
/// the same on every machine, and no secret.
pub(crate) fn short_hash(text: &str, digits: usize) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut hex = format!("{hash:016x}");
    hex.truncate(digits);
    hex
}

/// A key of `$defs` that every reader resolves without decoding: `[A-Za-z0-9_.-]+`.
fn safe_key(raw: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if !raw.is_empty() && raw.bytes().all(|byte| is_safe(char::from(byte))) {
        return raw.to_owned();
    }
    let safe: String = raw.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
    if safe.is_empty() { "_".to_owned() } else { safe }
}

/// The component schemas of the first document.
#[derive(Debug)]
pub(crate) struct Components<'i> {
    /// In the order of the document: name in `$defs`, and place.
    by_key: HashMap<&'i str, Node<'i>>,
    /// For a component's place, or the place that a component aliases: its rank and name.
    by_place: HashMap<Place, (u32, String)>,
    names: HashSet<String>,
    /// In Swagger 2.0, for each schema the components that have it in their `allOf`.
    heirs: HashMap<Place, Vec<usize>>,
    entries: Vec<(&'i str, Node<'i>)>,
}

impl<'i> Components<'i> {
    /// Names the components `entries`, which are in the order of the document.
    pub(crate) fn new(entries: &[(&'i str, Node<'i>)], dialect: Dialect) -> Self {
        let mut owners: HashMap<String, usize> = HashMap::default();
        for (key, _) in entries {
            *owners.entry(safe_key(key)).or_default() += 1;
        }
        let name = |key: &str| {
            let safe = safe_key(key);
            let shared = owners.get(&safe).is_some_and(|&count| count > 1);
            if safe != key && shared { format!("{safe}_{}", short_hash(key, 8)) } else { safe }
        };
        let ranked = || (0_u32..).zip(entries);
        let mut by_place: HashMap<Place, (u32, String)> =
            ranked().map(|(rank, (key, node))| (node.place(), (rank, name(key)))).collect();
        for (rank, (key, node)) in ranked() {
            if let Ok(target) = look::follow(Schema { node: *node, dialect }) {
                by_place.entry(target.node.place()).or_insert_with(|| (rank, name(key)));
            }
        }
        let names = entries.iter().map(|(key, _)| name(key)).collect();
        let heirs = if dialect == Dialect::Swagger { heirs(entries, dialect) } else { HashMap::default() };
        Components {
            by_key: entries.iter().copied().collect(),
            by_place,
            names,
            heirs,
            entries: entries.to_vec(),
        }
    }

    /// The components' places, in their order.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node<'i>> {
        self.entries.iter().map(|(_, node)| *node)
    }

    /// The component with this key.
    pub(crate) fn get(&self, key: &str) -> Option<Node<'i>> {
        self.by_key.get(key).copied()
    }

    /// The components that have a place in their `allOf`, or in that of one that has, in the order
    /// of the document.
    pub(crate) fn heirs(&self, place: Place) -> Vec<(&'i str, Node<'i>)> {
        let mut found = std::collections::BTreeSet::new();
        let mut open = vec![place];
        while let Some(next) = open.pop() {
            for &at in self.heirs.get(&next).into_iter().flatten() {
                if found.insert(at) {
                    open.extend(self.entries.get(at).map(|(_, node)| node.place()));
                }
            }
        }
        found.into_iter().filter_map(|at| self.entries.get(at).copied()).collect()
    }

    /// Whether a place is a component, or what one aliases.
    pub(crate) fn contains(&self, place: Place) -> bool {
        self.by_place.contains_key(&place)
    }

    /// A definition's name and its place in the order of `$defs`: components in their order, then
    /// all others by place. `variant` tells further definitions of one place apart: `any`, `exact`.
    pub(crate) fn name(&self, node: Node<'_>, variant: &str) -> (String, (bool, u32, u32)) {
        let place = node.place();
        let (name, order) = match self.by_place.get(&place) {
            Some((rank, name)) => (name.clone(), (false, 0, *rank)),
            None => (hoisted_name(node), (true, place.file.0, place.index)),
        };
        if variant.is_empty() && !order.0 {
            return (name, order);
        }
        let mut name = if variant.is_empty() { name } else { format!("{name}.{variant}") };
        while self.names.contains(&name) {
            name = format!("{name}_{}", short_hash(&format!("{variant}{}", node.location()), 8));
        }
        (name, order)
    }
}

fn heirs(entries: &[(&str, Node<'_>)], dialect: Dialect) -> HashMap<Place, Vec<usize>> {
    let mut heirs: HashMap<Place, Vec<usize>> = HashMap::default();
    for (at, (_, node)) in entries.iter().enumerate() {
        for member in node.get("allOf").into_iter().flat_map(Node::items) {
            if let Ok(target) = look::follow(Schema { node: member, dialect }) {
                heirs.entry(target.node.place()).or_default().push(at);
            }
        }
    }
    heirs
}

/// The last telling segment of a place, `_`, and 8 hex digits of its location.
fn hoisted_name(node: Node<'_>) -> String {
    let location = node.location();
    let pointer = node.pointer();
    let segments: Vec<String> =
        pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect();
    let telling = (0..segments.len()).rev().find(|&at| {
        let parent = at.checked_sub(1).and_then(|parent| segments.get(parent)).map_or("", String::as_str);
        segments.get(at).is_some_and(|segment| is_telling(segment, parent))
    });
    let file = node.file_stem();
    let segment = telling.and_then(|at| segments.get(at)).map_or(file.as_str(), String::as_str);
    format!("{}_{}", trimmed(&safe_key(segment)), short_hash(&location, 8))
}

/// Whether a segment says something about what stands below it: a name that the document's author
/// gave, not a keyword, an index or a part of OpenAPI's structure.
fn is_telling(segment: &str, parent: &str) -> bool {
    if keyword(parent).is_some_and(|row| matches!(row.holds, Holds::Map | Holds::MapOrNames)) {
        return true;
    }
    let structure =
        ["schema", "schemas", "content", "requestBody", "requestBodies", "parameters", "components", "paths"];
    let media_type = parent == "content";
    let index = segment.bytes().all(|byte| byte.is_ascii_digit());
    let method =
        ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"].contains(&segment);
    !(structure.contains(&segment) || media_type || index || method || keyword(segment).is_some())
}

/// Without doubled underscores, or any at the ends, and of a length that leaves room in messages.
fn trimmed(name: &str) -> String {
    let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    let mut joined = if words.is_empty() { "schema".to_owned() } else { words.join("_") };
    joined.truncate(64);
    joined
}
