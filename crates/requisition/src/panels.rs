//! Labels and their values, in two columns of panels.

use std::collections::VecDeque;

use crate::composer::{BAND, BODY, Composer, GAP, LABEL, LEADING, PADDING};
use crate::font::Weight;
use crate::page::{LEFT, RIGHT};
use crate::structure::{NodeId, Role};
use crate::text::wrap;

/// Width of the labels.
const LABELS: f32 = 68.0;
/// Size of text that stands out.
const STRONG: f32 = 11.0;

/// Heading with labels and their values.
pub(crate) struct Panel {
    pub(crate) title: &'static str,
    pub(crate) entries: Vec<Entry>,
}

/// Label with its value.
pub(crate) struct Entry {
    label: &'static str,
    value: String,
    strong: bool,
}

impl Entry {
    pub(crate) fn new(label: &'static str, value: impl Into<String>) -> Self {
        Self {
            label,
            value: value.into(),
            strong: false,
        }
    }

    pub(crate) fn strong(label: &'static str, value: impl Into<String>) -> Self {
        Self {
            label,
            value: value.into(),
            strong: true,
        }
    }

    /// Creates an entry; none without a value.
    pub(crate) fn optional(label: &'static str, value: Option<impl Into<String>>) -> Option<Self> {
        value.map(|value| Self::new(label, value))
    }
}

/// Line of a column.
enum Item {
    Heading {
        title: &'static str,
        node: Option<NodeId>,
    },
    Line {
        label: Option<(&'static str, NodeId)>,
        text: String,
        node: NodeId,
        strong: bool,
    },
    Space,
}

impl Item {
    fn height(&self) -> f32 {
        match self {
            Self::Heading { .. } => BAND + 2.0,
            Self::Line { strong: false, .. } => LEADING,
            Self::Line { strong: true, .. } => LEADING + 3.0,
            Self::Space => 4.0,
        }
    }
}

struct Column {
    x: f32,
    width: f32,
    items: VecDeque<Item>,
    title: &'static str,
}

impl Composer {
    /// Draws panels below each other on the left, and others on the right, or all of them across the page.
    pub(crate) fn panels(&mut self, left: Vec<Panel>, right: Vec<Panel>) {
        let width = if right.is_empty() {
            RIGHT - LEFT
        } else {
            (RIGHT - LEFT) / 2.0
        };
        let mut columns = vec![self.column(LEFT, width, left)];
        if !right.is_empty() {
            columns.push(self.column(LEFT + width, width, right));
        }
        let height = |column: &Column| column.items.iter().map(Item::height).sum();
        self.pages.keep_together(columns.iter().map(height).fold(0.0, f32::max));
        while columns.iter().any(|column| !column.items.is_empty()) {
            let top = self.pages.y;
            let mut bottom = top;
            for column in &mut columns {
                self.pages.y = top;
                self.fill_column(column);
                bottom = bottom.max(self.pages.y);
            }
            self.pages.y = bottom;
            if bottom > top {
                self.frame_from(top);
                for column in columns.iter().skip(1) {
                    self.pages.rule((column.x, top), (column.x, bottom));
                }
            }
            if columns.iter().any(|column| !column.items.is_empty()) {
                self.pages.begin_page();
                columns.iter_mut().for_each(Column::continue_title);
            }
        }
        self.pages.y += GAP;
    }

    fn column(&mut self, x: f32, width: f32, panels: Vec<Panel>) -> Column {
        let mut items = VecDeque::new();
        for panel in panels {
            let section = self.section();
            let heading = self.heading_of(section, panel.title);
            items.push_back(Item::Heading {
                title: panel.title,
                node: Some(heading),
            });
            let list = self.structure.node(section, Role::List);
            for entry in panel.entries {
                let item = self.structure.node(list, Role::Item);
                let label = self.structure.node(item, Role::Label);
                let node = self.structure.node(item, Role::Body);
                let (size, weight) = look(entry.strong);
                let lines = wrap(
                    &entry.value,
                    self.fonts.face(weight),
                    size,
                    width - LABELS - 2.0 * PADDING,
                );
                for (number, text) in lines.into_iter().enumerate() {
                    let label = (number == 0).then_some((entry.label, label));
                    items.push_back(Item::Line {
                        label,
                        text,
                        node,
                        strong: entry.strong,
                    });
                }
            }
            items.push_back(Item::Space);
        }
        Column {
            x,
            width,
            items,
            title: "",
        }
    }

    /// Draws the lines of a column that the page has room for. A heading goes with the first line below it.
    fn fill_column(&mut self, column: &mut Column) {
        while let Some(item) = column.items.front() {
            let below = match item {
                Item::Heading { .. } => column.items.get(1).map_or(0.0, Item::height),
                _ => 0.0,
            };
            if item.height() + below > self.pages.room() && !matches!(item, Item::Space) {
                break;
            }
            if let Some(item) = column.items.pop_front() {
                self.item(column, item);
            }
        }
    }

    fn item(&mut self, column: &mut Column, item: Item) {
        let height = item.height();
        match item {
            Item::Heading { title, node } => {
                column.title = title;
                self.band(column.x, column.width, title, node);
            }
            Item::Line {
                label,
                text,
                node,
                strong,
            } => {
                let baseline = self.pages.y + height - 3.0;
                if let Some((label, node)) = label {
                    self.text(
                        (column.x + PADDING, baseline),
                        LABEL,
                        Weight::Regular,
                        label,
                        Some(node),
                    );
                }
                let (size, weight) = look(strong);
                self.text((column.x + PADDING + LABELS, baseline), size, weight, &text, Some(node));
            }
            Item::Space => {}
        }
        self.pages.y += height;
    }
}

impl Column {
    /// Repeats the heading of a continued panel on the next page.
    fn continue_title(&mut self) {
        if matches!(self.items.front(), Some(Item::Line { .. })) {
            self.items.push_front(Item::Heading {
                title: self.title,
                node: None,
            });
        }
    }
}

fn look(strong: bool) -> (f32, Weight) {
    if strong {
        (STRONG, Weight::Bold)
    } else {
        (BODY, Weight::Regular)
    }
}
