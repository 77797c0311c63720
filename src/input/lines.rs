//! Places in a text as people count: lines, and columns in characters.

use std::cell::RefCell;

use memchr::{memchr_iter, memrchr};

/// The bytes of a block: what stands in it is counted once, and then from its beginning.
const BLOCK: usize = 4096;

/// A byte-order mark.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// What is counted of a text once, so that a place is found in a short time however many places are
/// asked for, and however long the text and its lines are.
#[derive(Default)]
pub(super) struct Lines {
    /// What stands before each of the first blocks, as far as a place was asked for.
    blocks: RefCell<Vec<Count>>,
}

/// What stands before a place in a text.
#[derive(Clone, Copy, Default)]
struct Count {
    /// The number of line feeds.
    line_feeds: u32,
    /// Where the line begins that the place is in.
    line: u32,
    /// The number of characters that begin.
    characters: u32,
}

impl Lines {
    /// Line and column of a byte offset into `text`, which must be the same text of less than 4 GiB each
    /// time: both from 1, the column in characters. Byte-order marks that a line begins with are none.
    pub(super) fn line_and_column(&self, text: &str, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let here = self.before(text, offset);
        let line = here.line as usize;
        let marks =
            part(text, line, offset).chunks_exact(MARK.len()).take_while(|bytes| *bytes == MARK).count();
        let column = here.characters - self.before(text, line).characters;
        (here.line_feeds as usize + 1, column as usize - marks + 1)
    }

    /// What stands before an offset.
    fn before(&self, text: &str, offset: usize) -> Count {
        let mut blocks = self.blocks.borrow_mut();
        let block = offset / BLOCK;
        let mut last = blocks.last().copied().unwrap_or_default();
        while blocks.len() <= block {
            if let Some(start) = blocks.len().checked_sub(1).map(|before| before * BLOCK) {
                last = last.and(part(text, start, start + BLOCK), start);
            }
            blocks.push(last);
        }
        let before = blocks.get(block).copied().unwrap_or_default();
        before.and(part(text, block * BLOCK, offset), block * BLOCK)
    }
}

impl Count {
    /// What stands before the end of `bytes`, which follow at `offset`.
    fn and(self, bytes: &[u8], offset: usize) -> Count {
        Count {
            line_feeds: self.line_feeds + short(memchr_iter(b'\n', bytes).count()),
            line: memrchr(b'\n', bytes).map_or(self.line, |at| short(offset + at + 1)),
            characters: self.characters + characters(bytes),
        }
    }
}

/// The number of characters that begin in `bytes`.
fn characters(bytes: &[u8]) -> u32 {
    // As many as a byte can count, which is much faster than a word.
    let few = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| sum + u8::from(byte & 0xc0 != 0x80));
    bytes.chunks(255).map(|bytes| u32::from(few(bytes))).sum()
}

fn part(text: &str, from: usize, to: usize) -> &[u8] {
    text.as_bytes().get(from..to).unwrap_or_default()
}

/// A number of bytes of a text of less than 4 GiB.
fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Lines};

    /// By looking at each character from the beginning.
    fn counted(text: &str, offset: usize) -> (usize, usize) {
        let mut place = (1, 1);
        for (_, character) in text.char_indices().take_while(|&(at, _)| at < offset) {
            place = match character {
                '\n' => (place.0 + 1, 1),
                '\u{feff}' if place.1 == 1 => place,
                _ => (place.0, place.1 + 1),
            };
        }
        place
    }

    #[test]
    fn every_place_is_where_counting_from_the_beginning_finds_it() {
        let long = "é".repeat(BLOCK);
        let whole = format!("{}\n", "a".repeat(BLOCK - 1));
        let texts = [
            String::new(),
            "\n".to_owned(),
            "\u{feff}a\n\u{e9}b\r\nc".to_owned(),
            "\u{feff}\u{feff}a\n\u{feff}b\u{feff}\n\u{feff}".to_owned(),
            format!("\u{feff}{long}x\ny{long}z\n\n{long}"),
            whole.repeat(2),
            format!("{whole}\n"),
        ];
        for text in &texts {
            let lines = Lines::default();
            let offsets = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            let near = |at: usize| at % BLOCK < 8 || at % BLOCK > BLOCK - 8 || at + 8 > text.len() || at < 8;
            for offset in offsets.filter(|&at| near(at)) {
                assert_eq!(lines.line_and_column(text, offset), counted(text, offset), "byte {offset}");
            }
        }
        assert_eq!(Lines::default().line_and_column("a\nb", 100), (2, 2));
        assert_eq!(Lines::default().line_and_column("aé", 2), (1, 2));
    }
}
