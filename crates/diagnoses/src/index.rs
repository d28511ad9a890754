//! Where each word of the list stands.

use std::collections::HashMap;
use std::ops::Range;

use crate::bits::Bits;
use crate::likeness::{first, letters};
use crate::list::{Entry, List};
use crate::words::{Role, fold, words};

/// Of a word that stands in so many texts, the codes are kept: fifty times fewer bytes than those of all words.
const MANY: usize = 200;

/// The list, and where its words stand.
pub(crate) struct Index<'a> {
    pub(crate) list: List<'a>,
    /// Every word once, in order.
    pub(crate) words: Vec<Vocable>,
    /// The letters of each.
    pub(crate) letters: Vec<u32>,
    /// The words with the same first bytes, which stand together.
    pub(crate) alike: Vec<([u8; 3], Range<usize>)>,
    /// The texts that have a word, and what it is in them, word by word: those of a beginning stand together.
    places: Vec<(u32, Role)>,
    /// The texts of the list: those of extensions first, in their order, and then those of entries, in theirs.
    pub(crate) texts: Vec<Text>,
    /// The codes that have an extension.
    pub(crate) extended: Vec<Bits>,
    /// The title of each entry, among the texts, before its other texts; and where the last one's texts end.
    pub(crate) titles: Vec<usize>,
    /// What is above each entry.
    pub(crate) above: Vec<Above>,
}

/// The heading above an entry.
#[derive(Clone, Copy)]
pub(crate) struct Above {
    pub(crate) heading: Option<u32>,
    /// What the words of the entry's title weigh that the heading's does not say.
    pub(crate) further: u32,
}

/// A word of the list.
pub(crate) struct Vocable {
    pub(crate) text: String,
    /// Where it stands among all places.
    places: Range<usize>,
    /// The codes below these, if there are many texts.
    pub(crate) codes: Option<Bits>,
    /// The rarer, the more.
    pub(crate) weight: u32,
}

/// A title, a term, a mention, or what a seventh character means.
pub(crate) struct Text {
    pub(crate) of: Of,
    /// What its words weigh that are more than an aside.
    pub(crate) weight: u32,
    /// The codes that it is a text of; none, if it is an extension's.
    pub(crate) codes: Range<u32>,
}

/// What a text is, and of which entry.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Of {
    Extension(u32),
    Title(u32),
    Term(u32),
    Mention(u32),
}

/// What is gathered while texts are read: for each word where it stands.
#[derive(Default)]
struct Gathered {
    numbers: HashMap<String, usize>,
    places: Vec<Vec<(u32, Role)>>,
    texts: Vec<Text>,
}

impl<'a> Index<'a> {
    pub(crate) fn new(list: List<'a>) -> Self {
        let mut gathered = Gathered::default();
        for (at, meaning) in (0..).zip(&list.extensions) {
            gathered.add(Of::Extension(at), 0..0, meaning);
        }
        let mut titles = Vec::with_capacity(list.entries.len() + 1);
        for (at, entry) in (0..).zip(&list.entries) {
            titles.push(gathered.texts.len());
            let codes = entry.codes.start as u32..entry.codes.end as u32;
            let mut add = |of, text: &&str| gathered.add(of, codes.clone(), text);
            add(Of::Title(at), &entry.title);
            entry.terms.iter().for_each(|term| add(Of::Term(at), term));
            entry.mentions.iter().for_each(|term| add(Of::Mention(at), term));
        }
        titles.push(gathered.texts.len());
        let mut extended = vec![Bits::new(list.codes.len()); list.extensions.len()];
        for (at, code) in list.codes.iter().enumerate() {
            if let Some(meaning) = code.extension {
                extended[meaning as usize].insert(at);
            }
        }
        let (words, places, texts) = gathered.weigh();
        let letters = words.iter().map(|word| letters(&word.text)).collect();
        let mut end = 0;
        let alike = words.chunk_by(|a, b| first(&a.text) == first(&b.text)).map(|words| {
            let from = end;
            end += words.len();
            (first(&words[0].text), from..end)
        });
        let alike = alike.collect();
        let mut index = Self {
            list,
            words,
            places,
            letters,
            alike,
            texts,
            extended,
            titles,
            above: Vec::new(),
        };
        index.above = index.above();
        for at in 0..index.words.len() {
            if index.words[at].places.len() >= MANY {
                let mut codes = Bits::new(index.list.codes.len());
                index.add_codes(&index.words[at], &mut codes);
                index.words[at].codes = Some(codes);
            }
        }
        index
    }

