//! Names: of tools and of arguments. None depends on the order of operations, none on a counter.

use foldhash::fast::RandomState;
use foldhash::{HashMap, HashSet};
use heck::{ToKebabCase, ToLowerCamelCase, ToSnakeCase};

use super::extensions;
use crate::openapi::Endpoint;
use crate::options::{NameCase, Options};
use crate::schema::short_hash;

/// The longest name of an argument that all hosts take, and of a tool unless the user wants shorter ones.
const MAX_LENGTH: usize = 64;

/// The tools' names, in the order of the operations.
///
/// Of operations that meet in one name, the one whose `operationId` already is that name keeps it;
/// all others, and all with equal ids, get a hash of method and path.
pub(crate) fn names(endpoints: &[Endpoint<'_>], options: &Options) -> Vec<String> {
    let wanted: Vec<String> = endpoints.iter().map(|endpoint| wanted(endpoint, options)).collect();
    let claims = |endpoint: &Endpoint<'_>, name: &str| {
        let id = extensions::name(endpoint).or(endpoint.id);
        id.is_some_and(|id| name.strip_prefix(options.prefix.as_str()) == Some(id))
    };
    let mut meetings: HashMap<&str, Meeting> = HashMap::default();
    for (endpoint, name) in endpoints.iter().zip(&wanted) {
        let meeting = meetings.entry(name).or_default();
        meeting.all += 1;
        meeting.claims += usize::from(claims(endpoint, name));
    }
    let named = endpoints.iter().zip(&wanted).map(|(endpoint, name)| {
        let alone = meetings
            .get(name.as_str())
            .is_none_or(|meeting| meeting.all == 1 || (meeting.claims == 1 && claims(endpoint, name)));
        if alone {
            return name.clone();
        }
        with_hash(name, options.max_name, &format!("{} {}", endpoint.method, endpoint.path), &meetings)
    });
    named.collect()
}

/// The operations that want one name.
#[derive(Default)]
struct Meeting {
    all: usize,
    /// Those whose `operationId` already is that name.
    claims: usize,
}

/// The name with a hash of `text`, longer where a shorter one makes another's name.
fn with_hash(name: &str, most: usize, text: &str, taken: &HashMap<&str, Meeting>) -> String {
    let candidates = [8, 12, 16].map(|digits| suffixed(name, most, &short_hash(text, digits)));
    let free = candidates.iter().find(|candidate| !taken.contains_key(candidate.as_str()));
    free.or(candidates.last()).cloned().unwrap_or_default()
}

/// The name of an operation that meets no other.
fn wanted(endpoint: &Endpoint<'_>, options: &Options) -> String {
    // Who writes a tool's name chose its case, too.
    let written = extensions::name(endpoint).map(|name| cased(name, NameCase::Keep));
    let written = written.filter(|name| !name.is_empty());
    let from_id = written.or_else(|| endpoint.id.map(|id| cased(id, options.name_case)));
    let from_id = from_id.filter(|name| !name.is_empty());
    let fallback =
        || cased(&format!("{} {}", endpoint.method.to_lowercase(), endpoint.path), spaced(options.name_case));
    let mut name = from_id.unwrap_or_else(fallback);
    if options.prefix.is_empty() && name.starts_with(|c: char| c.is_ascii_digit()) {
        name = cased(&format!("{} {name}", endpoint.method.to_lowercase()), spaced(options.name_case));
    }
    let name = format!("{}{name}", options.prefix);
    if name.len() > options.max_name {
        suffixed(&name, options.max_name, &short_hash(&name, 8))
    } else {
        name
    }
}

/// A made-up name has words to join; `keep` joins them with underscores.
fn spaced(case: NameCase) -> NameCase {
    if case == NameCase::Keep { NameCase::Snake } else { case }
}

/// The text in letters, digits, `_` and `-`, in the case asked for. Empty if nothing is left.
fn cased(text: &str, case: NameCase) -> String {
    let cased = match case {
        NameCase::Keep => text.to_owned(),
        NameCase::Snake if text.is_ascii() => return words(text, '_'),
        NameCase::Snake => text.to_snake_case(),
        NameCase::Kebab if text.is_ascii() => return words(text, '-'),
        NameCase::Kebab => text.to_kebab_case(),
        NameCase::Camel => text.to_lower_camel_case(),
    };
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if case == NameCase::Keep && cased.chars().all(legal) && cased.chars().any(|c| c.is_ascii_alphanumeric())
    {
        return cased;
    }
    let separator = if case == NameCase::Kebab { '-' } else { '_' };
    if cased.chars().all(legal) && cased.split(separator).all(|word| !word.is_empty()) {
        return cased;
    }
    let safe: String = cased.chars().map(|c| if legal(c) { c } else { separator }).collect();
    let words: Vec<&str> = safe.split(separator).filter(|word| !word.is_empty()).collect();
    words.join(&separator.to_string())
}

