//! Schema resources (JSON Schema 2020-12, section 8.2.1): the parts of a file that an `$id` names, and
//! the addresses that references in them are relative to.

use super::HashMap;
use super::node::Node;

/// The resources of a file, but for the file itself.
#[derive(Debug, Default)]
pub(super) struct Resources {
    /// The root of each, by its absolute address.
    roots: HashMap<String, u32>,
    /// The address of each, by its root.
    addresses: HashMap<u32, String>,
}

/// Whether the file of a node has a resource that is named.
pub(super) fn any(node: Node<'_>) -> bool {
    !resources(node).addresses.is_empty()
}

/// The root of the resource that a place is in: the nearest object around it with an `$id`, else the
/// root of its file.
pub(crate) fn of(node: Node<'_>) -> Node<'_> {
    nearest(resources(node), node).map_or(node.root(), |(root, _)| root)
}

/// The resource of the same file that a reference without its fragment names: by an absolute `$id`, or,
/// for an empty one, the resource that `from` is in.
pub(super) fn named<'i>(from: Node<'i>, file: &str) -> Option<Node<'i>> {
    let known = resources(from);
    if known.addresses.is_empty() {
        return None;
    }
    let base = nearest(known, from).map_or("", |(_, address)| address);
    let name = if file.is_empty() { base.to_owned() } else { join(base, file) };
    known.roots.get(name.trim_end_matches('#')).map(|&index| from.at(index))
}

fn resources(node: Node<'_>) -> &Resources {
    node.file().resources.get_or_init(|| find(node))
}

fn nearest<'i, 'r>(known: &'r Resources, node: Node<'i>) -> Option<(Node<'i>, &'r str)> {
    if known.addresses.is_empty() {
        return None;
    }
    let mut around = node.ancestors().into_iter().rev();
    around.find_map(|around| Some((around, known.addresses.get(&around.index())?.as_str())))
}

/// Every `$id` of a file that is more than a fragment, absolute.
fn find(from: Node<'_>) -> Resources {
    let file = from.file();
    let mut known = Resources::default();
    if !file.tree.identifies() {
        return known;
    }
    // What is around a node stands before it.
    for index in 0..file.tree.len() {
        let node = from.at(index);
        let Some(id) = own_id(node).filter(|_| node.index() == index) else { continue };
        let base = nearest(&known, node).map_or("", |(_, address)| address);
        let address = join(base, id);
        known.roots.insert(address.clone(), index);
        known.addresses.insert(index, address);
    }
    known
}

/// The `$id` of a schema, unless it is a fragment, or a property of that name.
fn own_id(node: Node<'_>) -> Option<&str> {
    // OpenAPI 3.2 names the document by `$self` (3.2.0, section 4.1.1).
    let id = node.get_str("$id").or_else(|| node.get_str("$self").filter(|_| node.index() == 0));
    id.map(|id| id.trim_end_matches('#')).filter(|id| !id.is_empty() && !id.starts_with('#'))
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
