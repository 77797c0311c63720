//! Which values of an operation become arguments, and under which names; what the transport
//! supplies instead.

use serde_json::{Value, json};

use super::Context;
use super::name::{Wish, argument_names, loses_letters};
use crate::diagnostic::Code;
use crate::input::Node;
use crate::openapi::{Body, FormField, In, Operation, Parameter, Payload};
use crate::options::{BodyStyle, Headers};
use crate::schema::{
    Field, Overlay, PlainObject, Property, Schema, Shape, clean, is_text, only_value, plain_object,
    requires_any, text_schema,
};

/// The arguments of a tool.
pub(crate) struct Arguments<'i> {
    /// Their names and schemas, in order.
    pub(crate) fields: Vec<Field<'i>>,
    /// What each of them is on the wire.
    pub(crate) wires: Vec<Wire<'i>>,
    /// The names of those that a call must have.
    pub(crate) required: Vec<String>,
    /// Whether further arguments are refused: the flattened body is closed.
    pub(crate) refuses_others: bool,
    /// What the caller adds to every request.
    pub(crate) constants: Vec<Constant>,
    /// How the body is made, if there is one.
    pub(crate) body: Option<BodyPlan<'i>>,
    /// What the body's description adds to the tool's, where the body is no argument.
    pub(crate) body_description: Option<&'i str>,
}

/// What an argument is on the wire.
#[derive(Clone, Debug)]
pub(crate) enum Wire<'i> {
    /// A parameter.
    Parameter(Parameter<'i>),
    /// A property of the body, by its name there.
    Property(&'i str),
    /// The whole body.
    Body,
}

/// A value that is the same in every request.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    /// Where it goes.
    pub(crate) place: In,
    /// Its name on the wire.
    pub(crate) name: String,
    /// The value.
    pub(crate) value: Value,
}

/// How a body is made of arguments.
#[derive(Clone, Debug)]
pub(crate) struct BodyPlan<'i> {
    /// The body.
    pub(crate) body: Body<'i>,
    /// Whether its properties are arguments; else it is one.
    pub(crate) flat: bool,
    /// Whether a request must have it.
    pub(crate) required: bool,
    /// Whether arguments that the call map doesn't name go into it.
    pub(crate) open: bool,
}

/// An argument before it is named.
struct Draft<'i> {
    wire: Wire<'i>,
    shape: Shape<'i>,
    required: bool,
    overlay: Overlay,
}

impl Draft<'_> {
    fn raw(&self) -> &str {
        match &self.wire {
            Wire::Parameter(parameter) => parameter.name,
            Wire::Property(name) => name,
            Wire::Body => "body",
        }
    }

    fn place(&self) -> &'static str {
        match &self.wire {
            Wire::Parameter(parameter) => parameter.place.name(),
            Wire::Property(_) | Wire::Body => "body",
        }
    }
}

