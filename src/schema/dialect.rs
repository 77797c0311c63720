//! What each dialect's keywords become in JSON Schema 2020-12, readable as draft-07 too.
//!
//! A conversion changes one schema object, whose subschemas are finished.

#![expect(clippy::unnecessary_wraps, reason = "all conversions share one signature; some refuse")]

use serde_json::{Map, Value, json};

use super::forms::forms;
use super::keywords::{self, Class, Keywords, Role, class};
use super::number;
use super::pattern::Verdict;
use super::rules::{self, Site};
use super::types::repair_type;
use crate::diagnostic::Code;
use crate::input::Node;

/// How a schema is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dialect {
    /// Swagger 2.0's Schema Object: a subset of draft 4, with `x-nullable` in the wild.
    Swagger,
    /// Swagger 2.0's Parameter Object, whose own `type`, `items`, `enum` ... are its schema.
    SwaggerParameter,
    /// OpenAPI 3.0's Schema Object (3.0.4, section 4.7.24): `$ref` makes its siblings void.
    OpenApi30,
    /// JSON Schema 2020-12, as OpenAPI 3.1 and later use it; older keywords are understood.
    JsonSchema,
}

/// Why a schema cannot be converted.
pub(super) struct Refusal {
    /// Its kind.
    pub(super) code: Code,
    /// The keyword that it is about.
    pub(super) keyword: String,
    /// What was found and what was expected.
    pub(super) message: String,
}

impl Refusal {
    /// A refusal because of a keyword.
    pub(super) fn new(code: Code, keyword: &str, message: String) -> Self {
        Refusal { code, keyword: keyword.to_owned(), message }
    }
}

