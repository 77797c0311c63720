//! Random documents, right and spoilt: other readers agree, and nothing panics.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Number, Value};

use super::{plain_numbers, read};

fn text() -> impl Strategy<Value = String> + Clone {
    let odd = prop::sample::select(vec![
        '"', '\\', '\n', '\t', '\u{1}', '/', ' ', ':', '#', '-', 'é', '😀', '~', '0',
    ]);
    vec(prop_oneof![3 => prop::char::range(' ', '~'), 1 => odd, 1 => any::<char>()], 0..20)
        .prop_map(|characters| characters.into_iter().collect())
}

fn number() -> impl Strategy<Value = Value> {
    let digits = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        (any::<i32>(), 0..1000_u32, -20..20_i32)
            .prop_map(|(whole, part, power)| format!("{whole}.{part}e{power}")),
    ];
    digits.prop_map(|digits| Value::Number(digits.parse::<Number>().expect("a number")))
}

/// JSON values whose strings and keys come from `text`.
fn value(text: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = Value> {
    let key = text.clone();
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number(),
        text.prop_map(Value::from)
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((key.clone(), inner), 0..6)
                .prop_map(|entries| entries.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

/// One character that is put in, replaced or taken out, at a place.
#[derive(Clone, Debug)]
struct Spoil(prop::sample::Index, u8, char);

fn spoils(characters: &'static str) -> impl Strategy<Value = Vec<Spoil>> {
    let character = prop::sample::select(characters.chars().collect::<Vec<_>>());
    vec((any::<prop::sample::Index>(), 0..3_u8, character).prop_map(|(at, how, c)| Spoil(at, how, c)), 1..4)
}

fn spoil(text: &str, spoils: &[Spoil]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for Spoil(at, how, character) in spoils {
        let at = at.index(characters.len() + 1);
        match how {
            0 => characters.insert(at, *character),
            _ if at == characters.len() => {}
            1 => characters[at] = *character,
            _ => drop(characters.remove(at)),
        }
    }
    characters.into_iter().collect()
}

fn json_text() -> impl Strategy<Value = String> {
    (value(text()), any::<bool>()).prop_map(|(value, pretty)| {
        if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }
            .expect("JSON")
    })
}

/// The value as `serde_yaml` writes it.
fn yaml_of(value: &Value) -> String {
    fn convert(value: &Value) -> serde_yaml::Value {
        match value {
            Value::Number(number) => serde_yaml::from_str(&number.to_string()).expect("a number"),
            Value::Array(items) => items.iter().map(convert).collect::<Vec<_>>().into(),
            Value::Object(entries) => serde_yaml::Value::Mapping(
                entries.iter().map(|(key, value)| (key.as_str().into(), convert(value))).collect(),
            ),
            other => serde_yaml::to_value(other).expect("a scalar"),
        }
    }
    serde_yaml::to_string(&convert(value)).expect("YAML")
}

/// Characters that YAML may hold as they are and every reader takes for the same.
fn yaml_text() -> impl Strategy<Value = String> + Clone {
    let odd =
        prop::sample::select(vec!['\n', ' ', ':', '#', '-', '\'', '"', 'é', '😀', '~', '0', '.', 'x', '<']);
    vec(prop_oneof![3 => prop::char::range(' ', '~'), 1 => odd], 0..20)
        .prop_map(|characters| characters.into_iter().collect::<String>())
        // `serde_yaml` writes this key without quotes, and so makes a merge key of it.
        .prop_filter("a merge key", |text| text != "<<")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_is_read_as_serde_json_reads_it(text in json_text()) {
        let theirs: Value = serde_json::from_str(&text).expect("JSON");
        prop_assert_eq!(read("a.json", &text).map(plain_numbers), Ok(plain_numbers(theirs)));
    }

    #[test]
    fn spoilt_json_is_read_or_refused_as_serde_json_does(
        text in json_text(),
        spoils in spoils("\"\\,:{}[]0-+.eEu1tfn \n\t\u{1}'/é"),
    ) {
        let text = spoil(&text, &spoils);
        let theirs = serde_json::from_str(&text).ok();
        prop_assert_eq!(read("a.json", &text).ok().map(plain_numbers), theirs.map(plain_numbers));
    }

    #[test]
    fn json_is_yaml(value in value(yaml_text()), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        prop_assert_eq!(read("a.yaml", &text.expect("JSON")), Ok(value));
    }

    #[test]
    fn yaml_that_serde_yaml_writes_is_read_back(value in value(yaml_text())) {
        let text = yaml_of(&value);
        prop_assert_eq!(read("a.yaml", &text).map(plain_numbers), Ok(plain_numbers(value)), "{}", text);
    }

    #[test]
    fn spoilt_yaml_never_panics(
        value in value(yaml_text()),
        spoils in spoils("\"\\,:{}[]0-+.e'/é \n\t\u{1}#&*!|>%@?<~\u{feff}\u{85}\r"),
    ) {
        let text = spoil(&yaml_of(&value), &spoils);
        let _ = read("a.yaml", &text);
    }

    #[test]
    fn any_text_never_panics(text in vec(any::<char>(), 0..40)) {
        let text: String = text.into_iter().collect();
        let _ = (read("a.json", &text), read("a.yaml", &text));
    }
}
