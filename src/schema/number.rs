//! Numbers compared by value: the one place that looks at their digits.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// Whether two values are equal as JSON Schema sees it (2020-12 core, section 4.2.2): numbers by
/// value, so `1.0` is `1`; objects whatever the order of their keys.
pub(crate) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => normal_form(a) == normal_form(b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// How two numbers compare by value.
pub(crate) fn order(a: &Number, b: &Number) -> Ordering {
    let (a, b) = (normal_form(a), normal_form(b));
    // Zero has no digits and no sign.
    let sign = |(negative, digits, _): &(bool, String, i64)| match (digits.is_empty(), negative) {
        (true, _) => 0,
        (false, true) => -1,
        (false, false) => 1,
    };
    if sign(&a) != sign(&b) || sign(&a) == 0 {
        return sign(&a).cmp(&sign(&b));
    }
    let length = |digits: &str| i64::try_from(digits.len()).unwrap_or(i64::MAX / 4);
    // The power of ten of the first digit, then the digits from the first on.
    let size = |(_, digits, exponent): &(bool, String, i64)| exponent.saturating_add(length(digits));
    let larger = size(&a).cmp(&size(&b)).then_with(|| a.1.cmp(&b.1));
    if a.0 { larger.reverse() } else { larger }
}

/// A text that equal values share, and different ones don't: for sets of values.
pub(crate) fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => {
            let (negative, digits, exponent) = normal_form(number);
            format!("{}{digits}e{exponent}", if negative { "-" } else { "" })
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(map) => {
            let mut entries: Vec<_> =
                map.iter().map(|(key, value)| format!("{key:?}:{}", canonical(value))).collect();
            entries.sort_unstable();
            format!("{{{}}}", entries.join(","))
        }
        Value::String(text) => format!("{text:?}"),
        Value::Null | Value::Bool(_) => value.to_string(),
    }
}

/// Whether the number is zero or more, as lengths and counts must be.
pub(crate) fn is_negative(number: &Number) -> bool {
    number.as_str().starts_with('-') && !normal_form(number).1.is_empty()
}

/// The number as a length or count, however it is written: `2` and `2.0`.
pub(crate) fn count(number: &Number) -> Option<u64> {
    let (negative, digits, exponent) = normal_form(number);
    if digits.is_empty() || negative {
        return digits.is_empty().then_some(0);
    }
    let scale = 10_u64.checked_pow(u32::try_from(exponent).ok()?)?;
    digits.parse::<u64>().ok()?.checked_mul(scale)
}

/// Whether the number has no fraction.
pub(crate) fn is_integer(number: &Number) -> bool {
    if number.as_str().bytes().all(|byte| byte.is_ascii_digit()) {
        return true;
    }
    let (_, digits, exponent) = normal_form(number);
    digits.is_empty() || exponent >= 0
}

/// Sign, digits without leading or trailing zeros, and the power of ten of the last digit. Zero has
/// no digits.
fn normal_form(number: &Number) -> (bool, String, i64) {
    let text = number.as_str();
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // Beyond 64 bits an exponent names no number that a schema could mean; saturating keeps order.
    let exponent =
        exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 });
    let scale = i64::try_from(fraction.len()).unwrap_or(i64::MAX / 4);
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let trimmed = digits.trim_end_matches('0');
    if trimmed.is_empty() {
        return (false, String::new(), 0);
    }
    let zeros = i64::try_from(digits.len() - trimmed.len()).unwrap_or(0);
    (negative, trimmed.to_owned(), exponent - scale + zeros)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    fn equal(a: &str, b: &str) -> bool {
        let parse = |text| serde_json::from_str::<Value>(text).unwrap();
        super::equal(&parse(a), &parse(b))
    }

    #[test]
    fn equal_values_share_a_canonical_text() {
        let canonical = |text| super::canonical(&serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(canonical(r#"{"a": 1, "b": [10, null]}"#), canonical(r#"{"b": [1e1, null], "a": 1.0}"#));
        assert_ne!(canonical("1"), canonical("\"1\""));
        assert_ne!(canonical("[1, 2]"), canonical("[12]"));
        assert_ne!(canonical("0"), canonical("null"));
    }

    #[test]
    fn counts_are_read_however_they_are_written() {
        let count = |text: &str| super::count(&text.parse().unwrap());
        assert_eq!(
            [count("2"), count("2.0"), count("20e-1"), count("1e2"), count("-0.0")],
            [2, 2, 2, 100, 0].map(Some)
        );
        assert_eq!([count("-1"), count("0.5"), count("1e30")], [None; 3]);
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let sorted = ["-1e30", "-12", "-1.5", "0", "1e-9", "0.5", "1", "1.5", "2", "9", "10", "11.5", "1e30"];
        let number = |text: &str| text.parse::<serde_json::Number>().unwrap();
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(super::order(&number(a), &number(b)), i.cmp(&j), "{a} {b}");
            }
        }
        assert!(super::order(&number("1.0"), &number("10e-1")).is_eq());
    }

    #[test]
    fn numbers_are_equal_by_value() {
        assert!(equal("1", "1.0"));
        assert!(equal("100", "1e2"));
        assert!(equal("0", "-0.0"));
        assert!(equal("[1, {\"a\": 0.10}]", "[1.0, {\"a\": 1e-1}]"));
        assert!(!equal("1", "-1"));
        assert!(!equal("18446744073709551616", "18446744073709551617"));
        assert!(!equal("1", "true"));
        assert!(!equal("1", "\"1\""));
    }
}
