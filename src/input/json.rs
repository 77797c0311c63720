//! JSON text (RFC 8259) to a tree: one pass, no recursion, and no text is copied unless it has
//! escapes.

mod explain;
mod scan;

use super::tree::{Builder, Kind, SyntaxError, Tree};
use explain::Expected;
use scan::number_end;
pub(crate) use scan::plain_end;

/// Reads `text` as JSON. A byte-order mark before it is skipped, as RFC 8259 section 8.1 allows.
///
/// # Errors
/// The first place where the text leaves the grammar, or nests too deep.
pub(super) fn parse(text: &str) -> Result<Tree, SyntaxError> {
    // Each value takes a byte at least.
    let builder = Builder::new(text, text.len() as u64)?;
    let mut reader = Reader { text, owned: String::new(), builder };
    reader.document()?;
    Ok(reader.builder.finish())
}

/// Whether the whole of `text` is a number in JSON's grammar (RFC 8259 section 6).
pub(super) fn is_number(text: &str) -> bool {
    number_end(text.as_bytes(), 0) == Ok(text.len())
}

/// Each function takes the offset of the next byte, and gives the offset after what it read.
struct Reader<'t> {
    text: &'t str,
    /// The characters of a string with escapes; kept for its memory.
    owned: String,
    builder: Builder<'t>,
}

