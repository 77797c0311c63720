//! Reading: JSON and YAML become the same tree, other readers agree, and errors point at their place.

mod corpus;
mod errors;
mod json;
mod limits;
mod places;
mod random;
mod yaml;

use gen_tools::{Input, Node};
use serde_json::{Map, Value};

/// What `text` holds by our reader; the format is that of the extension of `name`.
fn read(name: &str, text: &str) -> Result<Value, String> {
    let input = Input::parse(name, text).map_err(|error| error.to_string())?;
    Ok(input.root().map_or(Value::Null, Node::to_value))
}

/// The same value with each number written in one way, so that `1.10` and `1.1` are equal: other
/// readers lose the digits that ours keeps.
fn plain_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => {
            let digits = number.to_string();
            if digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') && digits != "-0" {
                return Value::Number(number);
            }
            Value::from(digits.parse::<f64>().expect("digits of a number"))
        }
        Value::Array(items) => items.into_iter().map(plain_numbers).collect(),
        Value::Object(entries) => {
            entries.into_iter().map(|(key, value)| (key, plain_numbers(value))).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}
