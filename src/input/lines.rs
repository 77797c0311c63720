//! Places in a text as people count: lines, and columns in characters.

use std::cell::{OnceCell, RefCell};

use memchr::{memchr_iter, memrchr};

/// The bytes of a block: lines and characters are counted once for each, and then from its beginning.
const BLOCK: usize = 4096;

/// What is counted of a text once, so that a place is found in a short time however many places are
/// asked for, and however long the text and its lines are.
#[derive(Default)]
pub(super) struct Lines {
    /// Of the first blocks, as far as a place was asked for.
    blocks: RefCell<Vec<Block>>,
    /// The number of characters before each block; counted when the first column in a long line is
    /// asked for.
    characters: OnceCell<Vec<u32>>,
}

/// What stands before a block of the text.
#[derive(Clone, Copy, Default)]
struct Block {
    /// The number of line feeds.
    line_feeds: u32,
    /// Where the line begins that the block begins in.
    line: u32,
}

impl Lines {
    /// Line and column of a byte offset into `text`, which must be the same text of less than 4 GiB each
    /// time: both from 1, the column in characters. A byte-order mark is no character.
    pub(super) fn line_and_column(&self, text: &str, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let start = offset / BLOCK * BLOCK;
        let Block { line_feeds, line } = self.before(text, start).through(part(text, start, offset), start);
        let line = line as usize;
        let characters = if offset - line > BLOCK {
            self.characters(text, offset) - self.characters(text, line)
        } else {
            beginnings(part(text, line, offset))
        };
        let mark = usize::from(line < offset && part(text, line, offset).starts_with("\u{feff}".as_bytes()));
        (line_feeds as usize + 1, characters - mark + 1)
    }

    /// What stands before the block that begins at `start`.
    fn before(&self, text: &str, start: usize) -> Block {
        let mut blocks = self.blocks.borrow_mut();
        let mut last = blocks.last().copied().unwrap_or_default();
        while blocks.len() * BLOCK <= start {
            if let Some(at) = blocks.len().checked_sub(1).map(|before| before * BLOCK) {
                last = last.through(part(text, at, at + BLOCK), at);
            }
            blocks.push(last);
        }
        blocks.get(start / BLOCK).copied().unwrap_or_default()
    }

    /// The number of characters that begin before an offset.
    fn characters(&self, text: &str, offset: usize) -> usize {
        let counted = self.characters.get_or_init(|| {
            let mut sum = 0;
            let blocks = text.as_bytes().chunks(BLOCK).map(|block| {
                sum += short(beginnings(block));
                sum
            });
            std::iter::once(0).chain(blocks).collect()
        });
        let block = offset / BLOCK;
        let before = counted.get(block).map_or(0, |&before| before as usize);
        before + beginnings(part(text, block * BLOCK, offset))
    }
}

impl Block {
    /// What stands before the end of `bytes`, which follow at `offset`.
    fn through(self, bytes: &[u8], offset: usize) -> Block {
        let line_feeds = self.line_feeds + short(memchr_iter(b'\n', bytes).count());
        let line = memrchr(b'\n', bytes).map_or(self.line, |at| short(offset + at + 1));
        Block { line_feeds, line }
    }
}

/// The number of characters that begin in `bytes`.
fn beginnings(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
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
                '\u{feff}' if place == (1, 1) => place,
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
