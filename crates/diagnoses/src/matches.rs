//! Words of the list that match a token of the query, and the texts that contain them.

use crate::bits::{Bits, Numbered};
use crate::index::{Index, Posting};
use crate::query::Token;
use crate::similarity::{
    may_begin, may_have_typo, may_match, similarity, similarity_of_prefix, similarity_of_typo, singulars,
};
use crate::words::{first, letters};

/// Factor of a word that is an aside, in thousandths.
const ASIDE: u32 = 800;
/// Minimum ratio of postings to texts from which each text is searched in the postings.
const FAR_MORE: usize = 32;

/// Cache of the tokens of a query: its readings share most of them.
#[derive(Default)]
pub(crate) struct Lookups {
    pub(crate) words: Vec<Matches>,
    /// Number of steps of the lookups.
    pub(crate) steps: usize,
}

/// Matches of a token.
pub(crate) struct Matches {
    token: Token,
    /// Matching words of the list, by their number, each with its similarity.
    words: Vec<(usize, u32)>,
    /// Codes that contain one of them, directly or in a heading.
    pub(crate) codes: Bits,
    /// True if they include words with a typo.
    typos: bool,
}

/// Match of a token in a text.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TokenMatch {
    /// Similarity; 0 without a match.
    pub(crate) similarity: u32,
    /// Weight of the matching word there.
    pub(crate) weight: u32,
}

impl Index {
    /// Looks up a token, unless it is cached; returns its index in the lookups.
    pub(crate) fn look_up(&self, token: &Token, typos: bool, lookups: &mut Lookups) -> usize {
        let at = lookups.words.iter().position(|matches| matches.token == *token);
        let at = at.unwrap_or_else(|| {
            let mut codes = Bits::new(self.list.codes());
            codes.fill(token.codes.clone());
            lookups.words.push(Matches {
                token: token.clone(),
                words: Vec::new(),
                codes,
                typos: false,
            });
            let at = lookups.words.len() - 1;
            lookups.add(self, at, self.like(token));
            at
        });
        if typos && !lookups.words[at].typos {
            lookups.words[at].typos = true;
            if !token.optional && may_have_typo(&token.word) {
                lookups.steps += self.words.len();
                lookups.add(self, at, self.near(&token.word));
            }
        }
        at
    }

    /// Returns the words that a token equals, is a prefix of, or is the plural of.
    fn like(&self, token: &Token) -> Vec<(usize, u32)> {
        // A filler is not treated as a prefix.
        let beginnings = match token.optional {
            true => 0..0,
            false => self.beginning(&token.word),
        };
        let begun = beginnings.map(|at| (at, similarity_of_prefix(&token.word, self.words.get(at))));
        let others = singulars(&token.word).chain(token.optional.then(|| token.word.clone()));
        let others = others.filter_map(|other| self.find(&other));
        let others = others.filter_map(|at| Some((at, similarity(&token.word, self.words.get(at))?)));
        begun.chain(others).collect()
    }

    /// Returns the words that a token equals, or is a prefix of, with one typo.
    fn near(&self, token: &str) -> Vec<(usize, u32)> {
        let (typed, begun) = (letters(token), first(token));
        let near = self.near_beginnings(begun).flat_map(|at| self.alike_words.range(at));
        let near = near.filter(|&at| may_match(typed, self.letters.get(at) as u32));
        near.filter_map(|at| Some((at, similarity_of_typo(token, self.words.get(at))?)))
            .collect()
    }

    /// Returns the first bytes of words that may be meant by these first bytes.
    fn near_beginnings(&self, typed: [u8; 3]) -> impl Iterator<Item = usize> + '_ {
        let ([a, b, c], alike) = (typed, self.alike.rows());
        let initials = (0..self.initials.len() - 1).map(|at| self.initials.range(at));
        let near = initials.flat_map(move |same| {
            let initial = alike[same.start][0];
            if initial == a || initial == b || !typed.is_ascii() {
                return [same, 0..0];
            }
            // If the word begins with neither of the first two letters, the typo is in the first one, or it is missing.
            [[initial, b, c], [initial, a, b]].map(|meant| {
                let at = alike[same.clone()].binary_search(&meant);
                at.map_or(0..0, |at| same.start + at..same.start + at + 1)
            })
        });
        near.flatten().filter(move |&at| may_begin(typed, alike[at]))
    }

    /// Returns the weight of a token: that of the word that it equals, or of a word in all the texts of its matches.
    pub(crate) fn weight_of(&self, matches: &Matches) -> u32 {
        if let Some(at) = self.find(&matches.token.word) {
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

    /// The match of a token in each of some texts. Of several matching words in a text, the most similar one counts.
    pub(crate) fn matched(&self, matches: &Matches, among: &Numbered, matched: &mut [TokenMatch]) {
        matched.fill(TokenMatch::default());
        for &(at, similarity) in &matches.words {
            let postings = self.postings(at);
            let main = TokenMatch {
                similarity,
                weight: self.weight_of_word(at),
            };
            let aside = TokenMatch {
                similarity: similarity * ASIDE / 1000,
                weight: 0,
            };
            let mut found = |number: usize, posting: Posting| {
                matched[number] = matched[number].max(if posting.aside { aside } else { main });
            };
            if postings.len() < FAR_MORE * among.len() {
                postings
                    .filter_map(|posting| Some((among.number(posting.text)?, posting)))
                    .for_each(|(number, posting)| found(number, posting));
            } else {
                for (number, text) in among.members().enumerate() {
                    if let Some(posting) = self.posting(at, text) {
                        found(number, posting);
                    }
                }
            }
        }
    }
}

impl Lookups {
    /// Adds words that match a token.
    fn add(&mut self, index: &Index, at: usize, words: Vec<(usize, u32)>) {
        let matches = &mut self.words[at];
        let initial = Some(&matches.token).filter(|token| !token.optional);
        match initial.and_then(|token| index.codes_of_initial(&token.word)) {
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
