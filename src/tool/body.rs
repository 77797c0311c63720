//! The request body: whether its properties are arguments of their own, or it is one argument.

use std::borrow::Cow;

use super::Context;
use super::arguments::{Draft, Wire};
use crate::diagnostic::Code;
use crate::input::{Node, Place};
use crate::openapi::{Body, FormField, Operation, Payload};
use crate::options::BodyStyle;
use crate::schema::{
    Field, Overlay, PlainObject, Property, Schema, Shape, clean, is_text, plain_object, requires_any,
    text_schema,
};

/// Notes a body where HTTP gives it no meaning.
pub(super) fn note(cx: &Context<'_, '_>, operation: &Operation<'_>, body: &Body<'_>) {
    let method = operation.endpoint.method;
    if matches!(method, "GET" | "HEAD" | "DELETE") {
        let message = format!("a body on {method} has no meaning of its own in HTTP; it is kept");
        cx.definitions.report(body.node.diagnostic(Code::BodyOnReadMethod, message));
    }
}

/// What becomes of a body.
pub(super) enum BodyDrafts<'i> {
    /// It can only be empty.
    None,
    /// Its properties are arguments.
    Flat(PlainObject<'i>),
    /// It is one argument.
    Whole(Box<Draft<'i>>),
}

/// What becomes of a body, beside the arguments that `parameters` are.
pub(super) fn drafts<'i>(cx: &Context<'_, 'i>, body: &Body<'i>, parameters: &[Draft<'i>]) -> BodyDrafts<'i> {
    let structured = matches!(body.payload, Payload::Json | Payload::Form);
    let plain = match body.schema.filter(|_| structured) {
        Some(schema) => plain_object(cx.definitions, schema),
        None if body.fields.is_empty() => None,
        None => Some(form_object(&body.fields)),
    };
    match plain {
        Some(object) if object.closed && object.properties.is_empty() => return BodyDrafts::None,
        Some(object) if is_flat(cx, body, &object, parameters) => return BodyDrafts::Flat(object),
        _ => {}
    }
    let requires = || body.schema.is_some_and(|schema| structured && requires_any(cx.definitions, schema));
    BodyDrafts::Whole(Box::new(Draft {
        wire: Wire::Body,
        shape: whole_shape(cx, body),
        required: body.required.unwrap_or_else(requires),
        overlay: Overlay { description: whole_description(body), ..Overlay::default() },
        shared: None,
    }))
}

/// A form whose fields are described one by one, as a closed object.
fn form_object<'i>(fields: &[FormField<'i>]) -> PlainObject<'i> {
    let property = |field: &FormField<'i>| {
        let shape = Shape::At(field.schema);
        Property { name: field.name, shape, required: field.required }
    };
    PlainObject { properties: fields.iter().map(property).collect(), closed: true }
}

fn is_flat(
    cx: &Context<'_, '_>,
    body: &Body<'_>,
    object: &PlainObject<'_>,
    parameters: &[Draft<'_>],
) -> bool {
    let optional = body.required == Some(false) && object.properties.iter().any(|property| property.required);
    let collides = |name: &str| parameters.iter().any(|draft| draft.raw() == name);
    cx.options.body == BodyStyle::Flat
        && !optional
        && !object.properties.iter().any(|property| collides(property.name))
}

/// The shape of a body that is one argument.
fn whole_shape<'i>(cx: &Context<'_, 'i>, body: &Body<'i>) -> Shape<'i> {
    if !body.fields.is_empty() {
        let field = |field: &FormField<'i>| {
            let shape = Shape::At(field.schema);
            (
                Field { name: field.name.to_owned(), shape, overlay: Overlay::default(), shared: None },
                field.required,
            )
        };
        return Shape::Object(body.fields.iter().map(field).collect());
    }
    if let Some(item) = body.item {
        return Shape::ArrayOf(item, body.schema);
    }
    match (body.payload, body.schema) {
        (Payload::Json | Payload::Form | Payload::Sequence, Some(schema)) => Shape::At(schema),
        (Payload::Json | Payload::Form | Payload::Sequence, None) => Shape::Any,
        (Payload::Bytes, _) => Shape::Bytes,
        (Payload::Text, Some(schema)) if is_text(schema) => Shape::At(schema),
        (Payload::Text, schema) => {
            if let Some(Schema { node, .. }) = schema {
                let message = format!(
                    "the schema of a body in {} can't be expressed; the argument is the body as text",
                    body.media_type
                );
                cx.definitions.report(node.diagnostic(Code::BodyLost, message));
            }
            Shape::Text
        }
    }
}

/// What a body that is one argument is said to be. A text's schema doesn't say what it is text of.
fn whole_description<'i>(body: &Body<'i>) -> Option<Cow<'i, str>> {
    let said = body.description.map(clean);
    match body.payload {
        Payload::Text if description(body).is_none() => {
            Some(format!("The request body, as {} text", body.media_type).into())
        }
        _ => said,
    }
}

/// What a body is for: what it says, or its schema.
pub(super) fn description<'i>(body: &Body<'i>) -> Option<&'i str> {
    let of_schema = || text_schema(body.schema?, "description")?.as_str();
    body.description.or_else(of_schema)
}

/// The place of a body's property that is not the operation's own: other operations may have it.
pub(super) fn shared_property(shape: &Shape<'_>, operation: Node<'_>) -> Option<Place> {
    match shape {
        Shape::At(schema) if !operation.holds(schema.node) => Some(schema.node.place()),
        _ => None,
    }
}
