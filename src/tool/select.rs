//! Which operations become tools. Decided when all have their names, before any is read.

use std::fmt;

use thiserror::Error;

use super::extensions;
use crate::input::Node;
use crate::openapi::{Endpoint, Fault};
use crate::options::select::{Key, Pattern, Selection};

/// Why an operation was not selected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotSelected {
    /// A pattern of [`Selection::skip`] matches it.
    Skip(Pattern),
    /// It matches none of the patterns of [`Selection::only`] with this key.
    Only(Key),
    /// Its method may change something, and [`Selection::read_only`] is asked for.
    Method,
    /// It is deprecated, and [`Selection::no_deprecated`] is asked for.
    Deprecated,
    /// A vendor extension of the document hides it; its name.
    Extension(&'static str),
}

impl fmt::Display for NotSelected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotSelected::Skip(pattern) => write!(f, "--skip {pattern}"),
            NotSelected::Only(key) => write!(f, "no --only {}=... matches", key.name()),
            NotSelected::Method => f.write_str("--read-only"),
            NotSelected::Deprecated => f.write_str("--no-deprecated"),
            NotSelected::Extension(name) => f.write_str(name),
        }
    }
}

/// A pattern that matches no operation of the document, which can't be meant.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("no operation has a {} that matches {:?}{}", pattern.key.name(), pattern.glob, suggestion(nearest))]
#[non_exhaustive]
pub struct SelectionError {
    /// The pattern.
    pub pattern: Pattern,
    /// What comes nearest to it, the nearest first; at most three.
    pub nearest: Vec<String>,
}

fn suggestion(nearest: &[String]) -> String {
    let quoted: Vec<String> = nearest.iter().map(|name| format!("{name:?}")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => format!("; the nearest is {only}"),
        Some((last, others)) => format!("; the nearest are {} and {last}", others.join(", ")),
    }
}

/// The tags of an operation, as it lists them.
pub(crate) fn tags<'i>(endpoint: &Endpoint<'i>) -> Vec<&'i str> {
    endpoint.node.get("tags").into_iter().flat_map(Node::items).filter_map(Node::as_str).collect()
}

