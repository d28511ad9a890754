//! Top of the form with its barcode, and the header and footer of each page.

use std::num::NonZeroU16;

use krilla::geom::Rect;

use crate::barcode;
use crate::composer::{BODY, Composer, GAP, LABEL};
use crate::error::Error;
use crate::font::Weight;
use crate::input::Requisition;
use crate::page::{Area, BOTTOM, HEIGHT, LEFT, Op, RIGHT, TOP, Text};
use crate::structure::{Role, Structure};
use crate::text::fit;

pub(crate) const TITLE: &str = "Laboratory requisition";

/// Width of a module of the barcode: a hundredth of an inch, three dots of a printer with 300 an inch.
const MODULE: f32 = 0.72;
/// Height of its bars: half an inch.
const BARS: f32 = 36.0;
/// Area of the form's name, beside the barcode and its quiet zone.
const PRIORITY: Area = Area {
    x: LEFT,
    y: TOP + 27.0,
    width: 78.0,
    height: 20.0,
};

impl Composer {
    /// Draws the name of the form, its priority, and the order id with its barcode.
    pub(crate) fn masthead(&mut self, requisition: &Requisition) -> Result<(), Error> {
        let heading = self
            .structure
            .node(Structure::ROOT, Role::Heading(NonZeroU16::MIN, TITLE.to_owned()));
        self.text((LEFT, TOP + 15.0), 17.0, Weight::Bold, TITLE, Some(heading));
        self.outline.push((0, TOP + 12.0, TITLE.to_owned()));
        if requisition.priority {
            let node = self.structure.node(Structure::ROOT, Role::Paragraph);
            self.pages.draw(Op::Frame {
                area: PRIORITY,
                width: 1.5,
            });
            self.text(
                (PRIORITY.x + 10.0, PRIORITY.y + 14.3),
                12.0,
                Weight::Bold,
                "PRIORITY",
                Some(node),
            );
        }

        let id = requisition.order_id.to_string();
        let (bars, modules) = barcode::bars(&id)?;
        let width = f32::from(modules) * MODULE;
        let x = RIGHT - width;
        let bar = |(first, modules): (u16, u16)| Area {
            x: x + f32::from(first) * MODULE,
            y: TOP,
            width: f32::from(modules) * MODULE,
            height: BARS,
        };
        let area = Rect::from_xywh(x, TOP, width, BARS).ok_or(Error::Write)?;
        let figure = Role::Figure("Barcode of the order id, which is below it".to_owned(), area);
        let figure = self.structure.node(Structure::ROOT, figure);
        let leaf = self.structure.leaf(figure);
        self.pages.draw(Op::Bars {
            bars: bars.into_iter().map(bar).collect(),
            leaf,
        });
        let caption = self.structure.node(Structure::ROOT, Role::Paragraph);
        let text_width = self.fonts.face(Weight::Regular).width(&id, 10.0);
        self.text(
            (x + (width - text_width) / 2.0, TOP + BARS + 11.0),
            10.0,
            Weight::Regular,
            &id,
            Some(caption),
        );
        self.pages.y = TOP + BARS + 13.0 + GAP;
        Ok(())
    }

    /// Adds the header of later pages, and the footer of each page, once the number of pages is final.
    pub(crate) fn repeat(&mut self, requisition: &Requisition, patient: &str, born: &str) {
        let fonts = self.fonts;
        let count = self.pages.pages.len();
        let text = |x, baseline, size, weight, text| {
            Op::Text(Text {
                x,
                baseline,
                size,
                weight,
                text,
                leaf: None,
            })
        };
        let to_the_right = |string: &str, size, weight| RIGHT - fonts.face(weight).width(string, size);
        let rule = |y| Op::Rule {
            from: (LEFT, y),
            to: (RIGHT, y),
        };
        for (number, page) in self.pages.pages.iter_mut().enumerate() {
            if number > 0 {
                page.push(text(LEFT, TOP + 9.0, BODY, Weight::Bold, TITLE.to_owned()));
                let patient = fit(patient, fonts.face(Weight::Bold), BODY, 280.0);
                let patient = format!("{patient}  |  Born {born}");
                let x = to_the_right(&patient, BODY, Weight::Bold);
                page.push(text(x, TOP + 9.0, BODY, Weight::Bold, patient));
                page.push(rule(TOP + 15.0));
            }
            let baseline = HEIGHT - 36.0;
            page.push(rule(BOTTOM + 4.0));
            let patient = fit(patient, fonts.face(Weight::Regular), LABEL, 200.0);
            let order = format!("Order {}  |  {patient}  |  Born {born}", requisition.order_id);
            page.push(text(LEFT, baseline, LABEL, Weight::Regular, order));
            let numbers = format!("Page {} of {count}", number + 1);
            let x = to_the_right(&numbers, LABEL, Weight::Bold);
            page.push(text(x, baseline, LABEL, Weight::Bold, numbers));
        }
    }
}
