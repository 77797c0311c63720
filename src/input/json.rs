//! JSON text (RFC 8259) to a tree: one pass, no recursion, and no text is copied unless it has
//! escapes.

mod explain;

use super::tree::{Builder, Kind, SyntaxError, Tree};
use explain::Expected;

/// Reads `text` as JSON. A byte-order mark before it is skipped, as RFC 8259 section 8.1 allows.
///
/// # Errors
/// The first place where the text leaves the grammar, or nests too deep.
pub(super) fn parse(text: &str) -> Result<Tree, SyntaxError> {
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    // Each value takes a byte at least.
    let builder = Builder::new(text, text.len() as u64)?;
    let mut reader = Reader { text, at, open: Vec::new(), owned: String::new(), builder };
    reader.document()?;
    Ok(reader.builder.finish())
}

/// Whether the whole of `text` is a number in JSON's grammar (RFC 8259 section 6).
pub(super) fn is_number(text: &str) -> bool {
    number_end(text.as_bytes(), 0) == Ok(text.len())
}

/// A container that is not closed yet.
#[derive(Clone, Copy)]
struct Open {
    /// The bracket that ends it.
    close: u8,
    /// The offset of the bracket that began it.
    start: usize,
}

struct Reader<'t> {
    text: &'t str,
    /// The offset of the next byte.
    at: usize,
    open: Vec<Open>,
    /// The characters of a string with escapes; kept for its memory.
    owned: String,
    builder: Builder<'t>,
}

/// A space in each byte of a word.
const SPACES: u128 = u128::MAX / 255 * 0x20;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn document(&mut self) -> Result<(), SyntaxError> {
        self.skip_whitespace();
        let mut opened = self.value()?;
        while let Some(&Open { close, .. }) = self.open.last() {
            opened = self.members(close, opened)?;
        }
        self.skip_whitespace();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected(Expected::EndOfText)),
        }
    }

    /// The entries of an object or the items of an array, by the bracket that closes it: up to that, or
    /// to one that is a container itself. `first` is whether none was read yet. Whether it opened a
    /// container; the same for [`Reader::value`].
    #[inline]
    fn members(&mut self, close: u8, mut first: bool) -> Result<bool, SyntaxError> {
        loop {
            self.skip_whitespace();
            match self.peek() {
                Some(byte) if byte == close => {
                    self.close()?;
                    return Ok(false);
                }
                _ if first => first = false,
                Some(b',') => {
                    self.at += 1;
                    self.skip_whitespace();
                }
                _ => return Err(self.unexpected(Expected::Comma)),
            }
            if close == b'}' {
                self.key()?;
                self.skip_whitespace();
            }
            if self.value()? {
                return Ok(true);
            }
        }
    }

    #[inline]
    fn skip_whitespace(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
            at += 1;
            // Indentation is most of the whitespace of a printed document.
            while bytes.get(at) == Some(&b' ')
                && let Some(&chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk)
            {
                if chunk != [b' '; 16] {
                    at += (u128::from_le_bytes(chunk) ^ SPACES).trailing_zeros() as usize / 8;
                    break;
                }
                at += chunk.len();
            }
        }
        self.at = at;
    }

    #[inline]
    fn value(&mut self) -> Result<bool, SyntaxError> {
        match self.peek() {
            Some(b'"') => self.string().map(|_| false),
            byte => self.other(byte),
        }
    }

    /// A value that is no string, by its first byte. Kept out of the way of strings, which are by far the
    /// most.
    #[inline(never)]
    fn other(&mut self, byte: Option<u8>) -> Result<bool, SyntaxError> {
        match byte {
            Some(b'{') => return self.open(true),
            Some(b'[') => return self.open(false),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.literal("true", Kind::Bool(true))?,
            Some(b'f') => self.literal("false", Kind::Bool(false))?,
            Some(b'n') => self.literal("null", Kind::Null)?,
            _ => return Err(self.unexpected(Expected::Value)),
        }
        Ok(false)
    }

    fn open(&mut self, object: bool) -> Result<bool, SyntaxError> {
        self.builder.open(object, self.at)?;
        self.open.push(Open { close: if object { b'}' } else { b']' }, start: self.at });
        self.at += 1;
        Ok(true)
    }

    fn close(&mut self) -> Result<(), SyntaxError> {
        self.at += 1;
        self.open.pop();
        self.builder.close(self.at, &[])
    }

    /// A key and its colon.
    #[inline]
    fn key(&mut self) -> Result<(), SyntaxError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(Expected::Key));
        }
        let key = self.string()?;
        self.builder.key(key);
        self.skip_whitespace();
        if self.peek() != Some(b':') {
            return Err(self.unexpected(Expected::Colon));
        }
        self.at += 1;
        Ok(())
    }

    fn literal(&mut self, word: &str, kind: Kind) -> Result<(), SyntaxError> {
        if !self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            return Err(self.unexpected(Expected::Value));
        }
        let end = self.at + word.len();
        self.builder.scalar(kind, (self.at, end), None);
        self.at = end;
        Ok(())
    }

    fn number(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        let end = number_end(self.text.as_bytes(), start).map_err(|at| explain::number(self.text, at))?;
        self.builder.scalar(Kind::Number, (start, end), None);
        self.at = end;
        Ok(())
    }

    /// A string, from its opening quote to the byte after its closing one; its index. Its span is what
    /// stands between them.
    #[inline]
    fn string(&mut self) -> Result<u32, SyntaxError> {
        match self.plain_string() {
            Some(index) => Ok(index),
            None => self.string_with_escapes(),
        }
    }

    /// A string whose characters all stand for themselves; `None` before any other.
    fn plain_string(&mut self) -> Option<u32> {
        let start = self.at + 1;
        let end = plain_end(self.text.as_bytes(), start);
        (self.text.as_bytes().get(end) == Some(&b'"')).then(|| {
            self.at = end + 1;
            self.builder.scalar(Kind::String, (start, end), None)
        })
    }

    #[cold]
    fn string_with_escapes(&mut self) -> Result<u32, SyntaxError> {
        let bytes = self.text.as_bytes();
        let mut owned = std::mem::take(&mut self.owned);
        owned.clear();
        let start = self.at + 1;
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
        self.at = end + 1;
        Ok(index)
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

    fn unexpected(&self, expected: Expected) -> SyntaxError {
        explain::unexpected(self.text, self.at, expected, self.open.last().map(|open| open.start))
    }
}

