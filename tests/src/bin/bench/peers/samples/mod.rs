//! Samples as people keep them without Wearlab: their size, and a read of 30 days of them.

mod duckdb;
mod postgres;

use std::time::Duration;

use anyhow::{Result, ensure};

pub(super) use self::duckdb::run as duckdb;
pub(super) use self::postgres::run as postgres;
use crate::environment::Environment;
use crate::measure::{Rounds, alternate};
use crate::results::{Comparison, Target};
use crate::samples::{DAYS, HEART_RATE, Month, Reading, SERIES, Series, bytes_each};

/// Where samples are.
trait Samples {
    /// What it is, and how it has them.
    const STORED: &str;
    /// What reads them.
    const READ: &str;

    /// Stores samples in place of all others; returns how many bytes they take.
    fn store(&mut self, samples: &[Reading]) -> Result<f64>;

    /// Reads all that is stored as JSON; returns how many samples there were, and how long it took.
    fn read(&mut self) -> Result<(u32, Duration)>;
}

fn compare<T: Samples>(environment: &Environment, theirs: &mut T) -> Result<Vec<Comparison>> {
    let days = environment.scale.of(DAYS);
    let mut results = Vec::new();
    // One of them shows that it runs.
    let series = if environment.scale.smoke {
        &SERIES[2..3]
    } else {
        &SERIES
    };
    for series in series {
        let samples = all(series, days)?;
        let count = samples.len();
        results.push(Comparison {
            what: format!("size of {}, {count} samples", series.name),
            reference: T::STORED.into(),
            unit: "bytes a sample".into(),
            target: Target::None,
            rounds: Rounds {
                ours: vec![bytes_each(environment, series, days)?],
                reference: vec![theirs.store(&samples)? / count as f64],
            },
        });
    }
    let month = Month::new(environment, std::iter::empty())?;
    theirs.store(&all(&HEART_RATE, days)?)?;
    let rate = || {
        let (count, took) = theirs.read()?;
        ensure!(count == month.count(), "{count} samples in place of {}", month.count());
        Ok(f64::from(count) / took.as_secs_f64())
    };
    results.push(Comparison {
        what: month.what(),
        reference: T::READ.into(),
        unit: "samples/s".into(),
        target: Target::None,
        rounds: alternate(environment.scale.rounds, || month.rate(), rate)?,
    });
    Ok(results)
}

/// The samples of a series of so many days.
fn all(series: &Series, days: u32) -> Result<Vec<Reading>> {
    let days = (0..days).map(|day| series.day(day)).collect::<Result<Vec<_>>>()?;
    Ok(days.into_iter().flatten().collect())
}
