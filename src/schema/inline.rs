//! Copies in place of references, for hosts that read none. A circle is cut where a value may be
//! absent: an input may only be narrowed by that, an output only widened.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use foldhash::HashMap;
use serde_json::{Map, Value, json};

use super::closure::Argument;
use super::cycle;
use super::definitions::{Definition, Definitions};
use super::disjoint::are_disjoint;
use super::keywords::{self, Class, Holds, Keyword, Role, class};
use crate::diagnostic::{Code, Diagnostic};

/// The most schemas that are looked at for one tool.
const MAX_STEPS: usize = 1_000_000;

/// Why a schema has no copy.
enum Fault {
    /// It comes back to this definition, and nothing in it may be absent.
    Circle(usize),
    /// The tool is left out.
    Hard(Diagnostic),
}

/// A definition that is being copied, and the one that it is in.
#[derive(Clone, Copy)]
struct Stack<'a> {
    index: usize,
    outer: Option<&'a Stack<'a>>,
}

impl Stack<'_> {
    fn holds(stack: Option<&Stack<'_>>, index: usize) -> bool {
        std::iter::successors(stack, |at| at.outer).any(|at| at.index == index)
    }
}

/// Where a schema stands.
#[derive(Clone, Copy)]
struct At<'a> {
    stack: Option<&'a Stack<'a>>,
    /// Whether a circle may be cut here: what is narrowed inside a test, or in one of several
    /// alternatives, widens the whole.
    cuts: bool,
    /// What the object must have, as what holds with this schema says.
    required: &'a [String],
}

/// A copy that is the same wherever none of what it has touched is being copied.
pub(super) struct Copy {
    value: Value,
    bytes: usize,
    touched: Vec<usize>,
}

/// The copies of a run.
pub(super) type Copies = RefCell<HashMap<usize, Rc<Copy>>>;

/// What one tool may still take.
pub(super) struct Budget {
    limit: usize,
    bytes: Cell<usize>,
    steps: Cell<usize>,
    touched: RefCell<Vec<usize>>,
}

impl Budget {
    /// So many bytes.
    pub(super) fn new(limit: usize) -> Budget {
        Budget { limit, bytes: Cell::new(0), steps: Cell::new(0), touched: RefCell::default() }
    }
}

/// An argument without references.
///
/// # Errors
/// [`Code::InlineTooLarge`], [`Code::InlineEndless`].
pub(super) fn argument<'d>(
    cx: &Definitions<'_>,
    argument: &Argument<'_>,
    budget: &Budget,
) -> Result<Argument<'d>, Diagnostic> {
    inlined(cx, argument.value(), budget).map(Argument::Own)
}

/// A finished schema without references.
///
/// # Errors
/// As [`argument`].
pub(super) fn inlined(cx: &Definitions<'_>, value: &Value, budget: &Budget) -> Result<Value, Diagnostic> {
    let at = At { stack: None, cuts: true, required: &[] };
    (Inliner { cx, budget }).schema(value, at).map_err(|fault| match fault {
        Fault::Hard(reason) => reason,
        Fault::Circle(index) => cx.about(index, Code::InlineEndless, &|name| {
            format!("{name:?} comes back to itself through what is required, or in a `oneOf` that is no choice by type or tag; there is no place where a copy may end")
        }),
    })
}

struct Inliner<'c, 'i> {
    cx: &'c Definitions<'i>,
    budget: &'c Budget,
}

