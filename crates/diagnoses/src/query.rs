//! What is asked: the words of a query, and the ways to read them.

use std::ops::Range;
use std::sync::LazyLock;

use crate::likeness::is_slip;
use crate::list::List;
use crate::words::{fold, parts};

/// What stands behind is not read. The longest description has 228.
const CHARACTERS: usize = 256;
/// The most words of a reading: as many as there are bits in a `u64`.
pub(crate) const WORDS: usize = 64;
/// A last word that is still being typed stands for a common phrase from this length on.
const TYPED: usize = 3;

/// What a query may do without.
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

/// A query, folded.
pub(crate) struct Query {
    folded: String,
}

/// A way to understand a query: texts with all these words.
pub(crate) struct Reading {
    pub(crate) asked: Vec<Asked>,
}

/// A word to look for.
#[derive(Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) word: String,
    /// The codes that begin so, if any do.
    pub(crate) codes: Range<usize>,
    /// Whether a hit may be without it.
    pub(crate) optional: bool,
}

impl Query {
    pub(crate) fn new(text: &str) -> Self {
        let text: String = text.chars().take(CHARACTERS).collect();
        Self { folded: fold(&text) }
    }

    /// The codes that begin with the query, if it is the beginning of a code and nothing else.
    pub(crate) fn codes(&self, list: &List) -> Range<usize> {
        let text = trim(self.folded.trim());
        beginning_of_code(text).map_or(0..0, |code| list.beginning(&code))
    }

    /// The ways to read the query: as it is, with words with hyphens in one piece, with the list's words for common
    /// phrases.
    pub(crate) fn readings(&self, list: &List, typos: bool) -> Vec<Reading> {
        let plain = self.words(list, false);
        let listed = in_words_of_the_list(&plain, typos);
        let mut readings = vec![Reading::new(plain)];
        if self.folded.contains('-') {
            readings.push(Reading::new(self.words(list, true)));
        }
        readings.extend(listed.map(Reading::new));
        readings.retain(|reading| !reading.asked.is_empty());
        readings
    }

    fn words(&self, list: &List, joined: bool) -> Vec<Asked> {
        let mut found = Vec::new();
        for chunk in self.folded.split_whitespace() {
            let code = beginning_of_code(trim(chunk)).filter(|code| code.len() > 1);
            let codes = code.as_deref().map_or(0..0, |code| list.beginning(code));
            match code {
                Some(code) if !codes.is_empty() => found.push(Asked {
                    word: code.to_ascii_lowercase(),
                    codes,
                    optional: false,
                }),
                _ if joined => found.push(Asked::new(parts(chunk).collect())),
                _ => found.extend(parts(chunk).map(Asked::new)),
            }
        }
        found
    }
}

impl Reading {
    fn new(mut asked: Vec<Asked>) -> Self {
        let mut seen: Vec<String> = Vec::new();
        asked.retain(|asked| {
            let new = !asked.word.is_empty() && !seen.contains(&asked.word);
            if new {
                seen.push(asked.word.clone());
            }
            new
        });
        asked.truncate(WORDS);
        // Where there is nothing else, the fillers are what is asked.
        if asked.iter().all(|asked| asked.optional) {
            asked.iter_mut().for_each(|asked| asked.optional = false);
        }
        Self { asked }
    }
}

impl Asked {
    fn new(word: String) -> Self {
        let optional = FILLERS.contains(&word.as_str());
        Self {
            word,
            codes: 0..0,
            optional,
        }
    }
}

/// The query with the list's words in place of common phrases, if it has any of these.
fn in_words_of_the_list(asked: &[Asked], typos: bool) -> Option<Vec<Asked>> {
    let (mut found, mut at, mut any) = (Vec::new(), 0, false);
    while let Some(here) = asked.get(at) {
        let fitting = PHRASES.iter().filter(|(common, _)| stands_at(common, asked, at, typos));
        match fitting.max_by_key(|(common, _)| common.len()) {
            Some((common, listed)) => {
                found.extend(listed.iter().cloned().map(Asked::new));
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

fn stands_at(common: &[String], asked: &[Asked], at: usize, typos: bool) -> bool {
    asked.len() >= at + common.len()
        && common.iter().zip(at..).all(|(word, at)| {
            let typed = asked[at].word.as_str();
            // The last of several words may be on its way.
            let typing = at > 0 && at + 1 == asked.len() && typed.len() >= TYPED;
            typed == word || (typing && word.starts_with(typed)) || (typos && is_slip(typed, word))
        })
}

/// The code without its dot and in capitals, if the text has the shape of the beginning of one; words may have it too.
fn beginning_of_code(text: &str) -> Option<String> {
    let code = text.replacen('.', "", 1).to_ascii_uppercase();
    let bytes = code.as_bytes();
    let fits = (1..=7).contains(&bytes.len())
        && bytes[0].is_ascii_alphabetic()
        && bytes.iter().all(u8::is_ascii_alphanumeric)
        // The dot is nowhere else than behind the third character.
        && text.find('.').is_none_or(|dot| dot == 3);
    fits.then_some(code)
}

/// Without what people put around a code.
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
                .asked
                .into_iter()
                .map(|asked| asked.word)
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
            assert_eq!(beginning_of_code(text).as_deref(), Some(code));
        }
        for text in ["", "11", "e1.19", "e11.9.1", "e11.9012a", "\u{e9}11", "e11 9"] {
            assert_eq!(beginning_of_code(text), None, "{text:?}");
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