/// The end of the number that begins at `at`, or the offset where it leaves the grammar.
fn number_end(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let byte = |at: usize| bytes.get(at).copied();
    let digits = |from: usize| match digits_end(bytes, from) {
        end if end == from => Err(from),
        end => Ok(end),
    };
    let first = at + usize::from(byte(at) == Some(b'-'));
    let mut end = digits(first)?;
    if byte(first) == Some(b'0') && end > first + 1 {
        return Err(first);
    }
    if byte(end) == Some(b'.') {
        end = digits(end + 1)?;
    }
    if let Some(b'e' | b'E') = byte(end) {
        end = digits(end + 1 + usize::from(matches!(byte(end + 1), Some(b'+' | b'-'))))?;
    }
    Ok(end)
}

fn digits_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    from + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The offset, from `at` on, of the first byte of a string that does not stand for itself: a quote,
/// a backslash or a control character.
#[inline]
pub(crate) fn plain_end(bytes: &[u8], at: usize) -> usize {
    let mut rest = bytes.get(at..).unwrap_or(&[]);
    // Most strings are short.
    for short in [0, 8] {
        let Some((&word, after)) = rest.split_first_chunk() else { break };
        let found = special(u64::from_le_bytes(word));
        if found != 0 {
            return at + short + found.trailing_zeros() as usize / 8;
        }
        rest = after;
    }
    bytes.len() - special_and_after(rest).len()
}

/// What is left of a string without the bytes at its beginning that stand for themselves. Kept out of
/// the way of short strings.
#[inline(never)]
fn special_and_after(mut rest: &[u8]) -> &[u8] {
    while let Some((chunk, after)) = rest.split_first_chunk::<32>()
        && chunk.iter().fold(0, |special, &byte| special | is_special(byte)) == 0
    {
        rest = after;
    }
    while let Some((&word, after)) = rest.split_first_chunk() {
        let found = special(u64::from_le_bytes(word));
        if found != 0 {
            return rest.get(found.trailing_zeros() as usize / 8..).unwrap_or(&[]);
        }
        rest = after;
    }
    let plain = rest.iter().take_while(|&&byte| is_special(byte) == 0).count();
    rest.get(plain..).unwrap_or(&[])
}

/// One for a quote, a backslash or a control character, else zero; without a choice, so that it becomes
/// vector instructions.
#[inline]
fn is_special(byte: u8) -> u8 {
    u8::from(byte < b' ') | u8::from(byte == b'"') | u8::from(byte == b'\\')
}

/// The top bit of each byte of `word` that is a quote, a backslash or a control character; exact up
/// to the lowest one, since a borrow only reaches higher bytes.
#[inline]
fn special(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    let is = |byte: u8| (word ^ (ONES * u64::from(byte))).wrapping_sub(ONES);
    // All three leave the top bit of a byte beyond ASCII as it is, which no special one has.
    (is(b'"') | is(b'\\') | word.wrapping_sub(ONES * 0x20)) & !word & (ONES << 7)
}