impl<'c> Inliner<'c, '_> {
    fn schema(&self, value: &Value, at: At<'_>) -> Result<Value, Fault> {
        let Value::Object(map) = value else { return Ok(value.clone()) };
        self.charge(map, at)?;
        let Some(definition) = self.target(map) else { return self.object(map, at).map(Value::Object) };
        let copy = self.copy(definition, at)?;
        let mut beside = map.clone();
        beside.shift_remove("$ref");
        Ok(merged(copy, self.object(&beside, at)?))
    }

    fn target(&self, map: &Map<String, Value>) -> Option<&'c Definition<'_>> {
        self.cx.by_reference(map.get("$ref")?.as_str()?)
    }

    /// The copy of a definition.
    fn copy(&self, definition: &Definition<'_>, at: At<'_>) -> Result<Value, Fault> {
        let index = definition.index();
        let start = self.budget.touched.borrow().len();
        self.budget.touched.borrow_mut().push(index);
        if Stack::holds(at.stack, index) {
            return if self.cx.direction.narrows() || !at.cuts {
                Err(Fault::Circle(index))
            } else {
                self.report(index, at, "; there, anything may be");
                Ok(json!({}))
            };
        }
        let is_free = |copy: &Copy| !copy.touched.iter().any(|index| Stack::holds(at.stack, *index));
        let alone = at.cuts && at.required.is_empty();
        let known = self.cx.inline_copies.borrow().get(&index).filter(|copy| alone && is_free(copy)).cloned();
        if let Some(copy) = known {
            self.budget.touched.borrow_mut().extend_from_slice(&copy.touched);
            self.spend(copy.bytes, index)?;
            return Ok(copy.value.clone());
        }
        let before = self.budget.bytes.get();
        let stack = Stack { index, outer: at.stack };
        let value = self.schema(definition.value(), At { stack: Some(&stack), ..at })?;
        let touched: Vec<usize> = self.budget.touched.borrow().get(start..).unwrap_or_default().to_vec();
        let mut touched = touched;
        touched.sort_unstable();
        touched.dedup();
        let copy = Copy { bytes: self.budget.bytes.get() - before, touched, value };
        if alone && is_free(&copy) {
            self.cx
                .inline_copies
                .borrow_mut()
                .insert(index, Rc::new(Copy { value: copy.value.clone(), ..copy }));
            return self
                .cx
                .inline_copies
                .borrow()
                .get(&index)
                .map(|copy| copy.value.clone())
                .ok_or(Fault::Circle(index));
        }
        Ok(copy.value)
    }

    /// A schema without a reference of its own.
    fn object(&self, map: &Map<String, Value>, at: At<'_>) -> Result<Map<String, Value>, Fault> {
        let mut required = at.required.to_vec();
        self.collect_required(map, 8, &mut required);
        let mut out = Map::new();
        for (name, value) in map {
            let row =
                keywords::keyword(name).filter(|row| !matches!(row.holds, Holds::Data | Holds::Mapping));
            let Some(row) = row.filter(|row| row.holds != Holds::Reference) else {
                out.insert(name.clone(), value.clone());
                continue;
            };
            let same_value = cycle::is_of_same_value(row);
            let below = At {
                stack: at.stack,
                cuts: at.cuts && row.role != Role::Test,
                required: if same_value { &required } else { &[] },
            };
            let done = self.keyword(map, row, value, below, &required);
            match done {
                Ok(value) => drop(out.insert(name.clone(), value)),
                // Of an output less may be said: a test that can't be said is left out.
                Err(Fault::Circle(_))
                    if row.role == Role::Test && at.cuts && !self.cx.direction.narrows() =>
                {
                    out.insert(format!("{CUT}{name}"), Value::Null);
                }
                Err(Fault::Circle(index)) if at.cuts && name == "items" && can_be_empty(map) => {
                    self.report(index, at, "; a list there is empty");
                    out.insert(name.clone(), json!({}));
                    out.insert(format!("{CUT}items"), Value::Null);
                }
                Err(fault) => return Err(fault),
            }
        }
        settle_cuts(&mut out);
        Ok(out)
    }

    fn keyword(
        &self,
        map: &Map<String, Value>,
        row: &'static Keyword,
        value: &Value,
        at: At<'_>,
        required: &[String],
    ) -> Result<Value, Fault> {
        match (row.holds, value) {
            (Holds::Schemas | Holds::SchemaOrSchemas, Value::Array(items)) => self.list(row, items, at),
            (Holds::Map | Holds::MapOrNames, Value::Object(entries)) => {
                let mut out = Map::new();
                for (key, child) in entries {
                    let mut copy = match self.schema(child, at) {
                        Err(Fault::Circle(index)) if at.cuts && may_be_absent(row, key, required) => {
                            self.report(index, at, &format!("; {key:?} is absent there"));
                            json!({"not": {}})
                        }
                        copy => copy?,
                    };
                    // A definition's title may repeat the name under which it now stands.
                    if copy.get("title").and_then(Value::as_str) == Some(key)
                        && let Some(copy) = copy.as_object_mut()
                    {
                        copy.shift_remove("title");
                    }
                    out.insert(key.clone(), copy);
                }
                Ok(Value::Object(out))
            }
            (Holds::Schema | Holds::SchemaOrSchemas, _) => match self.schema(value, at) {
                Err(Fault::Circle(index))
                    if at.cuts && is_of_others(row) && needs_no_others(map, required) =>
                {
                    self.report(index, at, "; a map there is empty");
                    Ok(json!(false))
                }
                copy => copy,
            },
            _ => Ok(value.clone()),
        }
    }

    fn list(&self, row: &'static Keyword, items: &[Value], at: At<'_>) -> Result<Value, Fault> {
        let union = matches!(row.name, "anyOf" | "oneOf");
        let apart = row.name != "oneOf" || are_disjoint(self.cx, items);
        let below = At { cuts: at.cuts && apart, ..at };
        let (mut out, mut circle) = (Vec::new(), None);
        for item in items {
            match self.schema(item, below) {
                Err(Fault::Circle(index)) if union && below.cuts => circle = Some(index),
                copy => out.push(copy?),
            }
        }
        match circle {
            Some(index) if out.is_empty() => Err(Fault::Circle(index)),
            Some(index) => {
                self.report(index, at, &format!("; a branch of `{}` is left out there", row.name));
                Ok(Value::Array(out))
            }
            None => Ok(Value::Array(out)),
        }
    }

    /// The names that a schema requires, and what holds with it.
    fn collect_required(&self, map: &Map<String, Value>, depth: u32, found: &mut Vec<String>) {
        let names = map.get("required").and_then(Value::as_array).into_iter().flatten();
        found.extend(names.filter_map(Value::as_str).map(str::to_owned));
        if depth == 0 {
            return;
        }
        let members = map.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let target = self.target(map).map(Definition::value);
        for member in members.chain(target).filter_map(Value::as_object) {
            self.collect_required(member, depth - 1, found);
        }
    }

    fn report(&self, circle: usize, at: At<'_>, what: &str) {
        let place = at.stack.map_or(circle, |stack| stack.index);
        let back = self.cx.get(circle).map_or("", |definition| definition.name());
        let message = |name: &str| format!("{name:?} comes back to {back:?}, and a copy ends there{what}");
        self.cx.report(self.cx.about(place, Code::InlineCut, &message));
    }

    /// Counts a schema object that is copied.
    fn charge(&self, map: &Map<String, Value>, at: At<'_>) -> Result<(), Fault> {
        let Some(stack) = at.stack else { return Ok(()) };
        self.budget.steps.set(self.budget.steps.get() + 1);
        let is_data = |name: &str| {
            keywords::keyword(name).is_none_or(|row| matches!(row.holds, Holds::Data | Holds::Mapping))
        };
        let bytes =
            |(name, value): (&String, &Value)| name.len() + 4 + if is_data(name) { size(value) } else { 2 };
        self.spend(map.iter().map(bytes).sum(), stack.index)
    }

    fn spend(&self, bytes: usize, index: usize) -> Result<(), Fault> {
        self.budget.bytes.set(self.budget.bytes.get().saturating_add(bytes));
        let limit = self.budget.limit;
        if self.budget.bytes.get() <= limit && self.budget.steps.get() <= MAX_STEPS {
            return Ok(());
        }
        Err(Fault::Hard(self.cx.about(index, Code::InlineTooLarge, &|_| {
            format!("copies in place of references come to more than {limit} bytes (`--inline-limit`), or {MAX_STEPS} schemas")
        })))
    }
}

