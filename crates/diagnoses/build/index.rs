//! Builds the inverted index: the texts that contain each word of the list.

use std::collections::BTreeMap;
use std::io;

use crate::list::List;
use crate::roles::{Role, words};
use crate::tables::Tables;
use crate::words::{first, fold, letters, weight};

/// Minimum texts of a word with a set of its codes: fifty times fewer bytes than sets of all words.
const MANY: usize = 200;

/// "None" in two bytes.
const NONE: usize = 0xffff;

/// Texts of words, and their weights.
#[derive(Default)]
pub(crate) struct Index {
    /// Every word, with the texts that contain it and its role in them.
    words: BTreeMap<String, Vec<(usize, Role)>>,
    /// Texts of extensions first, in their order, and then those of entries, in theirs.
    texts: Vec<Text>,
    /// Index of each entry's title, which its other texts follow, and the end of the last one's texts.
    titles: Vec<usize>,
}

/// Text of the list: a title, a term, a mention, or the meaning of a seventh character.
struct Text {
    kind: Kind,
    /// Index of the entry or of the extension.
    of: usize,
    /// Total weight of its words, without asides.
    weight: usize,
}

/// Kind of a text; `src/index.rs` has the same numbers.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Extension,
    Title,
    Term,
    Mention,
}

impl Index {
    pub(crate) fn new(list: &List<'_>) -> Self {
        let mut index = Self::default();
        for (at, meaning) in list.extensions.iter().enumerate() {
            index.add(Kind::Extension, at, meaning);
        }
        for (at, entry) in list.entries.iter().enumerate() {
            index.titles.push(index.texts.len());
            index.add(Kind::Title, at, entry.title);
            entry.terms.iter().for_each(|term| index.add(Kind::Term, at, term));
            let mentions = entry.mentions.iter();
            mentions.for_each(|mention| index.add(Kind::Mention, at, mention));
        }
        index.titles.push(index.texts.len());
        for postings in index.words.values() {
            let weight = weight(postings.len(), index.texts.len()) as usize;
            for (at, _) in postings.iter().filter(|(_, role)| *role == Role::Main) {
                index.texts[*at].weight += weight;
            }
        }
        index
    }

    fn add(&mut self, kind: Kind, of: usize, text: &str) {
        let at = self.texts.len();
        self.texts.push(Text { kind, of, weight: 0 });
        for word in words(&fold(text)) {
            let postings = self.words.entry(word.text).or_default();
            match postings.last_mut() {
                Some((last, role)) if *last == at => {
                    if word.role == Role::Main {
                        *role = Role::Main;
                    }
                }
                _ => postings.push((at, word.role)),
            }
        }
    }

    /// Returns the total weight of the words of each entry's title that the title of its heading lacks.
    fn further(&self, list: &List<'_>) -> Vec<usize> {
        let mut further = vec![0; list.entries.len()];
        for postings in self.words.values() {
            let weight = weight(postings.len(), self.texts.len()) as usize;
            for (at, _) in postings.iter().filter(|(_, role)| *role == Role::Main) {
                let Text {
                    kind: Kind::Title, of, ..
                } = self.texts[*at]
                else {
                    continue;
                };
                let heading = list.entries[of].parent.map(|heading| self.titles[heading]);
                let message =
                    heading.is_some_and(|heading| postings.binary_search_by_key(&heading, |(at, _)| *at).is_ok());
                further[of] += if message { 0 } else { weight };
            }
        }
        further
    }

    /// Returns bit sets of the codes with each extension, with words of each first letter, and with each word in many
    /// texts; and the number of each word's set, in order.
    fn sets(&self, list: &List<'_>) -> (Vec<Vec<u8>>, Vec<usize>) {
        // A search reads eight bytes at a time.
        let empty = vec![0; list.codes.len().div_ceil(8).next_multiple_of(8)];
        let mut sets = vec![empty.clone(); list.extensions.len()];
        for (at, code) in list.codes.iter().enumerate() {
            if let Some(extension) = code.extension {
                sets[extension][at / 8] |= 1 << (at % 8);
            }
        }
        let (mut initials, mut many) = (BTreeMap::new(), Vec::new());
        for (word, postings) in &self.words {
            let mut set = empty.clone();
            for text in postings.iter().map(|(at, _)| &self.texts[*at]) {
                if text.kind == Kind::Extension {
                    add(&mut set, &sets[text.of]);
                } else {
                    let codes = list.entries[text.of].codes.clone();
                    codes.for_each(|at| set[at / 8] |= 1 << (at % 8));
                }
            }
            add(initials.entry(first(word)[0]).or_insert_with(|| empty.clone()), &set);
            many.push((postings.len() >= MANY).then_some(set));
        }
        sets.extend(initials.into_values());
        let of_words = many.into_iter().map(|set| {
            let at = set.map(|set| {
                sets.push(set);
                sets.len() - 1
            });
            at.unwrap_or(NONE)
        });
        let of_words = of_words.collect();
        (sets, of_words)
    }

    pub(crate) fn write(&self, list: &List<'_>, tables: &Tables) -> io::Result<()> {
        let words: Vec<&str> = self.words.keys().map(String::as_str).collect();
        tables.texts("words", words.iter().copied())?;
        tables.column::<4>("words.letters", words.iter().map(|word| letters(word) as usize))?;
        let alike: Vec<&[&str]> = words.chunk_by(|a, b| first(a) == first(b)).collect();
        let firsts: Vec<[u8; 3]> = alike.iter().map(|words| first(words[0])).collect();
        tables.column::<1>("alike", firsts.iter().flatten().copied().map(usize::from))?;
        tables.column::<2>("alike.words", starts(alike.iter().map(|words| words.len())))?;
        let initials = firsts.chunk_by(|a, b| a[0] == b[0]).map(<[_]>::len);
        tables.column::<2>("alike.initials", starts(initials))?;
        let postings = self.words.values();
        tables.column::<4>("words.postings", starts(postings.clone().map(Vec::len)))?;
        let postings = postings.flatten();
        let postings = postings.map(|(text, role)| text << 1 | usize::from(*role == Role::Aside));
        tables.column::<4>("postings", postings)?;
        let (sets, of_words) = self.sets(list);
        tables.column::<1>("sets", sets.into_iter().flatten().map(usize::from))?;
        tables.column::<2>("words.set", of_words)?;
        let texts = self.texts.iter();
        tables.column::<1>("texts.kind", texts.clone().map(|text| text.kind as usize))?;
        tables.column::<2>("texts.of", texts.clone().map(|text| text.of))?;
        tables.column::<2>("texts.weight", texts.map(|text| text.weight))?;
        tables.column::<4>("entries.texts", self.titles.iter().copied())?;
        let headings = list.entries.iter().map(|entry| entry.parent.unwrap_or(NONE));
        tables.column::<2>("entries.heading", headings)?;
        tables.column::<2>("entries.further", self.further(list))
    }
}

fn add(set: &mut [u8], more: &[u8]) {
    set.iter_mut().zip(more).for_each(|(bits, more)| *bits |= more);
}

/// Returns the starts of consecutive items of these lengths, and the end of the last one.
fn starts(lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(lengths.scan(0, |end, length| {
        *end += length;
        Some(*end)
    }))
}
