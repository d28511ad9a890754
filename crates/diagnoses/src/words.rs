//! How a text becomes words, folded to small letters without accents, and what is known of a word without its letters.
//!
//! The build script has this file, too.

use icu_normalizer::DecomposingNormalizerBorrowed;

/// Small letters, without accents; other spellings of a letter are made the common one.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    DecomposingNormalizerBorrowed::new_nfkd()
        .normalize_iter(text.chars())
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .flat_map(char::to_lowercase)
        .map(|c| if c == '\u{2019}' { '\'' } else { c })
        .collect()
}

/// The words within what stands between two spaces.
pub(crate) fn parts(chunk: &str) -> impl Iterator<Item = String> {
    chunk
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|part| part.replace('\'', ""))
        .filter(|part| !part.is_empty())
}

/// The letters of a word, a bit each; few share one.
pub(crate) fn letters(word: &str) -> u32 {
    word.chars().fold(0, |letters, c| letters | 1 << (u32::from(c) % 32))
}

/// The first bytes of a word.
pub(crate) fn first(word: &str) -> [u8; 3] {
    let mut first = [0; 3];
    first
        .iter_mut()
        .zip(word.bytes())
        .for_each(|(first, byte)| *first = byte);
    first
}

/// What a word weighs that stands in so many of all texts: in half as many, one more.
pub(crate) fn weight(texts: usize, all: usize) -> u32 {
    all.max(1).ilog2() + 1 - texts.clamp(1, all.max(1)).ilog2()
}
