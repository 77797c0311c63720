//! OpenAPI's `discriminator` (3.1.2, section 4.8.25): it never changes what is accepted, it makes
//! the subtypes and their tags visible.

use foldhash::HashSet;
use serde_json::{Map, Value, json};

use super::convert::{self, Spot};
use super::definitions::{Definitions, Variant};
use super::{Dialect, Schema, anchor, cycle, look};
use crate::diagnostic::Code;
use crate::input::{Kind, Node, Place};

/// A `discriminator`: the property that holds the tag, and the schemas that tags name.
struct Discriminator<'i> {
    node: Node<'i>,
    property: &'i str,
    /// Each tag with the schema that it names, or with the value that names none.
    mapping: Vec<(&'i str, Result<Schema<'i>, Node<'i>>)>,
}

fn read<'i>(cx: &Definitions<'i>, schema: Schema<'i>) -> Option<Discriminator<'i>> {
    let own = schema.node.get("discriminator").filter(|node| node.kind() != Kind::Null);
    let inline = || {
        let mut members = schema.node.get("allOf")?.items().filter(|member| member.get("$ref").is_none());
        members.find_map(|member| member.get("discriminator"))
    };
    let node = own.or_else(inline)?;
    if schema.dialect == Dialect::Swagger {
        return swagger(cx, schema, node);
    }
    let property = node.get_str("propertyName")?;
    let entries = node.get("mapping").into_iter().flat_map(Node::entries);
    let mapping = entries.map(|(tag, value)| (tag, mapped(cx, schema, value).ok_or(value))).collect();
    Some(Discriminator { node, property, mapping })
}

/// In Swagger 2.0 the keyword is the property's name, and the tags are the names of the definitions
/// that have the schema in their `allOf` (2.0, Schema Object, Models with Polymorphism Support).
fn swagger<'i>(cx: &Definitions<'i>, schema: Schema<'i>, node: Node<'i>) -> Option<Discriminator<'i>> {
    let heirs = cx.components.heirs(schema.node.place());
    let mapping = heirs.into_iter().map(|(name, heir)| (name, Ok(schema.at(heir)))).collect();
    Some(Discriminator { node, property: node.as_str()?, mapping })
}

impl<'i> Discriminator<'i> {
    /// The schemas that the mapping names, each with its tags, in the order of the mapping.
    fn targets(&self) -> Vec<(Schema<'i>, Vec<&'i str>)> {
        let mut targets: Vec<(Schema<'i>, Vec<&str>)> = Vec::new();
        for (tag, target) in &self.mapping {
            let Ok(target) = target else { continue };
            match targets.iter_mut().find(|(known, _)| known == target) {
                Some((_, tags)) => tags.push(tag),
                None => targets.push((*target, vec![tag])),
            }
        }
        targets
    }
}

/// The schema that a mapping's value names. What could be a component's name or an address is a
/// name (3.1.2, section 4.8.25.2).
fn mapped<'i>(cx: &Definitions<'i>, base: Schema<'i>, value: Node<'i>) -> Option<Schema<'i>> {
    let text = value.as_str()?;
    let node = cx.components.get(text).or_else(|| anchor::resolve(value, text).ok())?;
    look::follow(base.at(node)).ok()
}

/// Whether references to a schema, outside `allOf`, name its subtypes too: it has a mapping of a
/// size that is written out, no union of its own, and no subtype that is a union around it.
pub(super) fn is_expanded<'i>(cx: &Definitions<'i>, schema: Schema<'i>) -> bool {
    let place = schema.node.place();
    if let Some(&known) = cx.expanded.borrow().get(&place) {
        return known;
    }
    let expanded = decide(cx, schema);
    cx.expanded.borrow_mut().insert(place, expanded);
    expanded
}