impl<'i> Arguments<'i> {
    /// The arguments of an operation.
    pub(crate) fn of(cx: &Context<'_, 'i>, operation: &Operation<'i>) -> Arguments<'i> {
        let mut constants = path_constants(operation.endpoint.path);
        let mut drafts: Vec<Draft<'i>> = Vec::new();
        let names_token = operation
            .parameters
            .iter()
            .any(|other| other.place == In::Query && credential_name(other.name) == "access_token");
        for parameter in &operation.parameters {
            match disposition(cx, parameter, names_token) {
                Disposition::Argument => drafts.push(parameter_draft(parameter)),
                Disposition::Constant(value) => {
                    constants.retain(|known| known.place != parameter.place || known.name != parameter.name);
                    constants.push(Constant {
                        place: parameter.place,
                        name: parameter.name.to_owned(),
                        value,
                    });
                }
                Disposition::LeftOut => {}
            }
        }
        constants.retain(|known| {
            !drafts.iter().any(|draft| draft.raw() == known.name && draft.place() == known.place.name())
        });
        let mut refuses_others = false;
        let mut body_description = None;
        let mut plan = None;
        if let Some(body) = &operation.body {
            note_body(cx, operation, body);
            match body_drafts(cx, body, &drafts) {
                BodyDrafts::None => {}
                BodyDrafts::Flat(object) => {
                    refuses_others = object.closed;
                    body_description = description_of(body);
                    let required = object.properties.iter().any(|property| property.required);
                    plan = Some(BodyPlan {
                        body: body.clone(),
                        flat: true,
                        required: required || body.required == Some(true),
                        open: !object.closed,
                    });
                    drafts.extend(object.properties.into_iter().map(|property| Draft {
                        wire: Wire::Property(property.name),
                        shape: property.shape,
                        required: property.required,
                        overlay: Overlay::default(),
                    }));
                }
                BodyDrafts::Whole(draft) => {
                    plan = Some(BodyPlan {
                        body: body.clone(),
                        flat: false,
                        required: draft.required,
                        open: false,
                    });
                    drafts.push(*draft);
                }
            }
        }
        let names = names(&drafts);
        let required =
            names.iter().zip(&drafts).filter(|(_, draft)| draft.required).map(|(name, _)| name.clone());
        Arguments {
            required: required.collect(),
            refuses_others,
            constants,
            body: plan,
            body_description,
            wires: drafts.iter().map(|draft| draft.wire.clone()).collect(),
            fields: names.into_iter().zip(drafts).map(|(name, draft)| field(name, draft)).collect(),
        }
    }
}

fn names(drafts: &[Draft<'_>]) -> Vec<String> {
    let parts: Vec<_> = drafts.iter().filter(|draft| !matches!(draft.wire, Wire::Body)).collect();
    let wishes: Vec<_> = parts.iter().map(|draft| Wish { raw: draft.raw(), place: draft.place() }).collect();
    let mut names = argument_names(&wishes);
    if parts.len() < drafts.len() {
        // The whole body is always the last draft.
        let taken = |name: &str| names.iter().any(|known| known == name);
        let name = if !taken("body") {
            "body"
        } else if !taken("request_body") {
            "request_body"
        } else {
            "whole_request_body"
        };
        names.push(name.to_owned());
    }
    names
}

/// The argument with its name; where the name lost letters, the description tells them.
fn field(name: String, draft: Draft<'_>) -> Field<'_> {
    let mut overlay = draft.overlay.clone();
    if loses_letters(draft.raw()) {
        let said = overlay.description.or_else(|| match &draft.shape {
            Shape::At(schema) => text_schema(*schema, "description").and_then(Node::as_str).map(clean),
            _ => None,
        });
        overlay.description = Some(match said {
            Some(text) => format!("{}: {text}", clean(draft.raw())),
            None => clean(draft.raw()),
        });
    }
    Field { name, shape: draft.shape, overlay }
}

enum Disposition {
    Argument,
    Constant(Value),
    LeftOut,
}

/// Headers that OpenAPI ignores as parameters (3.1.2, section 4.8.12.1).
const TRANSPORT_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];

/// Names that carry credentials, `-` as `_`.
const CREDENTIALS: [&str; 13] = [
    "authorization",
    "api_key",
    "x_api_key",
    "access_token",
    "oauth_token",
    "x_auth_token",
    "x_amz_algorithm",
    "x_amz_credential",
    "x_amz_date",
    "x_amz_signature",
    "x_amz_signedheaders",
    "x_amz_security_token",
    "x_amz_content_sha256",
];

/// What becomes of a parameter. `names_token` says that the operation takes an `access_token` in its
/// query: Google's APIs then have their API key in `key`.
fn disposition<'i>(cx: &Context<'_, 'i>, parameter: &Parameter<'i>, names_token: bool) -> Disposition {
    let header = parameter.place == In::Header;
    let fixed = parameter.schema.and_then(only_value).map(Node::to_value);
    let value = || {
        fixed.clone().or_else(|| {
            parameter.schema.and_then(|schema| text_schema(schema, "default")).map(Node::to_value)
        })
    };
    let constant = |value: Option<Value>| value.map_or(Disposition::LeftOut, Disposition::Constant);
    let google_key = names_token && parameter.place == In::Query && parameter.name == "key";
    if !cx.options.keep_credentials && (google_key || is_credential(cx, parameter)) {
        let message = format!(
            "{} {:?} carries a credential; the caller supplies it",
            parameter.place.name(),
            parameter.name
        );
        cx.definitions.report(parameter.node.diagnostic(Code::CredentialLeftOut, message));
        return Disposition::LeftOut;
    }
    match cx.options.headers {
        Headers::All if header => return Disposition::Argument,
        Headers::None if header => {
            let value = value();
            if parameter.required && value.is_none() {
                let message = format!(
                    "the required header {:?} is no argument; the caller has to supply it",
                    parameter.name
                );
                cx.definitions.report(parameter.node.diagnostic(Code::HeaderLeftOut, message));
            }
            return constant(value);
        }
        _ => {}
    }
    if header && TRANSPORT_HEADERS.contains(&parameter.name.to_ascii_lowercase().as_str()) {
        return constant(value());
    }
    if header
        && parameter.name.to_ascii_lowercase().ends_with("version")
        && let Some(value) = value()
    {
        return Disposition::Constant(value);
    }
    match fixed.filter(|_| parameter.required) {
        Some(value) => Disposition::Constant(value),
        None => Disposition::Argument,
    }
}

/// A name as [`CREDENTIALS`] has it.
fn credential_name(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

/// Whether a parameter carries a key that the document declares, or has the name of a credential.
fn is_credential(cx: &Context<'_, '_>, parameter: &Parameter<'_>) -> bool {
    let declared = cx.api_keys.iter().any(|key| {
        let same = if key.place == In::Header {
            key.name.eq_ignore_ascii_case(parameter.name)
        } else {
            key.name == parameter.name
        };
        key.place == parameter.place && same
    });
    let name = credential_name(parameter.name);
    let transport = parameter.place == In::Header && name == "authorization";
    declared || (parameter.place != In::Path && !transport && CREDENTIALS.contains(&name.as_str()))
}

fn parameter_draft<'i>(parameter: &Parameter<'i>) -> Draft<'i> {
    Draft {
        shape: parameter.schema.map_or(if parameter.text { Shape::Text } else { Shape::Any }, Shape::At),
        required: parameter.required,
        overlay: Overlay {
            description: parameter.description.map(clean).filter(|text| !text.is_empty()),
            examples: parameter.examples.iter().map(|example| example.to_value()).collect(),
            deprecated: parameter.deprecated,
        },
        wire: Wire::Parameter(parameter.clone()),
    }
}

