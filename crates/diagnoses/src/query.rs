//! Tokens of a query, and its readings.

use std::ops::Range;
use std::sync::LazyLock;

use crate::list::List;
use crate::similarity::is_typo;
use crate::words::{fold, parts};

/// Maximum characters of a query; longer ones are cut. The longest description has 228.
const CHARACTERS: usize = 256;
/// Maximum tokens of a reading: the bits of a `u64`.
pub(crate) const WORDS: usize = 64;
/// Minimum length of a last word, still being typed, that can complete a common phrase.
const TYPED: usize = 3;

/// Words that a hit need not contain.
const FILLERS: &[&str] = &[
    "a", "an", "and", "as", "at", "by", "due", "for", "from", "in", "is", "my", "of", "on", "or", "the", "to", "with",
];

/// Common phrases, and the list's words for them.
static PHRASES: LazyLock<Vec<(Vec<String>, Vec<String>)>> = LazyLock::new(|| {
    let split = |text: &str| text.split_whitespace().flat_map(parts).collect();
    include_str!("../data/phrases.tsv")
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(common, listed)| (split(common), split(listed)))
        .collect()
});

/// Folded query.
pub(crate) struct Query {
    folded: String,
}

/// Reading of a query: texts with all these tokens match.
pub(crate) struct Reading {
    pub(crate) tokens: Vec<Token>,
}

/// Word to search for.
#[derive(Clone, PartialEq)]
pub(crate) struct Token {
    pub(crate) word: String,
    /// Codes with this prefix.
    pub(crate) codes: Range<usize>,
    /// True if a hit need not contain it.
    pub(crate) optional: bool,
}

impl Query {
    pub(crate) fn new(text: &str) -> Self {
        let text: String = text.chars().take(CHARACTERS).collect();
        Self { folded: fold(&text) }
    }

    /// Returns the codes with the query as a prefix, if it is only a prefix of a code.
    pub(crate) fn codes(&self, list: &List) -> Range<usize> {
        let text = trim(self.folded.trim());
        code_prefix(text).map_or(0..0, |code| list.beginning(&code))
    }

    /// Returns the readings of the query: unchanged, with hyphenated words joined, and with the list's words for common
    /// phrases.
    pub(crate) fn readings(&self, list: &List, typos: bool) -> Vec<Reading> {
        let plain = self.words(list, false);
        let listed = with_listed_words(&plain, typos);
        let mut readings = vec![Reading::new(plain)];
        if self.folded.contains('-') {
            readings.push(Reading::new(self.words(list, true)));
        }
        readings.extend(listed.map(Reading::new));
        readings.retain(|reading| !reading.tokens.is_empty());
        readings
    }

    fn words(&self, list: &List, joined: bool) -> Vec<Token> {
        let mut found = Vec::new();
        for chunk in self.folded.split_whitespace() {
            let code = code_prefix(trim(chunk)).filter(|code| code.len() > 1);
            let codes = code.as_deref().map_or(0..0, |code| list.beginning(code));
            match code {
                Some(code) if !codes.is_empty() => found.push(Token {
                    word: code.to_ascii_lowercase(),
                    codes,
                    optional: false,
                }),
                _ if joined => found.push(Token::new(parts(chunk).collect())),
                _ => found.extend(parts(chunk).map(Token::new)),
            }
        }
        found
    }
}

impl Reading {
    fn new(mut tokens: Vec<Token>) -> Self {
        let mut seen: Vec<String> = Vec::new();
        tokens.retain(|token| {
            let new = !token.word.is_empty() && !seen.contains(&token.word);
            if new {
                seen.push(token.word.clone());
            }
            new
        });
        tokens.truncate(WORDS);
        // If there are only fillers, they are required.
        if tokens.iter().all(|token| token.optional) {
            tokens.iter_mut().for_each(|token| token.optional = false);
        }
        Self { tokens }
    }
}

impl Token {
    fn new(word: String) -> Self {
        let optional = FILLERS.contains(&word.as_str());
        Self {
            word,
            codes: 0..0,
            optional,
        }
    }
}

