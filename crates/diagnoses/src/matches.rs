//! Which words of the list answer a word of a query, and where they stand.

use crate::bits::{Bits, Numbered};
use crate::index::{Index, Posting};
use crate::likeness::{likeness, likeness_of_beginning, likeness_of_slip, may_begin, may_have, may_slip, singulars};
use crate::query::Asked;
use crate::words::{first, letters};

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

impl Index {
    /// The words that answer an asked word.
    pub(crate) fn matches(&self, asked: &Asked, typos: bool, steps: &mut usize) -> Matches {
        // A filler is not the beginning of all the words that it could be.
        let beginnings = match asked.optional {
            true => 0..0,
            false => self.beginning(&asked.word),
        };
        let begun = beginnings.map(|at| (at, likeness_of_beginning(&asked.word, self.words.get(at))));
        let others = singulars(&asked.word).chain(asked.optional.then(|| asked.word.clone()));
        let others = others.filter_map(|other| self.find(&other));
        let others = others.filter_map(|at| Some((at, likeness(&asked.word, self.words.get(at))?)));
        let mut words: Vec<_> = begun.chain(others).collect();
        if typos && !asked.optional && may_slip(&asked.word) {
            let (typed, begun) = (letters(&asked.word), first(&asked.word));
            let near = self.alike.rows().iter().enumerate();
            let near = near.filter(|(_, meant)| may_begin(begun, **meant));
            let near = near.flat_map(|(at, _)| self.alike_words.range(at));
            let near = near.filter(|&at| may_have(typed, self.letters.get(at) as u32));
            words.extend(near.filter_map(|at| Some((at, likeness_of_slip(&asked.word, self.words.get(at))?))));
            *steps += self.words.len();
        }
        *steps += words.iter().map(|(at, _)| self.postings(*at).len()).sum::<usize>();
        words
    }

    /// The codes that have an asked word, or a heading that has it.
    pub(crate) fn codes_with(&self, asked: &Asked, matches: &Matches) -> Bits {
        let mut codes = Bits::new(self.list.codes());
        codes.fill(asked.codes.clone());
        for (at, _) in matches {
            self.add_codes(*at, &mut codes);
        }
        codes
    }

    /// What an asked word weighs: as much as the word that it is, or as one would that stands in all the texts.
    pub(crate) fn weight_of(&self, asked: &Asked, matches: &Matches) -> u32 {
        if let Some(at) = self.find(&asked.word) {
            return self.weight_of_word(at);
        }
        let mut texts = Bits::new(self.texts());
        for posting in matches.iter().flat_map(|(at, _)| self.postings(*at)) {
            texts.insert(posting.text);
        }
        self.weight(texts.len())
    }

    /// How each of some texts answers. Of several words of a text, the one that is most like what is asked does.
    pub(crate) fn answers(&self, matches: &Matches, among: &Numbered, answers: &mut [Answer]) {
        answers.fill(Answer::default());
        for &(at, likeness) in matches {
            let postings = self.postings(at);
            let said = Answer {
                likeness,
                weight: self.weight_of_word(at),
            };
            let aside = Answer {
                likeness: likeness * ASIDE / 1000,
                weight: 0,
            };
            let mut answer = |number: usize, posting: Posting| {
                answers[number] = answers[number].max(if posting.aside { aside } else { said });
            };
            if postings.len() < FAR_MORE * among.len() {
                postings
                    .filter_map(|posting| Some((among.number(posting.text)?, posting)))
                    .for_each(|(number, posting)| answer(number, posting));
            } else {
                for (number, text) in among.members().enumerate() {
                    if let Some(posting) = self.posting(at, text) {
                        answer(number, posting);
                    }
                }
            }
        }
    }
}
