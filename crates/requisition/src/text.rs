//! Normalises and wraps text of users.

use icu_normalizer::ComposingNormalizerBorrowed;

use crate::font::{Face, REPLACEMENT};

/// Placeholder of an absent value.
pub(crate) const NOTHING: &str = "\u{2013}";

/// Returns the paragraphs of a text: composed, with single spaces, and without invisible characters.
///
/// Letters and marks become one character where Unicode has it, since the glyphs of marks are not placed.
pub(crate) fn paragraphs(text: &str) -> Vec<String> {
    let text = ComposingNormalizerBorrowed::new_nfc().normalize(text);
    let mut paragraphs = Vec::new();
    for line in text.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']) {
        let mut paragraph = String::with_capacity(line.len());
        for character in line.chars().filter(|character| !is_invisible(*character)) {
            match character {
                _ if character.is_whitespace() && !paragraph.ends_with(' ') => paragraph.push(' '),
                _ if character.is_whitespace() => {}
                _ if is_private(character) => paragraph.push(REPLACEMENT),
                _ => paragraph.push(character),
            }
        }
        let paragraph = paragraph.trim();
        if !paragraph.is_empty() {
            paragraphs.push(paragraph.to_owned());
        }
    }
    paragraphs
}

/// Returns a text without line breaks.
pub(crate) fn one_line(text: &str) -> String {
    paragraphs(text).join(" ")
}

/// Wraps a text to a width. A space at the end of a line stays, as a reader of the document joins the lines.
pub(crate) fn wrap(text: &str, face: &Face, size: f32, width: f32) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in paragraphs(text) {
        let mut rest = paragraph.as_str();
        while !rest.is_empty() {
            let (line, next) = rest.split_at(first_line(rest, face, size, width));
            lines.push(line.to_owned());
            rest = next;
        }
    }
    if lines.is_empty() {
        lines.push(NOTHING.to_owned());
    }
    lines
}

/// Returns a text in one line, cut with an ellipsis if it is too wide.
pub(crate) fn fit(text: &str, face: &Face, size: f32, width: f32) -> String {
    let text = one_line(text);
    if face.width(&text, size) <= width {
        return text;
    }
    let mut left = width - face.width("\u{2026}", size);
    let fits = text.chars().take_while(|character| {
        left -= face.advance(*character) * size;
        left >= 0.0
    });
    let fits: String = fits.collect();
    format!("{}\u{2026}", fits.trim_end())
}

/// Returns the end of the first line of a text: behind the last space or hyphen that fits, or else inside a word. A
/// mark stays with its letter.
fn first_line(text: &str, face: &Face, size: f32, width: f32) -> usize {
    let (mut used, mut between_words, mut between_letters) = (0.0, 0, 0);
    for (start, character) in text.char_indices() {
        let advance = face.advance(character) * size;
        if start > 0 && advance > 0.0 {
            between_letters = start;
        }
        used += advance;
        // A space may stand beyond the end of the line.
        if used > width && character != ' ' && between_letters > 0 {
            return if between_words > 0 {
                between_words
            } else {
                between_letters
            };
        }
        if matches!(character, ' ' | '-' | '/') || !face.has(character) {
            between_words = start + character.len_utf8();
        }
    }
    text.len()
}

/// Returns whether a character is invisible: controls, and directions of layout.
fn is_invisible(character: char) -> bool {
    (character.is_control() && !character.is_whitespace())
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether a character has a meaning only within a program, which PDF/A rejects.
fn is_private(character: char) -> bool {
    matches!(u32::from(character), 0xe000..=0xf8ff | 0xf0000.. | 0xfdd0..=0xfdef)
        || u32::from(character) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::{fit, paragraphs, wrap};
    use crate::font::{Fonts, Weight};

    #[test]
    fn a_text_is_composed_and_has_no_characters_without_a_look() {
        assert_eq!(
            paragraphs(" Zoe\u{308}\t \u{202e}x\u{0}\u{feff} \r\n\u{2028} b\u{a0}c"),
            ["Zoë x", "b c"]
        );
        assert_eq!(paragraphs("\u{e000}\u{ffff}\u{10ffff}"), ["\u{fffd}\u{fffd}\u{fffd}"]);
        assert!(paragraphs("\u{200b}\n \n").is_empty());
    }

    #[test]
    fn lines_end_behind_spaces_and_hyphens_and_else_inside_words() {
        let face = Fonts::load().expect("the fonts").face(Weight::Regular);
        let width = face.width("nine-letter", 9.0);
        assert_eq!(wrap("nine letters", face, 9.0, width), ["nine ", "letters"]);
        assert_eq!(wrap("nine-letters", face, 9.0, width), ["nine-", "letters"]);
        assert_eq!(
            wrap("nineletterwords", face, 9.0, face.width("ninele", 9.0)),
            ["ninele", "tterw", "ords"]
        );
        assert_eq!(wrap("", face, 9.0, width), ["\u{2013}"]);
        assert_eq!(wrap("wide", face, 9.0, 0.1), ["w", "i", "d", "e"]);
    }

    #[test]
    fn what_does_not_fit_in_a_line_is_cut() {
        let face = Fonts::load().expect("the fonts").face(Weight::Bold);
        let width = face.width("Rivera, M\u{2026}", 9.0) + 0.01;
        assert_eq!(fit("Rivera, Mar\u{ed}a", face, 9.0, width), "Rivera, M\u{2026}");
        assert_eq!(fit("Ana\nRay", face, 9.0, width), "Ana Ray");
    }
}
