//! Tables on standard output: text columns, or a line of JSON for each row.

use anyhow::Result;
use serde::Serialize;

use super::output::print_line;
use super::terminal;

/// Format of a table.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct Format {
    /// Print a line of JSON for each row instead of columns.
    #[arg(long)]
    json: bool,
}

/// Row of a table.
pub(super) trait Row: Serialize {
    /// Returns the header line.
    fn head() -> String;
    /// Returns the row as a line.
    fn line(&self) -> String;
}

impl Format {
    /// Returns whether rows are JSON.
    pub(super) fn is_json(self) -> bool {
        self.json
    }

    /// Prints the header line of a text table.
    pub(super) fn head<R: Row>(self) -> Result<()> {
        match self.json {
            true => Ok(()),
            false => print_line(R::head()),
        }
    }

    /// Prints rows.
    pub(super) fn rows<R: Row>(self, rows: impl IntoIterator<Item = R>) -> Result<()> {
        rows.into_iter().try_for_each(|row| match self.json {
            true => print_line(serde_json::to_string(&row)?),
            false => print_line(terminal::name(&row.line())),
        })
    }
}
