//! JSON Pointers (RFC 6901) and reference strings (RFC 3986), resolved to nodes.

use percent_encoding::percent_decode_str;

use super::node::Node;
use super::tree::Kind;

/// Why a reference leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// Another file, or the network.
    External,
    /// No value at the place that it names; the longest part of the fragment that exists.
    Nowhere(String),
}

/// Escapes one token of a JSON Pointer: `~` as `~0`, `/` as `~1`.
pub(crate) fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// The place that `reference`, a string in the file of `from`, names.
///
/// The fragment is percent-decoded, then split, then `~1` and `~0` are decoded; documents with
/// names that were never encoded are common, so the raw text is the second try.
///
/// # Errors
/// [`Unresolved`]
pub(crate) fn resolve<'i>(from: Node<'i>, reference: &str) -> Result<Node<'i>, Unresolved> {
    let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    if !file.is_empty() {
        return Err(Unresolved::External);
    }
    let root = from.root();
    let decoded = percent_decode_str(fragment).decode_utf8_lossy();
    if !fragment.is_empty() && !fragment.starts_with('/') {
        return anchor(from, &decoded).ok_or_else(|| Unresolved::Nowhere(String::new()));
    }
    let mut reached = String::new();
    descend(root, &decoded, &unescape, &mut reached)
        .or_else(|| descend(root, fragment, &unescape, &mut String::new()))
        .or_else(|| descend(root, fragment, &str::to_owned, &mut String::new()))
        .ok_or(Unresolved::Nowhere(reached))
}

fn descend<'i>(
    root: Node<'i>,
    pointer: &str,
    decode: &dyn Fn(&str) -> String,
    reached: &mut String,
) -> Option<Node<'i>> {
    let mut at = root;
    for token in pointer.split('/').skip(1) {
        let name = decode(token);
        at = match at.kind() {
            Kind::Array => at.items().nth(array_index(&name)?)?,
            _ => at.get_indexed(&name)?,
        };
        reached.push('/');
        reached.push_str(token);
    }
    Some(at)
}

/// The item that a token names: digits without leading zeros (RFC 6901, section 4).
fn array_index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with(['0', '+']);
    canonical.then(|| token.parse().ok())?
}

/// The schema of the file of `from` that carries the plain name `name` as `$anchor` or
/// `$dynamicAnchor` (JSON Schema 2020-12, section 8.2.2), or draft-07's `$id: "#name"`.
fn anchor<'i>(from: Node<'i>, name: &str) -> Option<Node<'i>> {
    let file = from.file();
    let anchors = file.anchors.get_or_init(|| {
        let mut found = std::collections::HashMap::new();
        for index in 0..file.tree.len() {
            let node = Node::new(file, index);
            // An alias is visited at its target.
            if node.index() != index || node.kind() != Kind::Object {
                continue;
            }
            for (key, value) in node.entries() {
                let Some(text) = value.as_str() else { continue };
                let name = match key {
                    "$anchor" | "$dynamicAnchor" => text,
                    "$id" | "id" => text.strip_prefix('#').unwrap_or(""),
                    _ => "",
                };
                if !name.is_empty() {
                    found.entry(name.to_owned()).or_insert(index);
                }
            }
        }
        found
    });
    anchors.get(name).map(|&index| Node::new(file, index))
}
