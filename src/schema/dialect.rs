//! What each dialect's keywords become in JSON Schema 2020-12, readable as draft-07 too.
//!
//! A conversion changes one schema object, whose subschemas are finished.

use serde_json::{Map, Number, Value, json};

use super::keywords::{Class, Form, class, keyword};
use super::number;
use super::pattern::{self, Verdict};
use super::rules::Site;
use crate::diagnostic::Code;

/// How a schema is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dialect {
    /// OpenAPI 3.0's Schema Object (3.0.4, section 4.7.24): `$ref` makes its siblings void.
    OpenApi30,
    /// JSON Schema 2020-12, as OpenAPI 3.1 and later use it; older keywords are understood.
    JsonSchema,
}

/// Why a schema cannot be converted.
pub(super) type Refusal = (Code, String);

type Conversion = fn(&mut Map<String, Value>, &Site<'_>) -> Result<(), Refusal>;

impl Dialect {
    /// Its conversions, in order.
    pub(super) fn conversions(self) -> &'static [Conversion] {
        match self {
            Dialect::OpenApi30 => &[
                exclusive_bounds,
                forms,
                exact_patterns,
                repair_type,
                nullable,
                example,
                binary,
                tuple,
                dependencies,
            ],
            Dialect::JsonSchema => &[
                note_legacy,
                exclusive_bounds,
                forms,
                exact_patterns,
                repair_type,
                nullable,
                example,
                media_type,
                binary,
                tuple,
                dependencies,
                reference_siblings,
            ],
        }
    }
}

/// Notes keywords of OpenAPI 3.0 in a later document, which are common and understood as meant.
fn note_legacy(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    for name in ["nullable", "exclusiveMinimum", "exclusiveMaximum"] {
        if schema.get(name).is_some_and(Value::is_boolean) {
            (site.report)(
                Code::LegacyKeyword,
                format!("`{name}` is a boolean, as in OpenAPI 3.0; it is taken as there"),
            );
        }
    }
    Ok(())
}

/// A boolean `exclusiveMinimum` or `exclusiveMaximum` (draft 4) says how to read the bound beside it.
fn exclusive_bounds(schema: &mut Map<String, Value>, _: &Site<'_>) -> Result<(), Refusal> {
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        let Some(&Value::Bool(is_exclusive)) = schema.get(exclusive) else { continue };
        let value = if is_exclusive { schema.shift_remove(bound) } else { None };
        match value {
            Some(value) => schema[exclusive] = value,
            None => drop(schema.shift_remove(exclusive)),
        }
    }
    Ok(())
}

/// Holds each value to the form that the table gives its keyword; repairs what can be meant only
/// one way.
fn forms(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    let names: Vec<String> = schema.keys().cloned().collect();
    for name in names {
        let Some(row) = keyword(&name) else { continue };
        let Some(value) = schema.get(&name) else { continue };
        match in_form(row.form, &name, value) {
            Ok(None) => {}
            Ok(Some(repaired)) => {
                (site.report)(
                    Code::RepairedShape,
                    format!("`{name}` is {}; taken as {repaired}", shown(value)),
                );
                schema.insert(name, repaired);
            }
            // What no validator reads can't be wrong.
            Err(expected) if row.class != Class::Assertion => {
                (site.report)(
                    Code::RepairedShape,
                    format!("`{name}` is {}; expected {expected}; dropped", shown(value)),
                );
                schema.shift_remove(&name);
            }
            Err(expected) => {
                return Err((
                    Code::InvalidSchema,
                    format!("`{name}` is {}; expected {expected}", shown(value)),
                ));
            }
        }
    }
    Ok(())
}

/// A pattern that can't be read widens a schema; below a `not`, that would turn the meaning around.
fn exact_patterns(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    let keys = schema.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let own = schema.get("pattern").and_then(Value::as_str);
    let mut patterns = own.into_iter().chain(keys.map(String::as_str)).filter(|_| site.exact);
    let invalid = patterns.find_map(|text| match pattern::check(text) {
        Verdict::Invalid(reason) => Some((text, reason)),
        Verdict::Valid | Verdict::Repaired(_) => None,
    });
    match invalid {
        Some((text, reason)) => {
            let message = format!("{text:?}, in a test, is no ECMA-262 pattern: {reason}; write one that is");
            Err((Code::InvalidSchema, message))
        }
        None => Ok(()),
    }
}

