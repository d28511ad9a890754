//! Where each word of the list stands.

use std::ops::Range;

use crate::bits::Bits;
use crate::list::List;
use crate::table::{Column, Texts, table, texts};
use crate::words::weight;

/// What stands for "none" in two bytes.
const NONE: usize = 0xffff;

/// The list, and where its words stand.
pub(crate) struct Index {
    pub(crate) list: List,
    /// Every word once, in order.
    pub(crate) words: Texts,
    /// The letters of each.
    pub(crate) letters: Column<4>,
    /// The set of the codes that have each word, if it stands in many texts.
    word_set: Column<2>,
    /// Where the postings of each word start.
    word_postings: Column<4>,
    /// The texts that have a word, word by word.
    postings: Column<4>,
    /// The first bytes of words, in order, and the words that have each, which stand together.
    pub(crate) alike: Column<3>,
    pub(crate) alike_words: Column<2>,
    /// Where those of each first letter start among them.
    pub(crate) initials: Column<2>,
    /// Sets of codes: of each extension those that have it, then of each first letter of words, and then those of words.
    sets: Column<8>,
    /// The texts of the list: those of extensions first, in their order, and then those of entries, in theirs.
    text_kind: Column<1>,
    /// The entry, or the extension.
    text_of: Column<2>,
    text_weight: Column<2>,
    /// Where the texts of each entry start; its title is the first.
    entry_texts: Column<4>,
    entry_heading: Column<2>,
    entry_further: Column<2>,
}

/// A text that has a word.
#[derive(Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) text: usize,
    /// Whether the word says little there.
    pub(crate) aside: bool,
}

/// What a text is.
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

    /// How many texts there are.
    pub(crate) fn texts(&self) -> usize {
        self.text_kind.len()
    }

    /// The texts of an entry, its title first.
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

    /// What the words of a text weigh that are more than an aside.
    pub(crate) fn weight_of_text(&self, text: usize) -> u32 {
        self.text_weight.get(text) as u32
    }

    /// The heading above an entry.
    pub(crate) fn heading(&self, entry: usize) -> Option<usize> {
        Some(self.entry_heading.get(entry)).filter(|heading| *heading != NONE)
    }

    /// What the words of an entry's title weigh that the heading's does not say.
    pub(crate) fn further(&self, entry: usize) -> u32 {
        self.entry_further.get(entry) as u32
    }

    /// The texts that have a word, in order.
    pub(crate) fn postings(&self, word: usize) -> impl ExactSizeIterator<Item = Posting> {
        self.packed_postings(word).iter().map(|packed| Posting::new(*packed))
    }

    fn packed_postings(&self, word: usize) -> &'static [[u8; 4]] {
        &self.postings.rows()[self.word_postings.range(word)]
    }

    /// What a word is in a text, if this has it.
    pub(crate) fn posting(&self, word: usize, text: usize) -> Option<Posting> {
        let packed = self.packed_postings(word);
        let at = packed
            .binary_search_by_key(&text, |packed| Posting::new(*packed).text)
            .ok()?;
        Some(Posting::new(packed[at]))
    }

    /// Adds the codes that have a word, or a heading that has it.
    pub(crate) fn add_codes(&self, word: usize, codes: &mut Bits) {
        let set = self.word_set.get(word);
        if set != NONE {
            return codes.add(self.set(set));
        }
        // The texts of a heading come before those of what stands below it, whose codes are among its own.
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

    /// The codes that have any word that begins with a letter.
    pub(crate) fn codes_of_initial(&self, letter: &str) -> Option<&'static [[u8; 8]]> {
        let initial = |at| &self.alike.rows()[self.initials.get(at)][..1];
        let at = (0..self.initials.len() - 1).position(|at| initial(at) == letter.as_bytes())?;
        Some(self.set(self.list.extensions() + at))
    }

    fn set(&self, at: usize) -> &'static [[u8; 8]] {
        let length = Bits::blocks(self.list.codes());
        &self.sets.rows()[at * length..][..length]
    }

    /// Where a word stands among the words.
    pub(crate) fn find(&self, text: &str) -> Option<usize> {
        let at = self.words.partition_point(0, |word| word < text);
        (at < self.words.len() && self.words.get(at) == text).then_some(at)
    }

    /// What a word weighs: the rarer, the more.
    pub(crate) fn weight_of_word(&self, word: usize) -> u32 {
        self.weight(self.packed_postings(word).len())
    }

    /// What a word weighs that stands in so many texts.
    pub(crate) fn weight(&self, texts: usize) -> u32 {
        weight(texts, self.texts())
    }

    /// The words that begin so, which stand together.
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