/// A conversion: the keywords without one of which it does nothing, and those that later conversions may
/// need and that it may add.
type Conversion = (Keywords, Keywords, fn(&mut Map<String, Value>, &Site<'_>) -> Result<(), Refusal>);

const FORMAT: Keywords = Keywords::of(&["format"]);

const SWAGGER_NULLABLE: Conversion =
    (Keywords::of(&["x-nullable"]), Keywords::of(&["nullable"]), swagger_nullable);
const NOTE_LEGACY: Conversion =
    (Keywords::of(&["nullable", "exclusiveMinimum", "exclusiveMaximum"]), Keywords::NONE, note_legacy);
const EXCLUSIVE_BOUNDS: Conversion =
    (Keywords::of(&["exclusiveMinimum", "exclusiveMaximum"]), Keywords::NONE, exclusive_bounds);
const FORMS: Conversion = (Keywords::with_form(), Keywords::NONE, forms);
const EXACT_PATTERNS: Conversion =
    (Keywords::of(&["pattern", "patternProperties"]), Keywords::NONE, exact_patterns);
const REPAIR_TYPE: Conversion = (Keywords::of(&["type"]), FORMAT, repair_type);
const NULLABLE: Conversion = (Keywords::of(&["nullable"]), Keywords::NONE, nullable);
const OR_NULL: Conversion = (Keywords::of(&["nullable"]), Keywords::NONE, or_null);
const EXAMPLE: Conversion = (Keywords::of(&["example", "examples"]), Keywords::NONE, example);
const MEDIA_TYPE: Conversion = (Keywords::of(&["contentMediaType"]), FORMAT, media_type);
const BINARY: Conversion = (Keywords::of(&["format"]), Keywords::NONE, binary);
const TUPLE: Conversion = (Keywords::of(&["additionalItems", "items", "prefixItems"]), Keywords::NONE, tuple);
const DEPENDENCIES: Conversion = (Keywords::of(&["dependencies"]), Keywords::NONE, dependencies);
const REFERENCE_SIBLINGS: Conversion = (Keywords::of(&["$ref"]), Keywords::NONE, reference_siblings);

impl Dialect {
    /// The dialect of a whole document that says its version.
    pub(super) fn stated(root: Node<'_>) -> Option<Dialect> {
        let version = root.get("openapi").map(Node::text);
        match (version, root.get("swagger")) {
            (Some(version), _) if version.starts_with("3.0") => Some(Dialect::OpenApi30),
            (Some(_), _) => Some(Dialect::JsonSchema),
            (None, Some(_)) => Some(Dialect::Swagger),
            (None, None) => None,
        }
    }

    /// Whether what stands beside `$ref` has no effect (3.0.4, section 4.7.23; 2.0, Reference
    /// Object).
    pub(super) fn ignores_siblings(self) -> bool {
        self != Dialect::JsonSchema
    }

    /// Whether a name is no keyword here, but says something of the parameter.
    pub(super) fn is_foreign(self, name: &str) -> bool {
        self == Dialect::SwaggerParameter
            && matches!(name, "name" | "in" | "required" | "collectionFormat" | "allowEmptyValue" | "schema")
    }

    /// Whether a keyword beside a `$ref` that ignores its siblings is heeded all the same.
    pub(super) fn heeds_beside_reference(self, name: &str) -> bool {
        match name {
            "$ref" | "description" => true,
            "nullable" => self == Dialect::OpenApi30,
            "x-nullable" => self != Dialect::OpenApi30,
            _ => false,
        }
    }

    /// Runs its conversions on a schema object whose subschemas are finished.
    ///
    /// # Errors
    /// The first keyword whose value can't be converted.
    pub(super) fn convert(self, schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
        let mut present = Keywords::in_schema(schema);
        let mut open = self.conversions().iter();
        while let Some((needed, added, conversion)) = open.next() {
            if present.meet(*needed) {
                conversion(schema, site)?;
                present = present.with(*added);
                debug_assert!({
                    let now = Keywords::in_schema(schema);
                    open.clone().all(|(needed, ..)| present.meet(*needed) || !now.meet(*needed))
                });
            }
        }
        Ok(())
    }

    /// Its conversions, in order.
    fn conversions(self) -> &'static [Conversion] {
        match self {
            Dialect::Swagger | Dialect::SwaggerParameter => &[
                SWAGGER_NULLABLE,
                EXCLUSIVE_BOUNDS,
                FORMS,
                EXACT_PATTERNS,
                REPAIR_TYPE,
                NULLABLE,
                EXAMPLE,
                BINARY,
                TUPLE,
                DEPENDENCIES,
                OR_NULL,
            ],
            Dialect::OpenApi30 => &[
                EXCLUSIVE_BOUNDS,
                FORMS,
                EXACT_PATTERNS,
                REPAIR_TYPE,
                NULLABLE,
                EXAMPLE,
                BINARY,
                TUPLE,
                DEPENDENCIES,
                OR_NULL,
            ],
            Dialect::JsonSchema => &[
                NOTE_LEGACY,
                EXCLUSIVE_BOUNDS,
                FORMS,
                EXACT_PATTERNS,
                REPAIR_TYPE,
                NULLABLE,
                EXAMPLE,
                MEDIA_TYPE,
                BINARY,
                TUPLE,
                DEPENDENCIES,
                REFERENCE_SIBLINGS,
                OR_NULL,
            ],
        }
    }
}

/// `x-nullable`, which no version defines and many tools write.
fn swagger_nullable(schema: &mut Map<String, Value>, _: &Site<'_>) -> Result<(), Refusal> {
    if let Some(value) = schema.shift_remove("x-nullable") {
        schema.insert("nullable".to_owned(), value);
    }
    Ok(())
}

/// Notes keywords of OpenAPI 3.0 in a later document, which are common and understood as meant.
fn note_legacy(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    for name in ["nullable", "exclusiveMinimum", "exclusiveMaximum"] {
        if keywords::value(schema, name).is_some_and(Value::is_boolean) {
            (site.report)(
                Code::LegacyKeyword,
                name,
                format!("`{name}` is a boolean, as in OpenAPI 3.0; it is taken as there"),
            );
        }
    }
    Ok(())
}

/// A boolean `exclusiveMinimum` or `exclusiveMaximum` (draft 4) says how to read the bound beside it.
fn exclusive_bounds(schema: &mut Map<String, Value>, _: &Site<'_>) -> Result<(), Refusal> {
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        let Some(&Value::Bool(is_exclusive)) = keywords::value(schema, exclusive) else { continue };
        let value = if is_exclusive { schema.shift_remove(bound) } else { None };
        match value {
            Some(value) => schema[exclusive] = value,
            None => drop(schema.shift_remove(exclusive)),
        }
    }
    Ok(())
}

