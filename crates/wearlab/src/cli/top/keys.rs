//! Keys of `wearlab top`.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::render::{Focus, Screen};
use super::view::{DestinationOrder, OperationOrder};

const OPERATIONS: [OperationOrder; 3] = [OperationOrder::Rate, OperationOrder::Latency, OperationOrder::Name];
const DESTINATIONS: [DestinationOrder; 3] = [
    DestinationOrder::State,
    DestinationOrder::Backlog,
    DestinationOrder::Age,
];

impl Screen {
    /// Handles a key. Returns false if it ends the view.
    pub(super) fn press(&mut self, key: KeyEvent) -> bool {
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return false,
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return false,
            KeyCode::Tab | KeyCode::BackTab => {
                self.focus = match self.focus {
                    Focus::Operations => Focus::Destinations,
                    Focus::Destinations => Focus::Operations,
                };
            }
            KeyCode::Down => self.scroll(1),
            KeyCode::Up => self.scroll(-1),
            KeyCode::PageDown => self.scroll(10),
            KeyCode::PageUp => self.scroll(-10),
            KeyCode::Home => self.scroll(i32::MIN),
            KeyCode::End => self.scroll(i32::MAX),
            KeyCode::Right => self.order(1),
            KeyCode::Left => self.order(OPERATIONS.len() - 1),
            _ => {}
        }
        true
    }

    fn scroll(&mut self, by: i32) {
        let (state, rows) = match self.focus {
            Focus::Operations => (&mut self.operations, self.view.operations.len()),
            Focus::Destinations => (&mut self.destinations, self.view.destinations.len()),
        };
        let Some(last) = rows.checked_sub(1) else { return };
        let steps = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
        let selected = match (state.selected(), by < 0) {
            // The first key selects the first row.
            (None, _) if steps == 1 => 0,
            (at, true) => at.unwrap_or(0).saturating_sub(steps),
            (at, false) => at.unwrap_or(0).saturating_add(steps).min(last),
        };
        state.select(Some(selected));
    }

    fn order(&mut self, steps: usize) {
        match self.focus {
            Focus::Operations => self.operation_order = next(&OPERATIONS, self.operation_order, steps),
            Focus::Destinations => self.destination_order = next(&DESTINATIONS, self.destination_order, steps),
        }
        self.view.sort(self.operation_order, self.destination_order);
    }
}

fn next<T: Copy + PartialEq>(all: &[T], now: T, steps: usize) -> T {
    let at = all.iter().position(|one| *one == now).unwrap_or(0);
    all[(at + steps) % all.len()]
}
