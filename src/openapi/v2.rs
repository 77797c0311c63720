//! Swagger 2.0 to the model.

use serde_json::{Map, Value, json};

use super::model::{Body, Endpoint, FormField, In, Operation, Parameter, Payload, Serialization};
use super::parameters::{self, Declared, KnownParameters, text};
use super::{Document, media};
use crate::diagnostic::{Code, Diagnostic};
use crate::input::{Kind, Node};
use crate::schema::{Dialect, Schema, hides};

/// Reads an operation; see [`Document::read`].
pub(super) fn operation<'i>(
    document: Document<'i>,
    endpoint: &Endpoint<'i>,
    known: &KnownParameters<'i>,
    report: &dyn Fn(Diagnostic),
) -> Result<Operation<'i>, Diagnostic> {
    let node = endpoint.node;
    let declared = parameters::declared(endpoint)?;
    let mut parameters = Vec::new();
    let (mut body, mut form) = (None, Vec::new());
    for declared in &declared {
        match declared.place {
            "body" => {
                if body.replace(declared).is_some() {
                    let message = "an operation has two bodies; the last one is used";
                    report(declared.node.diagnostic(Code::BodyConflict, message));
                }
            }
            "formData" => form.push(declared),
            _ => parameters.push(known.parameter(node, declared, || parameter(declared, report))?),
        }
    }
    if let (Some(_), Some(field)) = (body, form.first()) {
        let message = "an operation has a body and a form; the body is used";
        report(field.node.diagnostic(Code::BodyConflict, message));
    }
    parameters::add_undeclared(endpoint, &mut parameters, report);
    let consumes: Vec<&str> = listed(document, node, "consumes").filter_map(Node::as_str).collect();
    Ok(Operation {
        parameters,
        body: match body {
            Some(declared) => Some(whole_body(declared, &consumes)),
            None if form.is_empty() => None,
            None => Some(form_body(node, &form, &consumes)),
        },
        ..parameters::described(document, endpoint)
    })
}

/// The items of the operation's list `key`, or of the document's.
fn listed<'i>(document: Document<'i>, operation: Node<'i>, key: &str) -> impl Iterator<Item = Node<'i>> {
    operation.get(key).or_else(|| document.root.get(key)).into_iter().flat_map(Node::items)
}

/// See [`Operation::security`].
pub(super) fn security<'i>(document: Document<'i>, operation: Node<'i>) -> Vec<Node<'i>> {
    listed(document, operation, "security").collect()
}

/// See [`Operation::accept`].
pub(super) fn accept<'i>(document: Document<'i>, operation: Node<'i>) -> Vec<&'i str> {
    let listed = listed(document, operation, "produces").filter_map(Node::as_str);
    listed.filter(|name| media::is_media_type(name)).collect()
}

fn parameter<'i>(declared: &Declared<'i>, report: &dyn Fn(Diagnostic)) -> Result<Parameter<'i>, Diagnostic> {
    let Declared { name, node, .. } = *declared;
    let place = match declared.place {
        "path" => In::Path,
        "query" => In::Query,
        "header" => In::Header,
        _ => return Err(declared.misplaced("path, query, header, formData or body")),
    };
    let schema = own_schema(node);
    if schema.is_none() {
        let message = format!("parameter {name:?} has no `type`; it accepts anything");
        report(node.diagnostic(Code::ParameterWithoutSchema, message));
    }
    let description = text(node, "description");
    Ok(Parameter {
        name,
        place,
        required: place == In::Path || node.is_true("required"),
        hides: hides(name) || description.is_some_and(hides),
        description,
        deprecated: false,
        schema,
        text: false,
        examples: Vec::new(),
        serialization: serialization(node, place, report),
        node,
    })
}