fn decide<'i>(cx: &Definitions<'i>, schema: Schema<'i>) -> bool {
    let Some(found) = read(cx, schema) else { return false };
    let union = ["oneOf", "anyOf"].iter().any(|name| schema.node.get(name).is_some());
    if union || found.mapping.is_empty() || cx.max_subtypes == 0 {
        return false;
    }
    if found.mapping.len() > cx.max_subtypes {
        let message = format!(
            "the mapping has {} entries, more than {}; the subtypes are not listed (`--subtypes {}` lists them)",
            found.mapping.len(),
            cx.max_subtypes,
            found.mapping.len(),
        );
        cx.report(found.node.diagnostic(Code::DiscriminatorTooLarge, message));
        return false;
    }
    for (tag, target) in &found.mapping {
        if let Err(value) = target {
            let message =
                format!("the tag {tag:?} is mapped to {:?}, which names no schema; ignored", value.text());
            cx.report(value.diagnostic(Code::DiscriminatorTarget, message));
        }
    }
    let targets = found.targets();
    let others = targets.iter().filter(|(target, _)| *target != schema).count();
    others > 0 && !targets.iter().any(|(target, _)| *target != schema && loops(cx, *target, schema))
}

/// Whether validating `from` comes, for the same value, to a use of `base` outside `allOf`: with the
/// subtypes listed there, validation would never end.
fn loops<'i>(cx: &Definitions<'i>, from: Schema<'i>, base: Schema<'i>) -> bool {
    let mut seen: HashSet<(Place, bool)> = HashSet::default();
    let mut open = vec![(from, false)];
    while let Some((schema, listed)) = open.pop() {
        if listed && schema == base {
            return true;
        }
        if !seen.insert((schema.node.place(), listed)) {
            continue;
        }
        if listed && let Some(found) = read(cx, schema) {
            open.extend(found.targets().into_iter().map(|(target, _)| (target, false)));
        }
        // A reference outside `allOf` lists the subtypes of what it leads to.
        open.extend(
            cycle::steps(schema)
                .into_iter()
                .map(|step| (step.schema, !step.member && step.keyword != "allOf")),
        );
    }
    false
}

/// The definition of a base with its subtypes: the base itself, or any of them with its tag.
pub(super) fn any_subtype<'i>(cx: &Definitions<'i>, base: Schema<'i>, spot: Spot<'_>) -> Value {
    let mut branches =
        vec![json!({"$ref": format!("#/$defs/{}", cx.definition(base, Variant::Plain).name())})];
    if let Some(found) = read(cx, base) {
        for (target, tags) in found.targets() {
            if target == base {
                continue;
            }
            let reference =
                json!({"$ref": format!("#/$defs/{}", cx.definition(target, Variant::Plain).name())});
            branches.push(tagged(reference, target, found.property, &tags, true));
        }
    }
    let map = Map::from_iter([("anyOf".to_owned(), Value::Array(branches))]);
    convert::literal(cx, map, spot)
}

/// Gives the branches of a union their tags, where its `discriminator` maps them and they don't say
/// them; and the duty to say one, where they don't have it.
pub(super) fn tag_branches<'i>(
    cx: &Definitions<'i>,
    union: Schema<'i>,
    list: Node<'i>,
    branches: Vec<Value>,
) -> Vec<Value> {
    let Some(found) = union.node.get("discriminator").and_then(|_| read(cx, union)) else { return branches };
    if found.mapping.is_empty() {
        return branches;
    }
    let required = found.node.get("defaultMapping").is_none();
    let targets = found.targets();
    let sources = list.items().map(|item| look::follow(union.at(item)).unwrap_or(union.at(item)));
    sources
        .zip(branches)
        .map(|(source, branch)| {
            let tags = targets.iter().find(|(target, _)| *target == source).map_or(&[][..], |(_, tags)| tags);
            if source.node.kind() == Kind::Object {
                tagged(branch, source, found.property, tags, required)
            } else {
                branch
            }
        })
        .collect()
}

/// A branch with its tag. `source` is the schema that it stands for.
fn tagged(branch: Value, source: Schema<'_>, property: &str, tags: &[&str], required: bool) -> Value {
    let declared = look::declares_values(source, property);
    let text = look::declares_text(source, property);
    let says_tag = !declared && !tags.is_empty() && text != Some(false);
    let needs_duty =
        required && !look::requires(source, property) && (declared || says_tag || text.is_some());
    if !says_tag && !needs_duty {
        return branch;
    }
    let mut out = Map::from_iter([("allOf".to_owned(), json!([branch]))]);
    if says_tag {
        let tag = if let [tag] = tags { json!({"const": tag}) } else { json!({"enum": tags}) };
        out.insert("properties".to_owned(), json!({property: tag}));
    }
    if required && (says_tag || needs_duty) {
        out.insert("required".to_owned(), json!([property]));
    }
    Value::Object(out)
}