/// `None` if the value has the form, else what it was meant to be.
fn in_form(form: Form, name: &str, value: &Value) -> Result<Option<Value>, &'static str> {
    match (form, value) {
        (Form::Any, _)
        | (Form::Text, Value::String(_))
        | (Form::Flag, Value::Bool(_))
        | (Form::List, Value::Array(_)) => Ok(None),
        (Form::Number, Value::Number(number)) => {
            let zero = name == "multipleOf" && number::equal(value, &json!(0));
            if zero || (name == "multipleOf" && number::is_negative(number)) {
                Err("a number above zero")
            } else {
                Ok(None)
            }
        }
        (Form::Count, Value::Number(number))
            if number::is_integer(number) && !number::is_negative(number) =>
        {
            Ok(None)
        }
        // A negative lower limit says nothing.
        (Form::Count, Value::Number(number)) if number::is_negative(number) && name.starts_with("min") => {
            Ok(Some(json!(0)))
        }
        (Form::Number | Form::Count, Value::String(text)) => {
            match serde_json::from_str::<Number>(text.trim()) {
                Ok(number) => Ok(Some(Value::Number(number))),
                Err(_) => Err("a number"),
            }
        }
        (Form::Number, _) => Err("a number"),
        (Form::Count, _) => Err("a whole number, zero or more"),
        (Form::Text, Value::Number(_) | Value::Bool(_)) if name != "pattern" => {
            Ok(Some(Value::String(value.to_string())))
        }
        (Form::Text, _) => Err("a string"),
        (Form::Flag, Value::String(text)) if text == "true" || text == "false" => {
            Ok(Some(Value::Bool(text == "true")))
        }
        (Form::Flag, _) => Err("true or false"),
        (Form::List, _) if name == "examples" => Ok(Some(examples_of(value))),
        (Form::List, _) => Err("a list"),
        (Form::Names, _) => names(value),
        (Form::NamesByName, Value::Object(map)) if map.values().all(|list| names(list) == Ok(None)) => {
            Ok(None)
        }
        (Form::NamesByName, _) => Err("an object of lists of names"),
    }
}

fn names(value: &Value) -> Result<Option<Value>, &'static str> {
    match value {
        Value::Array(list) if list.iter().all(Value::is_string) => Ok(None),
        Value::Array(list)
            if list.iter().all(|name| name.is_string() || name.is_number() || name.is_boolean()) =>
        {
            let name = |name: &Value| name.as_str().map_or_else(|| name.to_string(), str::to_owned);
            Ok(Some(list.iter().map(name).collect()))
        }
        Value::String(name) => Ok(Some(json!([name]))),
        // Draft 3 wrote `required: true` in the property; here it says nothing.
        Value::Bool(_) => Ok(Some(json!([]))),
        _ => Err("a list of property names"),
    }
}

/// The values of `examples` where it is OpenAPI's map of Example Objects, or a lone value.
fn examples_of(value: &Value) -> Value {
    let Value::Object(map) = value else { return json!([value]) };
    let values: Vec<Value> = map.values().filter_map(|example| example.get("value").cloned()).collect();
    if values.len() == map.len() { Value::Array(values) } else { json!([value]) }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 40 {
        text
    } else {
        format!("{}...", text.chars().take(37).collect::<String>())
    }
}

/// JSON Schema's name of a type, from itself or a slip whose meaning has the same JSON type.
pub(super) fn json_type(name: &str) -> Option<&'static str> {
    meaning(name).map(|(json_type, _)| json_type).filter(|json_type| !json_type.is_empty())
}

/// What a type's name means: JSON Schema's type (empty for any), and a format if it says one.
fn meaning(name: &str) -> Option<(&'static str, &'static str)> {
    let plain = |name| Some((name, ""));
    match name.to_ascii_lowercase().as_str() {
        "string" | "str" | "text" => plain("string"),
        "integer" | "int" | "int32" | "int64" | "long" => plain("integer"),
        "number" | "float" | "double" | "decimal" => plain("number"),
        "boolean" | "bool" => plain("boolean"),
        "object" | "dict" | "map" => plain("object"),
        "array" | "list" => plain("array"),
        "null" => plain("null"),
        "any" => plain(""),
        "date" => Some(("string", "date")),
        "datetime" | "date-time" => Some(("string", "date-time")),
        "uuid" => Some(("string", "uuid")),
        "file" => Some(("string", "binary")),
        _ => None,
    }
}