/// Returns the query with the list's words instead of common phrases, if it has any.
fn with_listed_words(tokens: &[Token], typos: bool) -> Option<Vec<Token>> {
    let (mut found, mut at, mut any) = (Vec::new(), 0, false);
    while let Some(here) = tokens.get(at) {
        let fitting = PHRASES
            .iter()
            .filter(|(common, _)| matches_at(common, tokens, at, typos));
        match fitting.max_by_key(|(common, _)| common.len()) {
            Some((common, listed)) => {
                found.extend(listed.iter().cloned().map(Token::new));
                at += common.len();
                any = true;
            }
            None => {
                found.push(here.clone());
                at += 1;
            }
        }
    }
    any.then_some(found)
}

fn matches_at(common: &[String], tokens: &[Token], at: usize, typos: bool) -> bool {
    tokens.len() >= at + common.len()
        && common.iter().zip(at..).all(|(word, at)| {
            let typed = tokens[at].word.as_str();
            // The last of several words may be incomplete.
            let typing = at > 0 && at + 1 == tokens.len() && typed.len() >= TYPED;
            typed == word || (typing && word.starts_with(typed)) || (typos && is_typo(typed, word))
        })
}

/// Returns the code without its dot and in capitals, if the text has the form of a prefix of one; words may have it
/// too.
fn code_prefix(text: &str) -> Option<String> {
    let code = text.replacen('.', "", 1).to_ascii_uppercase();
    let bytes = code.as_bytes();
    let fits = (1..=7).contains(&bytes.len())
        && bytes[0].is_ascii_alphabetic()
        && bytes.iter().all(u8::is_ascii_alphanumeric)
        // The dot is only allowed after the third character.
        && text.find('.').is_none_or(|dot| dot == 3);
    fits.then_some(code)
}

/// Removes punctuation around a code.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric() && c != '.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::INDEX;

    fn readings(text: &str, typos: bool) -> Vec<String> {
        let text = Query::new(text).readings(&INDEX.list, typos);
        let words = |reading: Reading| {
            reading
                .tokens
                .into_iter()
                .map(|token| token.word)
                .collect::<Vec<_>>()
                .join(" ")
        };
        text.into_iter().map(words).collect()
    }

    #[test]
    fn a_query_is_read_in_a_few_ways() {
        assert_eq!(readings("Knee  pain, knee", false), ["knee pain"]);
        assert_eq!(readings("X-ray", false), ["x ray", "xray"]);
        assert_eq!(
            readings("old heart attack", false),
            ["old heart attack", "old myocardial infarction"]
        );
        assert_eq!(readings("heart att", false), ["heart att", "myocardial infarction"]);
        assert_eq!(readings("kidny stones", false), ["kidny stones"]);
        assert_eq!(readings("kidney stonse", true), ["kidney stonse", "calculus kidney"]);
        for nothing in ["", " ", ".-'\"", "\u{301}", "\u{1f980}"] {
            assert!(readings(nothing, true).is_empty(), "{nothing:?}");
        }
    }

    #[test]
    fn what_may_be_the_beginning_of_a_code() {
        for (text, code) in [
            ("e11.9", "E119"),
            ("E", "E"),
            ("s72.001a", "S72001A"),
            ("z3a", "Z3A"),
            ("E11.", "E11"),
        ] {
            assert_eq!(code_prefix(text).as_deref(), Some(code));
        }
        for text in ["", "11", "e1.19", "e11.9.1", "e11.9012a", "\u{e9}11", "e11 9"] {
            assert_eq!(code_prefix(text), None, "{text:?}");
        }
    }

    #[test]
    fn phrases_are_words_of_letters_and_each_stands_once() {
        let lines: Vec<_> = include_str!("../data/phrases.tsv").lines().collect();
        assert_eq!(PHRASES.len(), lines.len());
        assert!(
            PHRASES
                .iter()
                .all(|(common, listed)| !common.is_empty() && !listed.is_empty())
        );
        assert!(lines.is_sorted_by_key(|line| line.split('\t').next()));
    }
}
