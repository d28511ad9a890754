//! Renders a view in a terminal.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Paragraph, Row, Table, TableState};

use super::cells::{DESTINATION_HEAD, OPERATION_HEAD};
use super::view::{DestinationOrder, OperationOrder, View};

/// Maximum rows of destinations, with their head, unless a third of the screen has more.
const DESTINATIONS: u16 = 7;

/// View and state of the screen.
#[derive(Debug, Default)]
pub(super) struct Screen {
    pub(super) url: String,
    pub(super) view: View,
    /// Reason of the current outage, and its length in seconds.
    pub(super) down: Option<(String, u64)>,
    /// True after the first scrape.
    pub(super) is_known: bool,
    pub(super) operation_order: OperationOrder,
    pub(super) destination_order: DestinationOrder,
    pub(super) focus: Focus,
    pub(super) operations: TableState,
    pub(super) destinations: TableState,
}

/// The table that keys scroll and sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Focus {
    #[default]
    Operations,
    Destinations,
}

impl Screen {
    pub(super) fn draw(&mut self, frame: &mut Frame<'_>) {
        let few = u16::try_from(self.view.destinations.len()).unwrap_or(u16::MAX);
        // Two more lines for title and head. Operations get the rest.
        let destinations = few.clamp(1, DESTINATIONS.max(frame.area().height / 3)) + 2;
        let [head, summary, operations, destinations, help] = Layout::vertical([
            Constraint::Length(1 + u16::from(self.down.is_some())),
            Constraint::Length(4),
            Constraint::Min(4),
            Constraint::Length(destinations),
            Constraint::Length(1),
        ])
        .areas(frame.area());
        frame.render_widget(self.head(), head);
        frame.render_widget(self.summary(), summary);
        if self.is_known {
            self.operations(frame, operations);
            self.destinations(frame, destinations);
        }
        frame.render_widget(help_line(), help);
    }

    fn head(&self) -> Paragraph<'static> {
        let red = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
        let state = match self.down {
            Some(_) => Span::styled("DOWN", red),
            None if self.is_known => Span::styled("up", Style::new().fg(Color::Green)),
            None => Span::raw("connecting"),
        };
        let title = Span::styled(self.view.title(), Modifier::BOLD);
        let mut lines = vec![Line::from(vec![title, Span::raw(format!("  {}  ", self.url)), state])];
        if let Some((reason, seconds)) = &self.down {
            lines.push(Line::styled(format!("for {seconds}s, retrying: {reason}"), red));
        }
        Paragraph::new(lines)
    }

    fn summary(&self) -> Paragraph<'static> {
        if !self.is_known {
            return Paragraph::default();
        }
        let lines = self.view.summary().map(|values| {
            let spans = values.into_iter().flat_map(|(name, value)| {
                let is_bad = matches!(name, "parked" | "lost") && value != "0";
                let color = if is_bad { Color::Red } else { Color::Reset };
                let style = Style::new().fg(color).add_modifier(Modifier::BOLD);
                [
                    Span::raw(format!("{name} ")).dim(),
                    Span::styled(format!("{value:<8} "), style),
                ]
            });
            Line::from_iter(spans)
        });
        Paragraph::new(lines.to_vec())
    }

    fn operations(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let sorted = match self.operation_order {
            OperationOrder::Rate => 1,
            OperationOrder::Latency => 6,
            OperationOrder::Name => 0,
        };
        let rows = self.view.operations.iter().map(|operation| {
            let style = match operation.errors > 0.0 {
                true => Style::new().fg(Color::Yellow),
                false => Style::new(),
            };
            (operation.cells(), style)
        });
        let widths = [
            Constraint::Min(20),
            Constraint::Length(8),
            Constraint::Length(8),
            Constraint::Length(6),
            Constraint::Length(8),
            Constraint::Length(8),
            Constraint::Length(8),
        ];
        let is_focused = self.focus == Focus::Operations;
        let table = table(OPERATION_HEAD, rows, 1, sorted, is_focused).widths(widths);
        frame.render_stateful_widget(table, area, &mut self.operations);
    }

    fn destinations(&mut self, frame: &mut Frame<'_>, area: Rect) {
        if self.view.destinations.is_empty() {
            frame.render_widget(Paragraph::new("no destinations").dim(), area);
            return;
        }
        let sorted = match self.destination_order {
            DestinationOrder::State => 2,
            DestinationOrder::Backlog => 3,
            DestinationOrder::Age => 4,
        };
        let rows = self.view.destinations.iter().map(|destination| {
            let style = match (destination.up, destination.parked > 0.0) {
                (Some(false), _) => Style::new().fg(Color::Red),
                (_, true) => Style::new().fg(Color::Yellow),
                _ => Style::new(),
            };
            (destination.cells(), style)
        });
        // A team's id is truncated if there is no room. Its beginning is distinctive.
        let widths = [
            Constraint::Fill(1),
            Constraint::Length(12),
            Constraint::Length(6),
            Constraint::Length(8),
            Constraint::Length(8),
            Constraint::Length(7),
            Constraint::Length(7),
            Constraint::Length(9),
        ];
        let is_focused = self.focus == Focus::Destinations;
        let table = table(DESTINATION_HEAD, rows, 3, sorted, is_focused).widths(widths);
        frame.render_stateful_widget(table, area, &mut self.destinations);
    }
}

/// A table whose first columns are text and whose others are numbers, with a mark at the sort column.
fn table<const N: usize>(
    head: [&'static str; N],
    rows: impl Iterator<Item = ([String; N], Style)>,
    texts: usize,
    sorted: usize,
    is_focused: bool,
) -> Table<'static> {
    let aligned = |at: usize, text: String| match at < texts {
        true => Cell::from(text),
        false => Cell::from(Line::from(text).right_aligned()),
    };
    let head = head.into_iter().enumerate().map(|(at, name)| {
        let mark = if at == sorted { "\u{25bc}" } else { "" };
        aligned(at, format!("{name}{mark}"))
    });
    let rows = rows.map(|(cells, style)| {
        let cells = cells.into_iter().enumerate().map(|(at, text)| aligned(at, text));
        Row::new(cells).style(style)
    });
    let head = Row::new(head).style(match is_focused {
        true => Style::new().add_modifier(Modifier::REVERSED),
        false => Style::new().add_modifier(Modifier::UNDERLINED),
    });
    let selected = match is_focused {
        true => Style::new().add_modifier(Modifier::REVERSED),
        false => Style::new(),
    };
    Table::new(rows, [Constraint::Fill(1); N])
        .header(head)
        .row_highlight_style(selected)
}

fn help_line() -> Paragraph<'static> {
    let keys = [
        ("q", "quit"),
        ("tab", "other table"),
        ("\u{2191}\u{2193}", "scroll"),
        ("\u{2190}\u{2192}", "sort by"),
    ];
    let spans = keys.into_iter().flat_map(|(key, what)| {
        [
            Span::styled(format!(" {key} "), Modifier::REVERSED),
            Span::raw(format!(" {what}  ")),
        ]
    });
    Paragraph::new(Line::from_iter(spans))
}