/// A pattern that can't be read widens a schema; below a `not`, that would turn the meaning around.
fn exact_patterns(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    let keys = keywords::value(schema, "patternProperties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::keys);
    let own = keywords::value(schema, "pattern").and_then(Value::as_str);
    let mut patterns = own.into_iter().chain(keys.map(String::as_str)).filter(|_| site.exact);
    let invalid = patterns.find_map(|text| match (site.pattern)(text) {
        Verdict::Invalid(reason) => Some((text, reason)),
        Verdict::Valid | Verdict::Repaired(_) => None,
    });
    match invalid {
        Some((text, reason)) => {
            let message = format!("{text:?}, in a test, is no ECMA-262 pattern: {reason}; write one that is");
            let keyword = if own == Some(text) { "pattern" } else { "patternProperties" };
            Err(Refusal::new(Code::InvalidSchema, keyword, message))
        }
        None => Ok(()),
    }
}

/// `nullable` (OpenAPI 3.0.4, Schema Object): with `type`, null is a type more; beside `$ref` or a
/// combinator it is taken as meant; alone it says nothing.
fn nullable(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    if keywords::value(schema, "nullable") != Some(&Value::Bool(true)) {
        schema.shift_remove("nullable");
        return Ok(());
    }
    let types = match keywords::value(schema, "type") {
        Some(Value::String(name)) => vec![json!(name)],
        Some(Value::Array(names)) => names.clone(),
        _ => Vec::new(),
    };
    if types.is_empty() {
        if ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|key| keywords::has(schema, key)) {
            (site.report)(
                Code::NullableCombinator,
                "nullable",
                "`nullable` stands beside `$ref` or a combinator; null is allowed".to_owned(),
            );
            // `or_null` does it when all else is converted.
        } else {
            schema.shift_remove("nullable");
        }
        return Ok(());
    }
    schema.shift_remove("nullable");
    if !types.contains(&json!("null")) {
        schema["type"] = types.into_iter().chain([json!("null")]).collect();
    }
    if let Some(value) = keywords::value(schema, "const").filter(|value| !value.is_null()).cloned() {
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

/// Makes a schema that is still `nullable` `anyOf` itself and null; annotations stay where they are.
fn or_null(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    if schema.shift_remove("nullable").is_none() {
        return Ok(());
    }
    let null = json!({"type": "null"});
    let (annotations, mut assertions): (Map<_, _>, Map<_, _>) =
        std::mem::take(schema).into_iter().partition(|(name, _)| class(name) != Class::Assertion);
    let branches = match assertions.get("anyOf") {
        Some(Value::Array(branches)) if assertions.len() == 1 && !branches.is_empty() => {
            let known = branches.contains(&null);
            branches.iter().cloned().chain((!known).then_some(null)).collect()
        }
        _ => {
            // The rules see one schema object at a time, and this becomes another.
            rules::apply(&mut assertions, &Site { role: Role::Branch, key: None, argument: false, ..*site });
            vec![Value::Object(assertions), null]
        }
    };
    schema.insert("anyOf".to_owned(), Value::Array(branches));
    schema.extend(annotations);
    Ok(())
}

/// OpenAPI's `example` is a list of one in JSON Schema's `examples`.
fn example(schema: &mut Map<String, Value>, _: &Site<'_>) -> Result<(), Refusal> {
    if let Some(example) = schema.shift_remove("example") {
        schema.entry("examples").or_insert_with(|| json!([example]));
    }
    if keywords::value(schema, "examples") == Some(&json!([])) {
        schema.shift_remove("examples");
    }
    Ok(())
}

/// Bytes as OpenAPI 3.1 writes them (3.1.2, section 4.8.24.4.1): a media type and no encoding.
fn media_type(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    let media_type = keywords::value(schema, "contentMediaType").and_then(Value::as_str).unwrap_or_default();
    if site.exact || media_type.is_empty() || keywords::has(schema, "contentEncoding") {
        return Ok(());
    }
    let kind = media_type.split('/').next().unwrap_or_default();
    let bytes = ["image", "audio", "video"].contains(&kind)
        || ["application/octet-stream", "application/pdf", "application/zip"].contains(&media_type);
    let untyped = !["type", "$ref", "allOf", "anyOf", "oneOf", "enum", "const"]
        .iter()
        .any(|key| keywords::has(schema, key));
    let text = kind == "text" || media_type == "application/json" || media_type.ends_with("+json");
    if (untyped && !text) || (bytes && keywords::value(schema, "type") == Some(&json!("string"))) {
        schema.insert("format".to_owned(), json!("binary"));
    }
    Ok(())
}

/// Bytes travel as base64 in JSON: `format: binary` says that here, `byte` that the API wants it.
/// A test asks about the text as it is, and a response has no other.
fn binary(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    let may_be_text = match keywords::value(schema, "type") {
        None => true,
        Some(Value::String(name)) => name == "string",
        Some(Value::Array(names)) => names.contains(&json!("string")),
        Some(_) => false,
    };
    let format = keywords::value(schema, "format").and_then(Value::as_str).unwrap_or_default().to_owned();
    let response = !site.direction.narrows();
    if site.exact || !may_be_text || !(format == "byte" || (format == "binary" && !response)) {
        return Ok(());
    }
    schema.shift_remove("format");
    if !keywords::has(schema, "type") && !response {
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
    let text = match keywords::value(schema, "description").and_then(Value::as_str).map(str::trim_end) {
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
    if keywords::value(schema, "items").is_some_and(Value::is_array)
        && let Some(list) = schema.shift_remove("items")
    {
        schema.insert("prefixItems".to_owned(), list);
        if let Some(rest) = additional {
            schema.insert("items".to_owned(), rest);
        }
    }
    let Some(Value::Array(prefix)) = keywords::value(schema, "prefixItems") else { return Ok(()) };
    let length = prefix.len();
    if length == 0 {
        schema.shift_remove("prefixItems");
    } else if keywords::value(schema, "items") == Some(&Value::Bool(false)) {
        schema["items"] = json!({});
        let most = keywords::value(schema, "maxItems").and_then(Value::as_number).and_then(number::count);
        let shorter = most.is_some_and(|most| most < length as u64);
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
                "dependencies",
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
