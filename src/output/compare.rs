//! What differs between two lists of tools. Only tools whose texts differ become values.

use foldhash::{HashMap, HashSet};
use serde_json::{Map, Value};

use super::changes::{self, Change, Sides, Travel, Verdict};
use super::golden::{self, GoldenError};
use crate::schema::keywords::{Role, for_each_child};
use crate::schema::number::{canonical, equal};

/// What differs between two lists of tools.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Comparison {
    /// The names of tools that are new, in their order.
    pub added: Vec<String>,
    /// The names of tools that are gone, in their order.
    pub removed: Vec<String>,
    /// The tools that differ, renamed ones among them, in their new order.
    pub changed: Vec<ToolChange>,
    /// The definitions that differ, each once.
    pub definitions: Vec<DefinitionChange>,
    /// How many tools are written otherwise than they would be now, but mean the same; 0 of two files.
    pub rewritten: usize,
    /// Whether the tools that are in both stand in another order.
    pub reordered: bool,
}

/// A tool that differs.
#[derive(Debug)]
#[non_exhaustive]
pub struct ToolChange {
    /// Its name before.
    pub old_name: String,
    /// Its name now.
    pub name: String,
    /// What changed for its callers. Empty if it is renamed and no more.
    pub changes: Vec<Change>,
    /// The tool before, without definitions; null if it can't be read.
    pub old: Value,
    /// The tool now, without definitions; null if it can't be read.
    pub new: Value,
}

impl ToolChange {
    /// Whether it has another name.
    pub fn is_renamed(&self) -> bool {
        self.old_name != self.name
    }
}

/// A definition that differs in the tools that have it before and now.
#[derive(Debug)]
#[non_exhaustive]
pub struct DefinitionChange {
    /// Its name.
    pub name: String,
    /// The tools that use it, by their new names.
    pub tools: Vec<String>,
    /// What changed.
    pub changes: Vec<Change>,
    /// The schema before; `None` if these tools had no such definition.
    pub old: Option<Value>,
    /// The schema now; `None` if these tools have it no more.
    pub new: Option<Value>,
    travel: Travel,
}

impl Comparison {
    /// Whether nothing differs that a client could see.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && self.definitions.is_empty()
            && !self.reordered
    }

    /// How many changes there are of a kind, added, removed and renamed tools among them.
    pub fn count(&self, verdict: Verdict) -> usize {
        let changes = self.changed.iter().flat_map(|tool| &tool.changes);
        let changes = changes.chain(self.definitions.iter().flat_map(|definition| &definition.changes));
        let renamed = self.changed.iter().filter(|tool| tool.is_renamed()).count();
        let tools = match verdict {
            Verdict::Breaking => self.removed.len() + renamed,
            Verdict::Compatible => self.added.len(),
        };
        changes.filter(|change| change.verdict == verdict).count() + tools
    }
}

/// Compares two files of tools, of any shape and layout each.
///
/// A tool is found again by its name; else, as a renamed one, by an equal input schema, description
/// and annotations; else by a description or an input schema that no other tool has that is gone or
/// new.
///
/// # Errors
/// The text of one of them is no list of tools; which, `old` or `new`, and why.
pub fn compare(old: &str, new: &str) -> Result<Comparison, (&'static str, GoldenError)> {
    let new = golden::read(new).map_err(|error| ("new", error))?;
    let mut comparer = Comparer::new(old).map_err(|error| ("old", error))?;
    for (name, text) in new {
        comparer.tool(&name, text.as_bytes());
    }
    // The layouts of two files may differ.
    Ok(Comparison { rewritten: 0, ..comparer.finish() })
}

/// Compares a list, tool by tool, with a file.
pub(crate) struct Comparer<'t> {
    old: Vec<(String, &'t str)>,
    /// The places of the names in `old`, last first.
    places: HashMap<String, Vec<usize>>,
    /// The places in `old` of the tools that were found again, in their new order.
    found: Vec<usize>,
    added: Vec<(String, String)>,
    comparison: Comparison,
    /// The places in `comparison.definitions` by name.
    known: HashMap<String, Vec<usize>>,
}

