//! Holds the table to the published meta-schemas: what they say is read from them, by one algorithm
//! for all drafts, and compared in both directions.

use std::collections::{BTreeMap, BTreeSet};

use referencing::{Resolver, SPECIFICATIONS, uri};
use serde_json::{Map, Value, json};

use super::*;

/// The meta-schemas of all drafts, oldest first. What their `allOf` refers to (the vocabularies,
/// since 2019-09) belongs to them.
const DRAFTS: [&str; 5] = [
    "http://json-schema.org/draft-04/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

/// The rows that no draft of JSON Schema knows, and where OpenAPI has them.
const OPENAPI: [(&str, Holds, Form); 6] = [
    // 3.0.4, section 4.7.25: `mapping` names schemas. In 2.0 it is the name of a property.
    ("discriminator", Mapping, Any),
    // 3.0.4, section 4.7.24, Fixed Fields: one example, any value.
    ("example", Holds::Data, Any),
    // 3.0.4, section 4.7.24, Fixed Fields: where documentation is.
    ("externalDocs", Holds::Data, Any),
    // 3.0.4, section 4.7.24, Fixed Fields. Its form is the dialect's to judge: what is not `true` says nothing.
    ("nullable", Holds::Data, Any),
    // No version: the extension with which 2.0 documents say `nullable`.
    ("x-nullable", Holds::Data, Flag),
    // 3.0.4, section 4.7.26: how XML looks.
    ("xml", Holds::Data, Any),
];

/// What a meta-schema lets a value be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Schema,
    Schemas,
    Map(BTreeSet<Part>),
    Reference,
    Number,
    Count,
    Text,
    Flag,
    Names,
    List,
    /// Anything at all.
    Anything,
    /// Something that has no form of its own in the table.
    Other,
}

/// What the drafts say of a keyword.
#[derive(Debug, Default)]
struct Facts {
    /// In any draft.
    ever: BTreeSet<Part>,
    /// In the newest draft that knows it.
    newest: BTreeSet<Part>,
    /// The last vocabulary that has it.
    vocabulary: Option<&'static str>,
}

/// A place in a meta-schema.
#[derive(Clone)]
struct Place {
    value: &'static Value,
    resolver: Resolver<'static>,
}

impl Place {
    fn of(address: &str) -> Place {
        let base = uri::from_str(address).unwrap();
        Place { value: &Value::Null, resolver: SPECIFICATIONS.resolver(base) }.follow("#")
    }

    fn follow(&self, reference: &str) -> Place {
        let (value, resolver, _) = self.resolver.lookup(reference).unwrap().into_inner();
        Place { value, resolver }
    }

    fn at(&self, value: &'static Value) -> Place {
        Place { value, resolver: self.resolver.clone() }
    }

    fn get(&self, name: &str) -> Option<Place> {
        self.value.get(name).map(|value| self.at(value))
    }

    /// What its reference leads to and the members of its `allOf`.
    fn beside(&self) -> Vec<Place> {
        let references = ["$ref", "$recursiveRef", "$dynamicRef"]
            .into_iter()
            .filter_map(|name| self.value.get(name)?.as_str());
        let members = self.value.get("allOf").and_then(Value::as_array).into_iter().flatten();
        references
            .map(|reference| self.follow(reference))
            .chain(members.map(|member| self.at(member)))
            .collect()
    }

    /// The value of a keyword here, or in what holds beside it.
    fn says(&self, name: &str) -> Option<Place> {
        self.get(name).or_else(|| self.beside().iter().find_map(|place| place.says(name)))
    }

