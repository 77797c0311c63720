//! Random values, most of them near what a schema names: its properties, its values, its bounds.

use serde_json::{Map, Number, Value, json};

use super::schemas::NAMES;
use super::tape::Tape;

/// Values to ask the schema at a place about.
pub(crate) fn instances(document: &Value, schema: &Value, choices: &[u16], count: usize) -> Vec<Value> {
    let mut tape = Tape::new(choices);
    let mut values = vec![json!({}), Value::Null];
    let mut builder = Near { document, tape: &mut tape };
    while values.len() < count {
        let value = builder.near(schema, 4);
        if !values.contains(&value) || builder.tape.is_spent() {
            values.push(value);
        }
    }
    values
}

struct Near<'d, 't, 'c> {
    document: &'d Value,
    tape: &'t mut Tape<'c>,
}

impl<'d> Near<'d, '_, '_> {
    /// All schema objects that speak of the same value.
    fn same(&self, schema: &'d Value, found: &mut Vec<&'d Map<String, Value>>) {
        let Some(object) = schema.as_object().filter(|_| found.len() < 20) else { return };
        if found.iter().any(|known| std::ptr::eq(*known, object)) {
            return;
        }
        found.push(object);
        if let Some(target) = object.get("$ref").and_then(Value::as_str) {
            let pointer = super::evaluate::decoded(target.trim_start_matches('#'));
            self.document.pointer(&pointer).into_iter().for_each(|target| self.same(target, found));
        }
        for name in ["allOf", "anyOf", "oneOf"] {
            let list = object.get(name).and_then(Value::as_array);
            list.into_iter().flatten().for_each(|member| self.same(member, found));
        }
        for name in ["not", "if", "then", "else"] {
            object.get(name).into_iter().for_each(|schema| self.same(schema, found));
        }
        let dependents = object.get("dependentSchemas").and_then(Value::as_object);
        dependents.into_iter().flatten().for_each(|(_, schema)| self.same(schema, found));
    }

    fn near(&mut self, schema: &'d Value, depth: u32) -> Value {
        if depth == 0 || self.tape.chance(10) {
            return self.other();
        }
        let mut same = Vec::new();
        self.same(schema, &mut same);
        if same.is_empty() {
            return self.other();
        }
        let values: Vec<&Value> = same
            .iter()
            .flat_map(|object| {
                object.get("enum").and_then(Value::as_array).into_iter().flatten().chain(object.get("const"))
            })
            .collect();
        if !values.is_empty() && self.tape.chance(60) {
            return values[self.tape.below(values.len())].clone();
        }
        let mut kinds: Vec<&str> = Vec::new();
        for object in &same {
            for (keyword, kind) in [
                ("properties", "object"),
                ("required", "object"),
                ("additionalProperties", "object"),
                ("items", "array"),
                ("prefixItems", "array"),
                ("contains", "array"),
                ("unevaluatedItems", "array"),
                ("minimum", "number"),
                ("maximum", "number"),
                ("pattern", "string"),
                ("minLength", "string"),
            ] {
                if object.contains_key(keyword) {
                    kinds.push(kind);
                }
            }
            match object.get("type") {
                Some(Value::String(name)) => kinds.extend([name.as_str(); 2]),
                Some(Value::Array(names)) => kinds.extend(names.iter().filter_map(Value::as_str)),
                _ => {}
            }
        }
        if kinds.is_empty() {
            return self.other();
        }
        match kinds[self.tape.below(kinds.len())] {
            "object" => self.object(&same, depth),
            "array" => self.array(&same, depth),
            "string" => json!(self.tape.pick(&["", "a", "ab", "abc", "b", "xyz", "é", "😀b", "-"])),
            "integer" | "number" => self.number(&same),
            "boolean" => json!(self.tape.chance(50)),
            _ => Value::Null,
        }
    }

    fn number(&mut self, same: &[&'d Map<String, Value>]) -> Value {
        let bounds: Vec<&Number> = same
            .iter()
            .flat_map(|object| {
                ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
                    .into_iter()
                    .filter_map(|name| object.get(name)?.as_number())
            })
            .collect();
        if let Some(bound) = bounds.get(self.tape.below(bounds.len() + 1)) {
            let near = bound.as_i64().map(|bound| [json!(bound), json!(bound - 1), json!(bound + 1)]);
            return near.map_or(Value::Number((*bound).clone()), |near| near[self.tape.below(3)].clone());
        }
        let texts = ["0", "1", "2", "-1", "1.0", "0.5", "3", "2.50", "1e1", "6"];
        serde_json::from_str(self.tape.pick(&texts)).expect("a number")
    }

    fn object(&mut self, same: &[&'d Map<String, Value>], depth: u32) -> Value {
        let mut map = Map::new();
        for object in same {
            let properties = object.get("properties").and_then(Value::as_object);
            for (name, schema) in properties.into_iter().flatten() {
                if !map.contains_key(name) && self.tape.chance(60) {
                    let value = self.near(schema, depth - 1);
                    map.insert(name.clone(), value);
                }
            }
            let required = object.get("required").and_then(Value::as_array);
            for name in required.into_iter().flatten().filter_map(Value::as_str) {
                if !map.contains_key(name) && self.tape.chance(85) {
                    let value =
                        self.near(object.get("additionalProperties").unwrap_or(&Value::Null), depth - 1);
                    map.insert(name.to_owned(), value);
                }
            }
        }
        let rest = same.iter().flat_map(|object| {
            let patterns = object.get("patternProperties").and_then(Value::as_object);
            ["additionalProperties", "unevaluatedProperties"]
                .into_iter()
                .filter_map(|name| object.get(name))
                .chain(patterns.into_iter().flatten().map(|(_, schema)| schema))
        });
        let rest: Vec<&Value> = rest.collect();
        if self.tape.chance(25) {
            let name = NAMES[self.tape.below(NAMES.len())].to_owned();
            let value = match rest.get(self.tape.below(rest.len())) {
                Some(schema) => self.near(schema, depth - 1),
                None => self.other(),
            };
            map.insert(name, value);
        }
        Value::Object(map)
    }

    fn array(&mut self, same: &[&'d Map<String, Value>], depth: u32) -> Value {
        let mut items = Vec::new();
        let below: Vec<&Value> = same
            .iter()
            .flat_map(|object| {
                let prefix = object.get("prefixItems").and_then(Value::as_array);
                prefix.into_iter().flatten().chain(
                    ["items", "contains", "unevaluatedItems"].into_iter().filter_map(|name| object.get(name)),
                )
            })
            .collect();
        for at in 0..self.tape.below(4) {
            let item = match below.get(if self.tape.chance(50) { at } else { self.tape.below(below.len()) }) {
                Some(schema) => self.near(schema, depth - 1),
                None => self.other(),
            };
            items.push(item);
        }
        Value::Array(items)
    }

    /// A value that has nothing to do with the schema.
    fn other(&mut self) -> Value {
        let values = [
            json!(1),
            json!("a"),
            json!({}),
            json!([]),
            Value::Null,
            json!(true),
            json!(0.5),
            json!(""),
            json!({"a": 1}),
            json!([1]),
            json!({"b": "b"}),
            json!(["a", {}]),
        ];
        values[self.tape.below(values.len())].clone()
    }
}
