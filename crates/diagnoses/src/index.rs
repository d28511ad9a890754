//! Inverted index: the texts that contain each word of the list.

use std::ops::Range;

use crate::bits::Bits;
use crate::list::List;
use crate::table::{Column, Texts, table, texts};
use crate::words::weight;

/// "None" in two bytes.
const NONE: usize = 0xffff;

/// List and its inverted index.
pub(crate) struct Index {
    pub(crate) list: List,
    /// Words, each once, sorted.
    pub(crate) words: Texts,
    /// Letters of each word.
    pub(crate) letters: Column<4>,
    /// Number of the set of codes with each word, if many texts contain it.
    word_set: Column<2>,
    /// Start of each word's postings.
    word_postings: Column<4>,
    /// Texts with a word, word by word.
    postings: Column<4>,
    /// First bytes of words, sorted, and the range of words with each.
    pub(crate) alike: Column<3>,
    pub(crate) alike_words: Column<2>,
    /// Start of each first letter among them.
    pub(crate) initials: Column<2>,
    /// Sets of codes: those with each extension, with each first letter of words, and with words.
    sets: Column<8>,
    /// Kind of each text: texts of extensions first, in their order, and then those of entries, in theirs.
    text_kind: Column<1>,
    /// Entry or extension of each text.
    text_of: Column<2>,
    text_weight: Column<2>,
    /// Start of each entry's texts; its title is the first.
    entry_texts: Column<4>,
    entry_heading: Column<2>,
    entry_further: Column<2>,
}

/// Text with a word.
#[derive(Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) text: usize,
    /// True if the word carries little information there.
    pub(crate) aside: bool,
}

/// Kind of a text.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Extension,
    Title,
    Term,
    Mention,
}

impl Index {
    pub(crate) const fn new() -> Self {
        Self {
            list: List::new(),
            words: texts!("words"),
            letters: Column::new(table!("words.letters")),
            word_set: Column::new(table!("words.set")),
            word_postings: Column::new(table!("words.postings")),
            postings: Column::new(table!("postings")),
            alike: Column::new(table!("alike")),
            alike_words: Column::new(table!("alike.words")),
            initials: Column::new(table!("alike.initials")),
            sets: Column::new(table!("sets")),
            text_kind: Column::new(table!("texts.kind")),
            text_of: Column::new(table!("texts.of")),
            text_weight: Column::new(table!("texts.weight")),
            entry_texts: Column::new(table!("entries.texts")),
            entry_heading: Column::new(table!("entries.heading")),
            entry_further: Column::new(table!("entries.further")),
        }
    }

    /// Returns the number of texts.
    pub(crate) fn texts(&self) -> usize {
        self.text_kind.len()
    }

    /// Returns the texts of an entry, its title first.
    pub(crate) fn texts_of(&self, entry: usize) -> Range<usize> {
        self.entry_texts.range(entry)
    }

    pub(crate) fn kind(&self, text: usize) -> Kind {
        match self.text_kind.get(text) {
            0 => Kind::Extension,
            1 => Kind::Title,
            2 => Kind::Term,
            _ => Kind::Mention,
        }
    }

    /// Returns the total weight of the words of a text, without asides.
    pub(crate) fn weight_of_text(&self, text: usize) -> u32 {
        self.text_weight.get(text) as u32
    }

    /// Returns the heading above an entry.
    pub(crate) fn heading(&self, entry: usize) -> Option<usize> {
        Some(self.entry_heading.get(entry)).filter(|heading| *heading != NONE)
    }

    /// Returns the total weight of the words of an entry's title that its heading lacks.
    pub(crate) fn further(&self, entry: usize) -> u32 {
        self.entry_further.get(entry) as u32
    }

    /// Returns the texts with a word, in order.
    pub(crate) fn postings(&self, word: usize) -> impl ExactSizeIterator<Item = Posting> {
        self.packed_postings(word).iter().map(|packed| Posting::new(*packed))
    }

    fn packed_postings(&self, word: usize) -> &'static [[u8; 4]] {
        &self.postings.rows()[self.word_postings.range(word)]
    }

    /// Returns the posting of a word in a text, if there is one.
    pub(crate) fn posting(&self, word: usize, text: usize) -> Option<Posting> {
        let packed = self.packed_postings(word);
        let at = packed
            .binary_search_by_key(&text, |packed| Posting::new(*packed).text)
            .ok()?;
        Some(Posting::new(packed[at]))
    }

    /// Adds the codes with a word, directly or in a heading.
    pub(crate) fn add_codes(&self, word: usize, codes: &mut Bits) {
        let set = self.word_set.get(word);
        if set != NONE {
            return codes.add(self.set(set));
        }
        // The texts of a heading come before those of the entries below it, whose codes are a subset of its own.
        let mut done = 0;
        for Posting { text, .. } in self.postings(word) {
            let of = self.text_of.get(text);
            if self.kind(text) == Kind::Extension {
                codes.add(self.set(of));
                continue;
            }
            let below = self.list.codes_of(of);
            if below.end > done {
                done = below.end;
                codes.fill(below);
            }
        }
    }

    /// Returns the codes with any word that begins with a letter.
    pub(crate) fn codes_of_initial(&self, letter: &str) -> Option<&'static [[u8; 8]]> {
        let initial = |at| &self.alike.rows()[self.initials.get(at)][..1];
        let at = (0..self.initials.len() - 1).position(|at| initial(at) == letter.as_bytes())?;
        Some(self.set(self.list.extensions() + at))
    }

    fn set(&self, at: usize) -> &'static [[u8; 8]] {
        let length = Bits::blocks(self.list.codes());
        &self.sets.rows()[at * length..][..length]
    }

    /// Finds the number of a word.
    pub(crate) fn find(&self, text: &str) -> Option<usize> {
        let at = self.words.partition_point(0, |word| word < text);
        (at < self.words.len() && self.words.get(at) == text).then_some(at)
    }

    /// Returns the weight of a word: higher for a rarer one.
    pub(crate) fn weight_of_word(&self, word: usize) -> u32 {
        self.weight(self.packed_postings(word).len())
    }

    /// Returns the weight of a word in this many texts.
    pub(crate) fn weight(&self, texts: usize) -> u32 {
        weight(texts, self.texts())
    }

    /// Returns the range of words with a prefix.
    pub(crate) fn beginning(&self, beginning: &str) -> Range<usize> {
        let first = self.words.partition_point(0, |word| word < beginning);
        first..self.words.partition_point(first, |word| word.starts_with(beginning))
    }
}

impl Posting {
    fn new(packed: [u8; 4]) -> Self {
        let packed = u32::from_le_bytes(packed);
        Self {
            text: packed as usize >> 1,
            aside: packed & 1 == 1,
        }
    }
}