    fn says_text(&self, name: &str) -> Option<&'static str> {
        self.says(name).and_then(|place| place.value.as_str())
    }

    /// Whether it is a whole meta-schema: what leads there is a schema.
    fn is_whole(&self) -> bool {
        self.value.get("$schema").is_some() || self.beside().iter().any(Place::is_whole)
    }

    fn parts(&self) -> BTreeSet<Part> {
        match self.says("anyOf").map(|branches| (branches.value.as_array(), branches)) {
            Some((Some(list), branches)) => {
                list.iter().flat_map(|branch| branches.at(branch).parts()).collect()
            }
            _ => BTreeSet::from([self.part()]),
        }
    }

    fn part(&self) -> Part {
        let anything = self.value == &Value::Bool(true) || self.value == &json!({});
        match self.says_text("type") {
            _ if anything => Part::Anything,
            _ if self.is_whole() => Part::Schema,
            Some("array") => self.list(),
            Some("object") => {
                self.says("additionalProperties").map_or(Part::Other, |values| Part::Map(values.parts()))
            }
            Some("string")
                if self.says_text("format") == Some("uri-reference") && self.may_have_fragment() =>
            {
                Part::Reference
            }
            Some("string") => Part::Text,
            Some("boolean") => Part::Flag,
            Some("number") => Part::Number,
            Some("integer") if self.says("minimum").is_some_and(|least| least.value == &json!(0)) => {
                Part::Count
            }
            _ => Part::Other,
        }
    }

    fn list(&self) -> Part {
        let distinct = self.says("uniqueItems").is_some_and(|unique| unique.value == &Value::Bool(true));
        let items = self.says("items").map(|items| items.parts()).unwrap_or_default();
        match items.first() {
            Some(Part::Schema) => Part::Schemas,
            Some(Part::Text) if distinct => Part::Names,
            _ => Part::List,
        }
    }

    /// A reference may have a fragment. An identifier may not, and says so since 2019-09.
    fn may_have_fragment(&self) -> bool {
        self.says_text("pattern")
            .is_none_or(|pattern| regress::Regex::new(pattern).unwrap().find("a#/b").is_some())
    }
}

/// Adds the keywords of a meta-schema, and of what its `allOf` refers to.
fn read(meta_schema: &Place, draft: &mut BTreeMap<&'static str, (BTreeSet<Part>, Option<&'static str>)>) {
    meta_schema.beside().iter().for_each(|vocabulary| read(vocabulary, draft));
    let address = meta_schema.says_text("$id").unwrap_or_default();
    let vocabulary = address.rsplit_once("/meta/").map(|(_, name)| name);
    for (name, value) in meta_schema.value.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        draft.insert(name, (meta_schema.at(value).parts(), vocabulary));
    }
}

fn published() -> BTreeMap<&'static str, Facts> {
    let mut all: BTreeMap<_, Facts> = BTreeMap::new();
    for address in DRAFTS {
        let mut draft = BTreeMap::new();
        read(&Place::of(address), &mut draft);
        for (name, (parts, vocabulary)) in draft {
            let facts = all.entry(name).or_default();
            facts.ever.extend(parts.iter().cloned());
            facts.newest = parts;
            facts.vocabulary = vocabulary.or(facts.vocabulary);
        }
    }
    all
}

fn holds(name: &str, parts: &BTreeSet<Part>) -> Holds {
    let map = |values: &[Part]| Part::Map(values.iter().cloned().collect());
    let parts: Vec<Part> = parts.iter().cloned().collect();
    match parts.as_slice() {
        // Booleans were no schemas before draft 6, and named beside them.
        [Part::Schema] | [Part::Schema, Part::Flag] => Schema,
        [Part::Schemas] => Schemas,
        [Part::Schema, Part::Schemas] => SchemaOrSchemas,
        [part] if *part == map(&[Part::Schema]) => MapOf,
        [part] if *part == map(&[Part::Schema, Part::Names]) => MapOrNames,
        // Said to be text in a newer draft, it is an identifier.
        [Part::Reference] => Reference,
        parts => {
            let data = |part: &Part| {
                !matches!(part, Part::Schema | Part::Schemas) && !format!("{part:?}").contains("Schema")
            };
            assert!(
                parts.iter().all(data),
                "{name} holds schemas in a way that the table has no word for: {parts:?}"
            );
            Holds::Data
        }
    }
}

fn form(parts: &BTreeSet<Part>) -> Form {
    let parts: Vec<Part> = parts.iter().cloned().collect();
    match parts.as_slice() {
        [Part::Number] => Number,
        [Part::Count] => Count,
        [Part::Text] => Text,
        [Part::Flag] => Flag,
        [Part::Names] => Names,
        [Part::List] => List,
        [Part::Map(values)] if *values == BTreeSet::from([Part::Names]) => NamesByName,
        _ => Any,
    }
}

fn is_openapi(name: &str) -> bool {
    OPENAPI.iter().any(|(known, ..)| *known == name)
}

#[test]
fn rows_are_sorted_and_unique() {
    assert!(KEYWORDS.is_sorted_by(|a, b| a.name < b.name));
    for row in KEYWORDS {
        assert_eq!(keyword(row.name).map(|found| found.name), Some(row.name));
    }
    assert!(keyword("x-type").is_none() && keyword("Type").is_none() && keyword("").is_none());
}

