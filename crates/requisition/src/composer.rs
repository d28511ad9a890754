//! Text, headings and positions of the sections of a form.

use std::num::NonZeroU16;

use crate::font::{Fonts, Weight};
use crate::page::{Area, LEFT, Op, Pages, RIGHT, Text};
use crate::structure::{NodeId, Role, Structure};

/// Sizes of text.
pub(crate) const BODY: f32 = 9.0;
pub(crate) const LABEL: f32 = 7.5;
/// From one line of text to the next one.
pub(crate) const LEADING: f32 = 11.5;
/// From the frame of a section to what is in it.
pub(crate) const PADDING: f32 = 5.0;
/// From one section to the next one.
pub(crate) const GAP: f32 = 7.0;
/// Height of the heading of a section.
pub(crate) const BAND: f32 = 14.0;

/// Headings of sections; the form itself has the level above.
const SECTION: NonZeroU16 = NonZeroU16::MIN.saturating_add(1);

/// A form in the making.
pub(crate) struct Composer {
    pub(crate) fonts: Fonts,
    pub(crate) pages: Pages,
    pub(crate) structure: Structure,
    /// The headings: the number of the page from 0, the height on it, and the text.
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

    /// An element for a section of the form.
    pub(crate) fn section(&mut self) -> NodeId {
        self.structure.node(Structure::ROOT, Role::Section)
    }

    /// The heading of a section, without what it looks like.
    pub(crate) fn heading_of(&mut self, section: NodeId, title: &str) -> NodeId {
        self.structure.node(section, Role::Heading(SECTION, title.to_owned()))
    }

    /// Draws the heading of a section at the left of an area; or repeats it, if it is of no element.
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

    /// The band of a section as wide as the page, with its heading; it leads to what is below it.
    pub(crate) fn wide_band(&mut self, title: &str, heading: Option<NodeId>) {
        self.band(LEFT, RIGHT - LEFT, title, heading);
        self.pages.y += BAND;
    }

    /// Frames what a section has on this page, from a height on.
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