/// The pairs of a query or fragment that the document writes into a path: constants.
fn path_constants(path: &str) -> Vec<Constant> {
    let pairs = split_path(path).1.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Constant { place: In::Query, name: name.to_owned(), value: json!(value) }
        })
        .collect()
}

/// A path without the query or fragment that the document writes into it, and the pairs of that.
/// One with a variable in it stays whole.
pub(super) fn split_path(path: &str) -> (&str, &str) {
    match path.split_once(['?', '#']) {
        Some((path, pairs)) if !pairs.contains('{') => (path, pairs),
        _ => (path, ""),
    }
}

fn note_body(cx: &Context<'_, '_>, operation: &Operation<'_>, body: &Body<'_>) {
    let method = operation.endpoint.method;
    if matches!(method, "GET" | "HEAD" | "DELETE") {
        let message = format!("a body on {method} has no meaning of its own in HTTP; it is kept");
        cx.definitions.report(body.node.diagnostic(Code::BodyOnReadMethod, message));
    }
}

enum BodyDrafts<'i> {
    None,
    Flat(PlainObject<'i>),
    Whole(Box<Draft<'i>>),
}

fn body_drafts<'i>(cx: &Context<'_, 'i>, body: &Body<'i>, parameters: &[Draft<'i>]) -> BodyDrafts<'i> {
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
            (Field { name: field.name.to_owned(), shape, overlay: Overlay::default() }, field.required)
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
fn whole_description(body: &Body<'_>) -> Option<String> {
    let said = body.description.map(clean);
    match body.payload {
        Payload::Text if description_of(body).is_none() => {
            Some(format!("The request body, as {} text", body.media_type))
        }
        _ => said,
    }
}

fn description_of<'i>(body: &Body<'i>) -> Option<&'i str> {
    let of_schema = || text_schema(body.schema?, "description")?.as_str();
    body.description.or_else(of_schema)
}
