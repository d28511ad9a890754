//! Pages of US letter, as lists of drawing operations. Points, from the top left corner.

use crate::font::Weight;
use crate::structure::LeafId;

/// Size of a page.
pub(crate) const WIDTH: f32 = 612.0;
pub(crate) const HEIGHT: f32 = 792.0;
/// Margin of half an inch, which every printer can print within.
pub(crate) const LEFT: f32 = 36.0;
pub(crate) const RIGHT: f32 = WIDTH - 36.0;
pub(crate) const TOP: f32 = 36.0;
/// End of a page's content, above its footer.
pub(crate) const BOTTOM: f32 = HEIGHT - 50.0;
/// Start of the content of later pages, below their header.
pub(crate) const TOP_OF_LATER: f32 = 60.0;

/// Width of the frame of a section.
pub(crate) const FRAME: f32 = 0.75;

/// Drawing operation.
pub(crate) enum Op {
    Text(Text),
    /// Thin grey line between parts of a section.
    Rule {
        from: (f32, f32),
        to: (f32, f32),
    },
    /// Outline of a rectangle.
    Frame {
        area: Area,
        width: f32,
    },
    /// Rectangle in light grey.
    Shade(Area),
    /// Black rectangles of one figure.
    Bars {
        bars: Vec<Area>,
        leaf: LeafId,
    },
}

/// Text in one line.
pub(crate) struct Text {
    pub(crate) x: f32,
    pub(crate) baseline: f32,
    pub(crate) size: f32,
    pub(crate) weight: Weight,
    pub(crate) text: String,
    /// Leaf in the structure of the document; none for a repetition, such as the header of a page.
    pub(crate) leaf: Option<LeafId>,
}

/// Rectangle.
#[derive(Clone, Copy)]
pub(crate) struct Area {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

/// Pages so far, and the position of the next content on the last one.
pub(crate) struct Pages {
    pub(crate) pages: Vec<Vec<Op>>,
    pub(crate) y: f32,
}

impl Pages {
    pub(crate) fn new() -> Self {
        Self {
            pages: vec![Vec::new()],
            y: TOP,
        }
    }

    pub(crate) fn draw(&mut self, op: Op) {
        if let Some(page) = self.pages.last_mut() {
            page.push(op);
        }
    }

    /// Returns the height that is left on the page.
    pub(crate) fn room(&self) -> f32 {
        BOTTOM - self.y
    }

    pub(crate) fn begin_page(&mut self) {
        self.pages.push(Vec::new());
        self.y = TOP_OF_LATER;
    }

    /// Begins a page for content that is too high for this one but not for an empty one.
    pub(crate) fn keep_together(&mut self, height: f32) {
        if height > self.room() && height <= BOTTOM - TOP_OF_LATER {
            self.begin_page();
        }
    }

    pub(crate) fn rule(&mut self, from: (f32, f32), to: (f32, f32)) {
        self.draw(Op::Rule { from, to });
    }

    pub(crate) fn frame(&mut self, area: Area) {
        self.draw(Op::Frame { area, width: FRAME });
    }
}
