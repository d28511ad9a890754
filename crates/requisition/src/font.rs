//! Fonts of the form, and the glyphs of a text.

use std::sync::LazyLock;

use krilla::text::{Font, GlyphId, KrillaGlyph};
use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider};
use unicode_bidi::{BidiInfo, Level};

use crate::error::Error;

/// Glyph for a character that the font lacks; text that is copied from the document has the character itself.
pub(crate) const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

static REGULAR: &[u8] = include_bytes!("../fonts/NotoSans-Regular.ttf");
static BOLD: &[u8] = include_bytes!("../fonts/NotoSans-Bold.ttf");
static FACES: LazyLock<Option<[Face; 2]>> = LazyLock::new(|| Some([Face::new(REGULAR)?, Face::new(BOLD)?]));

/// Weight of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// Fonts, read once per process.
#[derive(Clone, Copy)]
pub(crate) struct Fonts(&'static [Face; 2]);

/// Font with its metrics.
pub(crate) struct Face {
    font: Font,
    charmap: Charmap<'static>,
    metrics: GlyphMetrics<'static>,
    replacement: skrifa::GlyphId,
}

impl Fonts {
    pub(crate) fn load() -> Result<Self, Error> {
        FACES.as_ref().map(Self).ok_or(Error::Font)
    }

    pub(crate) fn face(self, weight: Weight) -> &'static Face {
        &self.0[weight as usize]
    }
}

impl Face {
    fn new(data: &'static [u8]) -> Option<Self> {
        let font = FontRef::new(data).ok()?;
        let charmap = font.charmap();
        Some(Self {
            font: Font::new(data.into(), 0)?,
            replacement: charmap.map(REPLACEMENT)?,
            // At a size of 1, as krilla expects glyphs.
            metrics: font.glyph_metrics(Size::new(1.0), LocationRef::default()),
            charmap,
        })
    }

    pub(crate) fn font(&self) -> Font {
        self.font.clone()
    }

    /// Returns whether the font has a glyph for a character.
    pub(crate) fn has(&self, character: char) -> bool {
        self.charmap.map(character).is_some()
    }

    /// Returns the width of a character at a size of 1.
    pub(crate) fn advance(&self, character: char) -> f32 {
        self.metrics.advance_width(self.glyph(character)).unwrap_or_default()
    }

    /// Returns the width of a text.
    pub(crate) fn width(&self, text: &str, size: f32) -> f32 {
        text.chars().map(|character| self.advance(character)).sum::<f32>() * size
    }

    /// Returns the glyphs of a text, one for each character, from left to right as they are drawn.
    pub(crate) fn glyphs(&self, text: &str) -> Vec<KrillaGlyph> {
        let glyphs = text.char_indices().map(|(start, character)| {
            let glyph = self.glyph(character);
            let advance = self.metrics.advance_width(glyph).unwrap_or_default();
            let range = start..start + character.len_utf8();
            KrillaGlyph::new(GlyphId::new(glyph.to_u32()), advance, 0.0, 0.0, 0.0, range, None)
        });
        in_visual_order(text, glyphs.collect())
    }

    fn glyph(&self, character: char) -> skrifa::GlyphId {
        self.charmap.map(character).unwrap_or(self.replacement)
    }
}

/// Reorders scripts that are written from right to left: readers expect this order for copied text.
fn in_visual_order(text: &str, glyphs: Vec<KrillaGlyph>) -> Vec<KrillaGlyph> {
    let bidi = BidiInfo::new(text, Some(Level::ltr()));
    match bidi.paragraphs.first() {
        Some(paragraph) if bidi.has_rtl() => {
            let levels = bidi.reordered_levels_per_char(paragraph, paragraph.range.clone());
            BidiInfo::reorder_visual(&levels)
                .into_iter()
                .filter_map(|glyph| glyphs.get(glyph).cloned())
                .collect()
        }
        _ => glyphs,
    }
}

#[cfg(test)]
mod tests {
    use super::{Fonts, REPLACEMENT, Weight};

    #[test]
    fn what_forms_and_notes_of_labs_have_is_in_both_fonts() {
        let fonts = Fonts::load().expect("the fonts");
        let ascii = (' '..='~').collect::<String>();
        let others = "\u{2013}\u{2026}\u{201c}\u{201d}\u{2019}\u{2022} \u{e9}\u{f1}\u{142}\u{151}\u{11f}\u{1ec5} \u{3b1}\u{3bc}\u{b5}\u{3a9} \u{416}\u{457} \
                      \u{2264}\u{2265}\u{2260}\u{2248}\u{b1}\u{d7}\u{b0}\u{b2} \u{2190}\u{2192}\u{2191}\u{2193} \u{2713}\u{2610}";
        for weight in [Weight::Regular, Weight::Bold] {
            let face = fonts.face(weight);
            let lacks = |character: &char| !face.has(*character);
            assert_eq!(
                ascii.chars().chain(others.chars()).filter(lacks).collect::<String>(),
                ""
            );
            assert!(face.has(REPLACEMENT) && face.advance(REPLACEMENT) > 0.5);
            assert!(!face.has('\u{738b}'));
            assert!((face.advance('\u{738b}') - face.advance(REPLACEMENT)).abs() < f32::EPSILON);
        }
    }
}
