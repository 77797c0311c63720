//! Makes a document that fails small: whatever can go without the failure going with it, goes.

use serde_json::{Value, json};

/// The pointers of all values in `value`, outer ones first.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let at = format!("{at}/{}", super::document::escaped(key));
                found.push(at.clone());
                places(value, &at, found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                let at = format!("{at}/{index}");
                found.push(at.clone());
                places(value, &at, found);
            }
        }
        _ => {}
    }
}

fn without(value: &Value, pointer: &str) -> Option<Value> {
    let mut value = value.clone();
    let (parent, key) = pointer.rsplit_once('/')?;
    match value.pointer_mut(parent)? {
        Value::Object(map) => {
            map.shift_remove(&key.replace("~1", "/").replace("~0", "~"))?;
        }
        Value::Array(items) => {
            let index = key.parse::<usize>().ok().filter(|index| *index < items.len())?;
            items.remove(index);
        }
        _ => return None,
    }
    Some(value)
}

fn with(value: &Value, pointer: &str, other: Value) -> Option<Value> {
    let mut value = value.clone();
    let place = value.pointer_mut(pointer)?;
    if *place == other {
        return None;
    }
    *place = other;
    Some(value)
}

/// What is simpler than `value` at one place.
fn simpler(value: &Value) -> impl Iterator<Item = Value> {
    let mut found = Vec::new();
    places(value, "", &mut found);
    found.into_iter().flat_map(move |at| {
        let mut simpler = vec![without(value, &at)];
        match value.pointer(&at) {
            Some(Value::Object(map)) => {
                simpler.push(with(value, &at, json!({})));
                // In the place of a schema, one of those in it.
                simpler.extend(
                    map.values()
                        .filter(|child| child.is_object())
                        .map(|child| with(value, &at, child.clone())),
                );
                let lists = map.values().filter_map(Value::as_array).flatten();
                simpler.extend(
                    lists.filter(|child| child.is_object()).map(|child| with(value, &at, child.clone())),
                );
            }
            Some(Value::Number(_)) => simpler.push(with(value, &at, json!(1))),
            _ => {}
        }
        simpler.into_iter().flatten()
    })
}

/// The smallest value found for which `fails` still holds, as it does for `value`.
pub(crate) fn shrink(value: &Value, fails: &dyn Fn(&Value) -> bool) -> Value {
    let mut smallest = value.clone();
    loop {
        let Some(next) = simpler(&smallest).find(|next| fails(next)) else { return smallest };
        smallest = next;
    }
}
