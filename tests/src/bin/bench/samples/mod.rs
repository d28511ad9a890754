//! Time series and summaries: storage size, ingest and reads.

mod month;
mod pages;
mod rows;
mod senders;
mod series;
mod sizes;

use anyhow::Result;

pub(crate) use self::month::Month;
pub(crate) use self::pages::serve;
pub(crate) use self::series::{HEART_RATE, Reading, SERIES, Series, timestamp};
pub(crate) use self::sizes::{DAYS, bytes_each};
use crate::environment::Environment;
use crate::results::Found;

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let mut found = Found::default();
    for measure in [sizes::run, month::run, senders::run] {
        let Found { results, printed, .. } = measure(environment)?;
        found.results.extend(results);
        found.printed.extend(printed);
    }
    Ok(found)
}
