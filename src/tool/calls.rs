//! The call map: how a program makes the HTTP request of a tool's call.

use openapiv3::Server;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::arguments::{Arguments, BodyPlan, Wire, split_path};
use crate::diagnostic::Code;
use crate::input::Node;
use crate::openapi::{In, Operation, Payload, Serialization};
use crate::schema::{Definitions, Field, Shape, holds_bytes};

/// The entry of a tool.
pub(super) fn call(
    definitions: &Definitions<'_>,
    operation: &Operation<'_>,
    arguments: &Arguments<'_>,
) -> Value {
    let endpoint = &operation.endpoint;
    let mut call = Map::new();
    if let Some(id) = endpoint.id {
        call.insert("operationId".to_owned(), json!(id));
    }
    call.insert("method".to_owned(), json!(endpoint.method));
    call.insert("path".to_owned(), json!(split_path(endpoint.path).0));
    call.insert("servers".to_owned(), servers(definitions, operation));
    let form = arguments.body.as_ref().is_some_and(|plan| plan.body.payload == Payload::Form);
    let wires = arguments.fields.iter().zip(&arguments.wires);
    let entries: Map<_, _> = wires.map(|(field, wire)| (field.name.clone(), argument(wire, form))).collect();
    call.insert("arguments".to_owned(), Value::Object(entries));
    if !arguments.constants.is_empty() {
        let constants = arguments.constants.iter();
        let constants = constants
            .map(|known| json!({"in": known.place.name(), "name": known.name, "value": known.value}));
        call.insert("constants".to_owned(), constants.collect());
    }
    if let Some(plan) = &arguments.body {
        call.insert("body".to_owned(), body(plan, arguments));
    }
    let accept = operation.accept();
    if !accept.is_empty() {
        call.insert("accept".to_owned(), json!(accept));
    }
    let alternatives = operation.security();
    if !alternatives.is_empty() {
        call.insert("security".to_owned(), security(&alternatives));
    }
    Value::Object(call)
}

/// The servers as the document writes them; the document's own place where it names none (3.1.2,
/// section 4.8.1.1).
fn servers(definitions: &Definitions<'_>, operation: &Operation<'_>) -> Value {
    let mut servers = Vec::new();
    for (value, node) in operation.servers() {
        match Server::deserialize(&value) {
            Ok(_) => servers.push(value),
            Err(error) => {
                let message = format!("a server cannot be read ({error}); the call map leaves it out");
                definitions.report(node.diagnostic(Code::InvalidServer, message));
            }
        }
    }
    if servers.is_empty() { json!([{"url": "/"}]) } else { Value::Array(servers) }
}

fn argument(wire: &Wire<'_>, form: bool) -> Value {
    match wire {
        Wire::Parameter { place, name, serialization } => parameter_entry(*place, name, *serialization),
        Wire::Property(name) => json!({"in": if form { "form" } else { "body" }, "name": name}),
        Wire::Body => json!({"in": "body"}),
    }
}

fn parameter_entry(place: In, name: &str, serialization: Serialization<'_>) -> Value {
    let mut entry =
        Map::from_iter([("in".to_owned(), json!(place.name())), ("name".to_owned(), json!(name))]);
    match serialization {
        Serialization::Content(media_type) => drop(entry.insert("mediaType".to_owned(), json!(media_type))),
        Serialization::Style { style, explode, allow_reserved } => {
            entry.insert("style".to_owned(), json!(style));
            entry.insert("explode".to_owned(), json!(explode));
            if allow_reserved {
                entry.insert("allowReserved".to_owned(), json!(true));
            }
        }
    }
    Value::Object(entry)
}

fn body(plan: &BodyPlan<'_>, arguments: &Arguments<'_>) -> Value {
    let mut entry = Map::from_iter([("mediaType".to_owned(), json!(plan.body.media_type))]);
    let whole = arguments.fields.iter().zip(&arguments.wires).find(|(_, wire)| matches!(wire, Wire::Body));
    if let Some((field, _)) = whole {
        entry.insert("argument".to_owned(), json!(field.name));
    }
    entry.insert("required".to_owned(), json!(plan.required));
    if plan.flat && plan.open {
        entry.insert("open".to_owned(), json!(true));
    }
    if let Some(encoding) = &plan.body.encoding {
        entry.insert("encoding".to_owned(), encoding.clone());
    }
    let binary = binary(plan, arguments);
    if !binary.is_empty() {
        entry.insert("binary".to_owned(), json!(binary));
    }
    Value::Object(entry)
}

/// JSON Pointers into the body to the base64 values that are sent as bytes; `*` is every item.
fn binary(plan: &BodyPlan<'_>, arguments: &Arguments<'_>) -> Vec<String> {
    match plan.body.payload {
        Payload::Bytes => vec![String::new()],
        Payload::Form if plan.flat => {
            let fields = arguments.fields.iter().zip(&arguments.wires);
            fields
                .filter_map(|(field, wire)| Some(field_pointers(field, property(wire)?)))
                .flatten()
                .collect()
        }
        Payload::Form if !plan.body.fields.is_empty() => {
            plan.body.fields.iter().flat_map(|field| below(field.name, holds_bytes(field.schema))).collect()
        }
        Payload::Form => plan.body.schema.map(|schema| holds_bytes(schema)).unwrap_or_default(),
        Payload::Json | Payload::Text | Payload::Sequence => Vec::new(),
    }
}

fn property<'i>(wire: &Wire<'i>) -> Option<&'i str> {
    match wire {
        Wire::Property(name) => Some(name),
        Wire::Parameter { .. } | Wire::Body => None,
    }
}

fn field_pointers(field: &Field<'_>, name: &str) -> Vec<String> {
    let below = match &field.shape {
        Shape::At(schema) => holds_bytes(*schema),
        Shape::All(schemas) => schemas.first().map(|schema| holds_bytes(*schema)).unwrap_or_default(),
        Shape::Bytes => vec![String::new()],
        Shape::Any | Shape::Text | Shape::ArrayOf(..) | Shape::Object(_) => Vec::new(),
    };
    self::below(name, below)
}

/// Pointers below the property `name`.
fn below(name: &str, pointers: Vec<String>) -> Vec<String> {
    let name = name.replace('~', "~0").replace('/', "~1");
    pointers.into_iter().map(|pointer| format!("/{name}{pointer}")).collect()
}

/// The alternatives, each a list of the schemes that it needs all of.
fn security(alternatives: &[Node<'_>]) -> Value {
    let scheme = |(name, scopes): (&str, Node<'_>)| {
        let scopes: Vec<Value> = scopes.items().map(Node::to_value).collect();
        if scopes.is_empty() { json!({"scheme": name}) } else { json!({"scheme": name, "scopes": scopes}) }
    };
    alternatives.iter().map(|alternative| alternative.entries().map(scheme).collect::<Value>()).collect()
}

/// The names of the security schemes that an entry of the call map uses.
pub(crate) fn security_schemes(call: &Value) -> impl Iterator<Item = &str> {
    let alternatives = call.get("security").and_then(Value::as_array).into_iter().flatten();
    alternatives.filter_map(Value::as_array).flatten().filter_map(|needed| needed.get("scheme")?.as_str())
}
