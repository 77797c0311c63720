//! Random changes to documents that keep them documents: values change places, keywords and
//! references appear where they don't belong, names become keywords.
//!
//! `fuzz/` uses the same code, so it needs nothing but `serde_json`.

use serde_json::{Map, Value, json};

/// Random numbers that a seed decides (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014).
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap_or(0)
    }

    /// One of these, of which there is at least one.
    pub(crate) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Keywords of schemas and of OpenAPI, which are names as well.
const KEYWORDS: &str = "$anchor $defs $dynamicAnchor $dynamicRef $id $ref $schema $self additionalItems \
    additionalProperties allOf allowEmptyValue anyOf body const contains content contentEncoding contentMediaType \
    default definitions dependencies dependentRequired dependentSchemas deprecated description discriminator else \
    encoding enum example examples exclusiveMaximum exclusiveMinimum explode format if in items mapping maxContains \
    maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf name not nullable \
    oneOf operationId parameters pattern patternProperties prefixItems properties propertyName propertyNames readOnly \
    required requestBody schema schemas security servers style summary tags then title type unevaluatedItems \
    unevaluatedProperties uniqueItems url writeOnly x-mcp xml / ~ ~1 % %41 # a/b __proto__ << é 0";

/// Names with spaces, or with nothing to see.
const ODD_NAMES: &[&str] = &["", " ", "\u{202e}", "\u{0}", "a b"];

/// Texts that mean something somewhere.
const TEXTS: &str = "# #/ #/components/schemas/A #/paths #a % %zz ../x.json //x <script> \u{1b}[31m \u{200b} \u{e0041} \
    array binary boolean byte date deepObject file header http://x/y integer null number object path query string \
    urn:x:y (a [a-z]+ (?<=a)b \\- \\p{L} 1 true ~2 \u{1}";

/// Numbers that readers differ about.
const NUMBERS: &str = "0 -0 1 -1 1.0 0.1 1e3 1e400 -1e-400 9007199254740993 18446744073709551616";

fn word<'w>(words: &'w str, random: &mut Random) -> &'w str {
    let words: Vec<&str> = words.split_whitespace().collect();
    random.pick(&words)
}

fn name(random: &mut Random) -> &'static str {
    if random.below(20) == 0 { random.pick(ODD_NAMES) } else { word(KEYWORDS, random) }
}

/// Changes a document at one to four places.
pub(crate) fn mutate(document: &mut Value, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let places = places(document);
        let at = places[random.below(places.len())].clone();
        change(document, &at, &places, random);
    }
}

/// The JSON Pointers of all values, in order.
fn places(document: &Value) -> Vec<String> {
    fn add(value: &Value, at: &str, found: &mut Vec<String>) {
        found.push(at.to_owned());
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    add(item, &format!("{at}/{index}"), found);
                }
            }
            Value::Object(entries) => {
                for (key, value) in entries {
                    add(value, &format!("{at}/{}", escape(key)), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    add(document, "", &mut found);
    found
}

/// A token of a JSON Pointer (RFC 6901, section 3).
fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

fn change(document: &mut Value, at: &str, places: &[String], random: &mut Random) {
    let other = &places[random.below(places.len())];
    let copy = document.pointer(other).cloned().unwrap_or(Value::Null);
    let Some(value) = document.pointer_mut(at) else { return };
    match random.below(10) {
        0 => *value = odd(random),
        1 => *value = json!({"$ref": format!("#{other}")}),
        2 if size(&copy) < 2000 => *value = copy,
        3 => *value = wrapped(value, random),
        4 => insert(value, random, copy),
        5 => remove(value, random),
        6 => rename(value, random),
        7 => spoil(value, random),
        8 => insert(value, random, json!({"$ref": format!("#{other}")})),
        _ => {
            let odd = odd(random);
            insert(value, random, odd);
        }
    }
}

/// The number of values, counted to a few thousand.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(entries) => 1 + entries.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// A value that doesn't belong where it is put.
fn odd(random: &mut Random) -> Value {
    match random.below(8) {
        0 => Value::Null,
        1 => Value::Bool(random.below(2) == 0),
        2 => serde_json::from_str(word(NUMBERS, random)).unwrap_or(Value::Null),
        3 => Value::Array(Vec::new()),
        4 => json!({}),
        5 => json!([name(random), name(random)]),
        6 => Value::from(name(random)),
        _ => Value::from(word(TEXTS, random)),
    }
}

/// The value inside of another one.
fn wrapped(value: &Value, random: &mut Random) -> Value {
    let (name, inner) = (name(random), name(random));
    match random.below(4) {
        0 => json!([value]),
        1 => json!({name: [value]}),
        2 => json!({name: {inner: value}}),
        _ => json!({name: value}),
    }
}

fn insert(value: &mut Value, random: &mut Random, new: Value) {
    if size(&new) > 2000 {
        return;
    }
    match value {
        Value::Object(entries) => drop(entries.insert(name(random).to_owned(), new)),
        Value::Array(items) => items.insert(random.below(items.len() + 1), new),
        _ => *value = new,
    }
}

fn remove(value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            let at = random.below(entries.len());
            *entries = std::mem::take(entries)
                .into_iter()
                .enumerate()
                .filter_map(|(index, entry)| (index != at).then_some(entry))
                .collect();
        }
        Value::Array(items) if !items.is_empty() => drop(items.remove(random.below(items.len()))),
        _ => *value = Value::Null,
    }
}

/// One key becomes another.
fn rename(value: &mut Value, random: &mut Random) {
    let Value::Object(entries) = value else { return };
    if entries.is_empty() {
        return;
    }
    let at = random.below(entries.len());
    let name = name(random).to_owned();
    *entries = std::mem::take(entries)
        .into_iter()
        .enumerate()
        .map(|(index, (key, value))| (if index == at { name.clone() } else { key }, value))
        .collect::<Map<_, _>>();
}

/// A text with something put in; another value, another value.
fn spoil(value: &mut Value, random: &mut Random) {
    let Value::String(text) = value else {
        *value = odd(random);
        return;
    };
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let put = if random.below(2) == 0 { word(TEXTS, random) } else { name(random) };
    text.insert_str(at, put);
}
