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
    let all = anchored(root, &name);
    // Many documents have an `$id` here and there and names that are meant for the whole.
    let within = all.iter().find(|node| pointer::resource(**node) == root).or(all.first());
    within.copied().ok_or_else(|| Unresolved::Nowhere(root.file_name().to_owned(), String::new()))
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
    let dynamic = |root: Node<'i>| anchored(root, &name).into_iter().filter(is_dynamic);
    let (document, here) = (at.document(), at.root());
    let outer = [document, here]
        .into_iter()
        .find_map(|root| dynamic(root).find(|node| pointer::resource(*node) == pointer::resource(root)));
    let mut others = dynamic(first.root()).chain(dynamic(here)).filter(|node| *node != first);
    match outer {
        Some(outer) => Ok(outer),
        None if others.next().is_none() => Ok(first),
        None => Err(None),
    }
}

/// The diagnostic of a `$dynamicRef` whose meaning depends on the way to it.
pub(super) fn ambiguous(at: Node<'_>, reference: &str) -> Diagnostic {
    let message = format!(
        "{reference:?} means another schema for each way that leads here, and one definition can't; \
         write a `$ref` to the one that is meant"
    );
    at.diagnostic(Code::AmbiguousReference, message)
}

/// The schemas of the file of `root` that carry a plain name, in order.
fn anchored<'i>(root: Node<'i>, name: &str) -> Vec<Node<'i>> {
    let keys = ["$anchor", "$dynamicAnchor", "$id", "id"];
    let named = |node: &Node<'_>| {
        keys.iter().any(|key| {
            let text = node
                .get_str(key)
                .map(|text| if key.ends_with("id") { text.strip_prefix('#') } else { Some(text) });
            text.flatten() == Some(name)
        })
    };
    root.holders(&keys).into_iter().filter(named).filter(|node| !is_data(*node)).collect()
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
