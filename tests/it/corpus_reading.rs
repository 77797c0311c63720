//! Reads real documents without the product: tolerant, slow, and only as far as counting needs.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde_json::{Map, Value};

/// The methods of a path item in every version.
const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// A document as JSON, if the text is JSON or YAML.
pub(crate) fn parse(text: &str) -> Option<Value> {
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
        return serde_json::from_str(text.trim_start_matches('\u{feff}')).ok();
    }
    serde_yaml::from_str::<Loose>(text).ok().map(|loose| loose.0)
}

/// Any YAML as JSON: of keys that stand twice the last wins, numbers beyond 64 bits become texts,
/// tags are ignored. (`serde_yaml::Value` refuses the first two.)
struct Loose(Value);

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Loose, D::Error> {
        deserializer.deserialize_any(LooseVisitor).map(Loose)
    }
}

/// Builds the value of a [`Loose`].
struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(value.to_string().into())
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(value.to_string().into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Loose(member)) = members.next_element()? {
            array.push(member);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((Loose(key), Loose(value))) = entries.next_entry()? {
            object.insert(key.as_str().map_or_else(|| key.to_string(), str::to_owned), value);
        }
        Ok(object.into())
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Value, A::Error> {
        let (_, content) = tagged.variant::<String>()?;
        content.newtype_variant::<Loose>().map(|loose| loose.0)
    }
}

/// The version of a Swagger 2.0 or OpenAPI 3.0, 3.1 or 3.2 document; `None` for anything else.
pub(crate) fn version(document: &Value) -> Option<String> {
    let version = match document.get("openapi").or_else(|| document.get("swagger"))? {
        Value::String(text) => text.clone(),
        number => number.to_string(),
    };
    ["2.0", "3.0", "3.1", "3.2"].iter().any(|known| version.starts_with(known)).then_some(version)
}

/// How many operations the paths of a document have, through the references of path items; `None`
/// where one of these leads to another file.
pub(crate) fn count_operations(document: &Value) -> Option<usize> {
    let paths = document["paths"].as_object();
    let items = || paths.into_iter().flatten().filter(|(path, _)| !path.starts_with("x-"));
    let elsewhere = |item: &Value| item["$ref"].as_str().is_some_and(|target| !target.starts_with('#'));
    let counted = !items().any(|(_, item)| elsewhere(item));
    counted.then(|| items().map(|(_, item)| methods(document, item, 0).len()).sum())
}

/// The methods of a path item; `depth` is how many references led to it.
fn methods<'v>(document: &'v Value, item: &'v Value, depth: usize) -> BTreeSet<&'v str> {
    let own = item.as_object().into_iter().flatten();
    let mut found: BTreeSet<&str> = own
        .filter(|(key, operation)| METHODS.contains(&key.as_str()) && operation.is_object())
        .map(|(key, _)| key.as_str())
        .collect();
    if version(document).is_some_and(|version| version.starts_with("3.2")) {
        found.extend(item.get("query").map(|_| "query"));
        found.extend(
            item["additionalOperations"].as_object().into_iter().flatten().map(|(key, _)| key.as_str()),
        );
    }
    let target = item["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    if let Some(target) = target.and_then(|pointer| document.pointer(&decode(pointer))).filter(|_| depth < 10)
    {
        found.extend(methods(document, target, depth + 1));
    }
    found
}

/// Percent-decodes the pointer in a reference (RFC 6901, section 6).
fn decode(pointer: &str) -> String {
    percent_encoding::percent_decode_str(pointer).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_other_readers_refuse_is_read() {
        let text = "a: 1\na: !Tag {b: 99999999999999999999999999}\n200: [null, ~, yes, 1.5, 0x10]\n";
        let expected = json!({"a": {"b": "99999999999999999999999999"}, "200": [null, null, "yes", 1.5, 16]});
        assert_eq!(parse(text), Some(expected));
        assert_eq!(parse("\u{feff}{\"a\": 1}"), Some(json!({"a": 1})));
        assert_eq!(parse("{"), None);
        assert_eq!(parse("a: ["), None);
    }

    #[test]
    fn versions_are_told_apart() {
        for (document, expected) in [
            (json!({"openapi": "3.0.3"}), Some("3.0.3")),
            (json!({"openapi": "3.1.1"}), Some("3.1.1")),
            (json!({"openapi": 3.0}), Some("3.0")),
            (json!({"openapi": "3.2.0"}), Some("3.2.0")),
            (json!({"openapi": "4.0.0"}), None),
            (json!({"swagger": "2.0"}), Some("2.0")),
            (json!({"swagger": "1.2"}), None),
            (json!([]), None),
        ] {
            assert_eq!(version(&document).as_deref(), expected);
        }
    }

    #[test]
    fn operations_are_counted_through_references() {
        let document = json!({
            "paths": {
                "/a": {"get": {}, "post": {}, "parameters": [], "summary": "a", "query": {}, "put": null},
                "/b": {"$ref": "#/paths/~1a", "get": {}, "trace": {}},
                "/c": {"$ref": "#/components/pathItems/c%20d"},
                "/loop": {"$ref": "#/paths/~1loop"},
                "x-path": {"get": {}},
            },
            "components": {"pathItems": {"c d": {"delete": {}}}},
            "webhooks": {"w": {"post": {}}},
        });
        assert_eq!(count_operations(&document), Some(2 + 3 + 1));
        assert_eq!(count_operations(&json!({})), Some(0));
        assert_eq!(count_operations(&json!({"paths": {"/a": {"$ref": "a.yaml"}}})), None);
        let later =
            json!({"openapi": "3.2.0", "paths": {"/a": {"query": {}, "additionalOperations": {"COPY": {}}}}});
        assert_eq!(count_operations(&later), Some(2));
    }
}
