//! References: each becomes the name of a definition, or a copy of it where its place asks for one.

use serde_json::{Map, Value, json};

use super::convert::{self, Spot};
use super::cycle::{self, Circle};
use super::definitions::{Definitions, Variant};
use super::group::{is_plain_reference, needs_copy};
use super::keywords::{Keyword, Role};
use super::{Schema, discriminator, look};
use crate::diagnostic::{Code, Diagnostic};
use crate::input::{Kind, Node, Place};

/// A chain of places whose schemas are copied to where they are used, so that a circle is seen.
#[derive(Clone, Copy)]
pub(super) struct Copied<'a> {
    /// What is copied.
    pub(super) place: Place,
    /// The copy that this one is in.
    pub(super) outer: Option<&'a Copied<'a>>,
}

impl Copied<'_> {
    /// Whether what is at a place is being copied.
    pub(super) fn holds(chain: Option<&Copied<'_>>, place: Place) -> bool {
        std::iter::successors(chain, |copied| copied.outer).any(|copied| copied.place == place)
    }
}

/// Emits a reference as the name of a definition, or as a copy where the group changes it.
pub(super) fn reference<'i>(
    cx: &Definitions<'i>,
    schema: Schema<'i>,
    row: &'static Keyword,
    value: Node<'i>,
    spot: Spot<'_>,
    out: &mut Map<String, Value>,
) -> Result<(), Diagnostic> {
    let target = look::follow(look::target(schema, row.name, value)?)?;
    if !matches!(target.node.kind(), Kind::Object | Kind::Bool(_) | Kind::String) {
        let message = format!("{:?} leads to {}; expected a schema", value.text(), target.node.describe());
        return Err(value.diagnostic(Code::InvalidSchema, message));
    }
    let place = target.node.place();
    if !spot.exact && !Copied::holds(spot.copied, place) && needs_copy(cx, target, &spot) {
        let copied = Copied { place, outer: spot.copied };
        let below = Spot {
            role: Role::Branch,
            member: true,
            key: None,
            argument: false,
            overlay: None,
            copied: Some(&copied),
            without_union: false,
            depth: spot.depth + 1,
            ..spot
        };
        let copy = convert::schema(cx, target, below)?;
        match out.get_mut("allOf") {
            Some(Value::Array(members)) => members.insert(0, copy),
            _ => drop(out.insert("allOf".to_owned(), json!([copy]))),
        }
        return Ok(());
    }
    let member = spot.member || !is_plain_reference(schema);
    let circle = spot.origin.map_or(Circle::None, |origin| cycle::circle(target, origin, member));
    if circle == Circle::Endless {
        let message = format!(
            "{:?} leads back to the schema that it is a part of, for the same value, or through more than {} schemas",
            value.text(),
            cycle::MAX_CIRCLE
        );
        return Err(value.diagnostic(Code::ReferenceCycle, message));
    }
    let variant = if circle == Circle::ThroughUnion {
        Variant::Base
    } else if spot.exact {
        Variant::Exact
    } else if !member && !spot.alternative && discriminator::is_expanded(cx, target) {
        Variant::AnySubtype
    } else {
        Variant::Plain
    };
    let name = cx.definition(target, variant).name();
    out.insert("$ref".to_owned(), Value::String(format!("#/$defs/{name}")));
    Ok(())
}
