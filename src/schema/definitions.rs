//! The definitions that references lead to: named by their place, converted once, closed over.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;

use elsa::FrozenVec;
use serde_json::{Map, Value, json};

use super::convert::{self, Spot};
use super::discriminator;
use super::keywords::{self, Holds, Role};
use super::names::Components;
use super::rules::{boolean_argument, means_object};
use super::{Dialect, Direction, Schema, Shape, anchor, look};
use crate::diagnostic::{Code, Diagnostic};
use crate::input::{Node, Place};

/// What a definition is cached by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    place: Place,
    dialect: Dialect,
    direction: Direction,
    variant: Variant,
}

/// Which of the definitions of one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variant {
    /// The schema itself.
    Plain,
    /// The schema itself, or any subtype that its `discriminator` maps.
    AnySubtype,
    /// The schema itself without its union: what its subclasses have in common.
    Base,
    /// The schema itself without the rules that narrow: for `not`, `if` and `contains`.
    Exact,
}

impl Variant {
    fn suffix(self) -> &'static str {
        match self {
            Variant::Plain => "",
            Variant::AnySubtype => "any",
            Variant::Base => "base",
            Variant::Exact => "exact",
        }
    }
}

/// A definition: its name is known at once, its schema when it is first needed.
pub(crate) struct Definition<'i> {
    name: String,
    order: (bool, u32, u32, &'static str),
    index: usize,
    schema: Schema<'i>,
    variant: Variant,
    body: OnceCell<Result<Converted, Diagnostic>>,
    single_type: OnceCell<Option<&'static str>>,
}

/// A finished schema, and the definitions that it uses.
#[derive(Debug)]
struct Converted {
    value: Value,
    uses: Vec<usize>,
    /// Definitions that data seems to name: kept if they can be.
    mentions: Vec<usize>,
}

impl Definition<'_> {
    /// Its key in `$defs`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A number below the count of definitions, its own in this run.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Its schema, finished.
    pub(crate) fn value(&self) -> &Value {
        match self.body.get() {
            Some(Ok(converted)) => &converted.value,
            // Only what `Definitions::close` has converted leaves this module.
            _ => &Value::Null,
        }
    }
}

/// An argument, its schema still a place in the document.
#[derive(Clone, Debug)]
pub(crate) struct Field<'i> {
    /// The argument's name.
    pub(crate) name: String,
    /// Its schema.
    pub(crate) shape: Shape<'i>,
    /// What is said of it where it is used, which wins over what its schema says.
    pub(crate) overlay: Overlay,
}

/// What a use says beside a schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    /// The description.
    pub(crate) description: Option<String>,
    /// Examples.
    pub(crate) examples: Vec<Value>,
    /// Whether the use is deprecated.
    pub(crate) deprecated: bool,
}

/// Finished schemas with all the definitions that they reach, in the order of the document.
pub(crate) struct Closed<'d, 'i> {
    /// Name and schema of each field, in the order in which they were given.
    pub(crate) fields: Vec<(String, Value)>,
    /// What the fields reach: no more and no less.
    pub(crate) definitions: Vec<&'d Definition<'i>>,
}

/// All definitions of a run.
pub(crate) struct Definitions<'i> {
    pub(super) components: Components<'i>,
    pub(super) direction: Direction,
    pub(super) max_subtypes: usize,
    /// The first document's.
    dialect: Dialect,
    /// For places asked about: whether references to them list their subtypes.
    pub(super) expanded: RefCell<HashMap<Place, bool>>,
    list: FrozenVec<Box<Definition<'i>>>,
    by_key: RefCell<HashMap<Key, usize>>,
    by_name: RefCell<HashMap<String, usize>>,
    reports: RefCell<Vec<Diagnostic>>,
    /// For each definition, the last search that reached it.
    visited: RefCell<(u32, Vec<u32>)>,
    /// How many schemas the current definition or argument has copied from elsewhere.
    copies: Cell<u32>,
}

impl<'i> Definitions<'i> {
    /// Definitions over the component schemas `components`, in the order of the document.
    /// `max_subtypes` is the size up to which a discriminator's mapping is written out.
    pub(crate) fn new(components: &[(&'i str, Node<'i>)], dialect: Dialect, max_subtypes: usize) -> Self {
        Definitions {
            components: Components::new(components, dialect),
            direction: Direction::Input,
            max_subtypes,
            dialect,
            expanded: RefCell::default(),
            list: FrozenVec::new(),
            by_key: RefCell::default(),
            by_name: RefCell::default(),
            reports: RefCell::default(),
            visited: RefCell::default(),
            copies: Cell::default(),
        }
    }

    /// Adds a diagnostic.
    pub(crate) fn report(&self, diagnostic: Diagnostic) {
        self.reports.borrow_mut().push(diagnostic);
    }

    /// Takes the diagnostics so far.
    pub(crate) fn take_reports(&self) -> Vec<Diagnostic> {
        self.reports.take()
    }

