//! The definitions that references lead to: named by their place, converted once.

use std::cell::{Cell, OnceCell, RefCell};

use elsa::FrozenVec;
use foldhash::HashMap;
use serde_json::Value;

use super::closure::{Shared, SharedKey};
use super::convert::{self, Spot};
use super::discriminator;
use super::inline::Copies;
use super::keywords::{self, Holds};
use super::names::Components;
use super::pattern::{self, Verdict};
use super::rules::means_object;
use super::{Dialect, Direction, Schema, anchor, look, output};
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
    /// The schema itself as the root of what a tool gives: no definition, but kept like one.
    Root,
}

impl Variant {
    fn suffix(self) -> &'static str {
        match self {
            Variant::Plain => "",
            Variant::AnySubtype => "any",
            Variant::Base => "base",
            Variant::Exact => "exact",
            Variant::Root => "root",
        }
    }
}

/// A definition: its name is known at once, its schema when it is first needed.
pub(crate) struct Definition<'i> {
    name: String,
    pub(super) order: (bool, u32, u32, &'static str),
    pub(super) index: usize,
    schema: Schema<'i>,
    variant: Variant,
    body: OnceCell<Result<Converted, Diagnostic>>,
    single_type: OnceCell<Option<&'static str>>,
}

/// A finished schema, and the definitions that it uses.
#[derive(Debug)]
pub(super) struct Converted {
    pub(super) value: Value,
    pub(super) uses: Vec<usize>,
    /// Definitions that data seems to name: kept if they can be.
    pub(super) mentions: Vec<usize>,
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

/// All definitions of a run.
pub(crate) struct Definitions<'i> {
    pub(super) components: Components<'i>,
    pub(super) direction: Direction,
    pub(super) max_subtypes: usize,
    /// The first document's.
    dialect: Dialect,
    /// For places asked about: whether references to them list their subtypes.
    pub(super) expanded: RefCell<HashMap<Place, bool>>,
    pub(super) list: FrozenVec<Box<Definition<'i>>>,
    by_key: RefCell<HashMap<Key, usize>>,
    by_name: RefCell<HashMap<String, usize>>,
    patterns: RefCell<HashMap<String, Verdict>>,
    reports: RefCell<Vec<Diagnostic>>,
    /// Arguments that several operations have.
    pub(super) shared: FrozenVec<Box<Shared>>,
    pub(super) shared_by_key: RefCell<HashMap<SharedKey, usize>>,
    /// For each definition, the last search that reached it.
    pub(super) visited: RefCell<(u32, Vec<u32>)>,
    /// The most bytes of a tool's copies, where copies take the place of references.
    pub(super) inline_limit: Option<usize>,
    pub(super) inline_copies: Copies,
    /// How many schemas the current definition or argument has copied from elsewhere.
    pub(super) copies: Cell<u32>,
}

impl<'i> Definitions<'i> {
    /// Definitions over the component schemas `components`, in the order of the document, for values
    /// that travel in one direction.
    /// `max_subtypes` is the size up to which a discriminator's mapping is written out.
    pub(crate) fn new(
        components: &[(&'i str, Node<'i>)],
        dialect: Dialect,
        direction: Direction,
        max_subtypes: usize,
    ) -> Self {
        Definitions {
            components: Components::new(components, dialect),
            direction,
            max_subtypes,
            dialect,
            expanded: RefCell::default(),
            list: FrozenVec::new(),
            by_key: RefCell::default(),
            by_name: RefCell::default(),
            patterns: RefCell::default(),
            reports: RefCell::default(),
            shared: FrozenVec::new(),
            shared_by_key: RefCell::default(),
            visited: RefCell::default(),
            inline_limit: None,
            inline_copies: Copies::default(),
            copies: Cell::default(),
        }
    }

    /// Makes copies take the place of references, at most so many bytes in a tool; `None` keeps
    /// references.
    pub(crate) fn inlining(self, limit: Option<usize>) -> Self {
        Definitions { inline_limit: limit, ..self }
    }

    /// A diagnostic about a definition; `message` takes its name.
    pub(super) fn about(&self, index: usize, code: Code, message: &dyn Fn(&str) -> String) -> Diagnostic {
        // The numbers are those of definitions.
        let definition = &self.list[index];
        definition.schema.node.diagnostic(code, message(&definition.name))
    }

    /// The first document's dialect.
    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The definition of a number.
    pub(crate) fn get(&self, index: usize) -> Option<&Definition<'i>> {
        self.list.get(index)
    }

    /// Adds a diagnostic.
    pub(crate) fn report(&self, diagnostic: Diagnostic) {
        self.reports.borrow_mut().push(diagnostic);
    }

    /// Takes the diagnostics so far.
    pub(crate) fn take_reports(&self) -> Vec<Diagnostic> {
        self.reports.take()
    }

    /// Whether a pattern compiles: most stand in a document many times.
    pub(super) fn pattern(&self, text: &str) -> Verdict {
        let known = self.patterns.borrow().get(text).cloned();
        known.unwrap_or_else(|| {
            let verdict = pattern::check(text);
            self.patterns.borrow_mut().insert(text.to_owned(), verdict.clone());
            verdict
        })
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
                let says = definition.variant != Variant::Exact
                    && self.direction.narrows()
                    && node.get("nullable").is_none();
                (says && means_object(&|name| node.get(name).is_some())).then_some("object")
            })
        })
    }

    pub(super) fn by_reference(&self, reference: &str) -> Option<&Definition<'i>> {
        let index = *self.by_name.borrow().get(reference.strip_prefix("#/$defs/")?)?;
        self.list.get(index)
    }

    /// A definition, converted when it is first asked for.
    pub(super) fn converted<'d>(
        &'d self,
        definition: &'d Definition<'i>,
    ) -> Result<&'d Converted, Diagnostic> {
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
                Variant::Root => output::root(self, definition.schema, Spot { key: None, ..spot }),
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
    pub(super) fn uses(&self, value: &Value, from: Node<'i>) -> (Vec<usize>, Vec<usize>) {
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

    /// Counts a schema that the current definition or argument copies; gives their number.
    pub(super) fn count_copy(&self) -> u32 {
        self.copies.set(self.copies.get().saturating_add(1));
        self.copies.get()
    }
}

/// The diagnostic of a keyword whose value has a shape that cannot be understood.
pub(super) fn invalid(at: Node<'_>, keyword: &str, expected: &str) -> Diagnostic {
    at.diagnostic(Code::InvalidSchema, format!("`{keyword}` is {}; expected {expected}", at.describe()))
}
