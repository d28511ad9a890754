//! Share of a reading that each text of the list contains.

use crate::bits::Numbered;
use crate::index::Index;
use crate::matches::{Matches, TokenMatch};

/// Counts of the words of a reading that texts contain.
pub(crate) struct Counts {
    /// Counts by text: those of extensions, and then those of entries.
    pub(crate) has: Vec<TextCounts>,
    /// Weight of each token, and its similarity to the meaning of each seventh character.
    tokens: Vec<(u32, Vec<u32>)>,
    /// Total weight of the tokens.
    pub(crate) weight: u32,
    /// Tokens that any extension contains, one bit each.
    pub(crate) of_extensions: u64,
}

/// Counts of the words of a reading that a text contains.
#[derive(Clone, Copy, Default)]
pub(crate) struct TextCounts {
    /// Tokens that it contains, one bit each.
    pub(crate) tokens: u64,
    /// Sum of the tokens' weights, each times its similarity.
    matched_weight: u32,
    /// Sum of the weights of its matching words, each times its similarity.
    covered: u32,
}

impl Index {
    /// Counts the tokens in some texts, which include those of all extensions.
    pub(crate) fn counts(&self, all: &[&Matches], texts: &Numbered) -> Counts {
        let mut has = vec![TextCounts::default(); texts.len()];
        let mut matched = vec![TokenMatch::default(); has.len()];
        let tokens = all.iter().enumerate().map(|(nth, matches)| {
            let weight = self.weight_of(matches);
            self.matched(matches, texts, &mut matched);
            has.iter_mut()
                .zip(&matched)
                .for_each(|(has, found)| has.add(nth, weight, found));
            let of_extensions = matched[..self.list.extensions()].iter().map(|found| found.similarity);
            (weight, of_extensions.collect())
        });
        let tokens: Vec<(u32, Vec<u32>)> = tokens.collect();
        let of_extensions = has[..self.list.extensions()].iter();
        let of_extensions = of_extensions.fold(0, |tokens, has| tokens | has.tokens);
        Counts {
            weight: tokens.iter().map(|(weight, _)| weight).sum::<u32>().max(1),
            has,
            tokens,
            of_extensions,
        }
    }
}

impl Counts {
    /// Returns the score of a title with these counts and this weight, together with the meaning of a seventh
    /// character.
    pub(crate) fn whole(&self, title: &TextCounts, weight: u32, extension: usize) -> u32 {
        let (mut has, more) = (*title, self.has[extension].tokens & !title.tokens);
        for (nth, (weight, similarity)) in self.tokens.iter().enumerate() {
            if more >> nth & 1 == 1 {
                has.matched_weight += weight * similarity[extension];
            }
        }
        has.score(weight, self.weight)
    }
}

impl TextCounts {
    /// Adds the match of the next token.
    fn add(&mut self, nth: usize, weight: u32, found: &TokenMatch) {
        self.tokens |= u64::from(found.similarity > 0) << nth;
        self.matched_weight += weight * found.similarity;
        self.covered += found.weight * found.similarity;
    }

    /// Returns the weighted share of the reading that is in the text, and of the text that is in the reading.
    pub(crate) fn score(&self, text: u32, tokens: u32) -> u32 {
        if self.matched_weight == 0 {
            return 0;
        }
        let matched_weight = (self.matched_weight / tokens).min(1000);
        let covered = (self.covered / text.max(1)).min(1000);
        matched_weight * (1000 + covered) / 2000
    }
}
