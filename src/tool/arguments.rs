//! Which values of an operation become arguments, and under which names; what the transport
//! supplies instead.

use serde_json::{Value, json};

use super::Context;
use super::body::{self, BodyDrafts};
use super::name::{Wish, argument_names, loses_letters};
use crate::diagnostic::Code;
use crate::input::{Node, Place};
use crate::openapi::{Body, In, Operation, Parameter, Serialization};
use crate::options::Headers;
use crate::schema::{Field, Overlay, Shape, clean, only_value, text_schema};

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
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wire<'i> {
    /// A parameter.
    Parameter {
        /// Where it goes.
        place: In,
        /// Its name there.
        name: &'i str,
        /// How its value is written.
        serialization: Serialization<'i>,
    },
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
pub(super) struct Draft<'i> {
    pub(super) wire: Wire<'i>,
    pub(super) shape: Shape<'i>,
    pub(super) required: bool,
    pub(super) overlay: Overlay<'i>,
    /// See [`Field::shared`].
    pub(super) shared: Option<Place>,
}

impl Draft<'_> {
    /// Its name on the wire.
    pub(super) fn raw(&self) -> &str {
        match &self.wire {
            Wire::Parameter { name, .. } | Wire::Property(name) => name,
            Wire::Body => "body",
        }
    }

    fn place(&self) -> &'static str {
        match &self.wire {
            Wire::Parameter { place, .. } => place.name(),
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
            .any(|other| other.place == In::Query && is_called(other.name, "access_token"));
        for parameter in &operation.parameters {
            match disposition(cx, parameter, names_token) {
                Disposition::Argument => drafts.push(parameter_draft(parameter, operation.endpoint.node)),
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
            body::note(cx, operation, body);
            match body::drafts(cx, body, &drafts) {
                BodyDrafts::None => {}
                BodyDrafts::Flat(object) => {
                    refuses_others = object.closed;
                    body_description = body::description(body);
                    let required = object.properties.iter().any(|property| property.required);
                    plan = Some(BodyPlan {
                        body: body.clone(),
                        flat: true,
                        required: required || body.required == Some(true),
                        open: !object.closed,
                    });
                    drafts.extend(object.properties.into_iter().map(|property| Draft {
                        wire: Wire::Property(property.name),
                        shared: body::shared_property(&property.shape, operation.endpoint.node),
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
            wires: drafts.iter().map(|draft| draft.wire).collect(),
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
fn field(name: String, mut draft: Draft<'_>) -> Field<'_> {
    let mut overlay = std::mem::take(&mut draft.overlay);
    if loses_letters(draft.raw()) {
        let said = overlay.description.or_else(|| match &draft.shape {
            Shape::At(schema) => text_schema(*schema, "description").and_then(Node::as_str).map(clean),
            _ => None,
        });
        overlay.description = Some(match said {
            Some(text) => format!("{}: {text}", clean(draft.raw())).into(),
            None => clean(draft.raw()).into_owned().into(),
        });
    }
    // A name that lost letters is the same for other texts, too.
    let shared = draft.shared.filter(|_| !loses_letters(draft.raw()));
    Field { name, shape: draft.shape, overlay, shared }
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
    if header && TRANSPORT_HEADERS.iter().any(|name| name.eq_ignore_ascii_case(parameter.name)) {
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

/// Whether a name is one of [`CREDENTIALS`], in any case, with `-` for `_` or not.
fn is_called(name: &str, credential: &str) -> bool {
    let small = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
    name.len() == credential.len() && name.bytes().map(small).eq(credential.bytes())
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
    let transport = parameter.place == In::Header && is_called(parameter.name, "authorization");
    let named = || CREDENTIALS.iter().any(|credential| is_called(parameter.name, credential));
    declared || (parameter.place != In::Path && !transport && named())
}

fn parameter_draft<'i>(parameter: &Parameter<'i>, operation: Node<'i>) -> Draft<'i> {
    Draft {
        shared: (!operation.holds(parameter.node)).then(|| parameter.node.place()),
        shape: parameter.schema.map_or(if parameter.text { Shape::Text } else { Shape::Any }, Shape::At),
        required: parameter.required,
        overlay: Overlay {
            description: parameter.description.map(clean).filter(|text| !text.is_empty()),
            examples: parameter.examples.clone(),
            deprecated: parameter.deprecated,
        },
        wire: Wire::Parameter {
            place: parameter.place,
            name: parameter.name,
            serialization: parameter.serialization,
        },
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
    let at = memchr::memchr2(b'?', b'#', path.as_bytes());
    match at.and_then(|at| Some((path.get(..at)?, path.get(at + 1..)?))) {
        Some((path, pairs)) if !pairs.contains('{') => (path, pairs),
        _ => (path, ""),
    }
}
