//! Random OpenAPI documents: components that refer to each other, and operations that use them.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::schemas::{Builder, Chain};
use super::tape::Tape;

/// How a document's schemas are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// Swagger 2.0.
    V2,
    /// OpenAPI 3.0.
    V30,
    /// OpenAPI 3.1.
    V31,
}

impl Version {
    /// That of a document.
    pub(crate) fn of(document: &Value) -> Version {
        match document["openapi"].as_str() {
            None => Version::V2,
            Some(text) if text.starts_with("3.0") => Version::V30,
            Some(_) => Version::V31,
        }
    }

    /// Where its components are.
    pub(crate) fn components(self) -> &'static str {
        if self == Version::V2 { "/definitions" } else { "/components/schemas" }
    }
}

/// Names of components. Some look like keywords, some have to be escaped in a reference.
const COMPONENTS: &[&str] = &[
    "Pet",
    "Node",
    "properties",
    "required",
    "$ref",
    "type",
    "items",
    "a/b",
    "a~b",
    "größe",
    "two words",
    "allOf",
    "x-pet",
    "100%",
    "A.b-c_d",
];

/// The text of a reference to a place: a pointer, escaped for a URI.
pub(crate) fn reference(pointer: &str) -> String {
    let mut text = "#".to_owned();
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"/$-_.~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").expect("a string takes all");
        }
    }
    text
}

/// A key as a JSON Pointer has it.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// An empty document of some version, and the builder of its schemas with components made.
fn begin<'t, 'c>(tape: &'t mut Tape<'c>) -> (Value, Builder<'t, 'c>) {
    let version = [Version::V31, Version::V30, Version::V2][tape.below(3)];
    let count = tape.below(5);
    let mut names: Vec<&str> = Vec::new();
    for _ in 0..count {
        let name = COMPONENTS[tape.below(COMPONENTS.len())];
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut document = match version {
        Version::V2 => json!({"swagger": "2.0"}),
        Version::V30 => json!({"openapi": "3.0.3"}),
        Version::V31 => json!({"openapi": "3.1.0"}),
    };
    document["info"] = json!({"title": "Random", "version": "1"});
    document["paths"] = json!({});
    let mut builder = Builder::new(tape, version, &names);
    let mut components = Map::new();
    for (at, name) in names.iter().enumerate() {
        let chain = Chain::Component(at);
        let class = builder.tape().chance(50);
        let component = if class { builder.class(3, chain) } else { builder.schema(3, chain) };
        components.insert((*name).to_owned(), component);
    }
    builder.note_places(&components);
    if version == Version::V2 {
        document["definitions"] = Value::Object(components);
    } else {
        document["components"] = json!({"schemas": components});
    }
    (document, builder)
}

/// The uses of the schema that is under test, by the path of their operation.
pub(crate) const PARAMETER: &str = "/parameter";
pub(crate) const BODY: &str = "/body";
pub(crate) const PROPERTY: &str = "/property";

/// A document that uses one schema as a parameter `x`, as a body, and as the property `x` of a body.
pub(crate) fn with_one_schema(choices: &[u16]) -> Value {
    let mut tape = Tape::new(choices);
    let (mut document, mut builder) = begin(&mut tape);
    let schema = builder.schema(3, Chain::None);
    let plain = builder.simple(2);
    let body = json!({"type": "object", "properties": {"x": schema}});
    document["paths"] = json!({
        PARAMETER: {"get": parameter_operation(Version::of(&document), &schema, &plain)},
        BODY: {"post": body_operation(Version::of(&document), &schema)},
        PROPERTY: {"post": body_operation(Version::of(&document), &body)},
    });
    document
}

/// An operation with a query parameter `x`. In Swagger 2.0 that has no schema, but fields of its own.
fn parameter_operation(version: Version, schema: &Value, plain: &Value) -> Value {
    let mut parameter = json!({"name": "x", "in": "query"});
    if version == Version::V2 {
        for (key, value) in plain.as_object().into_iter().flatten() {
            parameter[key] = value.clone();
        }
    } else {
        parameter["schema"] = schema.clone();
    }
    json!({"parameters": [parameter]})
}

fn body_operation(version: Version, schema: &Value) -> Value {
    match version {
        Version::V2 => json!({"parameters": [{"name": "body", "in": "body", "schema": schema}]}),
        _ => json!({"requestBody": {"content": {"application/json": {"schema": schema}}}}),
    }
}

/// A document with several operations, each with an id of its own, and one that is not in it: its
/// path and item, with a component that only it uses.
pub(crate) fn with_operations(choices: &[u16]) -> (Value, (String, Value), (String, Value)) {
    let mut tape = Tape::new(choices);
    let (mut document, mut builder) = begin(&mut tape);
    let version = Version::of(&document);
    let mut paths = Map::new();
    for at in 0..=builder.tape().below(4) {
        let mut item = Map::new();
        for method in ["post", "get"] {
            if method == "get" && !builder.tape().chance(40) {
                continue;
            }
            let mut operation = body_operation(version, &builder.schema(2, Chain::None));
            if builder.tape().chance(50) || method == "get" {
                let (schema, plain) = (builder.schema(2, Chain::None), builder.simple(1));
                let other = parameter_operation(version, &schema, &plain);
                let list =
                    operation.as_object_mut().expect("an object").entry("parameters").or_insert(json!([]));
                list.as_array_mut().expect("a list").extend(other["parameters"].as_array().cloned().unwrap());
            }
            if builder.tape().chance(50) {
                operation["operationId"] = json!(format!("{method}Thing{at}"));
            }
            operation["tags"] = json!([format!("tag{}", at % 2)]);
            item.insert(method.to_owned(), operation);
        }
        paths.insert(format!("/things/{at}"), Value::Object(item));
    }
    document["paths"] = Value::Object(paths);
    let own =
        json!({"type": "object", "properties": {"unrelated": {"type": "string"}}, "required": ["unrelated"]});
    let target = reference(&format!("{}/Unrelated", version.components()));
    let mut operation = body_operation(version, &json!({"type": "array", "items": {"$ref": target}}));
    operation["tags"] = json!(["unrelated"]);
    operation["operationId"] = json!("unrelated");
    (document, ("/unrelated".to_owned(), json!({"put": operation})), ("Unrelated".to_owned(), own))
}