/// For each operation, in their order, why it is not selected, if it is not.
///
/// # Errors
/// A pattern that matches none of all the operations, nor what can't be read as one.
pub(crate) fn select(
    endpoints: &[Endpoint<'_>],
    names: &[String],
    faults: &[Fault<'_>],
    root: Node<'_>,
    selection: &Selection,
) -> Result<Vec<Option<NotSelected>>, SelectionError> {
    let candidates: Vec<Candidate<'_, '_>> =
        endpoints.iter().zip(names).map(|(endpoint, name)| Candidate { endpoint, name }).collect();
    for pattern in selection.only.iter().chain(&selection.skip) {
        let found = candidates.iter().any(|candidate| candidate.matches(pattern))
            || faults.iter().any(|fault| fault_matches(fault, pattern));
        if !found {
            return Err(SelectionError { pattern: pattern.clone(), nearest: nearest(&candidates, pattern) });
        }
    }
    let default = extensions::default(root);
    Ok(candidates.iter().map(|candidate| candidate.refused_by(selection, default)).collect())
}

/// Why what can't be read as an operation is not selected: by the little that is known of it.
pub(crate) fn fault_refused_by(fault: &Fault<'_>, selection: &Selection) -> Option<NotSelected> {
    let matches = |pattern: &Pattern| fault_matches(fault, pattern);
    refused_by(selection, &matches)
        .err()
        .or_else(|| (selection.read_only && !fault.method.is_none_or(is_safe)).then_some(NotSelected::Method))
}

/// Whether what has these matches is asked for by its very name.
///
/// # Errors
/// The pattern, or the lack of one, that refuses it.
fn refused_by(selection: &Selection, matches: &dyn Fn(&Pattern) -> bool) -> Result<bool, NotSelected> {
    if let Some(pattern) = selection.skip.iter().find(|pattern| matches(pattern)) {
        return Err(NotSelected::Skip(pattern.clone()));
    }
    let mut named = false;
    for key in Key::ALL {
        let mut patterns = selection.only.iter().filter(|pattern| pattern.key == key).peekable();
        if patterns.peek().is_none() {
            continue;
        }
        let matching: Vec<&Pattern> = patterns.filter(|pattern| matches(pattern)).collect();
        if matching.is_empty() {
            return Err(NotSelected::Only(key));
        }
        named |= matches!(key, Key::Id | Key::Tool) && matching.iter().any(|pattern| pattern.is_literal());
    }
    Ok(named)
}

fn fault_matches(fault: &Fault<'_>, pattern: &Pattern) -> bool {
    match pattern.key {
        Key::Path => pattern.matches(fault.path),
        Key::Method => fault.method.is_some_and(|method| pattern.matches(method)),
        Key::Tag | Key::Id | Key::Tool => false,
    }
}

/// Methods that are meant to read (RFC 9110, section 9.2.1; QUERY is another of them). OPTIONS and
/// TRACE are safe as well, but about the connection.
fn is_safe(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "QUERY")
}

/// An operation with its tool's name.
struct Candidate<'e, 'i> {
    endpoint: &'e Endpoint<'i>,
    name: &'e str,
}

impl<'e> Candidate<'e, '_> {
    /// What a key looks at.
    fn values(&self, key: Key) -> Vec<&'e str> {
        match key {
            Key::Tag => tags(self.endpoint),
            Key::Id => self.endpoint.id.into_iter().collect(),
            Key::Tool => vec![self.name],
            Key::Path => vec![self.endpoint.path],
            Key::Method => vec![self.endpoint.method],
        }
    }

    fn matches(&self, pattern: &Pattern) -> bool {
        self.values(pattern.key).into_iter().any(|value| pattern.matches(value))
    }

    /// Why it is not selected. What the command line asks for by its very name is no more hidden.
    fn refused_by(&self, selection: &Selection, default: Option<bool>) -> Option<NotSelected> {
        let named = match refused_by(selection, &|pattern| self.matches(pattern)) {
            Ok(named) => named,
            Err(reason) => return Some(reason),
        };
        if selection.read_only && !is_safe(self.endpoint.method) {
            return Some(NotSelected::Method);
        }
        if selection.no_deprecated && self.endpoint.node.is_true("deprecated") {
            return Some(NotSelected::Deprecated);
        }
        extensions::hidden_by(self.endpoint, default).filter(|_| !named).map(NotSelected::Extension)
    }
}

/// What operations have that comes nearest to a pattern.
fn nearest(candidates: &[Candidate<'_, '_>], pattern: &Pattern) -> Vec<String> {
    const SHOWN: usize = 3;
    let wanted = pattern.glob.replace(['*', '?'], "").to_lowercase();
    let values: foldhash::HashSet<&str> =
        candidates.iter().flat_map(|candidate| candidate.values(pattern.key)).collect();
    let mut ranked: Vec<(bool, usize, &str)> = values
        .into_iter()
        .map(|value| {
            let lower = value.to_lowercase();
            // A part is nearer than a slip.
            let part = !wanted.is_empty() && (lower.contains(&wanted) || wanted.contains(&lower));
            (!part, distance(&wanted, &lower), value)
        })
        .filter(|(slip, distance, value)| !slip || *distance <= 1 + wanted.len().max(value.len()) / 3)
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(SHOWN).map(|(.., value)| value.to_owned()).collect()
}

/// How many characters have to be put in, taken out or replaced to make one text of another; the
/// length of the longer if one is too long to be a name.
fn distance(a: &str, b: &str) -> usize {
    const LONG: usize = 200;
    if a.len().max(b.len()) > LONG {
        return a.len().max(b.len());
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, a) in a.chars().enumerate() {
        let mut next = vec![line + 1];
        for ((known, (above, diagonal)), left) in b.iter().zip(row.iter().skip(1).zip(&row)).zip(0..) {
            let replaced = diagonal + usize::from(*known != a);
            let before = next.get(left).copied().unwrap_or(usize::MAX - 1);
            next.push(replaced.min(above + 1).min(before + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances() {
        for (a, b, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("", "ab", 2),
            ("pets", "pet", 1),
            ("kitten", "sitting", 3),
            ("é", "e", 1),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }
}