impl<'t> Comparer<'t> {
    /// Reads a file.
    ///
    /// # Errors
    /// [`GoldenError`]
    pub(crate) fn new(old: &'t str) -> Result<Self, GoldenError> {
        let old = golden::read(old)?;
        let mut places: HashMap<String, Vec<usize>> = HashMap::default();
        for (place, (name, _)) in old.iter().enumerate().rev() {
            places.entry(name.clone()).or_default().push(place);
        }
        Ok(Comparer {
            old,
            places,
            found: Vec::new(),
            added: Vec::new(),
            comparison: Comparison::default(),
            known: HashMap::default(),
        })
    }

    /// Adds the next tool of the list.
    pub(crate) fn tool(&mut self, name: &str, text: &[u8]) {
        let Some(place) = self.places.get_mut(name).and_then(Vec::pop) else {
            self.added.push((name.to_owned(), String::from_utf8_lossy(text).into_owned()));
            return;
        };
        self.found.push(place);
        let Some(&(_, old)) = self.old.get(place) else { return };
        if old.as_bytes() != text {
            self.pair(name, name, old, &String::from_utf8_lossy(text));
        }
    }

    /// What differs, when all tools were added.
    pub(crate) fn finish(mut self) -> Comparison {
        let mut gone: Vec<usize> = self.places.values().flatten().copied().collect();
        gone.sort_unstable();
        let removed: Vec<(String, &str)> = gone
            .iter()
            .filter_map(|place| self.old.get(*place))
            .map(|(name, text)| (name.clone(), *text))
            .collect();
        let added = std::mem::take(&mut self.added);
        let renamed = renamed(&removed, &added);
        for &(before, now) in &renamed {
            if let (Some((old_name, old)), Some((name, new))) = (removed.get(before), added.get(now)) {
                self.pair(old_name, name, old, new);
            }
        }
        let left = |pairs: &HashSet<usize>, tools: Vec<String>| -> Vec<String> {
            tools.into_iter().zip(0..).filter(|(_, at)| !pairs.contains(at)).map(|(name, _)| name).collect()
        };
        let (before, now): (HashSet<usize>, HashSet<usize>) = renamed.into_iter().unzip();
        self.comparison.removed = left(&before, removed.into_iter().map(|(name, _)| name).collect());
        self.comparison.added = left(&now, added.into_iter().map(|(name, _)| name).collect());
        self.comparison.reordered = !self.found.is_sorted();
        self.comparison
    }

    /// Compares a tool with what it was.
    fn pair(&mut self, old_name: &str, name: &str, old: &str, new: &str) {
        let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
        let may_test = [old, new].iter().any(|text| TESTS.iter().any(|test| text.contains(test)));
        let (Some(mut old), Some(mut new)) = (parsed(old), parsed(new)) else {
            let change = Change {
                place: String::new(),
                text: "nests too deep to be compared".to_owned(),
                verdict: Verdict::Breaking,
            };
            self.add(old_name, name, vec![change], Value::Null, Value::Null);
            return;
        };
        if old_name == name && equal(&old, &new) {
            self.comparison.rewritten += 1;
            return;
        }
        let mut changes = Vec::new();
        for (field, travel) in [("inputSchema", Travel::Input), ("outputSchema", Travel::Output)] {
            let (before, now) = (take_definitions(&mut old, field), take_definitions(&mut new, field));
            let sides = Sides { old: &before, new: &now };
            match (old.get(field), new.get(field)) {
                (Some(old), Some(new)) => {
                    let noun = if travel == Travel::Output { "result" } else { "argument" };
                    changes.extend(changes::changes(old, new, sides, travel, noun));
                    let tested = if may_test { tested(old, &before, new, &now) } else { HashSet::default() };
                    self.definitions(name, sides, travel, &tested);
                }
                (None, None) => {}
                (_, now) => changes.push(Change {
                    place: String::new(),
                    text: format!("{field} {}", if now.is_some() { "added" } else { "removed" }),
                    verdict: if now.is_some() && travel == Travel::Output {
                        Verdict::Compatible
                    } else {
                        Verdict::Breaking
                    },
                }),
            }
        }
        changes.extend(texts(&old, &new));
        if old_name != name || !changes.is_empty() {
            self.add(old_name, name, changes, old, new);
        }
    }

