//! Random schemas of each dialect, small, and such that most accept something.

use serde_json::{Map, Value, json};

use super::document::{Version, escaped, reference};
use super::tape::Tape;

/// Names of properties, some of which look like keywords.
pub(crate) const NAMES: &[&str] = &[
    "a",
    "b",
    "c",
    "properties",
    "required",
    "$ref",
    "type",
    "items",
    "x-y",
    "é",
    "a b",
    "default",
    "allOf",
    "enum",
    "const",
    "readOnly",
    "additionalProperties",
    "a/b",
];

const STRINGS: &[&str] = &["", "a", "ab", "abc", "b", "xyz", "é", "😀", "null", "1"];
const NUMBERS: &[&str] =
    &["0", "1", "2", "-1", "3", "1.0", "0.5", "1.5", "10", "2.50", "1e1", "18446744073709551616"];
const PATTERNS: &[&str] = &["^a", "b$", "^[a-c]*$", "x|y", "^.{2}$", "\\-", "(?i)a"];

/// Whether a schema's value is that of a component, through which a reference could come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// It is another value.
    None,
    /// It is the value of the component with this number: only references to later ones may stand
    /// here, so that no value is ever asked the same question again.
    Component(usize),
}

/// Builds schemas from choices.
pub(crate) struct Builder<'t, 'c> {
    tape: &'t mut Tape<'c>,
    version: Version,
    components: Vec<String>,
    /// Places inside components that can be referred to anywhere.
    places: Vec<String>,
}

fn number(text: &str) -> Value {
    serde_json::from_str(text).expect("a number")
}

impl<'t, 'c> Builder<'t, 'c> {
    /// For a document with these components.
    pub(crate) fn new(tape: &'t mut Tape<'c>, version: Version, components: &[&str]) -> Self {
        let components = components.iter().map(|&name| name.to_owned()).collect();
        Builder { tape, version, components, places: Vec::new() }
    }

