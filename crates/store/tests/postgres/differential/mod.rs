//! Differential tests of both engines: the same random operations give the same results, the same errors and the same
//! bytes.

mod deliveries;
mod pair;
mod reads;
mod records;
mod texts;
mod work;

use std::collections::BTreeMap;

use chrono::TimeDelta;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wearlab_store::{DeprecatedForms, Ingestion};

use self::pair::{Pair, fresh_id};
use self::work::{Op, http_write, op};
use crate::arriving::at;
use crate::random::{Clock, forms};
use crate::seed::Seed;

/// Number of occurrences of each outcome.
type Counts = BTreeMap<String, usize>;

/// Runs operations in one write: each in a savepoint as an import does, or all or none. `ahead` prefetches for
/// arrivals, if it is given.
fn write(pair: &mut Pair, ops: &[Op], each_alone: bool, ahead: Option<&Ingestion>, counts: &mut Counts) {
    let outcomes = pair.write(|write, side| {
        let mut outcomes = Vec::new();
        if let Some(ingestion) = ahead {
            write.prefetch(ops.iter().filter_map(|op| op.arrival.as_ref()), ingestion)?;
        }
        for op in ops {
            let outcome = match each_alone {
                true => write.attempt(|write| (op.run)(write, side)),
                false => Ok((op.run)(write, side)?),
            };
            // An error that all engines share is an outcome. Any other one fails the write.
            outcomes.push(match outcome {
                Ok(outcome) => outcome,
                Err(error) => pair::refusal(error)?,
            });
        }
        Ok(outcomes)
    });
    match outcomes {
        Ok(outcomes) => {
            for (op, outcome) in ops.iter().zip(outcomes) {
                let outcome = outcome.split([' ', '(']).next().unwrap_or_default();
                *counts.entry(format!("{} {outcome}", op.kind)).or_default() += 1;
            }
        }
        Err(error) => {
            *counts
                .entry(format!("lost by {}", error.split(' ').next().unwrap_or_default()))
                .or_default() += 1;
        }
    }
}

fn round(seed: &Seed, counts: &mut Counts) {
    let seed = seed.number();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // A separate generator, so that the other operations stay the same.
    let mut http = ChaCha8Rng::seed_from_u64(!seed);
    let mut pair = Pair::new();
    let forms: DeprecatedForms = forms(seed);
    let mut clock = Clock::at(at("2026-06-01T00:00:00Z"));
    for part in 0..5 {
        for _ in 0..20 {
            let now = match seed % 2 {
                0 => clock.tick(&mut rng),
                // In order, so that parts of the log are old or young as a whole.
                _ => {
                    clock.now += TimeDelta::minutes(rng.random_range(0..600));
                    clock.now
                }
            };
            let mut ops: Vec<_> = (0..rng.random_range(1..=8))
                .map(|_| op(&mut rng, pair.team, now, forms))
                .collect();
            ops.push(http_write(&mut http, pair.team, now));
            let each_alone = rng.random_range(0..5) > 0;
            let ingestion = Ingestion { now, fresh_id, forms };
            let ahead = http.random_range(0..3) > 0;
            write(&mut pair, &ops, each_alone, ahead.then_some(&ingestion), counts);
            deliveries::work(&mut pair, &mut rng, now, seed % 2 == 1, counts);
        }
        reads::compare(&mut pair, &mut rng, clock.now);
        if part == 2 {
            pair.reopen();
        }
    }
    pair.assert_equal_exports();
}

#[test]
#[ignore = "needs PostgreSQL"]
fn both_engines_do_the_same() {
    let mut counts = Counts::new();
    for seed in Seed::each(0..4) {
        round(&seed, &mut counts);
    }
    for (what, often) in [
        ("data Taken", 100),
        ("data Duplicate", 3),
        ("data Refused", 5),
        ("data OutOfBounds", 2),
        ("data Missing", 20),
        ("awkward Taken", 20),
        ("connection_made Taken", 20),
        ("connection_ended Taken", 3),
        ("record user done", 50),
        ("forget true", 5),
        ("audit done", 50),
        ("repeatable first", 20),
        ("repeatable again", 20),
        ("repeatable other", 20),
        ("advance done", 50),
        ("prune some", 5),
        ("replay some", 10),
        ("replay_all some", 3),
        ("lost by Missing", 5),
        ("lost by Conflict", 5),
    ] {
        let happened = counts.get(what).copied().unwrap_or_default();
        assert!(happened >= often, "{what} happened {happened} times: {counts:#?}");
    }
}