#[test]
fn the_table_says_what_the_meta_schemas_say() {
    let said: BTreeMap<&str, Holds> =
        published().iter().map(|(name, facts)| (*name, holds(name, &facts.ever))).collect();
    let rows = KEYWORDS.iter().filter(|row| !is_openapi(row.name));
    let table: BTreeMap<&str, Holds> = rows.map(|row| (row.name, row.holds)).collect();
    assert_eq!(table, said);
}

#[test]
fn what_only_openapi_knows_is_named_here() {
    let published = published();
    for (name, holds, form) in OPENAPI {
        let row = keyword(name).unwrap();
        assert_eq!((row.holds, row.form, row.class), (holds, form, OpenApi), "{name}");
        assert!(!published.contains_key(name), "{name}");
    }
    assert!(KEYWORDS.iter().all(|row| row.class != OpenApi || is_openapi(row.name)));
}

/// The newest draft that knows a keyword decides: booleans in `exclusiveMinimum` are draft 4's and
/// converted. An identity is never emitted, so nothing holds it to a form.
#[test]
fn forms_are_those_of_the_newest_draft() {
    for (name, facts) in published() {
        let row = keyword(name).unwrap();
        let free = row.class == Identity || row.holds != Holds::Data;
        assert_eq!(row.form, if free { Any } else { form(&facts.newest) }, "{name}");
    }
}

/// The vocabularies group keywords by what they do.
#[test]
fn classes_are_those_of_the_vocabularies() {
    for (name, facts) in published() {
        let row = keyword(name).unwrap();
        let expected = match facts.vocabulary {
            Some("applicator" | "unevaluated" | "validation") => Assertion,
            Some("meta-data" | "content" | "format" | "format-annotation") => Annotation,
            Some("core") if name == "$comment" => Annotation,
            Some("core") if row.holds == Reference => Assertion,
            Some("core") => Identity,
            // Never in a vocabulary: older than they are.
            None if name == "dependencies" => Assertion,
            None if ["definitions", "id"].contains(&name) => Identity,
            other => panic!("{name} is of an unknown vocabulary: {other:?}"),
        };
        assert_eq!(row.class, expected, "{name}");
    }
}

#[test]
fn null_means_null_where_anything_is_allowed() {
    let published = published();
    for row in KEYWORDS {
        let anything =
            published.get(row.name).is_some_and(|facts| facts.newest == BTreeSet::from([Part::Anything]));
        assert_eq!(takes_null(row.name), anything || row.name == "example", "{}", row.name);
    }
    assert!(takes_null("unknown") && takes_null("x-null"));
}

/// A value for a keyword, and the schemas in it, which are told apart by `title`.
fn sample(row: &Keyword) -> Vec<(Value, usize)> {
    let schema = json!({"title": row.name});
    let map = json!({"type": schema, "$ref": schema, "properties": schema});
    let list = json!([schema, schema]);
    match row.holds {
        Schema => vec![(schema, 1), (json!(true), 1)],
        Schemas => vec![(list, 2), (schema, 0)],
        SchemaOrSchemas => vec![(list, 2), (schema, 1)],
        MapOf => vec![(map, 3), (list, 0)],
        MapOrNames => vec![(map, 3), (json!({"a": ["b"], "required": schema}), 1)],
        Reference | Mapping | Holds::Data => vec![(schema, 0), (list, 0), (map, 0)],
    }
}

#[test]
fn walks_enter_what_the_table_says_and_nothing_else() {
    for row in KEYWORDS {
        for (value, children) in sample(row) {
            let mut schema = Map::from_iter([(row.name.to_owned(), value.clone())]);
            let mut seen = 0;
            for_each_child(&schema, &mut |child, found| {
                assert_eq!(found.name, row.name);
                assert!(child.is_boolean() || child["title"] == row.name);
                seen += 1;
            });
            let mut seen_mut = 0;
            for_each_child_mut(&mut schema, &mut |_, _, key| {
                assert_eq!(key.is_some(), matches!(row.holds, MapOf | MapOrNames));
                seen_mut += 1;
            });
            assert_eq!((seen, seen_mut), (children, children), "{}: {value}", row.name);
        }
    }
}