/// The words of an ASCII text in small letters, joined: the same as heck finds, which takes long for the
/// names of a large document. A word ends before a capital after a small letter, and before the last of
/// several capitals that a small letter follows.
fn words(text: &str, separator: char) -> String {
    #[derive(Clone, Copy, PartialEq)]
    enum Last {
        Neither,
        Small,
        Capital,
    }
    let bytes = text.as_bytes();
    let mut joined = String::with_capacity(text.len() + 8);
    // The last letter of the word so far, digits aside.
    let mut last = Last::Neither;
    let mut begins = true;
    for (at, &byte) in bytes.iter().enumerate() {
        if !byte.is_ascii_alphanumeric() {
            (begins, last) = (true, Last::Neither);
            continue;
        }
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let ends_capitals = last == Last::Capital && byte.is_ascii_uppercase() && next.is_ascii_lowercase();
        if (begins || ends_capitals) && !joined.is_empty() {
            joined.push(separator);
        }
        joined.push(char::from(byte.to_ascii_lowercase()));
        last = match byte {
            _ if ends_capitals => Last::Neither,
            b'a'..=b'z' => Last::Small,
            b'A'..=b'Z' => Last::Capital,
            _ => last,
        };
        begins = last == Last::Small && next.is_ascii_uppercase();
        if begins {
            last = Last::Neither;
        }
    }
    joined
}

/// A name cut at a word so that `_` and the suffix fit into `most`.
fn suffixed(name: &str, most: usize, suffix: &str) -> String {
    let room = most.saturating_sub(suffix.len() + 1);
    let mut cut = name;
    if name.len() > room {
        cut = name.get(..room).unwrap_or(name);
        if let Some(at) = cut.rfind(['_', '-', '.']).filter(|at| *at > room / 2) {
            cut = cut.get(..at).unwrap_or(cut);
        }
    }
    format!("{}_{suffix}", cut.trim_end_matches(['_', '-', '.']))
}

/// An argument that wants a name.
#[derive(Clone, Debug)]
pub(super) struct Wish<'a> {
    /// Its name on the wire.
    pub(super) raw: &'a str,
    /// Where it goes; the first of equal names by this order keeps the name.
    pub(super) place: &'static str,
}

const PLACES: [&str; 6] = ["path", "query", "querystring", "header", "cookie", "body"];

/// The arguments' names, in the order of the wishes: `^[A-Za-z0-9_.-]{1,64}$`, all different. A name
/// that is legal already is kept.
pub(super) fn argument_names(wishes: &[Wish<'_>]) -> Vec<String> {
    // Nearly always none meets another.
    if are_distinct(wishes.iter().map(|wish| wish.raw)) {
        let names: Vec<String> = wishes.iter().map(|wish| legal(wish.raw)).collect();
        if are_distinct(names.iter().map(String::as_str)) {
            return names;
        }
    }
    let rank = |place: &str| PLACES.iter().position(|known| *known == place);
    let mut first: HashMap<&str, Option<usize>> = HashMap::default();
    for wish in wishes {
        let best = first.entry(wish.raw).or_insert_with(|| rank(wish.place));
        *best = (*best).min(rank(wish.place));
    }
    let plain: Vec<bool> = wishes.iter().map(|wish| first.get(wish.raw) == Some(&rank(wish.place))).collect();
    let candidates: Vec<String> = wishes
        .iter()
        .zip(&plain)
        .map(
            |(wish, plain)| {
                if *plain { legal(wish.raw) } else { legal(&format!("{}_{}", wish.raw, wish.place)) }
            },
        )
        .collect();
    let mut meeting: HashMap<&str, usize> = HashMap::default();
    for candidate in &candidates {
        *meeting.entry(candidate).or_default() += 1;
    }
    let alone = |candidate: &str| meeting.get(candidate) == Some(&1);
    wishes
        .iter()
        .zip(&plain)
        .zip(&candidates)
        .map(|((wish, plain), candidate)| {
            let kept = alone(candidate) || (*plain && wish.raw == candidate);
            if kept {
                candidate.clone()
            } else {
                suffixed(candidate, MAX_LENGTH, &short_hash(&format!("{}:{}", wish.place, wish.raw), 8))
            }
        })
        .collect()
}

fn are_distinct<'a>(mut texts: impl ExactSizeIterator<Item = &'a str> + Clone) -> bool {
    // So few are sooner compared than hashed.
    if texts.len() <= 8 {
        let later = |at: usize| texts.clone().skip(at + 1);
        return texts.clone().enumerate().all(|(at, text)| later(at).all(|other| other != text));
    }
    let mut seen = HashSet::with_capacity_and_hasher(texts.len(), RandomState::default());
    texts.all(|text| seen.insert(text))
}

