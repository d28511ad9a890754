//! Storage size of a sample.

use anyhow::Result;

use super::rows;
use super::series::{SERIES, Series};
use crate::environment::Environment;
use crate::inserts;
use crate::measure::Rounds;
use crate::results::{Comparison, Found, Target};

/// Number of days of a series.
pub(crate) const DAYS: u32 = 30;

pub(super) fn run(environment: &Environment) -> Result<Found> {
    let days = environment.scale.of(DAYS);
    let results = SERIES.iter().map(|series| size(environment, series, days));
    Ok(Found {
        results: results.collect::<Result<_>>()?,
        ..Found::default()
    })
}

/// Measures the size of a series of a user, with each day in an arrival. Each run gives the same result, so one round
/// is enough.
fn size(environment: &Environment, series: &Series, days: u32) -> Result<Comparison> {
    let mut reference = rows::open(&environment.scratch("rows")?.join("rows.db"))?;
    let mut count = 0_u32;
    for day in 0..days {
        let samples = series.day(day)?;
        rows::insert(&mut reference, &[(0, &samples)])?;
        count += u32::try_from(samples.len())?;
    }
    Ok(Comparison {
        what: format!("size of {}, {count} samples", series.name),
        reference: "a row a sample in SQLite, with its unique index".into(),
        unit: "bytes a sample".into(),
        target: Target::AtMost(1.0 / 12.0),
        rounds: Rounds {
            ours: vec![bytes_each(environment, series, days)?],
            reference: vec![rows::bytes(&reference, "sample_rows")? / f64::from(count)],
        },
    })
}

/// Returns the bytes of each sample of a series, stored by Wearlab.
pub(crate) fn bytes_each(environment: &Environment, series: &Series, days: u32) -> Result<f64> {
    let directory = environment.copied(environment.scale.users[0], "sizes")?;
    let (mut lines, mut count) = (Vec::new(), 0_u32);
    for day in 0..days {
        let samples = series.day(day)?;
        lines.push(series.line(0, &samples)?);
        count += u32::try_from(samples.len())?;
    }
    let wearlab = environment.wearlab(&directory, &["log.filter=warn"]);
    environment.import(wearlab.command(&["ingest", "-"]), lines.into_iter())?;
    Ok(rows::bytes(&inserts::open(&directory)?, "samples")? / f64::from(count))
}
