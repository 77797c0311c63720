//! `allOf` groups: what their members, seen through references, say about each other.

use foldhash::HashSet;

use super::convert::Spot;
use super::definitions::Definitions;
use super::keywords::{Class, class};
use super::{Schema, look};

/// What the members of the `allOf` that a schema is, or is in, say about each other.
pub(super) struct Group<'i> {
    /// Properties that some member says travel the other way.
    pub(super) excluded: Vec<&'i str>,
    /// Whether members are opened.
    pub(super) opened: bool,
    /// Whether this schema is where the whole is closed.
    pub(super) closes: bool,
}

impl<'i> Group<'i> {
    /// What it is for a schema that is used as `spot` says.
    pub(super) fn of(cx: &Definitions<'i>, schema: Schema<'i>, spot: &Spot<'_>) -> Group<'i> {
        let mut group = Group { excluded: Vec::new(), opened: spot.opened, closes: false };
        // Most schemas say nothing of properties.
        let concerned = ["properties", "additionalProperties", "allOf", "$ref"];
        let is_concerned = schema.node.entries().any(|(name, _)| concerned.contains(&name));
        if is_concerned && !spot.exact && !is_plain_reference(schema) {
            let members = look::group(schema);
            group.excluded = look::excluded(&members, cx.direction);
            group.closes = shuts_out(&members) && !spot.opened;
            group.opened |= group.closes;
        }
        group
    }
}

/// Whether a definition that a member of an `allOf` refers to can't be used as it is.
pub(super) fn needs_copy<'i>(cx: &Definitions<'i>, target: Schema<'i>, spot: &Spot<'_>) -> bool {
    if !spot.opened && spot.excluded.is_empty() {
        return false;
    }
    let members = look::group(target);
    let own = look::excluded(&members, cx.direction);
    let required = members.iter().flat_map(|member| look::required(*member));
    (spot.opened && members.iter().any(look::is_closed))
        || required
            .into_iter()
            .any(|name| spot.excluded.binary_search(&name).is_ok() && own.binary_search(&name).is_err())
}

/// Whether a schema is a `$ref` with nothing beside it that says which values are valid.
pub(super) fn is_plain_reference(schema: Schema<'_>) -> bool {
    let asserts = |name: &str| name != "$ref" && class(name) == Class::Assertion;
    look::reference(schema).is_some()
        && (schema.dialect.ignores_siblings() || !schema.node.entries().any(|(name, _)| asserts(name)))
}

/// Whether members of an `allOf` are closed in such a way that nothing is accepted: several are, or
/// one does not know a property that the others require.
pub(super) fn shuts_out<'i>(members: &[Schema<'i>]) -> bool {
    let closed: Vec<_> = members.iter().filter(|member| look::is_closed(member)).collect();
    match closed[..] {
        [] => false,
        [only] => {
            let named = |member: &Schema<'i>| look::properties(*member).map(|(name, _)| name);
            let known: HashSet<&str> = named(only).collect();
            let all: HashSet<&str> = members.iter().flat_map(named).collect();
            let mut required = members.iter().flat_map(|member| look::required(*member));
            required.any(|name| !known.contains(name) && all.contains(name))
        }
        _ => true,
    }
}
