//! Text, headings and positions of sections.

use std::num::NonZeroU16;

use crate::font::{Fonts, Weight};
use crate::page::{Area, LEFT, Op, Pages, RIGHT, Text};
use crate::structure::{NodeId, Role, Structure};

/// Sizes of text.
pub(crate) const BODY: f32 = 9.0;
pub(crate) const LABEL: f32 = 7.5;
/// Distance between two lines of text.
pub(crate) const LEADING: f32 = 11.5;
/// Distance between the frame of a section and its content.
pub(crate) const PADDING: f32 = 5.0;
/// Distance between two sections.
pub(crate) const GAP: f32 = 7.0;
/// Height of the heading of a section.
pub(crate) const BAND: f32 = 14.0;

/// Level of the headings of sections, below that of the form.
const SECTION: NonZeroU16 = NonZeroU16::MIN.saturating_add(1);

/// Form in progress.
pub(crate) struct Composer {
    pub(crate) fonts: Fonts,
    pub(crate) pages: Pages,
    pub(crate) structure: Structure,
    /// Headings: the number of the page from 0, the height on it, and the text.
    pub(crate) outline: Vec<(usize, f32, String)>,
    /// True if a character was replaced, since the font lacks it.
    pub(crate) replaced: bool,
}

impl Composer {
    pub(crate) fn new(fonts: Fonts) -> Self {
        Self {
            fonts,
            pages: Pages::new(),
            structure: Structure::new(),
            outline: Vec::new(),
            replaced: false,
        }
    }

    /// Draws a line of text: part of an element, or a repetition.
    pub(crate) fn text(&mut self, at: (f32, f32), size: f32, weight: Weight, text: &str, node: Option<NodeId>) {
        let face = self.fonts.face(weight);
        self.replaced |= text.chars().any(|character| !face.has(character));
        let leaf = node.map(|node| self.structure.leaf(node));
        let (x, baseline) = at;
        self.pages.draw(Op::Text(Text {
            x,
            baseline,
            size,
            weight,
            text: text.to_owned(),
            leaf,
        }));
    }

    /// Adds the element of a section of the form.
    pub(crate) fn section(&mut self) -> NodeId {
        self.structure.node(Structure::ROOT, Role::Section)
    }

    /// Adds the heading of a section, without drawing it.
    pub(crate) fn heading_of(&mut self, section: NodeId, title: &str) -> NodeId {
        self.structure.node(section, Role::Heading(SECTION, title.to_owned()))
    }

    /// Draws the heading of a section at the left of an area, or its repetition if there is no element.
    pub(crate) fn band(&mut self, x: f32, width: f32, title: &str, heading: Option<NodeId>) {
        let y = self.pages.y;
        self.pages.draw(Op::Shade(Area {
            x,
            y,
            width,
            height: BAND,
        }));
        let title = if heading.is_some() {
            self.outline.push((self.pages.pages.len() - 1, y, title.to_owned()));
            title.to_owned()
        } else {
            format!("{title} (continued)")
        };
        self.text((x + PADDING, y + 10.2), BODY, Weight::Bold, &title, heading);
    }

    /// Draws the band of a section as wide as the page, with its heading; it leads to the content below.
    pub(crate) fn wide_band(&mut self, title: &str, heading: Option<NodeId>) {
        self.band(LEFT, RIGHT - LEFT, title, heading);
        self.pages.y += BAND;
    }

    /// Frames the content of a section on this page, from a height on.
    pub(crate) fn frame_from(&mut self, top: f32) {
        let height = self.pages.y - top;
        self.pages.frame(Area {
            x: LEFT,
            y: top,
            width: RIGHT - LEFT,
            height,
        });
    }
}
