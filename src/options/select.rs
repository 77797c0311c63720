//! Which operations become tools: patterns on what an operation is called and where it stands.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Which operations become tools. `Selection::default()` is all that the document doesn't hide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// If there are any, an operation has to match one of each key's.
    pub only: Vec<Pattern>,
    /// What matches one of these is no tool, whatever else is said.
    pub skip: Vec<Pattern>,
    /// Only operations whose method can't change anything: GET, HEAD and QUERY (RFC 9110, section
    /// 9.2.1).
    pub read_only: bool,
    /// No operations that the document calls deprecated.
    pub no_deprecated: bool,
}

/// What a pattern looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Any of the operation's tags.
    Tag,
    /// The `operationId`, as the document has it.
    Id,
    /// The tool's name.
    Tool,
    /// The path, as the document has it.
    Path,
    /// The HTTP method, in any case.
    Method,
}

impl Key {
    /// Every key.
    pub const ALL: [Key; 5] = [Key::Tag, Key::Id, Key::Tool, Key::Path, Key::Method];

    /// As the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            Key::Tag => "tag",
            Key::Id => "id",
            Key::Tool => "tool",
            Key::Path => "path",
            Key::Method => "method",
        }
    }
}

/// `KEY=GLOB`: in the glob `*` is any text, with slashes, and `?` any one character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// What it looks at.
    pub key: Key,
    /// What that has to be, from its first character to its last.
    pub glob: String,
}

/// A text that is no pattern.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("expected KEY=GLOB, where KEY is tag, id, tool, path or method")]
pub struct PatternError;

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Pattern, PatternError> {
        let (name, glob) = text.split_once('=').ok_or(PatternError)?;
        let key = Key::ALL.into_iter().find(|key| key.name() == name).ok_or(PatternError)?;
        if glob.is_empty() {
            return Err(PatternError);
        }
        Ok(Pattern { key, glob: glob.to_owned() })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key.name(), self.glob)
    }
}

impl Pattern {
    /// Whether it names what it looks at, without a `*` or `?`.
    pub fn is_literal(&self) -> bool {
        !self.glob.contains(['*', '?'])
    }

    /// Whether a text is as the glob says.
    pub fn matches(&self, text: &str) -> bool {
        if self.key == Key::Method {
            glob(self.glob.to_uppercase().as_bytes(), text.to_uppercase().as_bytes())
        } else {
            glob(self.glob.as_bytes(), text.as_bytes())
        }
    }
}

/// Whether a text is as a glob says. After a failure it goes back to the last `*` only, which is
/// enough, so the time is at most the product of both lengths.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut star = None;
    while place < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at + 1, place));
                at += 1;
            }
            Some(b'?') => {
                at += 1;
                place = next_character(text, place);
            }
            Some(byte) if text.get(place) == Some(byte) => {
                at += 1;
                place += 1;
            }
            _ => {
                let Some((after, from)) = star else { return false };
                let from = next_character(text, from);
                star = Some((after, from));
                (at, place) = (after, from);
            }
        }
    }
    pattern.get(at..).is_none_or(|rest| rest.iter().all(|byte| *byte == b'*'))
}

/// Where the character after the one at `at` begins, in UTF-8.
fn next_character(text: &[u8], at: usize) -> usize {
    let rest = text.get(at + 1..).unwrap_or_default();
    at + 1 + rest.iter().take_while(|byte| **byte & 0xC0 == 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (pattern, text, expected) in [
            ("path=/pets", "/pets", true),
            ("path=/pets", "/pets/1", false),
            ("path=/pets*", "/pets/{id}/owner", true),
            ("path=*/owner", "/pets/{id}/owner", true),
            ("path=*owner*", "/pets/{id}/owner", true),
            ("path=/*/{id}/*", "/pets/{id}/owner", true),
            ("path=/*/{id}/*", "/pets/owner", false),
            ("path=*", "", true),
            ("path=?", "", false),
            ("path=**", "x", true),
            ("tag=?", "é", true),
            ("tag=??", "é", false),
            ("tag=*本?", "日本語", true),
            ("tag=*?é", "éé", true),
            ("tag=a*b*c", "aXbXbXc", true),
            ("tag=a*b*c", "aXbXbX", false),
            ("tag=Pets", "pets", false),
            ("tag=[Beta] a", "[Beta] a", true),
            ("tag=a=b", "a=b", true),
            ("method=get", "GET", true),
            ("method=p*", "PATCH", true),
            ("method=p*", "GET", false),
        ] {
            let pattern: Pattern = pattern.parse().unwrap();
            assert_eq!(pattern.matches(text), expected, "{pattern} {text}");
        }
        let slow: Pattern = format!("tag={}b", "*a".repeat(50)).parse().unwrap();
        assert!(!slow.matches(&"a".repeat(10_000)));
    }

    #[test]
    fn what_is_no_pattern() {
        for text in ["", "tag", "tag=", "Tag=a", "tags=a", "=a"] {
            assert_eq!(text.parse::<Pattern>(), Err(PatternError), "{text}");
        }
        assert!("id=a".parse::<Pattern>().unwrap().is_literal());
        assert!(!"id=a*".parse::<Pattern>().unwrap().is_literal());
        assert!(!"id=a?".parse::<Pattern>().unwrap().is_literal());
    }
}