    /// What decides.
    pub(crate) fn tape(&mut self) -> &mut Tape<'c> {
        self.tape
    }

    /// Notes places in the components that refer to nothing: later schemas refer to them.
    pub(crate) fn note_places(&mut self, components: &Map<String, Value>) {
        for (name, component) in components {
            for map in ["properties", "$defs"] {
                for (key, schema) in component[map].as_object().into_iter().flatten() {
                    if !schema.to_string().contains("\"$ref\"") {
                        let component = format!("{}/{}", self.version.components(), escaped(name));
                        self.places.push(format!("{component}/{map}/{}", escaped(key)));
                    }
                }
            }
        }
    }

    /// A schema of at most so many levels.
    pub(crate) fn schema(&mut self, depth: u32, chain: Chain) -> Value {
        if self.version == Version::V31 && self.tape.chance(5) {
            return Value::Bool(self.tape.below(3) > 0);
        }
        let mut schema = Map::new();
        if depth == 0 || self.tape.is_spent() {
            self.scalar(&mut schema);
        } else {
            match self.tape.below(12) {
                0 | 1 => self.scalar(&mut schema),
                2 | 3 => {
                    self.reference(&mut schema, chain);
                    if self.tape.chance(35) {
                        self.part(&mut schema, depth, chain);
                    }
                }
                4..=6 => self.object(&mut schema, depth, chain),
                7 => self.array(&mut schema, depth),
                8 => self.values(&mut schema),
                _ => {
                    for _ in 0..=self.tape.below(3) {
                        self.part(&mut schema, depth, chain);
                    }
                }
            }
        }
        self.notes(&mut schema);
        Value::Object(schema)
    }

    /// A schema as classes are written: an object, or what leads to one.
    pub(crate) fn class(&mut self, depth: u32, chain: Chain) -> Value {
        let mut schema = Map::new();
        match self.tape.below(6) {
            0 | 1 => self.reference(&mut schema, chain),
            2 if depth > 1 => self.combinator(&mut schema, depth, chain),
            _ => self.object(&mut schema, depth.max(1), chain),
        }
        self.notes(&mut schema);
        Value::Object(schema)
    }

    /// A schema as a parameter of Swagger 2.0 has it: fields, no combinators, no references.
    pub(crate) fn simple(&mut self, depth: u32) -> Value {
        let mut schema = Map::new();
        if depth > 0 && self.tape.chance(30) {
            schema.insert("type".to_owned(), json!("array"));
            schema.insert("items".to_owned(), self.simple(depth - 1));
            self.counts(&mut schema, "minItems", "maxItems");
            self.flag(&mut schema, "uniqueItems", 30);
        } else {
            self.scalar(&mut schema);
            schema.entry("type").or_insert(json!("string"));
        }
        Value::Object(schema)
    }

    /// Some keywords about anything.
    fn part(&mut self, schema: &mut Map<String, Value>, depth: u32, chain: Chain) {
        match self.tape.below(9) {
            0 | 1 => self.object(schema, depth, chain),
            2 => self.array(schema, depth),
            3..=5 => self.combinator(schema, depth, chain),
            6 => self.conditional(schema, depth, chain),
            7 => self.scalar(schema),
            _ => self.reference(schema, chain),
        }
    }

    fn reference(&mut self, schema: &mut Map<String, Value>, chain: Chain) {
        let first = if let Chain::Component(at) = chain { at + 1 } else { 0 };
        let components = self.components.len().saturating_sub(first);
        let places = if chain == Chain::None { self.places.len() } else { 0 };
        let at = self.tape.below(components + places);
        let pointer = match (self.components.get(first + at), self.places.get(at.saturating_sub(components)))
        {
            (Some(name), _) => format!("{}/{}", self.version.components(), escaped(name)),
            (None, Some(place)) if places > 0 => place.clone(),
            _ => return,
        };
        schema.insert("$ref".to_owned(), json!(reference(&pointer)));
        if self.version == Version::V30 && self.tape.chance(10) {
            schema.insert("nullable".to_owned(), json!(true));
        }
    }

    fn scalar(&mut self, schema: &mut Map<String, Value>) {
        match self.tape.below(6) {
            0 => return,
            1 | 2 => self.string(schema),
            3 | 4 => self.number(schema),
            _ => {
                self.typed(schema, "boolean");
            }
        }
        if self.tape.chance(10) {
            self.values(schema);
        }
    }

    /// Adds a `type`, in most cases.
    fn typed(&mut self, schema: &mut Map<String, Value>, name: &str) {
        if self.tape.chance(15) || schema.contains_key("type") {
            return;
        }
        let other = ["string", "object", "integer", "array", "null"];
        let value = match self.version {
            Version::V31 if self.tape.chance(20) => {
                let other = self.tape.pick(&other);
                if other == name { json!([name]) } else { json!([name, other]) }
            }
            _ => json!(name),
        };
        schema.insert("type".to_owned(), value);
        let word = if self.version == Version::V2 { "x-nullable" } else { "nullable" };
        if self.tape.chance(if self.version == Version::V31 { 2 } else { 12 }) {
            schema.insert(word.to_owned(), json!(true));
        }
    }

    fn string(&mut self, schema: &mut Map<String, Value>) {
        self.typed(schema, "string");
        if self.tape.chance(30) {
            self.counts(schema, "minLength", "maxLength");
        }
        if self.tape.chance(25) {
            schema.insert("pattern".to_owned(), json!(self.tape.pick(PATTERNS)));
        }
        if self.tape.chance(15) {
            schema.insert("format".to_owned(), json!(self.tape.pick(&["date", "uuid", "byte", "binary"])));
        }
        if self.version == Version::V31 && self.tape.chance(8) {
            schema.insert("contentMediaType".to_owned(), json!("application/json"));
            schema.insert("contentSchema".to_owned(), json!({"required": ["a"]}));
        }
    }

    fn number(&mut self, schema: &mut Map<String, Value>) {
        let name = self.tape.pick(&["integer", "number"]);
        self.typed(schema, name);
        for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
            if !self.tape.chance(25) {
                continue;
            }
            let value = number(self.tape.pick(NUMBERS));
            if self.version == Version::V31 {
                schema.insert(if self.tape.chance(40) { exclusive } else { bound }.to_owned(), value);
            } else {
                schema.insert(bound.to_owned(), value);
                self.flag(schema, exclusive, 40);
            }
        }
        if self.tape.chance(15) {
            schema.insert("multipleOf".to_owned(), number(self.tape.pick(&["1", "2", "0.5", "1.0", "3"])));
        }
    }

    /// `enum` or `const`.
    fn values(&mut self, schema: &mut Map<String, Value>) {
        if schema.contains_key("enum") || schema.contains_key("const") {
            return;
        }
        if self.version == Version::V31 && self.tape.chance(40) {
            let value = self.data(2);
            schema.insert("const".to_owned(), value);
            return;
        }
        let nullable = schema.contains_key("nullable") || schema.contains_key("x-nullable");
        let least = usize::from(nullable || !self.tape.chance(5));
        let count = least + if least == 0 { 0 } else { self.tape.below(3) };
        let values: Vec<Value> = (0..count).map(|_| self.data(1)).collect();
        schema.insert("enum".to_owned(), json!(values));
    }

    fn object(&mut self, schema: &mut Map<String, Value>, depth: u32, chain: Chain) {
        if !self.tape.chance(25) {
            self.typed(schema, "object");
        }
        if !self.tape.chance(20) && !schema.contains_key("properties") {
            let mut properties = Map::new();
            for _ in 0..=self.tape.below(3) {
                let name = self.name();
                let mut property = self.schema(depth.saturating_sub(1), Chain::None);
                if let Some(property) = property.as_object_mut() {
                    self.flag(property, "readOnly", 8);
                }
                properties.insert(name, property);
            }
            schema.insert("properties".to_owned(), Value::Object(properties));
        }
        if self.tape.chance(45) {
            let names = self.required(schema);
            if !names.is_empty() {
                schema.insert("required".to_owned(), json!(names));
            }
        }
        if self.tape.chance(40) && !schema.contains_key("additionalProperties") {
            let value = match self.tape.below(6) {
                0..=2 => json!(false),
                3 => json!(true),
                4 => json!({}),
                _ => self.schema(depth.saturating_sub(1), Chain::None),
            };
            schema.insert("additionalProperties".to_owned(), value);
        }
        if self.tape.chance(10) {
            self.counts(schema, "minProperties", "maxProperties");
        }
        if self.version == Version::V31 && self.tape.chance(30) {
            self.newer_object(schema, depth, chain);
        }
    }

    fn required(&mut self, schema: &Map<String, Value>) -> Vec<String> {
        let known: Vec<String> = schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|map| map.keys().cloned())
            .collect();
        let mut names = Vec::new();
        for name in known {
            if self.tape.chance(40) {
                names.push(name);
            }
        }
        if self.tape.chance(25) {
            let other = self.name();
            if !names.contains(&other) {
                names.push(other);
            }
        }
        names
    }

    fn newer_object(&mut self, schema: &mut Map<String, Value>, depth: u32, chain: Chain) {
        let below = depth.saturating_sub(1);
        match self.tape.below(6) {
            0 => {
                let pattern = self.tape.pick(&PATTERNS[..5]).to_owned();
                let value = self.schema(below, Chain::None);
                schema.insert("patternProperties".to_owned(), json!({pattern: value}));
            }
            1 => {
                let names = self.schema(1.min(below), Chain::None);
                schema.insert("propertyNames".to_owned(), names);
            }
            2 => {
                let (name, other) = (self.name(), self.name());
                schema.insert("dependentRequired".to_owned(), json!({name: [other]}));
            }
            3 => {
                let name = self.name();
                let value = self.schema(below, chain);
                schema.insert("dependentSchemas".to_owned(), json!({name: value}));
            }
            4 => {
                let inner = self.schema(below, Chain::None);
                schema.insert("$defs".to_owned(), json!({"inner": inner}));
            }
            _ => {
                let value = if self.tape.chance(50) { self.schema(below, Chain::None) } else { json!(false) };
                schema.insert("unevaluatedProperties".to_owned(), value);
            }
        }
    }

    fn array(&mut self, schema: &mut Map<String, Value>, depth: u32) {
        let below = depth.saturating_sub(1);
        self.typed(schema, "array");
        if !self.tape.chance(30) {
            schema.insert("items".to_owned(), self.schema(below, Chain::None));
        }
        if self.tape.chance(20) {
            self.counts(schema, "minItems", "maxItems");
        }
        self.flag(schema, "uniqueItems", 15);
        if self.version != Version::V31 {
            return;
        }
        if self.tape.chance(25) {
            let prefix: Vec<Value> =
                (0..=self.tape.below(3)).map(|_| self.schema(below, Chain::None)).collect();
            schema.insert("prefixItems".to_owned(), json!(prefix));
            if self.tape.chance(40) {
                schema.insert("items".to_owned(), json!(false));
            }
        }
        if self.tape.chance(20) {
            schema.insert("contains".to_owned(), self.schema(below, Chain::None));
            if self.tape.chance(50) {
                self.counts(schema, "minContains", "maxContains");
            }
        }
        if self.tape.chance(20) {
            let value = if self.tape.chance(40) { self.schema(below, Chain::None) } else { json!(false) };
            schema.insert("unevaluatedItems".to_owned(), value);
        }
    }

    fn combinator(&mut self, schema: &mut Map<String, Value>, depth: u32, chain: Chain) {
        let name = match self.version {
            Version::V2 => "allOf",
            _ => self.tape.pick(&["allOf", "anyOf", "allOf", "oneOf", "not"]),
        };
        if schema.contains_key(name) {
            return;
        }
        let below = depth.saturating_sub(1);
        let value = if name == "not" {
            self.schema(below, chain)
        } else {
            let nullable = schema.contains_key("nullable") || schema.contains_key("x-nullable");
            let empty = !nullable && self.tape.chance(3);
            let count = if empty { 0 } else { 1 + self.tape.below(3) };
            let classes = name == "allOf" && self.tape.chance(60);
            let member = |_| if classes { self.class(below, chain) } else { self.schema(below, chain) };
            (0..count).map(member).collect()
        };
        let empty = value.as_array().is_some_and(Vec::is_empty);
        schema.insert(name.to_owned(), value);
        let word = if self.version == Version::V2 { "x-nullable" } else { "nullable" };
        if !empty && self.tape.chance(if self.version == Version::V31 { 2 } else { 8 }) {
            schema.insert(word.to_owned(), json!(true));
        }
    }

    fn conditional(&mut self, schema: &mut Map<String, Value>, depth: u32, chain: Chain) {
        if self.version != Version::V31 {
            return self.combinator(schema, depth, chain);
        }
        let below = depth.saturating_sub(1);
        for (name, percent) in [("if", 95), ("then", 70), ("else", 50)] {
            if self.tape.chance(percent) {
                schema.insert(name.to_owned(), self.schema(below, chain));
            }
        }
        if self.tape.chance(25) {
            let keyword = self.tape.pick(&["unevaluatedProperties", "unevaluatedItems"]);
            schema.insert(keyword.to_owned(), json!(false));
        }
    }

    fn counts(&mut self, schema: &mut Map<String, Value>, least: &str, most: &str) {
        if self.tape.chance(60) {
            schema.insert(least.to_owned(), number(self.tape.pick(&["0", "1", "2", "1.0"])));
        }
        if self.tape.chance(60) {
            schema.insert(most.to_owned(), number(self.tape.pick(&["2", "3", "1", "0", "2.0"])));
        }
    }

    fn flag(&mut self, schema: &mut Map<String, Value>, name: &str, percent: usize) {
        if self.tape.chance(percent) {
            schema.insert(name.to_owned(), json!(true));
        }
    }

    /// A property's name.
    fn name(&mut self) -> String {
        // The first few are common, so that schemas speak of the same properties.
        let count = if self.tape.chance(40) { NAMES.len() } else { 3 };
        NAMES[self.tape.below(count)].to_owned()
    }

    /// What says nothing of which values are valid.
    fn notes(&mut self, schema: &mut Map<String, Value>) {
        if !self.tape.chance(25) {
            return;
        }
        let (name, value) = match self.tape.below(11) {
            0 => ("description", json!("A description.")),
            1 => ("title", json!("A")),
            2 => ("default", self.data(1)),
            3 if self.version == Version::V31 => ("examples", json!([self.data(1), self.data(1)])),
            3 | 4 => ("example", self.data(2)),
            5 => ("x-note", self.data(2)),
            6 => ("externalDocs", json!({"url": "https://example.com", "$ref": "#/components/schemas/Pet"})),
            7 => ("xml", json!({"name": "required"})),
            8 if self.version == Version::V30 => ("discriminator", json!({"propertyName": "type"})),
            8 if self.version == Version::V2 => ("discriminator", json!("a")),
            8 => ("readOnly", json!(true)),
            9 if self.version == Version::V31 => ("deprecated", json!(true)),
            9 => ("title", json!("required")),
            _ if self.version == Version::V31 => ("unknown", self.data(2)),
            _ => ("writeOnly", json!(true)),
        };
        schema.insert(name.to_owned(), value);
    }

    /// Data, some of which looks like a schema or a reference.
    pub(crate) fn data(&mut self, depth: u32) -> Value {
        match self.tape.below(if depth == 0 { 5 } else { 9 }) {
            0 => json!(self.tape.pick(STRINGS)),
            1 | 2 => number(self.tape.pick(NUMBERS)),
            3 => json!(self.tape.chance(50)),
            4 => Value::Null,
            5 => json!([self.data(depth - 1)]),
            6 => {
                let name = self.name();
                json!({name: self.data(depth - 1)})
            }
            7 => {
                let at = self.tape.below(self.components.len());
                let component = self.components.get(at).map_or("Pet", String::as_str);
                json!({"$ref": reference(&format!("{}/{}", self.version.components(), escaped(component)))})
            }
            _ => json!({"type": "object", "required": ["a"]}),
        }
    }
}