impl Reader<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// The offset of the first byte from `at` on that is no whitespace (RFC 8259 section 2).
    #[inline]
    fn blank_end(&self, at: usize) -> usize {
        scan::blank_end(self.text.as_bytes(), at)
    }

    fn document(&mut self) -> Result<(), SyntaxError> {
        let mark = if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut at = self.blank_end(mark);
        let mut takes_key = false;
        loop {
            if takes_key {
                at = self.key(at)?;
            }
            at = match self.byte(at) {
                Some(b'"') => self.string(at)?,
                Some(open @ (b'{' | b'[')) => {
                    takes_key = open == b'{';
                    self.builder.open(takes_key, at)?;
                    at = self.blank_end(at + 1);
                    if self.byte(at) != Some(if takes_key { b'}' } else { b']' }) {
                        continue;
                    }
                    at
                }
                _ => self.number_or_word(at)?,
            };
            // A value ends here, or a container without any is about to.
            loop {
                at = self.blank_end(at);
                match (self.byte(at), self.builder.innermost()) {
                    (Some(b','), Some((object, _))) => {
                        takes_key = object;
                        at = self.blank_end(at + 1);
                        break;
                    }
                    (Some(b'}'), Some((true, _))) | (Some(b']'), Some((false, _))) => {
                        at += 1;
                        self.builder.close_plain(at);
                    }
                    (None, None) => return Ok(()),
                    (_, None) => return Err(self.unexpected(at, Expected::EndOfText)),
                    _ => return Err(self.unexpected(at, Expected::Comma)),
                }
            }
        }
    }

    /// A key and its colon, up to the value.
    #[inline]
    fn key(&mut self, at: usize) -> Result<usize, SyntaxError> {
        if let Some(key) = scan::short_key(self.text.as_bytes(), at) {
            self.builder.short_key(at + 1, key.length, key.text);
            return Ok(key.value);
        }
        self.any_key(at)
    }

    /// The same for a key of any length, however it is written.
    #[inline(never)]
    fn any_key(&mut self, at: usize) -> Result<usize, SyntaxError> {
        if self.byte(at) != Some(b'"') {
            return Err(self.unexpected(at, Expected::Key));
        }
        let end = plain_end(self.text.as_bytes(), at + 1);
        let (index, next) = if self.byte(end) == Some(b'"') {
            (self.builder.scalar(Kind::String, (at + 1, end), None), end + 1)
        } else {
            self.string_with_escapes(at)?
        };
        self.builder.key(index);
        let colon = if self.byte(next) == Some(b':') { next } else { self.blank_end(next) };
        if self.byte(colon) != Some(b':') {
            return Err(self.unexpected(colon, Expected::Colon));
        }
        Ok(self.blank_end(colon + 1))
    }

    #[inline(never)]
    fn number_or_word(&mut self, at: usize) -> Result<usize, SyntaxError> {
        let (kind, end) = if let Some(b'-' | b'0'..=b'9') = self.byte(at) {
            let end = number_end(self.text.as_bytes(), at);
            (Kind::Number, end.map_err(|at| explain::number(self.text, at))?)
        } else {
            let words = [("true", Kind::Bool(true)), ("false", Kind::Bool(false)), ("null", Kind::Null)];
            let rest = self.text.as_bytes().get(at..).unwrap_or_default();
            let found = words.into_iter().find(|(word, _)| rest.starts_with(word.as_bytes()));
            let (word, kind) = found.ok_or_else(|| self.unexpected(at, Expected::Value))?;
            (kind, at + word.len())
        };
        self.builder.scalar(kind, (at, end), None);
        Ok(end)
    }

    /// A string, from its opening quote. Its span is what stands between its quotes.
    #[inline]
    fn string(&mut self, at: usize) -> Result<usize, SyntaxError> {
        let end = plain_end(self.text.as_bytes(), at + 1);
        if self.byte(end) != Some(b'"') {
            return self.string_with_escapes(at).map(|(_, end)| end);
        }
        self.builder.scalar(Kind::String, (at + 1, end), None);
        Ok(end + 1)
    }

    /// The string's index, and the offset after it.
    #[cold]
    fn string_with_escapes(&mut self, at: usize) -> Result<(u32, usize), SyntaxError> {
        let bytes = self.text.as_bytes();
        let mut owned = std::mem::take(&mut self.owned);
        owned.clear();
        let start = at + 1;
        let mut from = start;
        let end = loop {
            let end = plain_end(bytes, from);
            owned.push_str(self.text.get(from..end).unwrap_or(""));
            match bytes.get(end) {
                Some(b'"') => break end,
                Some(b'\\') => from = self.escape(end, &mut owned)?,
                Some(&control) => return Err(explain::control(self.text, start, end, control)),
                None => return Err(explain::unterminated(start)),
            }
        };
        let index = self.builder.scalar(Kind::String, (start, end), Some(&owned));
        self.owned = owned;
        Ok((index, end + 1))
    }

    /// Adds what the escape at the backslash `at` stands for; the offset of the byte after it.
    fn escape(&self, at: usize, owned: &mut String) -> Result<usize, SyntaxError> {
        let character = match self.text.as_bytes().get(at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(at, owned),
            _ => return Err(explain::escape(self.text, at)),
        };
        owned.push(character);
        Ok(at + 2)
    }

    /// `\uXXXX`, or two of them for a character beyond the basic plane (RFC 8259 section 7).
    fn unicode_escape(&self, at: usize, owned: &mut String) -> Result<usize, SyntaxError> {
        let unit = self.code_unit(at).ok_or_else(|| explain::escape(self.text, at))?;
        if let Some(character) = char::from_u32(unit) {
            owned.push(character);
            return Ok(at + 6);
        }
        let low = self.code_unit(at + 6).filter(|low| (0xdc00..0xe000).contains(low) && unit < 0xdc00);
        let pair = low.and_then(|low| char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00)));
        owned.push(pair.ok_or_else(|| explain::surrogate(at))?);
        Ok(at + 12)
    }

    /// The four hexadecimal digits of the `\u` escape at `at`.
    fn code_unit(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        hexadecimal.then(|| u32::from_str_radix(digits, 16).ok())?
    }

    #[cold]
    fn unexpected(&self, at: usize, expected: Expected) -> SyntaxError {
        explain::unexpected(self.text, at, expected, self.builder.innermost().map(|(_, start)| start))
    }
}
