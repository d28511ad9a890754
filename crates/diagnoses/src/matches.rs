//! Which words of the list answer a word of a query, and where they stand.

use crate::bits::{Bits, Numbered};
use crate::index::Index;
use crate::likeness::{
    first, letters, likeness, likeness_of_beginning, likeness_of_slip, may_begin, may_have, may_slip, singulars,
};
use crate::query::Asked;
use crate::words::Role;

/// A word that is an aside, beside one that is not, in thousandths.
const ASIDE: u32 = 800;
/// Where a word stands in so many times more texts than are asked for, each of these is looked for.
const FAR_MORE: usize = 32;

/// The words of the list that answer an asked word: where they stand, and how much they are like it.
pub(crate) type Matches = Vec<(usize, u32)>;

/// How a text answers an asked word.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Answer {
    /// Nothing, where it does not.
    pub(crate) likeness: u32,
    /// What the answering word weighs there.
    pub(crate) weight: u32,
}

impl Index<'_> {
    /// The words that answer an asked word.
    pub(crate) fn matches(&self, asked: &Asked, typos: bool, steps: &mut usize) -> Matches {
        // A filler is not the beginning of all the words that it could be.
        let beginnings = match asked.optional {
            true => 0..0,
            false => self.beginning(&asked.word),
        };
        let begun = beginnings.map(|at| (at, likeness_of_beginning(&asked.word, &self.words[at].text)));
        let others = singulars(&asked.word).chain(asked.optional.then(|| asked.word.clone()));
        let others = others.filter_map(|other| self.find(&other));
        let others = others.filter_map(|at| Some((at, likeness(&asked.word, &self.words[at].text)?)));
        let mut words: Vec<_> = begun.chain(others).collect();
        if typos && !asked.optional && may_slip(&asked.word) {
            let (typed, begun) = (letters(&asked.word), first(&asked.word));
            let near = self.alike.iter().filter(|(meant, _)| may_begin(begun, *meant));
            let near = near.flat_map(|(_, words)| words.clone());
            let near = near.filter(|&at| may_have(typed, self.letters[at]));
            words.extend(near.filter_map(|at| Some((at, likeness_of_slip(&asked.word, &self.words[at].text)?))));
            *steps += self.words.len();
        }
        *steps += words
            .iter()
            .map(|(at, _)| self.texts_with(&self.words[*at]).len())
            .sum::<usize>();
        words
    }

    /// The codes that have an asked word, or a heading that has it.
    pub(crate) fn codes_with(&self, asked: &Asked, matches: &Matches) -> Bits {
        let mut codes = Bits::new(self.list.codes.len());
        codes.fill(asked.codes.clone());
        for (at, _) in matches {
            self.add_codes(&self.words[*at], &mut codes);
        }
        codes
    }

    /// What an asked word weighs: as much as the word that it is, or as one would that stands in all the texts.
    pub(crate) fn weight_of(&self, asked: &Asked, matches: &Matches) -> u32 {
        if let Some(at) = self.find(&asked.word) {
            return self.words[at].weight;
        }
        let mut texts = Bits::new(self.texts.len());
        for (text, _) in matches.iter().flat_map(|(at, _)| self.texts_with(&self.words[*at])) {
            texts.insert(*text as usize);
        }
        self.weight(texts.len())
    }

    /// How each of some texts answers. Of several words of a text, the one that is most like what is asked does.
    pub(crate) fn answers(&self, matches: &Matches, among: &Numbered, answers: &mut [Answer]) {
        answers.fill(Answer::default());
        for &(at, likeness) in matches {
            let word = &self.words[at];
            let texts = self.texts_with(word);
            let mut answer = |number: usize, role| {
                let answer = match role {
                    Role::Aside => Answer {
                        likeness: likeness * ASIDE / 1000,
                        weight: 0,
                    },
                    Role::Said | Role::Also => Answer {
                        likeness,
                        weight: word.weight,
                    },
                };
                answers[number] = answers[number].max(answer);
            };
            if texts.len() < FAR_MORE * among.len() {
                let these = texts.iter();
                these
                    .filter_map(|&(text, role)| Some((among.number(text as usize)?, role)))
                    .for_each(|(number, role)| answer(number, role));
            } else {
                for (number, text) in among.members().enumerate() {
                    if let Ok(at) = texts.binary_search_by_key(&(text as u32), |(text, _)| *text) {
                        answer(number, texts[at].1);
                    }
                }
            }
        }
    }
}