    /// The definition of a place, made if it is new, not converted.
    pub(super) fn definition(&self, schema: Schema<'i>, variant: Variant) -> &Definition<'i> {
        let key =
            Key { place: schema.node.place(), dialect: schema.dialect, direction: self.direction, variant };
        let known = self.by_key.borrow().get(&key).copied();
        let index = known.unwrap_or_else(|| {
            let (name, (hoisted, major, minor)) = self.components.name(schema.node, variant.suffix());
            let index = self.list.len();
            self.by_key.borrow_mut().insert(key, index);
            self.by_name.borrow_mut().insert(name.clone(), index);
            self.list.push(Box::new(Definition {
                name,
                order: (hoisted, major, minor, variant.suffix()),
                index,
                schema,
                variant,
                body: OnceCell::new(),
                single_type: OnceCell::new(),
            }));
            index
        });
        &self.list[index]
    }

    /// The one type of the values of the definition that `reference` (`#/$defs/NAME`) names.
    pub(super) fn type_of(&self, reference: &str) -> Option<&'static str> {
        let definition = self.by_reference(reference)?;
        *definition.single_type.get_or_init(|| {
            look::single_type(definition.schema).or_else(|| {
                // The rule `object-type` says so of a definition's root.
                let node = definition.schema.node;
                let says = definition.variant != Variant::Exact && node.get("nullable").is_none();
                (says && means_object(&|name| node.get(name).is_some())).then_some("object")
            })
        })
    }