/// A name that hosts take, as telling as the raw one: `filter[name]` is `filter_name`, `$top` is
/// `top`, `StartTime<` is `StartTime_lt`.
fn legal(raw: &str) -> String {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let short = raw.len() <= MAX_LENGTH;
    if short && !raw.is_empty() && raw.chars().all(is_legal) {
        return raw.to_owned();
    }
    let signs = [("<=", "_lte"), (">=", "_gte"), ("!=", "_ne"), ("<", "_lt"), (">", "_gt"), ("=", "_eq")];
    let mut spelled = raw.to_owned();
    if raw.contains(['<', '>', '=']) {
        spelled = signs.into_iter().fold(spelled, |text, (sign, word)| text.replace(sign, word));
    }
    let safe: String = spelled.chars().map(|c| if is_legal(c) { c } else { '_' }).collect();
    let words: Vec<&str> = safe.split('_').filter(|word| !word.is_empty()).collect();
    let joined = words.join("_");
    let name = joined.trim_matches(['_', '.', '-']);
    match name {
        "" => format!("arg_{}", short_hash(raw, 8)),
        _ if name.len() > MAX_LENGTH => suffixed(name, MAX_LENGTH, &short_hash(raw, 8)),
        _ => name.to_owned(),
    }
}

/// Whether letters of the raw name are lost in the argument's: then its description tells them.
pub(super) fn loses_letters(raw: &str) -> bool {
    raw.chars().any(|c| c.is_alphanumeric() && !c.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(wishes: &[(&str, &'static str)]) -> Vec<String> {
        let wishes: Vec<_> = wishes.iter().map(|&(raw, place)| Wish { raw, place }).collect();
        argument_names(&wishes)
    }

    #[test]
    fn names_of_arguments_stay_telling() {
        for (raw, expected) in [
            ("filter[name]", "filter_name"),
            ("ids[]", "ids"),
            ("$top", "top"),
            ("StartTime<", "StartTime_lt"),
            ("StartTime>=", "StartTime_gte"),
            ("_links", "_links"),
            ("user.name", "user.name"),
        ] {
            assert_eq!(legal(raw), expected);
        }
        assert!(legal("取引先").starts_with("arg_"));
        assert_ne!(legal("取引先"), legal("品目"));
        assert_eq!(legal(&"a".repeat(80)).len(), 64);
    }

    #[test]
    fn arguments_that_meet_are_kept_apart() {
        assert_eq!(arguments(&[("id", "query"), ("id", "path")]), ["id_query", "id"]);
        let met = arguments(&[("a[b]", "query"), ("a_b", "query"), ("a{b}", "query")]);
        assert_eq!(met[1], "a_b");
        assert!(met[0].starts_with("a_b_") && met[2].starts_with("a_b_") && met[0] != met[2]);
    }

    #[test]
    fn words_are_those_that_heck_finds() {
        let mut texts = vec![String::new()];
        for from in 0.. {
            let Some(text) = texts.get(from).filter(|text| text.len() < 7).cloned() else { break };
            texts.extend("aB1_".chars().map(|c| format!("{text}{c}")));
        }
        let written = ["repos/get-content", "getHTTPSUrl2", "--a..b2c  d_", "a1/b-2", "XMLHttpRequest"];
        for text in texts.iter().map(String::as_str).chain(written) {
            assert_eq!(words(text, '_'), text.to_snake_case(), "{text}");
            assert_eq!(words(text, '-'), text.to_kebab_case(), "{text}");
        }
    }

    #[test]
    fn names_are_cut_at_a_word() {
        let name = suffixed(&"word_".repeat(20), 64, "12345678");
        assert!(name.len() <= 64 && name.ends_with("word_12345678"), "{name}");
    }
}