/// Type names that JSON Schema doesn't know (`rules`: MCP hosts refuse them).
fn repair_type(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    match schema.get("type").cloned() {
        None => {}
        Some(Value::String(name)) => {
            let (json_type, format) = meaning(&name).ok_or_else(|| unknown_type(&name))?;
            if json_type == name {
                return Ok(());
            }
            (site.report)(Code::RepairedType, repaired_type(&name, json_type));
            if json_type.is_empty() {
                schema.shift_remove("type");
            } else {
                schema["type"] = json!(json_type);
            }
            if !format.is_empty() && !schema.contains_key("format") {
                schema.insert("format".to_owned(), json!(format));
            }
        }
        Some(Value::Array(list)) => {
            let mut types: Vec<Value> = Vec::new();
            for name in &list {
                let name = name.as_str().unwrap_or("null");
                let (json_type, _) = meaning(name).ok_or_else(|| unknown_type(name))?;
                if json_type != name {
                    (site.report)(Code::RepairedType, repaired_type(name, json_type));
                }
                if !types.contains(&json!(json_type)) {
                    types.push(json!(json_type));
                }
            }
            if types.is_empty() || types.contains(&json!("")) {
                schema.shift_remove("type");
            } else {
                schema["type"] = Value::Array(types);
            }
        }
        Some(other) => {
            let message = format!("`type` is {}; expected a type's name or a list of them", shown(&other));
            return Err((Code::InvalidSchema, message));
        }
    }
    Ok(())
}

fn repaired_type(name: &str, json_type: &str) -> String {
    let taken = if json_type.is_empty() { "any type".to_owned() } else { format!("{json_type:?}") };
    format!("`type` is {name:?}, which JSON Schema doesn't know; taken as {taken}")
}

fn unknown_type(name: &str) -> Refusal {
    let known = "array, boolean, integer, null, number, object or string";
    (Code::UnknownType, format!("`type` is {name:?}; expected {known}"))
}

/// `nullable` (OpenAPI 3.0.4, Schema Object): with `type`, null is a type more; beside `$ref` or a
/// combinator it is taken as meant; alone it says nothing.
fn nullable(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    if schema.shift_remove("nullable") != Some(Value::Bool(true)) {
        return Ok(());
    }
    let types = match schema.get("type") {
        Some(Value::String(name)) => vec![json!(name)],
        Some(Value::Array(names)) => names.clone(),
        _ => Vec::new(),
    };
    if types.is_empty() {
        if ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|key| schema.contains_key(*key)) {
            (site.report)(
                Code::NullableCombinator,
                "`nullable` stands beside `$ref` or a combinator; null is allowed".to_owned(),
            );
            or_null(schema);
        }
        return Ok(());
    }
    if !types.contains(&json!("null")) {
        schema["type"] = types.into_iter().chain([json!("null")]).collect();
    }
    if let Some(value) = schema.get("const").filter(|value| !value.is_null()).cloned() {
        schema.shift_remove("const");
        schema.insert("enum".to_owned(), json!([value]));
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Ok(())
}

/// Makes the schema `anyOf` itself and null; annotations stay where they are.
fn or_null(schema: &mut Map<String, Value>) {
    let null = json!({"type": "null"});
    let (annotations, assertions): (Map<_, _>, Map<_, _>) =
        std::mem::take(schema).into_iter().partition(|(name, _)| class(name) != Class::Assertion);
    let branches = match assertions.get("anyOf") {
        Some(Value::Array(branches)) if assertions.len() == 1 => {
            let known = branches.contains(&null);
            branches.iter().cloned().chain((!known).then_some(null)).collect()
        }
        _ => vec![Value::Object(assertions), null],
    };
    schema.insert("anyOf".to_owned(), Value::Array(branches));
    schema.extend(annotations);
}

/// OpenAPI's `example` is a list of one in JSON Schema's `examples`.
fn example(schema: &mut Map<String, Value>, _: &Site<'_>) -> Result<(), Refusal> {
    if let Some(example) = schema.shift_remove("example") {
        schema.entry("examples").or_insert_with(|| json!([example]));
    }
    if schema.get("examples") == Some(&json!([])) {
        schema.shift_remove("examples");
    }
    Ok(())
}