    fn by_reference(&self, reference: &str) -> Option<&Definition<'i>> {
        let index = *self.by_name.borrow().get(reference.strip_prefix("#/$defs/")?)?;
        self.list.get(index)
    }

    fn converted<'d>(&'d self, definition: &'d Definition<'i>) -> Result<&'d Converted, Diagnostic> {
        let body = definition.body.get_or_init(|| {
            self.copies.set(0);
            let spot = Spot {
                key: Some(&definition.name),
                exact: definition.variant == Variant::Exact,
                without_union: definition.variant == Variant::Base,
                origin: Some(definition.schema.node.place()),
                ..Spot::default()
            };
            let value = match definition.variant {
                Variant::AnySubtype => Ok(discriminator::any_subtype(self, definition.schema, spot)),
                Variant::Plain | Variant::Base | Variant::Exact => {
                    convert::schema(self, definition.schema, spot)
                }
            }?;
            let (uses, mentions) = self.uses(&value, definition.schema.node);
            Ok(Converted { value, uses, mentions })
        });
        body.as_ref().map_err(Clone::clone)
    }

    /// The definitions that a finished schema uses, and those that data in it seems to name. `from`
    /// is a place in the file in which such data stands.
    fn uses(&self, value: &Value, from: Node<'i>) -> (Vec<usize>, Vec<usize>) {
        let mut found = (Vec::new(), Vec::new());
        self.collect_uses(value, from, &mut found);
        found.0.sort_unstable();
        found.0.dedup();
        found
    }

    fn collect_uses(&self, value: &Value, from: Node<'i>, found: &mut (Vec<usize>, Vec<usize>)) {
        let Value::Object(schema) = value else { return };
        for (name, value) in schema {
            match keywords::keyword(name).map(|row| row.holds) {
                Some(Holds::Reference) => {
                    let used = value.as_str().and_then(|reference| self.by_reference(reference));
                    found.0.extend(used.map(|definition| definition.index));
                }
                Some(Holds::Data | Holds::Mapping) | None => self.collect_mentions(value, from, &mut found.1),
                _ => {}
            }
        }
        keywords::for_each_child(schema, &mut |child, _| self.collect_uses(child, from, found));
    }

    /// Counts, on purpose, any string under a key `$ref` in data: one definition too many is
    /// harmless, one too few is not.
    fn collect_mentions(&self, data: &Value, from: Node<'i>, found: &mut Vec<usize>) {
        match data {
            Value::Array(items) => items.iter().for_each(|item| self.collect_mentions(item, from, found)),
            Value::Object(entries) => {
                for (key, value) in entries {
                    match value.as_str().filter(|_| key == "$ref") {
                        Some(reference) => found.extend(self.mentioned(reference, from)),
                        None => self.collect_mentions(value, from, found),
                    }
                }
            }
            _ => {}
        }
    }

    fn mentioned(&self, reference: &str, from: Node<'i>) -> Option<usize> {
        let node = match reference.strip_prefix("#/$defs/") {
            Some(name) => self.components.get(name)?,
            None => anchor::resolve(from, reference).ok()?,
        };
        let target = look::follow(Schema { node, dialect: self.dialect }).ok()?;
        let component = self.components.contains(target.node.place());
        component.then(|| self.definition(target, Variant::Plain).index)
    }

    /// Converts the fields, and all that they reach.
    ///
    /// # Errors
    /// The first schema that cannot be converted without changing what it accepts.
    pub(crate) fn close(&self, fields: &[Field<'i>]) -> Result<Closed<'_, 'i>, Diagnostic> {
        let mut finished = Vec::with_capacity(fields.len());
        let (mut uses, mut mentions) = (Vec::new(), Vec::new());
        for field in fields {
            let value = self.argument(field)?;
            if let Some(from) = field.shape.first_node() {
                let (found, named) = self.uses(&value, from);
                uses.extend(found);
                mentions.extend(named);
            }
            finished.push((field.name.clone(), value));
        }
        let mut definitions = Vec::new();
        self.begin_search();
        mentions.extend(self.reach(uses, &mut definitions)?);
        // What data mentions is no reason to leave a tool out.
        while let Some(mention) = mentions.pop() {
            mentions.extend(self.reach(vec![mention], &mut definitions).unwrap_or_default());
        }
        definitions.sort_unstable_by_key(|definition| definition.order);
        Ok(Closed { fields: finished, definitions })
    }

    /// Counts a schema that the current definition or argument copies; gives their number.
    pub(super) fn count_copy(&self) -> u32 {
        self.copies.set(self.copies.get().saturating_add(1));
        self.copies.get()
    }

    fn begin_search(&self) {
        self.visited.borrow_mut().0 += 1;
    }

    /// Whether the current search comes to a definition for the first time.
    fn visit(&self, index: usize) -> bool {
        let (stamp, visited) = &mut *self.visited.borrow_mut();
        if visited.len() <= index {
            visited.resize(index + 1, 0);
        }
        visited.get_mut(index).is_some_and(|last| std::mem::replace(last, *stamp) != *stamp)
    }

    /// Takes a definition out of the current search, so that it can be come to again.
    fn forget(&self, index: usize) {
        if let Some(last) = self.visited.borrow_mut().1.get_mut(index) {
            *last = 0;
        }
    }

    /// Adds what the current search reaches from `open`: all of it, or, if something there can't be
    /// converted, nothing. Gives what data in it mentions.
    fn reach<'d>(
        &'d self,
        mut open: Vec<usize>,
        definitions: &mut Vec<&'d Definition<'i>>,
    ) -> Result<Vec<usize>, Diagnostic> {
        let kept = definitions.len();
        let mut mentions = Vec::new();
        while let Some(index) = open.pop() {
            let Some(definition) = self.list.get(index).filter(|_| self.visit(index)) else { continue };
            definitions.push(definition);
            match self.converted(definition) {
                Ok(converted) => {
                    open.extend_from_slice(&converted.uses);
                    mentions.extend_from_slice(&converted.mentions);
                }
                Err(reason) => {
                    definitions.drain(kept..).for_each(|definition| self.forget(definition.index));
                    return Err(reason);
                }
            }
        }
        Ok(mentions)
    }

    /// The finished schema of an argument.
    fn argument(&self, field: &Field<'i>) -> Result<Value, Diagnostic> {
        self.copies.set(0);
        let spot =
            Spot { key: Some(&field.name), argument: true, overlay: Some(&field.overlay), ..Spot::default() };
        let value = match &field.shape {
            Shape::Any => convert::literal(self, Map::new(), spot),
            Shape::Text => convert::literal(self, object(json!({"type": "string"})), spot),
            Shape::Bytes => {
                convert::literal(self, object(json!({"type": "string", "format": "binary"})), spot)
            }
            Shape::At(schema) => convert::schema(self, *schema, spot)?,
            Shape::All(members) => convert::all_of(self, members, spot)?,
            Shape::ArrayOf(item, whole) => {
                let items = convert::schema(self, *item, Spot::default())?;
                let mut map = object(json!({"type": "array", "items": items}));
                if let Some(whole) = whole {
                    let said = convert::schema(self, *whole, Spot { role: Role::Branch, ..Spot::default() })?;
                    map.insert("allOf".to_owned(), json!([said]));
                }
                convert::literal(self, map, spot)
            }
            Shape::Object(fields) => convert::literal(self, self.object_of(fields)?, spot),
        };
        Ok(boolean_argument(value))
    }
}

impl<'i> Definitions<'i> {
    fn object_of(&self, fields: &[(Field<'i>, bool)]) -> Result<Map<String, Value>, Diagnostic> {
        let properties = fields.iter().map(|(field, _)| Ok((field.name.clone(), self.argument(field)?)));
        let properties = properties.collect::<Result<Map<_, _>, Diagnostic>>()?;
        let required: Vec<_> =
            fields.iter().filter(|(_, required)| *required).map(|(field, _)| field.name.as_str()).collect();
        Ok(object(json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })))
    }
}

impl<'i> Shape<'i> {
    fn first_node(&self) -> Option<Node<'i>> {
        match self {
            Shape::At(schema) | Shape::ArrayOf(schema, _) => Some(schema.node),
            Shape::Object(fields) => fields.iter().find_map(|(field, _)| field.shape.first_node()),
            Shape::All(members) => members.first().map(|schema| schema.node),
            Shape::Any | Shape::Text | Shape::Bytes => None,
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// The diagnostic of a keyword whose value has a shape that cannot be understood.
pub(super) fn invalid(at: Node<'_>, keyword: &str, expected: &str) -> Diagnostic {
    at.diagnostic(Code::InvalidSchema, format!("`{keyword}` is {}; expected {expected}", at.describe()))
}
