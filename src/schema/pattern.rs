//! Whether a `pattern` is one that clients can compile: ECMA-262 with the `u` flag, as Ajv does.

use regress::Regex;
use serde_json::{Map, Value, json};

use super::dialect::append_to_description;
use super::rules::Site;
use crate::diagnostic::Code;

/// What is to be done with a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It compiles.
    Valid,
    /// This compiles, and matches the same texts.
    Repaired(String),
    /// It doesn't compile, and why.
    Invalid(String),
}

/// The longest pattern that is compiled, in bytes: readers compile it again at every start.
const MAX_PATTERN: usize = 10_000;

/// Compiles a pattern, repaired if need be.
pub(super) fn check(pattern: &str) -> Verdict {
    if pattern.len() > MAX_PATTERN {
        return Verdict::Invalid(format!("it is longer than {MAX_PATTERN} bytes"));
    }
    let Err(error) = Regex::with_flags(pattern, "u") else { return Verdict::Valid };
    let repaired = repair(pattern);
    if repaired != pattern && Regex::with_flags(&repaired, "u").is_ok() {
        return Verdict::Repaired(repaired);
    }
    Verdict::Invalid(error.to_string())
}

/// Drops escapes that `u` refuses because they do nothing, and escapes the `-` beside a class in a
/// class, which means itself without `u` (ECMA-262, Annex B.1.2).
fn repair(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 4);
    let mut chars = pattern.chars().peekable();
    let (mut in_class, mut after_shorthand) = (false, false);
    while let Some(c) = chars.next() {
        let was_shorthand = std::mem::take(&mut after_shorthand);
        match c {
            '\\' => {
                let Some(next) = chars.next() else {
                    out.push('\\');
                    break;
                };
                let needed = next.is_ascii_alphanumeric()
                    || "^$\\.*+?()[]{}|/".contains(next)
                    || (next == '-' && in_class);
                if needed {
                    out.push('\\');
                }
                out.push(next);
                after_shorthand = in_class && "wWdDsS".contains(next);
            }
            '-' if in_class
                && chars.peek() != Some(&']')
                && (was_shorthand || precedes_shorthand(&chars)) =>
            {
                out.push_str("\\-");
            }
            _ => {
                match c {
                    '[' => in_class = true,
                    ']' => in_class = false,
                    _ => {}
                }
                out.push(c);
            }
        }
    }
    out
}

fn precedes_shorthand(rest: &std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let mut rest = rest.clone();
    rest.next() == Some('\\') && rest.next().is_some_and(|c| "wWdDsS".contains(c))
}

/// `pattern`: one that ECMA-262 with `u` refuses makes clients refuse the tool. A needless escape
/// is repaired; else the pattern moves to the description.
pub(super) fn pattern_valid(schema: &mut Map<String, Value>, site: &Site<'_>) {
    let Some(Value::String(text)) = schema.get("pattern") else { return };
    let text = text.clone();
    match (site.pattern)(&text) {
        Verdict::Valid => {}
        Verdict::Repaired(repaired) => {
            (site.report)(
                Code::RepairedPattern,
                "pattern",
                format!("`pattern` {text:?} is taken as {repaired:?}"),
            );
            schema["pattern"] = Value::String(repaired);
        }
        Verdict::Invalid(reason) => {
            (site.report)(
                Code::MovedPattern,
                "pattern",
                format!("`pattern` {text:?} is no ECMA-262 pattern: {reason}"),
            );
            schema.shift_remove("pattern");
            append_to_description(schema, &format!("pattern: {text}"));
        }
    }
}

/// `pattern` for the keys of `patternProperties`: a key that can't be read is dropped, and the
/// object opened, since what the key allowed must stay allowed.
pub(super) fn pattern_properties_valid(schema: &mut Map<String, Value>, site: &Site<'_>) {
    let Some(Value::Object(properties)) = schema.get_mut("patternProperties") else { return };
    let invalid = properties.keys().any(|key| (site.pattern)(key) != Verdict::Valid);
    if !invalid {
        return;
    }
    let mut dropped = false;
    let all = std::mem::take(properties);
    for (key, value) in all {
        match (site.pattern)(&key) {
            Verdict::Valid => add_pattern(properties, key, value),
            Verdict::Repaired(repaired) => add_pattern(properties, repaired, value),
            Verdict::Invalid(reason) => {
                (site.report)(
                    Code::MovedPattern,
                    "patternProperties",
                    format!(
                        "the key {key:?} of `patternProperties` is no ECMA-262 pattern: {reason}; dropped"
                    ),
                );
                dropped = true;
            }
        }
    }
    if properties.is_empty() {
        schema.shift_remove("patternProperties");
    }
    if dropped {
        schema.shift_remove("additionalProperties");
        schema.shift_remove("unevaluatedProperties");
    }
}

/// Adds a pattern's schema; two patterns that became one both hold.
fn add_pattern(properties: &mut Map<String, Value>, key: String, value: Value) {
    let both = match properties.get(&key) {
        Some(known) => json!({"allOf": [known, value]}),
        None => value,
    };
    properties.insert(key, both);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needless_escapes_are_repaired_and_the_rest_is_told_apart() {
        let repaired = |text: &str| Verdict::Repaired(text.to_owned());
        assert_eq!(check(r"^[a-z\-]+\.$"), Verdict::Valid);
        assert_eq!(check(r"^a\-b\_c\@d$"), repaired(r"^a-b_c@d$"));
        assert_eq!(check(r"^[\w-.]+$"), repaired(r"^[\w\-.]+$"));
        assert_eq!(check(r"^[.-\w]+$"), repaired(r"^[.\-\w]+$"));
        assert_eq!(check(r#"^\"x\"$"#), repaired(r#"^"x"$"#));
        for text in ["(?i)abc", r"\Aabc\z", "(?P<x>a)", "a++", "[[:alpha:]]", r"\pL", "("] {
            assert!(matches!(check(text), Verdict::Invalid(_)), "{text}");
        }
    }

    #[test]
    fn a_repaired_pattern_is_valid() {
        for text in [r"\-", r"[\w-.]", r"\_\@\#", r"\%[\d-x]"] {
            let Verdict::Repaired(repaired) = check(text) else { panic!("{text}") };
            assert_eq!(check(&repaired), Verdict::Valid);
        }
    }
}
