//! References by plain names: `$anchor`, `$dynamicAnchor` (JSON Schema 2020-12, sections 8.2.2 and
//! 8.2.3.2), draft-07's `$id: "#name"`.

use super::keywords::{Holds, keyword};
use crate::diagnostic::{Code, Diagnostic};
use crate::input::pointer::{self, Unresolved};
use crate::input::{Kind, Node};

/// The place that `reference`, a string at `at`, names: by a plain name, within the schema resource
/// that the rest of it names; else by a pointer.
///
/// # Errors
/// [`Unresolved`]
pub(crate) fn resolve<'i>(at: Node<'i>, reference: &str) -> Result<Node<'i>, Unresolved> {
    let Some((address, name)) = plain_name(reference) else { return pointer::resolve(at, reference) };
    let root = pointer::resolve(at, &format!("{address}#"))?;
    let name = pointer::decoded(name);
    // Many documents have an `$id` here and there and names that are meant for the whole.
    let found = [Some(root), None].into_iter().find_map(|resource| anchored(root, resource, &name).next());
    found.ok_or_else(|| Unresolved::Nowhere(root.file_name().to_owned(), String::new()))
}

fn plain_name(reference: &str) -> Option<(&str, &str)> {
    reference.split_once('#').filter(|(_, name)| !name.is_empty() && !name.starts_with('/'))
}

/// The place that a `$dynamicRef` names. Where that has the name as `$dynamicAnchor`, the outermost
/// schema resource on the way to it that has one is meant: the document, the file that `at` is in, or
/// the only one there is.
///
/// # Errors
/// `Err(None)` where it depends on the way.
pub(super) fn resolve_dynamic<'i>(at: Node<'i>, reference: &str) -> Result<Node<'i>, Option<Unresolved>> {
    let first = resolve(at, reference).map_err(Some)?;
    let Some((_, name)) = plain_name(reference) else { return Ok(first) };
    let name = pointer::decoded(name);
    let is_dynamic = |node: &Node<'_>| node.get_str("$dynamicAnchor") == Some(&*name);
    if !is_dynamic(&first) {
        return Ok(first);
    }
    let dynamic = |file, resource| anchored(file, resource, &name).filter(is_dynamic);
    let outer = [at.document(), at.root()].into_iter().find_map(|root| dynamic(root, Some(root)).next());
    // Another resource that has it may be on the way or not.
    let certain = || {
        let all = || dynamic(first, None).chain(dynamic(at, None));
        if all().any(|node| node != first) { Err(None) } else { Ok(first) }
    };
    outer.map_or_else(certain, Ok)
}

/// The diagnostic of a `$dynamicRef` whose meaning depends on the way to it.
pub(super) fn ambiguous(at: Node<'_>, reference: &str) -> Diagnostic {
    let message = format!(
        "{reference:?} means another schema for each way that leads here, and one definition can't; \
         write a `$ref` to the one that is meant"
    );
    at.diagnostic(Code::AmbiguousReference, message)
}

/// The schemas of the file of a node that carry a plain name, in order: of one resource, if it is said.
fn anchored<'i>(file: Node<'i>, resource: Option<Node<'i>>, name: &str) -> impl Iterator<Item = Node<'i>> {
    file.anchors(resource, name, &plain_names)
}

/// The plain names of an object, if it is a schema.
fn plain_names(node: Node<'_>) -> Vec<&str> {
    let text = |key: &str| node.get_str(key);
    let fragment = |key: &str| node.get_str(key).and_then(|id| id.strip_prefix('#'));
    let names = [text("$anchor"), text("$dynamicAnchor"), fragment("$id"), fragment("id")];
    let names: Vec<&str> = names.into_iter().flatten().filter(|name| !name.is_empty()).collect();
    if names.is_empty() || is_data(node) { Vec::new() } else { names }
}

/// OpenAPI's maps from names to objects, where a name may be that of a keyword of data: the response
/// `default`, a schema called `const`.
const MAPS: [&str; 10] = [
    "callbacks",
    "headers",
    "links",
    "parameters",
    "pathItems",
    "paths",
    "requestBodies",
    "responses",
    "schemas",
    "webhooks",
];

/// Whether a place is in data, where what looks like a keyword is none.
fn is_data(node: Node<'_>) -> bool {
    let mut names = false;
    let mut in_list = false;
    for (token, below) in node.path().iter().skip(1) {
        let is_name = names || in_list;
        in_list = below.kind() == Kind::Array;
        if is_name {
            names = false;
            continue;
        }
        match keyword(token).map(|row| row.holds) {
            Some(Holds::Data | Holds::Mapping) => return true,
            Some(Holds::Map | Holds::MapOrNames) => names = true,
            Some(_) => {}
            None => names = MAPS.contains(&token.as_str()),
        }
    }
    false
}
