//! Alternative storage of samples: its size, and reads of 30 days.

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

/// Storage of samples.
trait Samples {
    /// Description of the storage.
    const STORED: &str;
    /// Description of the read.
    const READ: &str;

    /// Replaces all samples. Returns their size in bytes.
    fn store(&mut self, samples: &[Reading]) -> Result<f64>;

    /// Reads all samples as JSON. Returns their number and the duration.
    fn read(&mut self) -> Result<(u32, Duration)>;
}

fn compare<T: Samples>(environment: &Environment, theirs: &mut T) -> Result<Vec<Comparison>> {
    let days = environment.scale.of(DAYS);
    let mut results = Vec::new();
    // One series is enough to check that it works.
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

/// Returns the samples of a series for some days.
fn all(series: &Series, days: u32) -> Result<Vec<Reading>> {
    let days = (0..days).map(|day| series.day(day)).collect::<Result<Vec<_>>>()?;
    Ok(days.into_iter().flatten().collect())
}
