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

/// The asked words of a query that were looked up: its readings share most of them.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) words: Vec<Matches>,
    /// How many steps that took.
    pub(crate) steps: usize,
}

/// What answers an asked word.
pub(crate) struct Matches {
    asked: Asked,
    /// The words of the list that do: where they stand, and how much they are like it.
    words: Vec<(usize, u32)>,
    /// The codes that have one of them, or a heading that has it.
    pub(crate) codes: Bits,
    /// Whether words that are one letter away are among them.
    typos: bool,
}

/// How a text answers an asked word.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Answer {
    /// Nothing, where it does not.
    pub(crate) likeness: u32,
    /// What the answering word weighs there.
    pub(crate) weight: u32,
}

impl Index {
    /// Looks an asked word up, as far as it is not known; says where it stands among the known ones.
    pub(crate) fn look_up(&self, asked: &Asked, typos: bool, known: &mut Known) -> usize {
        let at = known.words.iter().position(|matches| matches.asked == *asked);
        let at = at.unwrap_or_else(|| {
            let mut codes = Bits::new(self.list.codes());
            codes.fill(asked.codes.clone());
            known.words.push(Matches {
                asked: asked.clone(),
                words: Vec::new(),
                codes,
                typos: false,
            });
            let at = known.words.len() - 1;
            known.add(self, at, self.like(asked));
            at
        });
        if typos && !known.words[at].typos {
            known.words[at].typos = true;
            if !asked.optional && may_slip(&asked.word) {
                known.steps += self.words.len();
                known.add(self, at, self.near(&asked.word));
            }
        }
        at
    }

    /// The words that an asked word is, or begins, or is the plural of.
    fn like(&self, asked: &Asked) -> Vec<(usize, u32)> {
        // A filler is not the beginning of all the words that it could be.
        let beginnings = match asked.optional {
            true => 0..0,
            false => self.beginning(&asked.word),
        };
        let begun = beginnings.map(|at| (at, likeness_of_beginning(&asked.word, self.words.get(at))));
        let others = singulars(&asked.word).chain(asked.optional.then(|| asked.word.clone()));
        let others = others.filter_map(|other| self.find(&other));
        let others = others.filter_map(|at| Some((at, likeness(&asked.word, self.words.get(at))?)));
        begun.chain(others).collect()
    }

    /// The words that an asked word is, or begins, but for one letter.
    fn near(&self, asked: &str) -> Vec<(usize, u32)> {
        let (typed, begun) = (letters(asked), first(asked));
        let near = self.near_beginnings(begun).flat_map(|at| self.alike_words.range(at));
        let near = near.filter(|&at| may_have(typed, self.letters.get(at) as u32));
        near.filter_map(|at| Some((at, likeness_of_slip(asked, self.words.get(at))?)))
            .collect()
    }

    /// The first bytes of words with which a word that begins so may have been meant to begin.
    fn near_beginnings(&self, typed: [u8; 3]) -> impl Iterator<Item = usize> + '_ {
        let ([a, b, c], alike) = (typed, self.alike.rows());
        let initials = (0..self.initials.len() - 1).map(|at| self.initials.range(at));
        let near = initials.flat_map(move |same| {
            let initial = alike[same.start][0];
            if initial == a || initial == b || !typed.is_ascii() {
                return [same, 0..0];
            }
            // Of what begins with neither of the first two letters, this one is the slip, or the one that is missing.
            [[initial, b, c], [initial, a, b]].map(|meant| {
                let at = alike[same.clone()].binary_search(&meant);
                at.map_or(0..0, |at| same.start + at..same.start + at + 1)
            })
        });
        near.flatten().filter(move |&at| may_begin(typed, alike[at]))
    }

    /// What an asked word weighs: as much as the word that it is, or as one would that stands in all the texts.
    pub(crate) fn weight_of(&self, matches: &Matches) -> u32 {
        if let Some(at) = self.find(&matches.asked.word) {
            return self.weight_of_word(at);
        }
        let postings = || matches.words.iter().map(|(at, _)| self.postings(*at).len());
        let [least, most] = [postings().max().unwrap_or(0), postings().sum()];
        if self.weight(least) == self.weight(most) {
            return self.weight(most);
        }
        let mut texts = Bits::new(self.texts());
        for posting in matches.words.iter().flat_map(|(at, _)| self.postings(*at)) {
            texts.insert(posting.text);
        }
        self.weight(texts.len())
    }

    /// How each of some texts answers. Of several words of a text, the one that is most like what is asked does.
    pub(crate) fn answers(&self, matches: &Matches, among: &Numbered, answers: &mut [Answer]) {
        answers.fill(Answer::default());
        for &(at, likeness) in &matches.words {
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

impl Known {
    /// Adds words that answer an asked one.
    fn add(&mut self, index: &Index, at: usize, words: Vec<(usize, u32)>) {
        let matches = &mut self.words[at];
        let initial = Some(&matches.asked).filter(|asked| !asked.optional);
        match initial.and_then(|asked| index.codes_of_initial(&asked.word)) {
            Some(codes) => matches.codes.add(codes),
            None => words
                .iter()
                .for_each(|(word, _)| index.add_codes(*word, &mut matches.codes)),
        }
        let postings = words.iter().map(|(word, _)| index.postings(*word).len());
        self.steps += postings.sum::<usize>();
        matches.words.extend(words);
    }
}
