//! What a YAML scalar is: the core schema (YAML 1.2.2, section 10.3), tags, merge keys.
//!
//! The one deviation: a number with leading zeros is a string. By the letter of the schema `007` is
//! seven, but people who write it mean a code, and its digits must survive.

use granit_parser::Tag;

use crate::input::json;
use crate::input::tree::Kind;

/// The namespace of `!!`.
const NAMESPACE: &str = "tag:yaml.org,2002:";

/// A scalar's kind, and its text where it must be another than what is written: the digits of a
/// number that JSON writes differently.
type Resolved = (Kind, Option<String>);

/// Resolves a scalar by its tag, else by its text if it is plain; all others are strings. A tag
/// that is none of the core schema's scalars is ignored.
///
/// # Errors
/// The name of the tag that `text` doesn't fit, as in `!!int x`.
pub(super) fn resolve(text: &str, plain: bool, tag: Option<&Tag>) -> Result<Resolved, &'static str> {
    let Some(tag) = tag else { return Ok(if plain { untagged(text) } else { (Kind::String, None) }) };
    // A lone `!` says that the scalar is not to be resolved (section 6.9.1).
    if tag.handle().is_empty() && tag.suffix() == "!" {
        return Ok((Kind::String, None));
    }
    match tag.core_suffix() {
        Some("str") => Ok((Kind::String, None)),
        Some("null") => null(text).ok_or("null"),
        Some("bool") => boolean(text).ok_or("bool"),
        Some("int") => integer(text).ok_or("int"),
        Some("float") => float(text).ok_or("float"),
        _ if plain => Ok(untagged(text)),
        _ => Ok((Kind::String, None)),
    }
}

/// Whether a key merges other mappings into its own: a plain `<<`, or any that says so by its tag.
/// Rule: <https://yaml.org/type/merge.html>.
pub(super) fn is_merge(text: &str, plain: bool, tag: Option<&Tag>) -> bool {
    match tag {
        Some(tag) => tag.suffix_in_namespace(NAMESPACE).as_deref() == Some("merge"),
        None => plain && text == "<<",
    }
}

/// Resolves a plain scalar by its text.
fn untagged(text: &str) -> Resolved {
    let resolved = match text.bytes().next() {
        None | Some(b'~' | b'n' | b'N') => null(text),
        Some(b't' | b'T' | b'f' | b'F') => boolean(text),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => number(text).filter(|_| !has_leading_zeros(text)),
        _ => None,
    };
    resolved.unwrap_or((Kind::String, None))
}

fn null(text: &str) -> Option<Resolved> {
    matches!(text, "" | "~" | "null" | "Null" | "NULL").then_some((Kind::Null, None))
}

fn boolean(text: &str) -> Option<Resolved> {
    match text {
        "true" | "True" | "TRUE" => Some((Kind::Bool(true), None)),
        "false" | "False" | "FALSE" => Some((Kind::Bool(false), None)),
        _ => None,
    }
}

/// What `!!int` may stand before; leading zeros don't matter there.
fn integer(text: &str) -> Option<Resolved> {
    let based = text.starts_with("0x") || text.starts_with("0o");
    number(text).filter(|_| based || !text.contains(['.', 'e', 'E']))
}

/// What `!!float` may stand before. JSON has no infinity and no NaN: they stay strings.
fn float(text: &str) -> Option<Resolved> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" => Some((Kind::String, None)),
        _ if matches!(text, ".nan" | ".NaN" | ".NAN") => Some((Kind::String, None)),
        _ => number(text),
    }
}

/// A number of the core schema, and its digits where JSON writes them differently.
fn number(text: &str) -> Option<Resolved> {
    if json::is_number(text) {
        return Some((Kind::Number, None));
    }
    let digits = match (text.strip_prefix("0x"), text.strip_prefix("0o")) {
        (Some(digits), _) => based(digits, 16),
        (_, Some(digits)) => based(digits, 8),
        _ => decimal(text),
    };
    digits.map(|digits| (Kind::Number, Some(digits)))
}

/// The decimal digits of a number of base 8 or 16, up to 128 bits.
fn based(digits: &str, base: u32) -> Option<String> {
    // `from_str_radix` would take a sign.
    if !digits.chars().all(|digit| digit.is_digit(base)) {
        return None;
    }
    u128::from_str_radix(digits, base).ok().map(|number| number.to_string())
}

/// JSON's writing of a decimal number: no plus, no leading zeros, digits on both sides of a point.
fn decimal(text: &str) -> Option<String> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = unsigned.split_at(unsigned.find(['e', 'E']).unwrap_or(unsigned.len()));
    let (whole, point, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, ".", if fraction.is_empty() { "0" } else { fraction }),
        None => (mantissa, "", ""),
    };
    let significant = match whole.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    // Zeros that were put in or taken away may hide that there was no digit at all.
    let any = mantissa.bytes().any(|byte| byte.is_ascii_digit());
    let digits = format!("{sign}{significant}{point}{fraction}{exponent}");
    (any && json::is_number(&digits)).then_some(digits)
}

/// Whether a decimal number has zeros before its first digit: `01`, `-012`, `00.5`.
fn has_leading_zeros(text: &str) -> bool {
    let mut digits = text.strip_prefix(['+', '-']).unwrap_or(text).bytes();
    digits.next() == Some(b'0') && digits.next().is_some_and(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_digits_of_json() {
        for (text, expected) in [
            ("1", "1"),
            ("-0", "-0"),
            ("+1", "1"),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("1.", "1.0"),
            ("1.e3", "1.0e3"),
            ("+.5E-3", "0.5E-3"),
            ("1e3", "1e3"),
            ("1.10", "1.10"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("0xffffffffffffffffffffffffffffffff", "340282366920938463463374607431768211455"),
            ("18446744073709551616", "18446744073709551616"),
        ] {
            let (kind, digits) = untagged(text);
            assert_eq!(kind, Kind::Number, "{text}");
            assert_eq!(digits.as_deref().unwrap_or(text), expected, "{text}");
        }
    }

    #[test]
    fn what_looks_like_a_number_and_is_none_stays_a_string() {
        for text in [
            "01",
            "007",
            "-012",
            "+01",
            "00.5",
            "00",
            ".",
            "+",
            "-",
            "+.",
            "-.",
            ".e5",
            "e5",
            "1e",
            "1e+",
            "1.2.3",
            "1_000",
            "0x",
            "0o",
            "0o8",
            "0xg",
            "0x+1",
            "-0x1",
            "0b1",
            "1:30",
            ".inf",
            "-.INF",
            ".nan",
            "1 ",
            "0x100000000000000000000000000000000",
            "++1",
            "2020-01-01",
            "1,5",
            "٣",
        ] {
            assert_eq!(untagged(text), (Kind::String, None), "{text}");
        }
    }
}
