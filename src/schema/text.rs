//! Texts without what hides in them.

use std::borrow::Cow;

/// A text without what shows nothing: see [`is_hidden`]. Line breaks are `\n`; space at the ends is
/// dropped.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !hides(text) {
        return Cow::Borrowed(text.trim());
    }
    let text: String = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut before = ' ';
    let kept = |c: &char| !is_hidden_after(std::mem::replace(&mut before, *c), *c);
    text.chars().filter(kept).collect::<String>().trim().to_owned().into()
}

/// Whether a text has something that [`clean`] removes, but for space at its ends.
pub(crate) fn hides(text: &str) -> bool {
    !is_plain(text.as_bytes()) && {
        let before = std::iter::once(' ').chain(text.chars());
        before.zip(text.chars()).any(|(before, c)| is_hidden_after(before, c))
    }
}

/// Whether all bytes are printable ASCII, line breaks or tabs, as those of by far the most texts are.
fn is_plain(text: &[u8]) -> bool {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    let all_plain = |chunk: &[u8; 16]| chunk.iter().fold(true, |all, byte| all & plain(byte));
    match text.last_chunk() {
        // The last sixteen bytes may be looked at twice.
        Some(last) => text.as_chunks().0.iter().all(all_plain) && all_plain(last),
        None => text.iter().all(plain),
    }
}

/// Whether a character shows nothing and so can hide text from who reviews it: Unicode's Cc but for
/// line break and tab, what its property `Default_Ignorable_Code_Point` has (zero-width and
/// bidirectional formats, fillers, variation selectors, tags; The Unicode Standard, section 5.21),
/// and the interlinear annotations.
pub fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || is_variation_selector(c)
        || matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// One variation selector says how the character before it looks; a row of them can only hide data.
fn is_hidden_after(before: char, c: char) -> bool {
    is_hidden(c) && (is_hidden(before) || !is_variation_selector(c))
}

fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_removed() {
        assert_eq!(clean("a\u{200b}b\u{202e}c\u{7}\r\nd\te \u{e0041}"), "abc\nd\te");
        assert!(!hides("plain, é, 日本\n\tand more"));
    }

    #[test]
    fn one_variation_selector_is_no_hiding_place() {
        assert!(!hides("a heart: \u{2764}\u{fe0f}."));
        assert_eq!(clean("\u{2764}\u{fe0f}\u{fe01}\u{fe02}."), "\u{2764}\u{fe0f}.");
        assert_eq!(clean("x\u{e0101}\u{e0102}y"), "xy");
    }

    #[test]
    fn cleaning_is_settled_in_one_run() {
        for text in ["\u{200b}\u{fe0f}a", "a\u{fe0f}\u{200b}\u{fe0f}b", " \u{200b} a \r"] {
            let once = clean(text);
            assert!(!hides(&once), "{once:?}");
            assert_eq!(clean(&once), once);
        }
    }
}
