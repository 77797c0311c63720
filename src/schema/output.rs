//! What a tool gives: the same definitions and rules in the direction of responses, where a schema
//! may only be widened. A client that validates must never refuse what the document allows.

use serde_json::{Map, Value, json};

use super::closure::{Argument, Field, Overlay};
use super::convert::{self, Spot};
use super::definitions::{Definition, Definitions, Variant};
use super::group::Group;
use super::inline::{self, Budget};
use super::keywords::{Keyword, Role};
use super::rules::{Site, boolean_argument};
use super::{Direction, Schema, Shape, discriminator, look, object};
use crate::diagnostic::Diagnostic;
use crate::input::Node;

/// What a tool gives, with all the definitions that it reaches.
pub(crate) struct Output<'d, 'i> {
    /// What stands at the root.
    pub(crate) root: Root<'d, 'i>,
    /// What the root reaches: no more and no less.
    pub(crate) definitions: Vec<&'d Definition<'i>>,
    /// The numbers of those that the root itself refers to.
    pub(crate) uses: Vec<usize>,
}

/// The root of what a tool gives: always an object, as MCP before 2026-07-28 has it.
pub(crate) enum Root<'d, 'i> {
    /// The schema of the response, an object.
    Object(&'d Definition<'i>),
    /// The same, with copies in place of references.
    Inlined(Value),
    /// The schema of the response as the one property of an object.
    Wrapped(Argument<'d>),
}

/// The property that holds what is no object.
pub(crate) const WRAPPER: &str = "result";

/// What can't stand at the root: combinators, conditionals and references.
const NOT_AT_ROOT: [&str; 8] = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

impl<'i> Definitions<'i> {
    /// Converts the schema of a response, and all that it reaches. `None` if it says nothing.
    ///
    /// # Errors
    /// The first schema that cannot be converted without changing what it accepts.
    pub(crate) fn close_output(&self, schema: Schema<'i>) -> Result<Option<Output<'_, 'i>>, Diagnostic> {
        let target = look::follow(schema)?;
        if look::single_type(target) == Some("object") && !discriminator::is_expanded(self, target) {
            let root = self.definition(target, Variant::Root);
            let converted = self.converted(root)?;
            if is_root(&converted.value) {
                if let Some(limit) = self.inline_limit {
                    self.all_reached(converted.uses.clone(), converted.mentions.clone())?;
                    let value = inline::inlined(self, &converted.value, &Budget::new(limit))?;
                    return Ok(Some(Output {
                        root: Root::Inlined(value),
                        definitions: Vec::new(),
                        uses: Vec::new(),
                    }));
                }
                let definitions = self.all_reached(converted.uses.clone(), converted.mentions.clone())?;
                let uses = converted.uses.iter().chain(&converted.mentions).copied().collect();
                return Ok(Some(Output { root: Root::Object(root), definitions, uses }));
            }
        }
        let field = Field {
            name: WRAPPER.to_owned(),
            shape: Shape::At(schema),
            overlay: Overlay::default(),
            shared: Some(schema.node.place()),
        };
        let closed = self.close(&[field])?;
        let (definitions, uses) = (closed.definitions, closed.uses);
        let result = closed.fields.into_iter().next().map(|(_, argument)| argument);
        let result =
            result.filter(|argument| argument.value().as_object().is_some_and(|map| !map.is_empty()));
        Ok(result.map(|argument| Output { root: Root::Wrapped(argument), definitions, uses }))
    }
}

fn is_root(value: &Value) -> bool {
    value.as_object().is_some_and(|map| {
        map.get("type") == Some(&json!("object")) && !NOT_AT_ROOT.iter().any(|name| map.contains_key(*name))
    })
}

/// The schema of a response where it stands at the root: an `allOf` of plain objects becomes one.
///
/// # Errors
/// As [`convert::schema`].
pub(super) fn root<'i>(
    cx: &Definitions<'i>,
    schema: Schema<'i>,
    spot: Spot<'_>,
) -> Result<Value, Diagnostic> {
    let combined = ["allOf", "$ref"].iter().any(|name| schema.node.get(name).is_some());
    let plain = if combined { object::plain_object(cx, schema) } else { None };
    let mut value = match plain {
        Some(plain) => merged(cx, schema, plain, spot)?,
        None => convert::schema(cx, schema, spot)?,
    };
    if let Value::Object(map) = &mut value {
        if let Some(stated) = map.shift_remove("type") {
            map.shift_insert(0, "type".to_owned(), stated);
        }
        if let Some(Value::Object(properties)) = map.get_mut("properties") {
            properties.values_mut().for_each(|property| *property = boolean_argument(property.take()));
        }
    }
    Ok(value)
}

fn merged<'i>(
    cx: &Definitions<'i>,
    schema: Schema<'i>,
    plain: object::PlainObject<'i>,
    spot: Spot<'_>,
) -> Result<Value, Diagnostic> {
    let field = |property: object::Property<'i>| {
        let (name, overlay) = (property.name.to_owned(), Overlay::default());
        (Field { name, shape: property.shape, overlay, shared: None }, property.required)
    };
    let fields: Vec<_> = plain.properties.into_iter().map(field).collect();
    let mut map = cx.object_of(&fields)?;
    if !plain.closed {
        map.shift_remove("additionalProperties");
    }
    if let Some(said) = schema.node.get("description").and_then(Node::as_str) {
        map.shift_insert(1, "description".to_owned(), json!(said));
    }
    Ok(convert::literal(cx, map, spot))
}

/// Whether a keyword that forbids properties is left out, since some that the document declares were
/// taken out and may come all the same.
pub(super) fn opens<'i>(cx: &Definitions<'i>, schema: Schema<'i>, group: &Group<'i>, name: &str) -> bool {
    if cx.direction.narrows() {
        return false;
    }
    let has = |names: &[&str]| names.iter().any(|name| schema.node.get(name).is_some());
    match name {
        "additionalProperties" => {
            look::properties(schema).any(|(_, property)| look::is_excluded(property, cx.direction))
        }
        "unevaluatedProperties" => {
            !group.excluded.is_empty() || has(&["anyOf", "oneOf", "if", "dependentSchemas", "$ref"])
        }
        _ => false,
    }
}

/// Whether what a keyword holds describes the same value of a response, so that what is not required
/// of it isn't there either.
pub(super) fn is_branch(cx: &Definitions<'_>, row: &Keyword) -> bool {
    cx.direction == Direction::Output && row.role == Role::Branch
}

/// `any-of`: of a response, `oneOf` promises that no other branch fits. Where a branch is widened, as it
/// is for what is `writeOnly`, two may; `anyOf` promises less.
pub(super) fn one_of_any(schema: &mut Map<String, Value>, site: &Site<'_>) {
    if site.exact || site.direction.narrows() {
        return;
    }
    let Some(at) = schema.keys().position(|name| name == "oneOf") else { return };
    let Some(branches) = schema.shift_remove("oneOf") else { return };
    if !schema.contains_key("anyOf") {
        schema.shift_insert(at, "anyOf".to_owned(), branches);
        return;
    }
    let member = json!({"anyOf": branches});
    match schema.get_mut("allOf") {
        Some(Value::Array(members)) => members.push(member),
        _ => drop(schema.insert("allOf".to_owned(), json!([member]))),
    }
}