    fn add(&mut self, old_name: &str, name: &str, changes: Vec<Change>, old: Value, new: Value) {
        let (old_name, name) = (old_name.to_owned(), name.to_owned());
        self.comparison.changed.push(ToolChange { old_name, name, changes, old, new });
    }

    /// Adds a tool's definitions that differ.
    fn definitions(&mut self, tool: &str, sides: Sides<'_>, travel: Travel, tested: &HashSet<String>) {
        let names = sides.old.keys().chain(sides.new.keys().filter(|name| !sides.old.contains_key(*name)));
        for name in names {
            let (old, new) = (sides.old.get(name), sides.new.get(name));
            let same = |a: Option<&Value>, b: Option<&Value>| match (a, b) {
                (Some(a), Some(b)) => equal(a, b),
                (a, b) => a.is_none() && b.is_none(),
            };
            if same(old, new) {
                continue;
            }
            let travel = if tested.contains(name) { Travel::Test } else { travel };
            let places = self.known.entry(name.clone()).or_default();
            let known = places.iter().copied().find(|place| {
                self.comparison.definitions.get(*place).is_some_and(|known| {
                    known.travel == travel && same(known.old.as_ref(), old) && same(known.new.as_ref(), new)
                })
            });
            if let Some(known) = known.and_then(|place| self.comparison.definitions.get_mut(place)) {
                if known.tools.last().is_none_or(|last| last != tool) {
                    known.tools.push(tool.to_owned());
                }
                continue;
            }
            places.push(self.comparison.definitions.len());
            let changes = match (old, new) {
                (Some(old), Some(new)) => changes::changes(old, new, sides, travel, "property"),
                // What it means stands where it is referred to.
                _ => Vec::new(),
            };
            self.comparison.definitions.push(DefinitionChange {
                name: name.clone(),
                tools: vec![tool.to_owned()],
                changes,
                old: old.cloned(),
                new: new.cloned(),
                travel,
            });
        }
    }
}

/// Texts that a tool has which asks questions of a value.
const TESTS: [&str; 4] = ["\"not\"", "\"if\"", "\"contains\"", "\"propertyNames\""];

/// Takes the definitions out of a tool's schema.
fn take_definitions(tool: &mut Value, field: &str) -> Map<String, Value> {
    let schema = tool.get_mut(field).and_then(Value::as_object_mut);
    match schema.and_then(|schema| schema.shift_remove("$defs")) {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    }
}

/// The definitions that a question reaches, before or now.
fn tested(
    old: &Value,
    before: &Map<String, Value>,
    new: &Value,
    now: &Map<String, Value>,
) -> HashSet<String> {
    let mut seen: HashSet<(String, bool)> = HashSet::default();
    for (root, definitions) in [(old, before), (new, now)] {
        let mut waiting = vec![(root, false)];
        while let Some((schema, inside)) = waiting.pop() {
            let Some(object) = schema.as_object() else { continue };
            if let Some(name) = changes::reference(object)
                && seen.insert((name.to_owned(), inside))
            {
                waiting.extend(definitions.get(name).map(|definition| (definition, inside)));
            }
            for_each_child(object, &mut |child, row| waiting.push((child, inside || row.role == Role::Test)));
        }
    }
    seen.into_iter().filter(|(_, inside)| *inside).map(|(name, _)| name).collect()
}