/// Marks, until a schema object is finished, what has been cut of it: no keyword begins so.
const CUT: &str = "\u{0}cut:";

fn settle_cuts(out: &mut Map<String, Value>) {
    let cut = |name: &str| format!("{CUT}{name}");
    if out.shift_remove(&cut("items")).is_some() {
        let most = out.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        out.insert("maxItems".to_owned(), json!(most));
    }
    for (name, others) in
        [("if", &["then", "else"][..]), ("contains", &["minContains", "maxContains"]), ("not", &[])]
    {
        if out.shift_remove(&cut(name)).is_some() {
            for other in others {
                out.shift_remove(*other);
            }
        }
    }
}

fn can_be_empty(map: &Map<String, Value>) -> bool {
    let prefix = map.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
    let least = map.get("minItems").and_then(Value::as_f64).unwrap_or(0.0);
    !map.contains_key("contains") && u32::try_from(prefix).is_ok_and(|prefix| least <= f64::from(prefix))
}

fn may_be_absent(row: &Keyword, key: &str, required: &[String]) -> bool {
    row.name == "patternProperties" || (row.name == "properties" && !required.iter().any(|name| name == key))
}

/// Whether a keyword is about the properties that are not declared.
fn is_of_others(row: &Keyword) -> bool {
    row.name == "additionalProperties"
}

fn needs_no_others(map: &Map<String, Value>, required: &[String]) -> bool {
    let declared = map.get("properties").and_then(Value::as_object);
    let least = map.get("minProperties").and_then(Value::as_f64).unwrap_or(0.0);
    let count = declared.and_then(|map| u32::try_from(map.len()).ok()).unwrap_or(0);
    least <= f64::from(count)
        && required.iter().all(|name| declared.is_some_and(|declared| declared.contains_key(name)))
}

/// A copy with what stands beside the reference: annotations win, assertions hold as well.
fn merged(copy: Value, beside: Map<String, Value>) -> Value {
    let mut out = match copy {
        Value::Object(out) => out,
        Value::Bool(false) => Map::from_iter([("not".to_owned(), json!({}))]),
        _ => Map::new(),
    };
    let says_more = |(name, value): &(&String, &Value)| {
        class(name) == Class::Assertion
            && out.get(*name) != Some(value)
            && (*name != "type" || out.contains_key("type"))
            && !(out.contains_key(*name) && **value == json!({}))
    };
    if beside.iter().any(|entry| says_more(&entry)) {
        out = Map::from_iter([("allOf".to_owned(), json!([out]))]);
        let members = beside.get("allOf").and_then(Value::as_array).cloned().unwrap_or_default();
        if let Some(Value::Array(all)) = out.get_mut("allOf") {
            all.extend(members);
        }
        out.extend(beside.into_iter().filter(|(name, _)| name != "allOf"));
        return Value::Object(out);
    }
    for (name, value) in beside {
        if name == "type" && !out.contains_key("type") {
            out.shift_insert(0, name, value);
        } else if class(&name) != Class::Assertion {
            out.insert(name, value);
        }
    }
    Value::Object(out)
}

/// The bytes of data as compact JSON, but for what is escaped.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(number) => number.as_str().len(),
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| size(item) + 1).sum::<usize>(),
        Value::Object(map) => 2 + map.iter().map(|(key, value)| key.len() + 4 + size(value)).sum::<usize>(),
    }
}