/// The schema of a parameter that is not the body: its own fields (2.0, Parameter Object). Some
/// documents write a `schema` there all the same.
fn own_schema(node: Node<'_>) -> Option<Schema<'_>> {
    let stated = ["type", "enum", "$ref", "items"].iter().any(|key| node.get(key).is_some());
    match node.get("schema") {
        Some(schema) if !stated => Some(Schema { node: schema, dialect: Dialect::Swagger }),
        _ => stated.then_some(Schema { node, dialect: Dialect::SwaggerParameter }),
    }
}

/// `collectionFormat` as OpenAPI 3 says it (2.0, Parameter Object). What has no style there gets the
/// name that it would have: `tabDelimited`, and `pipeDelimited` outside the query.
fn serialization(node: Node<'_>, place: In, report: &dyn Fn(Diagnostic)) -> Serialization<'static> {
    let default = if place == In::Query { "form" } else { "simple" };
    let (style, explode) = match node.get("collectionFormat") {
        None => (default, false),
        Some(format) => match format.text() {
            "csv" => (default, false),
            "multi" if place == In::Query => ("form", true),
            "ssv" => ("spaceDelimited", false),
            "pipes" => ("pipeDelimited", false),
            "tsv" => ("tabDelimited", false),
            other => {
                let message = format!(
                    "{other:?} is no `collectionFormat` of a {} parameter; csv is used",
                    place.name()
                );
                report(format.diagnostic(Code::UnknownStyle, message));
                (default, false)
            }
        },
    };
    // A single value is written alike either way: there, what OpenAPI 3 assumes is said.
    let explode = if node.get_str("type") == Some("array") { explode } else { default == "form" };
    Serialization::Style { style, explode, allow_reserved: false }
}

fn whole_body<'i>(declared: &Declared<'i>, consumes: &[&'i str]) -> Body<'i> {
    let node = declared.node;
    // A schema in a body is no form's: those have parameters of their own.
    let usable = |name: &&&'i str| media::is_media_type(name) && media::payload(name) != Payload::Form;
    let candidates: Vec<_> = consumes.iter().filter(usable).map(|name| (*name, node)).collect();
    let media_type = media::choose(&candidates).map_or("application/json", |(name, _)| name);
    Body {
        required: node.get("required").and_then(Node::as_bool),
        description: text(node, "description"),
        media_type: media::concrete(media_type),
        payload: media::payload(media_type),
        schema: node.get("schema").map(|node| Schema { node, dialect: Dialect::Swagger }),
        item: None,
        fields: Vec::new(),
        encoding: None,
        node,
    }
}

fn form_body<'i>(operation: Node<'i>, form: &[&Declared<'i>], consumes: &[&'i str]) -> Body<'i> {
    const MULTIPART: &str = "multipart/form-data";
    const URLENCODED: &str = "application/x-www-form-urlencoded";
    let file = form.iter().any(|declared| declared.node.get_str("type") == Some("file"));
    let multipart = file || (consumes.contains(&MULTIPART) && !consumes.contains(&URLENCODED));
    Body {
        required: form.iter().any(|declared| declared.node.is_true("required")).then_some(true),
        description: None,
        media_type: if multipart { MULTIPART } else { URLENCODED },
        payload: Payload::Form,
        schema: None,
        item: None,
        fields: form.iter().map(|declared| field(declared)).collect(),
        encoding: encoding(form),
        node: operation,
    }
}

fn field<'i>(declared: &Declared<'i>) -> FormField<'i> {
    let dialect = Dialect::SwaggerParameter;
    let schema = own_schema(declared.node).unwrap_or(Schema { node: declared.node, dialect });
    FormField { name: declared.name, schema, required: declared.node.is_true("required") }
}

/// How the lists of a form are written, as Encoding Objects.
fn encoding(form: &[&Declared<'_>]) -> Option<Value> {
    let lists = form.iter().filter(|declared| declared.node.get_str("type") == Some("array"));
    let entries: Map<_, _> = lists
        .filter_map(|declared| match serialization(declared.node, In::Query, &|_| {}) {
            Serialization::Style { style, explode, .. } => {
                Some((declared.name.to_owned(), json!({"style": style, "explode": explode})))
            }
            Serialization::Content(_) => None,
        })
        .collect();
    (!entries.is_empty()).then_some(Value::Object(entries))
}

/// `schemes`, `host` and `basePath` as Server Objects (2.0, Swagger Object).
pub(super) fn servers<'i>(document: Document<'i>, operation: Node<'i>) -> Vec<(Value, Node<'i>)> {
    let root = document.root;
    let base = root.get_str("basePath").unwrap_or_default().trim_end_matches('/');
    let Some(host) = root.get_str("host").filter(|host| !host.is_empty()) else {
        return if base.is_empty() { Vec::new() } else { vec![(json!({"url": base}), root)] };
    };
    let schemes =
        operation.get("schemes").or_else(|| root.get("schemes")).filter(|list| list.kind() == Kind::Array);
    let mut schemes: Vec<&str> = schemes.into_iter().flat_map(Node::items).filter_map(Node::as_str).collect();
    if schemes.is_empty() {
        schemes.push("https");
    }
    schemes.into_iter().map(|scheme| (json!({"url": format!("{scheme}://{host}{base}")}), root)).collect()
}