/// What changed in a tool beside its schemas.
fn texts(old: &Value, new: &Value) -> Vec<Change> {
    let empty = Map::new();
    let fields = |tool: &'_ Value| tool.as_object().unwrap_or(&empty).clone();
    let (old, new) = (fields(old), fields(new));
    let mut changes = Vec::new();
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    for name in names.filter(|name| !["name", "inputSchema", "outputSchema"].contains(&name.as_str())) {
        let (before, now) = (old.get(name), new.get(name));
        if before == now {
            continue;
        }
        let mut add = |text: String| {
            changes.push(Change { place: String::new(), text, verdict: Verdict::Compatible });
        };
        let hints = |value: Option<&Value>| value.and_then(Value::as_object).cloned().unwrap_or_default();
        if name == "annotations" {
            let (before, now) = (hints(before), hints(now));
            for hint in before.keys().chain(now.keys().filter(|hint| !before.contains_key(*hint))) {
                let shown = |value: Option<&Value>| value.map_or("absent".to_owned(), Value::to_string);
                if before.get(hint) != now.get(hint) {
                    add(format!(
                        "{hint} changed from {} to {}",
                        shown(before.get(hint)),
                        shown(now.get(hint))
                    ));
                }
            }
        } else if is_deprecation(before, now) {
            add("is deprecated now".to_owned());
        } else {
            add(format!("{name} changed"));
        }
    }
    changes
}

/// Whether a description says what it said, and first that callers should stop.
fn is_deprecation(before: Option<&Value>, now: Option<&Value>) -> bool {
    let texts = before.and_then(Value::as_str).zip(now.and_then(Value::as_str));
    texts.is_some_and(|(before, now)| now.strip_prefix("Deprecated. ") == Some(before))
}

/// Which of the tools that are gone is which of the new ones, as places in both.
fn renamed(removed: &[(String, &str)], added: &[(String, String)]) -> Vec<(usize, usize)> {
    if removed.is_empty() || added.is_empty() {
        return Vec::new();
    }
    let features = |text: &str| -> [Option<String>; 3] {
        let tool: Value = serde_json::from_str(text).unwrap_or_default();
        let part = |name: &str| tool.get(name).map(canonical).unwrap_or_default();
        let (input, description, hints) = (part("inputSchema"), part("description"), part("annotations"));
        let properties = tool.pointer("/inputSchema/properties").and_then(Value::as_object);
        let has_arguments = properties.is_some_and(|properties| !properties.is_empty());
        [
            Some(format!("{input}\n{description}\n{hints}")),
            Some(format!("{description}\n{hints}")).filter(|_| !description.is_empty()),
            Some(format!("{input}\n{hints}")).filter(|_| has_arguments),
        ]
    };
    let before: Vec<_> = removed.iter().map(|(_, text)| features(text)).collect();
    let now: Vec<_> = added.iter().map(|(_, text)| features(text)).collect();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for rank in 0..3 {
        let groups = |tools: &[[Option<String>; 3]], taken: HashSet<usize>| {
            let mut groups: HashMap<String, Vec<usize>> = HashMap::default();
            for (at, features) in tools.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
                if let Some(Some(feature)) = features.get(rank) {
                    groups.entry(feature.clone()).or_default().push(at);
                }
            }
            groups
        };
        let old = groups(&before, pairs.iter().map(|pair| pair.0).collect());
        let new = groups(&now, pairs.iter().map(|pair| pair.1).collect());
        for (feature, places) in old {
            // Equal tools are told apart by nothing but their order.
            if let Some(others) = new.get(&feature)
                && places.len() == others.len()
                && (rank == 0 || places.len() == 1)
            {
                pairs.extend(places.into_iter().zip(others.iter().copied()));
            }
        }
    }
    pairs.sort_unstable_by_key(|pair| pair.1);
    pairs
}
