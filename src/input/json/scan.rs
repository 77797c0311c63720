//! Where stretches of a JSON text end. Many bytes are looked at together: most strings and most
//! indentation end within the first of them.

use wide::{u8x16, u8x32};

/// The offset of the first byte from `at` on that is no whitespace (RFC 8259 section 2).
#[inline]
pub(super) fn blank_end(bytes: &[u8], at: usize) -> usize {
    let is_blank = |at: usize| bytes.get(at).is_none_or(|byte| *byte <= b' ');
    // Most whitespace is one space after a colon, or a line break and the indentation after it.
    match bytes.get(at) {
        Some(b'!'..) => at,
        Some(b' ') if !is_blank(at + 1) => at + 1,
        Some(b'\n') => match spaces_end(bytes, at + 1).filter(|end| !is_blank(*end)) {
            Some(end) => end,
            None => any_blank_end(bytes, at),
        },
        _ => any_blank_end(bytes, at),
    }
}

/// The end of fewer than 32 spaces, if that many bytes follow.
#[inline]
fn spaces_end(bytes: &[u8], at: usize) -> Option<usize> {
    let &chunk = bytes.get(at..)?.first_chunk()?;
    let spaces = u8x32::new(chunk).simd_eq(u8x32::splat(b' ')).to_bitmask();
    (spaces != u32::MAX).then(|| at + spaces.trailing_ones() as usize)
}

#[inline(never)]
fn any_blank_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
        while let Some(b"                ") = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            at += 16;
        }
    }
    at
}

/// The offset, from `at` on, of the first byte of a string that does not stand for itself: a quote,
/// a backslash or a control character (RFC 8259 section 7).
#[inline]
pub(crate) fn plain_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..).and_then(<[u8]>::first_chunk).map(|&chunk| special(chunk)) {
        Some(found) if found != 0 => at + found.trailing_zeros() as usize,
        _ => long_plain_end(bytes, at),
    }
}

/// A key of fewer than sixteen bytes that stands as printers write it: in quotes, without escapes, and
/// before its value a colon and at most one space.
pub(super) struct ShortKey<'t> {
    /// What begins with its characters.
    pub(super) text: &'t [u8; 16],
    /// The number of its bytes.
    pub(super) length: usize,
    /// Where its value begins.
    pub(super) value: usize,
}

/// Such a key from its opening quote, if there is one.
#[inline]
pub(super) fn short_key(bytes: &[u8], at: usize) -> Option<ShortKey<'_>> {
    let window: &[u8; 24] = bytes.get(at..)?.first_chunk()?;
    let [b'"', key @ ..] = window else { return None };
    let text = key.first_chunk()?;
    let length = special(*text).trailing_zeros() as usize;
    let [b'"', b':', next, further] = key.get(length..)?.first_chunk()? else { return None };
    let value = at + length + if *next == b' ' { 4 } else { 3 };
    let first = if *next == b' ' { further } else { next };
    (*first > b' ').then_some(ShortKey { text, length, value })
}

#[inline(never)]
fn long_plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let found = special(chunk);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += chunk.len();
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + (special(padded(rest)) | 1 << rest.len()).trailing_zeros() as usize
}

/// Fewer than sixteen bytes, with zeros after them.
fn padded(bytes: &[u8]) -> [u8; 16] {
    // Where two halves overlap they are the same.
    let word = if let (Some(&first), Some(&last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let (first, last) = (u64::from_le_bytes(first), u64::from_le_bytes(last));
        u128::from(first) | u128::from(last) << (8 * (bytes.len() - 8))
    } else if let (Some(&first), Some(&last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(first), u32::from_le_bytes(last));
        u128::from(u64::from(first) | u64::from(last) << (8 * (bytes.len() - 4)))
    } else {
        bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u128::from(byte))
    };
    word.to_le_bytes()
}

/// A bit for each byte that does not stand for itself in a string.
#[inline]
fn special(chunk: [u8; 16]) -> u32 {
    const LAST_CONTROL: u8 = b' ' - 1;
    let chunk = u8x16::new(chunk);
    let is = |byte: u8| chunk.simd_eq(u8x16::splat(byte));
    let control = chunk.simd_eq(chunk.min(u8x16::splat(LAST_CONTROL)));
    (is(b'"') | is(b'\\') | control).to_bitmask()
}

/// The end of the number that begins at `at`, or the offset where it leaves the grammar.
pub(super) fn number_end(bytes: &[u8], at: usize) -> Result<usize, usize> {
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

#[cfg(test)]
mod tests {
    use super::{blank_end, plain_end};

    /// Texts of `filler` and, at each place near the ends of what is looked at together, each of `others`.
    fn texts(filler: u8, others: &[u8]) -> Vec<Vec<u8>> {
        let lengths = (0..70).flat_map(|length| (0..=length).map(move |at| (length, at)));
        let put = |(length, at): (usize, usize)| {
            others.iter().map(move |other| {
                let mut text = vec![filler; length];
                text.splice(at..at, [*other]);
                text
            })
        };
        lengths.flat_map(put).collect()
    }

    #[test]
    fn strings_end_at_the_first_byte_that_does_not_stand_for_itself() {
        let ends = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
        for text in texts(b'a', &[b'"', b'\\', 0, 0x1f, b' ', 0x7f, 0x80, 0xff]) {
            for from in [0, 1, 15, 16, 17, 40].into_iter().filter(|from| *from <= text.len()) {
                let expected = (from..text.len()).find(|at| ends(text[*at])).unwrap_or(text.len());
                assert_eq!(plain_end(&text, from), expected, "{text:?} from {from}");
            }
        }
    }

    #[test]
    fn whitespace_ends_at_the_first_other_byte() {
        let blank = |byte: u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        for text in texts(b' ', b"\n\r\tx\0\x0b\"\xa0") {
            for first in [None, Some(b'\n'), Some(b'x')] {
                let text: Vec<u8> = first.into_iter().chain(text.iter().copied()).collect();
                let expected = (0..text.len()).find(|at| !blank(text[*at])).unwrap_or(text.len());
                assert_eq!(blank_end(&text, 0), expected, "{text:?}");
            }
        }
    }
}
