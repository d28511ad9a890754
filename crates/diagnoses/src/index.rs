//! Where each word of the list stands.

use std::collections::HashMap;
use std::ops::Range;

use crate::list::List;
use crate::words::{Role, fold, words};

/// The list, and where its words stand.
pub(crate) struct Index<'a> {
    pub(crate) list: List<'a>,
    /// Every word once, in order.
    pub(crate) words: Vec<Vocable>,
    /// The texts of the list: those of extensions first, in their order, and then those of entries, in theirs.
    pub(crate) texts: Vec<Text>,
    /// The codes that have an extension.
    pub(crate) extended: Vec<Vec<usize>>,
    /// The title of each entry, among the texts.
    pub(crate) titles: Vec<usize>,
    /// What the words of each entry's title weigh that its heading does not say.
    pub(crate) further: Vec<u32>,
}

/// A word of the list.
pub(crate) struct Vocable {
    pub(crate) text: String,
    /// The texts that have it, and what it is in them.
    pub(crate) texts: Vec<(usize, Role)>,
    /// The rarer, the more.
    pub(crate) weight: u32,
}

/// A title, a term, a mention, or what a seventh character means.
pub(crate) struct Text {
    pub(crate) of: Of,
    /// What its words weigh that are more than an aside.
    pub(crate) weight: u32,
}

/// What a text is, and of which entry.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Of {
    Extension(usize),
    Title(usize),
    Term(usize),
    Mention(usize),
}

/// What is gathered while texts are read: for each word where it stands.
#[derive(Default)]
struct Gathered {
    numbers: HashMap<String, usize>,
    places: Vec<Vec<(usize, Role)>>,
    texts: Vec<Text>,
}

impl<'a> Index<'a> {
    pub(crate) fn new(list: List<'a>) -> Self {
        let mut gathered = Gathered::default();
        for (at, meaning) in list.extensions.iter().enumerate() {
            gathered.add(Of::Extension(at), meaning);
        }
        let mut titles = Vec::with_capacity(list.entries.len());
        for (at, entry) in list.entries.iter().enumerate() {
            titles.push(gathered.texts.len());
            gathered.add(Of::Title(at), entry.title);
            entry.terms.iter().for_each(|term| gathered.add(Of::Term(at), term));
            entry
                .mentions
                .iter()
                .for_each(|term| gathered.add(Of::Mention(at), term));
        }
        let mut extended = vec![Vec::new(); list.extensions.len()];
        for (at, code) in list.codes.iter().enumerate() {
            if let Some((_, meaning)) = code.extension {
                extended[meaning].push(at);
            }
        }
        let (words, texts) = gathered.weigh();
        let further = further(&list, &words, &texts, &titles);
        Self {
            list,
            words,
            texts,
            extended,
            titles,
            further,
        }
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
    fn add(&mut self, of: Of, text: &str) {
        let at = self.texts.len();
        self.texts.push(Text { of, weight: 0 });
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

    fn weigh(mut self) -> (Vec<Vocable>, Vec<Text>) {
        let mut words = Vec::with_capacity(self.places.len());
        for (text, number) in self.numbers {
            let texts = std::mem::take(&mut self.places[number]);
            let weight = weight(texts.len(), self.texts.len());
            for (at, _) in texts.iter().filter(|(_, role)| *role == Role::Said) {
                self.texts[*at].weight += weight;
            }
            words.push(Vocable { text, texts, weight });
        }
        words.sort_unstable_by(|a, b| a.text.cmp(&b.text));
        (words, self.texts)
    }
}

/// A word that stands in half as many texts weighs one more.
fn weight(texts: usize, all: usize) -> u32 {
    all.max(1).ilog2() + 1 - texts.clamp(1, all.max(1)).ilog2()
}

fn further(list: &List<'_>, words: &[Vocable], texts: &[Text], titles: &[usize]) -> Vec<u32> {
    let mut further = vec![0; list.entries.len()];
    for word in words {
        for (at, _) in word.texts.iter().filter(|(_, role)| *role == Role::Said) {
            let Of::Title(entry) = texts[*at].of else { continue };
            let heading = list.entries[entry].parent.map(|heading| titles[heading]);
            let said = heading.is_some_and(|heading| word.texts.binary_search_by_key(&heading, |(at, _)| *at).is_ok());
            further[entry] += if said { 0 } else { word.weight };
        }
    }
    further
}
