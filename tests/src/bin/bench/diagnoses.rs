//! Search for diagnoses, compared with SQLite's full-text search over the same list.

mod full_text;
mod log;

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, ensure};
use wearlab_diagnoses::search;

use self::full_text::FullText;
use self::log::{LOG, Query};
use crate::environment::Environment;
use crate::measure::{alternate, median};
use crate::results::{Comparison, Found, Printed, Target};

/// Number of results, as in a response of the API.
const LIMIT: usize = 50;
/// Maximum ratio of the 99th percentile to the median.
const MAX_TAIL: f64 = 5.0;

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let queries = log::read()?;
    let reference = FullText::new()?;
    let plain = queries
        .iter()
        .filter(|query| query.kind.is_plain())
        .map(|query| FullText::expression(query.text));
    let plain: Vec<String> = plain.collect();
    for expression in &plain {
        ensure!(
            !reference.search(expression, LIMIT)?.is_empty(),
            "{LOG}: {expression} finds nothing"
        );
    }
    let mut all = vec![Vec::new(); queries.len()];
    let rounds = alternate(
        environment.scale.rounds,
        || {
            timed(environment, &queries, &mut all, |query: &Query| {
                black_box(search(query.text, LIMIT));
                Ok(())
            })
        },
        || {
            timed(environment, &plain, &mut vec![Vec::new(); plain.len()], |expression| {
                black_box(reference.search(expression, LIMIT)?);
                Ok(())
            })
        },
    )?;
    // The cost of a query is the median of its runs, which excludes other load of the machine.
    let mut costs: Vec<f64> = all.iter().map(|runs| median(runs)).collect();
    costs.sort_by(f64::total_cmp);
    let (middle, slow) = (median(&costs), costs[costs.len() * 99 / 100]);
    Ok(Found {
        results: vec![Comparison {
            what: format!("search for diagnoses, a mixed log of {} queries", queries.len()),
            reference: format!("SQLite FTS5, the {} plain ones of them", plain.len()),
            unit: "µs".into(),
            target: Target::AtMost(1.0),
            rounds,
        }],
        printed: vec![Printed {
            what: "search for diagnoses: 99th percentile of the queries, in medians".into(),
            value: format!("{:.2} ({slow:.0} µs, median {middle:.0} µs)", slow / middle),
            target: Some(format!("< {MAX_TAIL}")),
            met: slow < MAX_TAIL * middle,
        }],
        ..Found::default()
    })
}

/// Measures the mean cost of a query in µs, over whole passes of the log that take about a span together. The duration
/// of each run is added to the runs of its query.
fn timed<T>(
    environment: &Environment,
    log: &[T],
    runs: &mut [Vec<f64>],
    mut search: impl FnMut(&T) -> Result<()>,
) -> Result<f64> {
    let (begun, mut passes, mut sum) = (Instant::now(), 0, 0.0);
    while passes == 0 || begun.elapsed() < environment.scale.span {
        for (query, runs) in log.iter().zip(&mut *runs) {
            let asked = Instant::now();
            search(query)?;
            let cost = asked.elapsed().as_secs_f64() * 1e6;
            runs.push(cost);
            sum += cost;
        }
        passes += 1;
    }
    Ok(sum / f64::from(passes) / log.len() as f64)
}
