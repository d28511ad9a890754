//! Section for the collector of the sample.

use crate::composer::{BAND, BODY, Composer, LABEL, PADDING};
use crate::font::Weight;
use crate::page::{Area, LEFT, Op, RIGHT};
use crate::structure::{NodeId, Role};

const TITLE: &str = "Specimen collection (completed by the collector)";
/// Height of a row, for handwriting.
const ROW: f32 = 30.0;
/// Size of a check box, and the width of it with its text.
const BOX: f32 = 8.0;
const CHOICE: f32 = 38.0;

/// Field: its label, its share of the width, and its check boxes.
type Field = (&'static str, f32, &'static [&'static str]);

const ROWS: [&[Field]; 2] = [
    &[
        ("Date (MM/DD/YYYY)", 0.25, &[]),
        ("Time", 0.25, &["AM", "PM"]),
        ("Fasting", 0.25, &["Yes", "No"]),
        ("Number of specimens", 0.25, &[]),
    ],
    &[("Collected by (print name)", 0.5, &[]), ("Signature", 0.5, &[])],
];

impl Composer {
    pub(crate) fn collection(&mut self) {
        self.pages.keep_together(BAND + 2.0 * ROW);
        let section = self.section();
        let heading = self.heading_of(section, TITLE);
        let top = self.pages.y;
        self.wide_band(TITLE, Some(heading));
        for fields in ROWS {
            self.pages.rule((LEFT, self.pages.y), (RIGHT, self.pages.y));
            let mut x = LEFT;
            for (label, share, choices) in fields {
                let width = share * (RIGHT - LEFT);
                if x > LEFT {
                    self.pages.rule((x, self.pages.y), (x, self.pages.y + ROW));
                }
                let node = self.structure.node(section, Role::Paragraph);
                self.text(
                    (x + PADDING, self.pages.y + 9.0),
                    LABEL,
                    Weight::Regular,
                    label,
                    Some(node),
                );
                self.choices(x + width, choices, node);
                x += width;
            }
            self.pages.y += ROW;
        }
        self.frame_from(top);
    }

    /// Draws check boxes at the right of a field.
    fn choices(&mut self, right: f32, choices: &[&str], node: NodeId) {
        let baseline = self.pages.y + ROW - 7.0;
        let mut x = right;
        choices.iter().for_each(|_| x -= CHOICE);
        for choice in choices {
            let area = Area {
                x,
                y: baseline - BOX + 1.0,
                width: BOX,
                height: BOX,
            };
            self.pages.draw(Op::Frame { area, width: 0.6 });
            self.text((x + BOX + 4.0, baseline), BODY, Weight::Regular, choice, Some(node));
            x += CHOICE;
        }
    }
}
