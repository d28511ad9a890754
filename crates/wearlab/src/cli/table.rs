//! Tables on standard output: columns for people, or a line of JSON for each row.

use anyhow::Result;
use serde::Serialize;

use super::output::say;

/// How a table is written.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct Format {
    /// Print a line of JSON for each row instead of columns.
    #[arg(long)]
    json: bool,
}

/// A row of a table.
pub(super) trait Row: Serialize {
    /// The names of the columns, above them.
    fn head() -> String;
    /// The row below them.
    fn line(&self) -> String;
}

impl Format {
    /// Whether rows are JSON.
    pub(super) fn is_json(self) -> bool {
        self.json
    }

    /// Writes what is above the rows.
    pub(super) fn head<R: Row>(self) -> Result<()> {
        match self.json {
            true => Ok(()),
            false => say(R::head()),
        }
    }

    /// Writes rows.
    pub(super) fn rows<R: Row>(self, rows: impl IntoIterator<Item = R>) -> Result<()> {
        rows.into_iter().try_for_each(|row| match self.json {
            true => say(serde_json::to_string(&row)?),
            false => say(row.line()),
        })
    }
}
