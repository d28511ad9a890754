//! Splits a text into words, folded to lower case without accents, and computes features of words.
//!
//! The build script includes this file.

use icu_normalizer::DecomposingNormalizerBorrowed;

/// Converts a text to lower case, without accents and compatibility variants.
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

/// Splits a chunk between two spaces into words.
pub(crate) fn parts(chunk: &str) -> impl Iterator<Item = String> {
    chunk
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|part| part.replace('\'', ""))
        .filter(|part| !part.is_empty())
}

/// Returns the letters of a word as a bit set, in which few share a bit.
pub(crate) fn letters(word: &str) -> u32 {
    word.chars().fold(0, |letters, c| letters | 1 << (u32::from(c) % 32))
}

/// Returns the first bytes of a word.
pub(crate) fn first(word: &str) -> [u8; 3] {
    let mut first = [0; 3];
    first
        .iter_mut()
        .zip(word.bytes())
        .for_each(|(first, byte)| *first = byte);
    first
}

/// Returns the weight of a word by its number of texts: half as many give one more.
pub(crate) fn weight(texts: usize, all: usize) -> u32 {
    all.max(1).ilog2() + 1 - texts.clamp(1, all.max(1)).ilog2()
}
