//! What the fuzz targets share with the short runs of `cargo test`: the judges and the changes.

#![allow(dead_code, clippy::expect_used, clippy::unwrap_used, missing_docs)]

#[path = "../../tests/it/mutate.rs"]
pub(crate) mod mutate;
#[path = "../../tests/it/oracle.rs"]
pub(crate) mod oracle;
#[path = "../../tests/it/walk.rs"]
pub(crate) mod walk;

use serde_json::Value;

/// JSON is read as `serde_json` reads it.
pub fn json_is_read(text: &str) {
    oracle::json_is_read(text);
}

/// YAML is read or refused, and what was read is read again.
pub fn yaml_is_read(text: &str) {
    oracle::yaml_is_read(text);
}

/// Two lines, a reference and a JSON value: the one is followed into the other, or reported.
pub fn reference_is_resolved(text: &str) {
    let Some((reference, document)) = text.split_once('\n') else { return };
    if let Ok(document) = serde_json::from_str::<Value>(document) {
        oracle::reference_is_resolved(&document, reference);
    }
}

/// A document gives a list of tools or a message.
pub fn document_is_converted(text: &str) {
    oracle::document_is_converted(if text.starts_with('{') { "a.json" } else { "a.yaml" }, text);
}

/// A JSON document with a few values, names or references changed; `None` if it is no JSON, or
/// would come to more than `largest` bytes.
pub fn changed(text: &[u8], seed: u32, largest: usize) -> Option<Vec<u8>> {
    let mut document = serde_json::from_slice(text).ok()?;
    mutate::mutate(&mut document, &mut mutate::Random::new(u64::from(seed)));
    let text = serde_json::to_vec(&document).ok()?;
    (text.len() <= largest).then_some(text)
}
