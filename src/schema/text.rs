//! Texts without what hides in them.

/// A text without control characters, zero-width and bidirectional marks and tags: they hide text
/// from reviewers. Line breaks are `\n`; space at the ends is dropped.
pub(crate) fn clean(text: &str) -> String {
    let text: String = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|&c| !is_hidden(c)).collect::<String>().trim().to_owned()
}

/// Whether a text has something that [`clean`] removes, but for space at its ends.
pub(super) fn hides(text: &str) -> bool {
    text.chars().any(|c| c == '\r' || is_hidden(c))
}

/// Whether a character shows nothing and can hide text: Unicode's Cc but line break and tab, the
/// zero-width and bidirectional formats, and the tag characters.
fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_removed() {
        assert_eq!(clean("a\u{200b}b\u{202e}c\u{7}\r\nd\te \u{e0041}"), "abc\nd\te");
        assert!(!hides("plain, é, 日本\n\tand more"));
    }
}
