//! The form of each keyword's value, held to what the table of keywords says.

use serde_json::{Map, Number, Value, json};

use super::dialect::Refusal;
use super::keywords::{Class, Form, keyword};
use super::number;
use super::rules::Site;
use crate::diagnostic::Code;

/// Holds each value to the form that the table gives its keyword; repairs what can be meant only
/// one way.
pub(super) fn forms(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    let fits = |(name, value): (&String, &Value)| {
        keyword(name).is_none_or(|row| in_form(row.form, name, value) == Ok(None))
    };
    if schema.iter().all(fits) {
        return Ok(());
    }
    let names: Vec<String> = schema.keys().cloned().collect();
    for name in names {
        let Some(row) = keyword(&name) else { continue };
        let Some(value) = schema.get(&name) else { continue };
        match in_form(row.form, &name, value) {
            Ok(None) => {}
            Ok(Some(repaired)) => {
                (site.report)(
                    Code::RepairedShape,
                    &name,
                    format!("`{name}` is {}; taken as {repaired}", shown(value)),
                );
                schema.insert(name, repaired);
            }
            // What no validator reads can't be wrong.
            Err(expected) if row.class != Class::Assertion => {
                (site.report)(
                    Code::RepairedShape,
                    &name,
                    format!("`{name}` is {}; expected {expected}; dropped", shown(value)),
                );
                schema.shift_remove(&name);
            }
            Err(expected) => {
                let message = format!("`{name}` is {}; expected {expected}", shown(value));
                return Err(Refusal::new(Code::InvalidSchema, &name, message));
            }
        }
    }
    Ok(())
}

/// `None` if the value has the form, else what it was meant to be.
fn in_form(form: Form, name: &str, value: &Value) -> Result<Option<Value>, &'static str> {
    match (form, value) {
        (Form::Any, _)
        | (Form::Text, Value::String(_))
        | (Form::Flag, Value::Bool(_))
        | (Form::List, Value::Array(_)) => Ok(None),
        (Form::Number, Value::Number(number)) => {
            let zero = name == "multipleOf" && number::equal(value, &json!(0));
            if zero || (name == "multipleOf" && number::is_negative(number)) {
                Err("a number above zero")
            } else {
                Ok(None)
            }
        }
        (Form::Count, Value::Number(number))
            if number::is_integer(number) && !number::is_negative(number) =>
        {
            Ok(None)
        }
        // A negative lower limit says nothing.
        (Form::Count, Value::Number(number)) if number::is_negative(number) && name.starts_with("min") => {
            Ok(Some(json!(0)))
        }
        (Form::Number | Form::Count, Value::String(text)) => {
            match serde_json::from_str::<Number>(text.trim()) {
                Ok(number) => Ok(Some(Value::Number(number))),
                Err(_) => Err("a number"),
            }
        }
        (Form::Number, _) => Err("a number"),
        (Form::Count, _) => Err("a whole number, zero or more"),
        (Form::Text, Value::Number(_) | Value::Bool(_)) if name != "pattern" => {
            Ok(Some(Value::String(value.to_string())))
        }
        (Form::Text, _) => Err("a string"),
        (Form::Flag, Value::String(text)) if text == "true" || text == "false" => {
            Ok(Some(Value::Bool(text == "true")))
        }
        (Form::Flag, _) => Err("true or false"),
        (Form::List, _) if name == "examples" => Ok(Some(examples_of(value))),
        (Form::List, _) => Err("a list"),
        (Form::Names, _) => names(value),
        (Form::NamesByName, Value::Object(map)) if map.values().all(|list| names(list) == Ok(None)) => {
            Ok(None)
        }
        (Form::NamesByName, _) => Err("an object of lists of names"),
    }
}

fn names(value: &Value) -> Result<Option<Value>, &'static str> {
    match value {
        Value::Array(list) if list.iter().all(Value::is_string) => Ok(None),
        Value::Array(list)
            if list.iter().all(|name| name.is_string() || name.is_number() || name.is_boolean()) =>
        {
            let name = |name: &Value| name.as_str().map_or_else(|| name.to_string(), str::to_owned);
            Ok(Some(list.iter().map(name).collect()))
        }
        Value::String(name) => Ok(Some(json!([name]))),
        // Draft 3 wrote `required: true` in the property; here it says nothing.
        Value::Bool(_) => Ok(Some(json!([]))),
        _ => Err("a list of property names"),
    }
}

/// The values of `examples` where it is OpenAPI's map of Example Objects, or a lone value.
fn examples_of(value: &Value) -> Value {
    let Value::Object(map) = value else { return json!([value]) };
    let values: Vec<Value> = map.values().filter_map(|example| example.get("value").cloned()).collect();
    if values.len() == map.len() { Value::Array(values) } else { json!([value]) }
}

/// A value as messages show it.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 40 {
        text
    } else {
        format!("{}...", text.chars().take(37).collect::<String>())
    }
}