    /// The texts that have a word, and what it is in them.
    pub(crate) fn texts_with(&self, word: &Vocable) -> &[(u32, Role)] {
        &self.places[word.places.clone()]
    }

    /// Adds the codes that have a word, or a heading that has it.
    pub(crate) fn add_codes(&self, word: &Vocable, codes: &mut Bits) {
        if let Some(known) = &word.codes {
            return codes.add(known);
        }
        // The texts of a heading come before those of what stands below it, whose codes are among its own.
        let mut done = 0;
        for &(text, _) in self.texts_with(word) {
            let text = &self.texts[text as usize];
            if let Of::Extension(extension) = text.of {
                codes.add(&self.extended[extension as usize]);
            } else if text.codes.end > done {
                codes.fill(text.codes.start as usize..text.codes.end as usize);
                done = text.codes.end;
            }
        }
    }

    /// What is above each entry.
    fn above(&self) -> Vec<Above> {
        let above = |entry: &Entry<'_>| Above {
            heading: entry.parent.map(|heading| heading as u32),
            further: 0,
        };
        let mut above: Vec<Above> = self.list.entries.iter().map(above).collect();
        for word in &self.words {
            let texts = self.texts_with(word);
            for (at, _) in texts.iter().filter(|(_, role)| *role == Role::Said) {
                let Of::Title(entry) = self.texts[*at as usize].of else {
                    continue;
                };
                let above = &mut above[entry as usize];
                let heading = above.heading.map(|heading| self.titles[heading as usize] as u32);
                let said = heading.is_some_and(|heading| texts.binary_search_by_key(&heading, |(at, _)| *at).is_ok());
                above.further += if said { 0 } else { word.weight };
            }
        }
        above
    }

    /// Where a word stands among the words.
    pub(crate) fn find(&self, text: &str) -> Option<usize> {
        self.words.binary_search_by(|word| word.text.as_str().cmp(text)).ok()
    }

    /// What a word weighs that stands in so many texts.
    pub(crate) fn weight(&self, texts: usize) -> u32 {
        weight(texts, self.texts.len())
    }

    /// The words that begin so, which stand together.
    pub(crate) fn beginning(&self, beginning: &str) -> Range<usize> {
        let first = self.words.partition_point(|word| word.text.as_str() < beginning);
        first..first + self.words[first..].partition_point(|word| word.text.starts_with(beginning))
    }
}

impl Gathered {
    fn add(&mut self, of: Of, codes: Range<u32>, text: &str) {
        let at = self.texts.len() as u32;
        self.texts.push(Text { of, weight: 0, codes });
        for word in words(&fold(text)) {
            let next = self.places.len();
            let number = *self.numbers.entry(word.text).or_insert(next);
            if number == next {
                self.places.push(Vec::new());
            }
            match self.places[number].last_mut() {
                Some((last, role)) if *last == at => {
                    if word.role == Role::Said {
                        *role = Role::Said;
                    }
                }
                _ => self.places[number].push((at, word.role)),
            }
        }
    }

    fn weigh(mut self) -> (Vec<Vocable>, Vec<(u32, Role)>, Vec<Text>) {
        let mut numbers: Vec<(String, usize)> = self.numbers.into_iter().collect();
        numbers.sort_unstable();
        let (mut words, mut places) = (Vec::with_capacity(numbers.len()), Vec::new());
        for (text, number) in numbers {
            let texts = &self.places[number];
            let weight = weight(texts.len(), self.texts.len());
            for (at, _) in texts.iter().filter(|(_, role)| *role == Role::Said) {
                self.texts[*at as usize].weight += weight;
            }
            let first = places.len();
            places.extend_from_slice(texts);
            words.push(Vocable {
                text,
                places: first..places.len(),
                codes: None,
                weight,
            });
        }
        (words, places, self.texts)
    }
}

/// A word that stands in half as many texts weighs one more.
fn weight(texts: usize, all: usize) -> u32 {
    all.max(1).ilog2() + 1 - texts.clamp(1, all.max(1)).ilog2()
}