/// Bytes as OpenAPI 3.1 writes them (3.1.2, section 4.8.24.4.1): a media type and no encoding.
fn media_type(schema: &mut Map<String, Value>, _: &Site<'_>) -> Result<(), Refusal> {
    let media_type = schema.get("contentMediaType").and_then(Value::as_str).unwrap_or_default();
    if media_type.is_empty() || schema.contains_key("contentEncoding") {
        return Ok(());
    }
    let kind = media_type.split('/').next().unwrap_or_default();
    let bytes = ["image", "audio", "video"].contains(&kind)
        || ["application/octet-stream", "application/pdf", "application/zip"].contains(&media_type);
    let untyped = !["type", "$ref", "allOf", "anyOf", "oneOf", "enum", "const"]
        .iter()
        .any(|key| schema.contains_key(*key));
    if untyped || (bytes && schema.get("type") == Some(&json!("string"))) {
        schema.insert("format".to_owned(), json!("binary"));
    }
    Ok(())
}

/// Bytes travel as base64 in JSON: `format: binary` says that here, `byte` that the API wants it.
fn binary(schema: &mut Map<String, Value>, _: &Site<'_>) -> Result<(), Refusal> {
    let may_be_text = match schema.get("type") {
        None => true,
        Some(Value::String(name)) => name == "string",
        Some(Value::Array(names)) => names.contains(&json!("string")),
        Some(_) => false,
    };
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !may_be_text || !(format == "binary" || format == "byte") {
        return Ok(());
    }
    schema.shift_remove("format");
    if !schema.contains_key("type") {
        schema.insert("type".to_owned(), json!("string"));
    }
    schema.insert("contentEncoding".to_owned(), json!("base64"));
    if format == "binary" {
        // They speak of bytes, not of the base64 text.
        for name in ["minLength", "maxLength", "pattern"] {
            schema.shift_remove(name);
        }
        append_to_description(schema, "base64-encoded");
    }
    Ok(())
}

/// Adds a remark to a schema's description, once.
pub(super) fn append_to_description(schema: &mut Map<String, Value>, remark: &str) {
    let text = match schema.get("description").and_then(Value::as_str).map(str::trim_end) {
        Some(text) if text.contains(remark) => return,
        Some(text) if !text.is_empty() => format!("{text} ({remark})"),
        _ => remark.to_owned(),
    };
    schema.insert("description".to_owned(), Value::String(text));
}

/// A list of schemas in `items` (before 2020-12) is `prefixItems`. A closed tuple gets `maxItems`,
/// since `items: false` makes draft-07 readers refuse every item.
fn tuple(schema: &mut Map<String, Value>, _: &Site<'_>) -> Result<(), Refusal> {
    let additional = schema.shift_remove("additionalItems");
    if schema.get("items").is_some_and(Value::is_array)
        && let Some(list) = schema.shift_remove("items")
    {
        schema.insert("prefixItems".to_owned(), list);
        if let Some(rest) = additional {
            schema.insert("items".to_owned(), rest);
        }
    }
    let Some(Value::Array(prefix)) = schema.get("prefixItems") else { return Ok(()) };
    let length = prefix.len();
    if length == 0 {
        schema.shift_remove("prefixItems");
    } else if schema.get("items") == Some(&Value::Bool(false)) {
        schema["items"] = json!({});
        let shorter = schema.get("maxItems").and_then(Value::as_u64).is_some_and(|max| max < length as u64);
        if !shorter {
            schema.insert("maxItems".to_owned(), json!(length));
        }
    }
    Ok(())
}

/// `dependencies` (before 2019-09) is two keywords since.
fn dependencies(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    let Some(Value::Object(all)) = schema.shift_remove("dependencies") else { return Ok(()) };
    for (name, value) in all {
        let keyword = if value.is_array() { "dependentRequired" } else { "dependentSchemas" };
        match schema.entry(keyword).or_insert_with(|| json!({})) {
            Value::Object(map) if !map.contains_key(&name) => {
                map.insert(name, value);
            }
            _ => (site.report)(
                Code::RepairedShape,
                format!("`dependencies` and `{keyword}` both say what {name:?} needs; the latter stands"),
            ),
        }
    }
    Ok(())
}

/// Assertions beside `$ref` count since 2019-09, but draft-07 readers ignore them: the reference
/// moves into an `allOf` beside them.
fn reference_siblings(schema: &mut Map<String, Value>, _: &Site<'_>) -> Result<(), Refusal> {
    let beside = schema.keys().any(|name| name != "$ref" && class(name) == Class::Assertion);
    if beside && let Some(reference) = schema.shift_remove("$ref") {
        let member = json!({"$ref": reference});
        match schema.get_mut("allOf") {
            Some(Value::Array(members)) => members.insert(0, member),
            _ => drop(schema.shift_insert(0, "allOf".to_owned(), json!([member]))),
        }
    }
    Ok(())
}
