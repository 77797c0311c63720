//! Arguments with all the definitions that they reach: a search over finished schemas, every edge of
//! which is a reference in the output.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::convert::{self, Spot};
use super::definitions::{Converted, Definition, Definitions};
use super::inline::{self, Budget};
use super::keywords::Role;
use super::rules::boolean_argument;
use super::{Dialect, Shape};
use crate::diagnostic::Diagnostic;
use crate::input::{Node, Place};

/// An argument, its schema still a place in the document.
#[derive(Clone, Debug)]
pub(crate) struct Field<'i> {
    /// The argument's name.
    pub(crate) name: String,
    /// Its schema.
    pub(crate) shape: Shape<'i>,
    /// What is said of it where it is used, which wins over what its schema says.
    pub(crate) overlay: Overlay<'i>,
    /// The place that all of it but the name follows from, if other operations have it, too.
    pub(crate) shared: Option<Place>,
}

/// What a use says beside a schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay<'i> {
    /// The description.
    pub(crate) description: Option<Cow<'i, str>>,
    /// Examples.
    pub(crate) examples: Vec<Node<'i>>,
    /// Whether the use is deprecated.
    pub(crate) deprecated: bool,
}

/// What an argument that several operations have is known by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SharedKey {
    name: String,
    place: Place,
    schema: Place,
    dialect: Dialect,
}

/// A finished argument that several operations have.
#[derive(Debug)]
pub(crate) struct Shared {
    index: usize,
    converted: Converted,
}

/// The finished schema of an argument.
pub(crate) enum Argument<'d> {
    /// It is one tool's.
    Own(Value),
    /// It may be other tools', too.
    Shared(&'d Shared),
}

impl Argument<'_> {
    /// The schema.
    pub(crate) fn value(&self) -> &Value {
        match self {
            Argument::Own(value) => value,
            Argument::Shared(shared) => &shared.converted.value,
        }
    }

    /// If it is shared, a number below the count of such arguments, its own in this run.
    pub(crate) fn index(&self) -> Option<usize> {
        match self {
            Argument::Own(_) => None,
            Argument::Shared(shared) => Some(shared.index),
        }
    }
}

/// Finished schemas with all the definitions that they reach, in the order of the document.
pub(crate) struct Closed<'d, 'i> {
    /// Name and schema of each field, in the order in which they were given.
    pub(crate) fields: Vec<(String, Argument<'d>)>,
    /// What the fields reach: no more and no less.
    pub(crate) definitions: Vec<&'d Definition<'i>>,
    /// The numbers of those that the fields themselves refer to.
    pub(crate) uses: Vec<usize>,
}

impl<'i> Definitions<'i> {
    /// Converts the fields, and all that they reach.
    ///
    /// # Errors
    /// The first schema that cannot be converted without changing what it accepts.
    pub(crate) fn close(&self, fields: &[Field<'i>]) -> Result<Closed<'_, 'i>, Diagnostic> {
        let mut finished = Vec::with_capacity(fields.len());
        let (mut uses, mut mentions) = (Vec::new(), Vec::new());
        for field in fields {
            let argument = if let Some(shared) = self.shared_argument(field)? {
                uses.extend_from_slice(&shared.converted.uses);
                mentions.extend_from_slice(&shared.converted.mentions);
                Argument::Shared(shared)
            } else {
                let converted = self.converted_argument(field)?;
                uses.extend(converted.uses);
                mentions.extend(converted.mentions);
                Argument::Own(converted.value)
            };
            finished.push((field.name.clone(), argument));
        }
        let definitions = self.all_reached(uses.clone(), mentions.clone())?;
        if let Some(limit) = self.inline_limit {
            let budget = Budget::new(limit);
            for (_, argument) in &mut finished {
                *argument = inline::argument(self, argument, &budget)?;
            }
            return Ok(Closed { fields: finished, definitions: Vec::new(), uses: Vec::new() });
        }
        uses.extend(mentions);
        Ok(Closed { fields: finished, definitions, uses })
    }

    /// What a schema reaches that uses and mentions these definitions, in the order of the document.
    pub(super) fn all_reached(
        &self,
        uses: Vec<usize>,
        mut mentions: Vec<usize>,
    ) -> Result<Vec<&Definition<'i>>, Diagnostic> {
        let mut definitions = Vec::new();
        self.begin_search();
        mentions.extend(self.reach(uses, &mut definitions)?);
        // What data mentions is no reason to leave a tool out.
        while let Some(mention) = mentions.pop() {
            mentions.extend(self.reach(vec![mention], &mut definitions).unwrap_or_default());
        }
        definitions.sort_unstable_by_key(|definition| definition.order);
        Ok(definitions)
    }

    /// An argument that several operations have, converted for the first of them.
    fn shared_argument(&self, field: &Field<'i>) -> Result<Option<&Shared>, Diagnostic> {
        let (Some(place), Shape::At(schema)) = (field.shared, &field.shape) else { return Ok(None) };
        let key = SharedKey {
            name: field.name.clone(),
            place,
            schema: schema.node.place(),
            dialect: schema.dialect,
        };
        let known = self.shared_by_key.borrow().get(&key).copied();
        if let Some(index) = known {
            return Ok(self.shared.get(index));
        }
        let converted = self.converted_argument(field)?;
        let index = self.shared.len();
        self.shared.push(Box::new(Shared { index, converted }));
        self.shared_by_key.borrow_mut().insert(key, index);
        Ok(self.shared.get(index))
    }

    fn converted_argument(&self, field: &Field<'i>) -> Result<Converted, Diagnostic> {
        let value = self.argument(field)?;
        let (uses, mentions) = match field.shape.first_node() {
            Some(from) => self.uses(&value, from),
            None => (Vec::new(), Vec::new()),
        };
        Ok(Converted { value, uses, mentions })
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
    pub(super) fn object_of(&self, fields: &[(Field<'i>, bool)]) -> Result<Map<String, Value>, Diagnostic> {
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
