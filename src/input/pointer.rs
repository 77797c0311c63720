//! JSON Pointers (RFC 6901) and reference strings (RFC 3986), resolved to nodes.

use std::borrow::Cow;

use foldhash::HashMap;
use percent_encoding::percent_decode_str;

use super::files;
use super::node::Node;
use super::tree::Kind;

/// Why a reference leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// The network.
    Remote,
    /// A kind of address that is not followed.
    Scheme,
    /// A file, from a text that has no folder.
    NoFolder,
    /// A file that may not be read: it is outside the folder.
    Outside(String),
    /// A file that cannot be read, and why.
    Unreadable(String),
    /// No value at the place that it names: the file that was searched, and the longest part of the
    /// fragment that exists.
    Nowhere(String, String),
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
    let file = from.file();
    if !reference.starts_with('#') || !file.ids.get_or_init(|| ids(from)).is_empty() {
        return find(from, reference);
    }
    let known = file.resolved.borrow().get(reference).copied();
    if let Some(index) = known {
        return Ok(from.at(index));
    }
    let found = find(from, reference)?;
    file.resolved.borrow_mut().insert(reference.to_owned(), found.index());
    Ok(found)
}

fn find<'i>(from: Node<'i>, reference: &str) -> Result<Node<'i>, Unresolved> {
    let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let resource = identified(from, file);
    if !file.is_empty() && resource.is_none() {
        let root = files::load(from, file)?;
        return if fragment.is_empty() { Ok(root) } else { resolve(root, &format!("#{fragment}")) };
    }
    let decoded = decoded(fragment);
    if !fragment.is_empty() && !fragment.starts_with('/') {
        // Plain names are known to schemas alone.
        return Err(Unresolved::Nowhere(from.file().name.clone(), String::new()));
    }
    let mut reached = String::new();
    // Documents with an `$id` somewhere and pointers from the root are common, too.
    let roots = resource.into_iter().chain(Some(from.root()).filter(|_| file.is_empty()));
    for root in roots {
        reached.clear();
        let found = descend(root, &decoded, &unescape, &mut reached)
            .or_else(|| descend(root, fragment, &unescape, &mut String::new()))
            .or_else(|| descend(root, fragment, &str::to_owned, &mut String::new()));
        if let Some(found) = found {
            return Ok(found);
        }
    }
    Err(Unresolved::Nowhere(from.file().name.clone(), reached))
}

/// A fragment without its percent-encoding.
pub(crate) fn decoded(fragment: &str) -> Cow<'_, str> {
    percent_decode_str(fragment).decode_utf8_lossy()
}

/// The root of the schema resource that a place is in: the nearest object around it with an `$id`, else
/// the root of its file.
pub(crate) fn resource(node: Node<'_>) -> Node<'_> {
    let ancestors = node.ancestors();
    ancestors.into_iter().rev().find(|ancestor| own_id(*ancestor).is_some()).unwrap_or(node.root())
}

/// The schema resource (JSON Schema 2020-12, section 8.2.1) of the same file that a reference without
/// its fragment names: by an absolute `$id`, or, for an empty one, the resource that `from` is in.
fn identified<'i>(from: Node<'i>, file: &str) -> Option<Node<'i>> {
    let ids = from.file().ids.get_or_init(|| ids(from));
    if ids.is_empty() {
        return None;
    }
    let base = from.ancestors().into_iter().fold(String::new(), |base, node| base_at(node, &base));
    let name = if file.is_empty() { base } else { join(&base, file) };
    ids.get(name.trim_end_matches('#')).map(|&index| from.at(index))
}

/// Every `$id` of a file that is more than a fragment, absolute.
fn ids(from: Node<'_>) -> HashMap<String, u32> {
    let file = from.file();
    let names_itself = |at: usize| {
        let rest = file.text.get(at..).unwrap_or("");
        rest.starts_with("$id") || rest.starts_with("$self")
    };
    if !file.text.match_indices('$').any(|(at, _)| names_itself(at)) {
        return HashMap::default();
    }
    let nodes = (0..file.tree.len()).map(|index| (index, from.at(index)));
    let schemas = nodes.filter(|(index, node)| node.index() == *index && own_id(*node).is_some());
    schemas
        .map(|(index, node)| {
            let base = node.ancestors().into_iter().fold(String::new(), |base, node| base_at(node, &base));
            (base, index)
        })
        .collect()
}

/// The `$id` of a schema, unless it is a fragment, or a property of that name.
fn own_id(node: Node<'_>) -> Option<&str> {
    // OpenAPI 3.2 names the document by `$self` (3.2.0, section 4.1.1).
    let id = node.get_str("$id").or_else(|| node.get_str("$self").filter(|_| node.index() == 0));
    id.map(|id| id.trim_end_matches('#')).filter(|id| !id.is_empty() && !id.starts_with('#'))
}

fn base_at(node: Node<'_>, base: &str) -> String {
    own_id(node).map_or_else(|| base.to_owned(), |id| join(base, id))
}

/// A reference resolved against a base (RFC 3986, section 5.2), without a fragment.
fn join(base: &str, reference: &str) -> String {
    let has_scheme = reference.split_once(':').is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
    });
    let authority_end = base.find("://").map_or(0, |at| {
        let from = at + 3;
        base.get(from..).and_then(|rest| rest.find('/')).map_or(base.len(), |slash| from + slash)
    });
    let (prefix, path) = base.split_at_checked(authority_end).unwrap_or(("", base));
    if has_scheme {
        return reference.to_owned();
    }
    if reference.starts_with('/') {
        return format!("{prefix}{reference}");
    }
    let mut segments: Vec<&str> = path.split('/').collect();
    segments.pop();
    for segment in reference.split('/') {
        match segment {
            "." => {}
            ".." => drop(segments.pop()),
            _ => segments.push(segment),
        }
    }
    let path = segments.join("/");
    if prefix.is_empty() || path.starts_with('/') {
        format!("{prefix}{path}")
    } else {
        format!("{prefix}/{path}")
    }
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
