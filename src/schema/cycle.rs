//! Circles in which validation would never end: a schema that must hold for a value, and comes back
//! to itself for the same value (JSON Schema 2020-12, section 9.4.1).
//!
//! The common one is a class that lists its subclasses in `oneOf` while each of them has the class
//! in its `allOf`. The subclass means what the class itself says, so it refers to that part alone.

use foldhash::HashSet;

use super::keywords::{Holds, Keyword, Role, keyword};
use super::{Schema, look};
use crate::input::{Node, Place};

/// What a reference has to do with the definition that it stands in, for the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Circle {
    /// It does not come back.
    None,
    /// It comes back through the union of the class that it leads to.
    ThroughUnion,
    /// It comes back whatever is done.
    Endless,
}

/// Whether a reference to `target`, in a definition of `origin`, comes back there. `member` says
/// that the reference is a member of an `allOf`.
pub(super) fn circle(target: Schema<'_>, origin: Place, member: bool) -> Circle {
    if reaches(target, origin, member, true) {
        Circle::Endless
    } else if member && has_union(target) && reaches(target, origin, false, false) {
        Circle::ThroughUnion
    } else {
        Circle::None
    }
}

fn has_union(schema: Schema<'_>) -> bool {
    is_union("oneOf", schema) || is_union("anyOf", schema)
}

fn is_union(name: &str, schema: Schema<'_>) -> bool {
    matches!(name, "oneOf" | "anyOf") && schema.node.get(name).is_some()
}

/// The most schemas that are looked at for one circle; beyond, there is one. Nobody wrote so many that
/// hold for one value.
pub(super) const MAX_CIRCLE: usize = 2_500;

/// Whether `to` is among what holds for the same value as `from`. `bare` looks past the unions of
/// classes that stand in an `allOf`, `member` says that `from` does.
fn reaches(from: Schema<'_>, to: Place, member: bool, bare: bool) -> bool {
    let mut seen: HashSet<(Place, bool)> = HashSet::default();
    let mut open = vec![(from, member && bare)];
    while let Some((schema, without_union)) = open.pop() {
        if schema.node.place() == to || seen.len() >= MAX_CIRCLE {
            return true;
        }
        if seen.insert((schema.node.place(), without_union)) {
            open.extend(
                steps(schema)
                    .into_iter()
                    .filter(|step| !(without_union && matches!(step.keyword, "oneOf" | "anyOf")))
                    .map(|step| (step.schema, step.member && bare)),
            );
        }
    }
    false
}

/// A schema that holds for the same value as another.
pub(super) struct Step<'i> {
    /// It.
    pub(super) schema: Schema<'i>,
    /// The keyword that says so.
    pub(super) keyword: &'static str,
    /// Whether a reference in an `allOf` leads to it.
    pub(super) member: bool,
}

/// Whether what a keyword holds is about the value itself: not one in it, nor the name of one.
pub(super) fn is_of_same_value(row: &Keyword) -> bool {
    row.role != Role::Value && !matches!(row.name, "contains" | "propertyNames")
}

/// What holds, or is asked, for the same value as a schema: its references' targets, its branches
/// and tests. References in an `allOf` are followed at once.
pub(super) fn steps(schema: Schema<'_>) -> Vec<Step<'_>> {
    let mut found = Vec::new();
    let void = schema.dialect.ignores_siblings() && look::reference(schema).is_some();
    let alone = void || schema.node.entries().count() == 1;
    for (name, value) in schema.node.entries() {
        let Some(row) = keyword(name).filter(|row| is_of_same_value(row)) else { continue };
        match row.holds {
            Holds::Reference => found.extend(followed(schema, name, value).map(|schema| Step {
                schema,
                keyword: row.name,
                member: !alone,
            })),
            Holds::Schemas if !void => {
                for item in value.items() {
                    let member = row.name == "allOf";
                    let target = item.get("$ref").filter(|_| member && item.entries().count() == 1);
                    let target = target.and_then(|reference| followed(schema.at(item), "$ref", reference));
                    let member = target.is_some();
                    found.push(Step { schema: target.unwrap_or(schema.at(item)), keyword: row.name, member });
                }
            }
            Holds::Schema if !void => {
                found.push(Step { schema: schema.at(value), keyword: row.name, member: false });
            }
            Holds::Map if !void => {
                found.extend(value.entries().map(|(_, node)| Step {
                    schema: schema.at(node),
                    keyword: row.name,
                    member: false,
                }));
            }
            _ => {}
        }
    }
    found
}

fn followed<'i>(schema: Schema<'i>, keyword: &str, value: Node<'i>) -> Option<Schema<'i>> {
    look::target(schema, keyword, value).and_then(look::follow).ok()
}
