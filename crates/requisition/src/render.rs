//! Pages as a PDF: PDF/A-2a for archives, PDF/UA-1 for screen readers.

use chrono::{DateTime, Datelike, Timelike, Utc};
use krilla::color::luma;
use krilla::configure::{Accessibility, Archival, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::geom::{Path, PathBuilder, Point, Rect};
use krilla::metadata::{self, Metadata};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::{Fill, Stroke};
use krilla::surface::Surface;
use krilla::tagging::{Artifact, ArtifactType, ContentTag, SpanTag};
use krilla::{Document, SerializeSettings};

use crate::error::Error;
use crate::font::Fonts;
use crate::page::{Area, HEIGHT, Op, Text, WIDTH};
use crate::structure::{Drawn, Structure};

/// Light grey, which is legible behind letters and prints well.
const GREY: u8 = 232;
/// Grey of thin lines.
const RULE: u8 = 128;
const RULE_WIDTH: f32 = 0.4;
/// Distance between the target of an entry of the outline and its heading, which is below.
const ABOVE: f32 = 12.0;

/// Metadata of the document.
pub(crate) struct Properties {
    pub(crate) title: String,
    /// Source of the identifier of the document.
    pub(crate) id: String,
    pub(crate) created: DateTime<Utc>,
    /// Headings: their position, as the number of a page from 0 and its height, and their text.
    pub(crate) outline: Vec<(usize, f32, String)>,
}

pub(crate) fn pdf(
    fonts: Fonts,
    pages: &[Vec<Op>],
    structure: &Structure,
    properties: Properties,
) -> Result<Vec<u8>, Error> {
    let configuration = ConfigurationBuilder::new()
        .with_archival_validator(Archival::A2_A)
        .with_accessibility_validator(Accessibility::UA1)
        .finish()
        .map_err(|_| Error::Write)?;
    let mut document = Document::new_with(SerializeSettings {
        configuration,
        ..SerializeSettings::default()
    });
    let mut drawn = structure.drawn();
    for page in pages {
        let settings = PageSettings::from_wh(WIDTH, HEIGHT).ok_or(Error::Write)?;
        let mut page_of_document = document.start_page_with(settings);
        let mut surface = page_of_document.surface();
        for op in page {
            draw(&mut surface, op, fonts, &mut drawn);
        }
        surface.finish();
        page_of_document.finish();
    }
    document.set_tag_tree(structure.tags(&drawn));
    let mut outline = Outline::new();
    for (page, y, text) in properties.outline {
        outline.push_child(OutlineNode::new(
            text,
            XyzDestination::new(page, Point::from_xy(0.0, y - ABOVE)),
        ));
    }
    document.set_outline(outline);
    document.set_metadata(
        Metadata::new()
            .title(properties.title)
            .language("en-US".to_owned())
            .creator("wearlab-requisition".to_owned())
            .creation_date(date(properties.created))
            .document_id(properties.id),
    );
    Ok(document.finish()?)
}

fn date(time: DateTime<Utc>) -> metadata::DateTime {
    // All of them are in the range of their type, except the year, which a PDF writes with four digits.
    let part = |number: u32| u8::try_from(number).unwrap_or_default();
    metadata::DateTime::new(u16::try_from(time.year().clamp(0, 9999)).unwrap_or_default())
        .month(part(time.month()))
        .day(part(time.day()))
        .hour(part(time.hour()))
        .minute(part(time.minute()))
        .second(part(time.second()))
        .utc_offset_hour(0)
        .utc_offset_minute(0)
}

fn draw(surface: &mut Surface<'_>, op: &Op, fonts: Fonts, drawn: &mut Drawn) {
    match op {
        Op::Text(text) => draw_text(surface, text, fonts, drawn),
        Op::Bars { bars, leaf } => {
            drawn.identify(*leaf, surface.start_tagged(ContentTag::Other));
            fill(surface, bars, luma::Color::black());
            surface.end_tagged();
        }
        Op::Shade(area) => artifact(surface, |surface| fill(surface, &[*area], luma::Color::new(GREY))),
        Op::Frame { area, width } => {
            let path = rectangles(&[*area]);
            artifact(surface, |surface| stroke(surface, path, luma::Color::black(), *width));
        }
        Op::Rule { from, to } => {
            let mut path = PathBuilder::new();
            path.move_to(from.0, from.1);
            path.line_to(to.0, to.1);
            artifact(surface, |surface| {
                stroke(surface, path.finish(), luma::Color::new(RULE), RULE_WIDTH)
            });
        }
    }
}

fn draw_text(surface: &mut Surface<'_>, text: &Text, fonts: Fonts, drawn: &mut Drawn) {
    let face = fonts.face(text.weight);
    match text.leaf {
        Some(leaf) => {
            let identifier = surface.start_tagged(ContentTag::Span(SpanTag::empty()));
            drawn.identify(leaf, identifier);
        }
        None => {
            surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::PaginationOther)));
        }
    }
    surface.set_stroke(None);
    surface.set_fill(Some(Fill {
        paint: luma::Color::black().into(),
        ..Fill::default()
    }));
    let start = Point::from_xy(text.x, text.baseline);
    surface.draw_glyphs(
        start,
        &face.glyphs(&text.text),
        face.font(),
        &text.text,
        text.size,
        false,
    );
    surface.end_tagged();
}

fn artifact(surface: &mut Surface<'_>, draw: impl FnOnce(&mut Surface<'_>)) {
    surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)));
    draw(surface);
    surface.end_tagged();
}

fn fill(surface: &mut Surface<'_>, areas: &[Area], color: luma::Color) {
    surface.set_stroke(None);
    surface.set_fill(Some(Fill {
        paint: color.into(),
        ..Fill::default()
    }));
    if let Some(path) = rectangles(areas) {
        surface.draw_path(&path);
    }
}

fn stroke(surface: &mut Surface<'_>, path: Option<Path>, color: luma::Color, width: f32) {
    surface.set_fill(None);
    surface.set_stroke(Some(Stroke {
        paint: color.into(),
        width,
        ..Stroke::default()
    }));
    if let Some(path) = path {
        surface.draw_path(&path);
    }
}

fn rectangles(areas: &[Area]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for area in areas {
        path.push_rect(Rect::from_xywh(area.x, area.y, area.width, area.height)?);
    }
    path.finish()
}
