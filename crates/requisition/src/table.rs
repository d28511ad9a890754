//! Full-width tables.

use std::num::NonZeroU32;

use crate::composer::{BAND, BODY, Composer, GAP, LABEL, LEADING, PADDING};
use crate::font::Weight;
use crate::page::{LEFT, RIGHT};
use crate::structure::{NodeId, Role, Structure};
use crate::text::wrap;

/// Padding above and below the lines of a row.
const ROW_PADDING: f32 = 1.25;
/// Height of the headings of columns.
const HEADINGS: f32 = 12.0;

/// Table, with a heading if it is a section of the form.
pub(crate) struct Table {
    pub(crate) title: Option<&'static str>,
    /// Heading of each column, and its share of the width. Without columns, a row is a paragraph.
    pub(crate) columns: &'static [(&'static str, f32)],
    pub(crate) rows: Vec<Row>,
}

pub(crate) enum Row {
    /// Heading of the rows below it.
    Group(String),
    Cells(Vec<Cell>),
    Paragraph(String),
}

pub(crate) struct Cell {
    text: String,
    weight: Weight,
}

impl Cell {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            weight: Weight::Regular,
        }
    }

    pub(crate) fn bold(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            weight: Weight::Bold,
        }
    }
}

/// Cell, in lines.
struct Lines {
    x: f32,
    weight: Weight,
    lines: Vec<String>,
    node: NodeId,
}

impl Composer {
    pub(crate) fn table(&mut self, table: Table) {
        if table.rows.is_empty() {
            return;
        }
        let section = self.section();
        let heading = table.title.map(|title| self.heading_of(section, title));
        let node = if table.columns.is_empty() {
            section
        } else {
            self.structure.node(section, Role::Table)
        };
        let first = BAND + HEADINGS + 2.0 * row_height(1);
        if first > self.pages.room() {
            self.pages.begin_page();
        }
        let mut top = self.pages.y;
        if let Some(title) = table.title {
            self.wide_band(title, heading);
        }
        self.headings(&table, Some(node));
        for (number, row) in table.rows.iter().enumerate() {
            let cells = self.cells(&table, row, node);
            // A heading goes with the row below it.
            let lines = cells.iter().map(|cell| cell.lines.len()).max().unwrap_or(1) + usize::from(row.is_group());
            if row_height(lines) > self.pages.room() && number > 0 {
                top = self.continue_table(&table, top);
            }
            if number > 0 {
                self.pages.rule((LEFT, self.pages.y), (RIGHT, self.pages.y));
            }
            self.row(&table, &cells, &mut top);
        }
        self.frame_from(top);
        self.pages.y += GAP;
    }

    /// Ends the table on this page, and begins it on the next one.
    fn continue_table(&mut self, table: &Table, top: f32) -> f32 {
        self.frame_from(top);
        self.pages.begin_page();
        let top = self.pages.y;
        if let Some(title) = table.title {
            self.wide_band(title, None);
        }
        self.headings(table, None);
        top
    }

    /// Draws the headings of the columns: part of a table, or a repetition.
    fn headings(&mut self, table: &Table, parent: Option<NodeId>) {
        if table.columns.is_empty() {
            return;
        }
        let row = parent.map(|parent| self.structure.node(parent, Role::Row));
        let mut x = LEFT;
        for (title, share) in table.columns {
            let cell = row.map(|row| self.structure.node(row, Role::ColumnHeading));
            self.text((x + PADDING, self.pages.y + 8.8), LABEL, Weight::Regular, title, cell);
            x += share * (RIGHT - LEFT);
        }
        self.pages.y += HEADINGS;
        self.pages.rule((LEFT, self.pages.y), (RIGHT, self.pages.y));
    }

    fn cells(&mut self, table: &Table, row: &Row, parent: NodeId) -> Vec<Lines> {
        let whole = RIGHT - LEFT;
        let mut x = LEFT + PADDING;
        let row_node = |structure: &mut Structure| structure.node(parent, Role::Row);
        match row {
            Row::Paragraph(text) => {
                let node = self.structure.node(parent, Role::Paragraph);
                let weight = Weight::Regular;
                let lines = wrap(text, self.fonts.face(weight), BODY, whole - 2.0 * PADDING);
                vec![Lines { x, weight, lines, node }]
            }
            Row::Group(title) => {
                let parent = row_node(&mut self.structure);
                let columns = u32::try_from(table.columns.len()).ok().and_then(NonZeroU32::new);
                let node = self
                    .structure
                    .node(parent, Role::GroupHeading(columns.unwrap_or(NonZeroU32::MIN)));
                let lines = wrap(title, self.fonts.face(Weight::Bold), BODY, whole - 2.0 * PADDING);
                vec![Lines {
                    x,
                    weight: Weight::Bold,
                    lines,
                    node,
                }]
            }
            Row::Cells(cells) => {
                let parent = row_node(&mut self.structure);
                let mut in_lines = Vec::with_capacity(cells.len());
                for (Cell { text, weight }, (_, share)) in cells.iter().zip(table.columns) {
                    let (weight, width) = (*weight, share * whole);
                    let node = self.structure.node(parent, Role::Cell);
                    let lines = wrap(text, self.fonts.face(weight), BODY, width - 2.0 * PADDING);
                    in_lines.push(Lines { x, weight, lines, node });
                    x += width;
                }
                in_lines
            }
        }
    }

    /// Draws the lines of a row, which may continue on the next pages.
    fn row(&mut self, table: &Table, cells: &[Lines], top: &mut f32) {
        self.pages.y += ROW_PADDING;
        let lines = cells.iter().map(|cell| cell.lines.len()).max().unwrap_or_default();
        for line in 0..lines {
            if LEADING + ROW_PADDING > self.pages.room() {
                *top = self.continue_table(table, *top);
                self.pages.y += ROW_PADDING;
            }
            let baseline = self.pages.y + LEADING - 3.0;
            for cell in cells {
                if let Some(text) = cell.lines.get(line) {
                    self.text((cell.x, baseline), BODY, cell.weight, text, Some(cell.node));
                }
            }
            self.pages.y += LEADING;
        }
        self.pages.y += ROW_PADDING;
    }
}

impl Row {
    fn is_group(&self) -> bool {
        matches!(self, Self::Group(_))
    }
}

fn row_height(lines: usize) -> f32 {
    f32::from(u16::try_from(lines).unwrap_or(u16::MAX)) * LEADING + 2.0 * ROW_PADDING
}
