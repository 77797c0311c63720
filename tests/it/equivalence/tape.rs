//! Choices that a random document is built of.

use proptest::prelude::*;

/// A row of numbers, each of which decides something; zero is always the plainest choice, and so is
/// everything after the end. So `proptest` draws and shrinks documents as it does rows of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Tape<'t> {
    choices: &'t [u16],
    at: usize,
}

/// Rows of at most `length` choices.
pub(crate) fn choices(length: usize) -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), length / 4..length)
}

impl<'t> Tape<'t> {
    /// From its beginning.
    pub(crate) fn new(choices: &'t [u16]) -> Self {
        Tape { choices, at: 0 }
    }

    /// A number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let choice = self.choices.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        if count == 0 { 0 } else { usize::from(choice) % count }
    }

    /// Yes in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }

    /// One of these.
    pub(crate) fn pick<'v, T: ?Sized>(&mut self, values: &[&'v T]) -> &'v T {
        values[self.below(values.len())]
    }

    /// Whether nothing is left that decides.
    pub(crate) fn is_spent(&self) -> bool {
        self.at >= self.choices.len()
    }
}
