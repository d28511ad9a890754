//! Plan of the rounds, determined by the seed.

use std::collections::BTreeSet;
use std::time::Duration;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Plan of a run.
pub(crate) struct Plan {
    pub(crate) services: usize,
    pub(crate) rounds: u32,
    /// Number of rounds in which a service is paused.
    pub(crate) pauses: u32,
    /// Number of rounds in which the database is stopped or killed.
    pub(crate) database_kills: u32,
    /// Number of rounds in which the broker is killed, if there is one.
    pub(crate) broker_kills: Option<u32>,
    pub(crate) seed: u64,
    /// Approximate number of arrivals in a second.
    pub(crate) rate: f64,
}

/// Round.
pub(crate) struct Round {
    pub(crate) number: u32,
    /// True if everything must be up first. `calm` is the time without faults.
    pub(crate) up: bool,
    pub(crate) calm: Duration,
    /// True if faults overlap. Otherwise they happen one after the other.
    pub(crate) overlap: bool,
    /// Fault of the destination, with its duration.
    pub(crate) fault: Option<(usize, Duration)>,
    /// Paused service, with the duration.
    pub(crate) pause: Option<(usize, Duration)>,
    /// Duration of the database outage, and true if it is killed.
    pub(crate) outage: Option<(Duration, bool)>,
    /// Killed services and ingest processes, and the downtime of the services.
    pub(crate) services: BTreeSet<usize>,
    pub(crate) ingests: BTreeSet<usize>,
    pub(crate) ingests_first: bool,
    pub(crate) down: Duration,
}

/// Range of pauses in milliseconds. A lease lasts 5 seconds, so a longer pause loses it.
const PAUSE: std::ops::Range<u64> = 6000..9000;

impl Plan {
    /// Returns all rounds, for a sink with `faults` faults that rests for `rest` rounds after each.
    pub(crate) fn all(&self, ingests: usize, faults: usize, rest: u32) -> Vec<Round> {
        let mut dice = ChaCha8Rng::seed_from_u64(self.seed);
        dice.set_stream(3);
        let mut some = |count: u32| {
            let mut rounds: Vec<_> = (1..=self.rounds).collect();
            rounds.shuffle(&mut dice);
            rounds.into_iter().take(count as usize).collect::<BTreeSet<_>>()
        };
        let (pauses, outages) = (some(self.pauses), some(self.database_kills));
        let broker_kills = self.broker_kills.map(some);
        let (mut last_fault, mut outage_kills) = (None, false);
        (1..=self.rounds)
            .map(|number| {
                let mut round = self.round(number, ingests, faults, &mut dice);
                if let Some(kills) = &broker_kills {
                    let killed = kills.contains(&number);
                    round.fault = match round.fault {
                        Some((fault, length)) if killed || fault > 0 => Some((if killed { 0 } else { fault }, length)),
                        None if killed => Some((0, round.down / 4)),
                        _ => None,
                    };
                }
                if last_fault.is_some_and(|last| number <= last + rest) {
                    round.fault = None;
                } else if round.fault.is_some() {
                    last_fault = Some(number);
                }
                round.pause = round.pause.filter(|_| pauses.contains(&number));
                round.outage = round.outage.filter(|_| outages.contains(&number)).map(|(length, _)| {
                    // Stops and kills alternate, so that a short run has both.
                    outage_kills = !outage_kills;
                    (length, outage_kills)
                });
                round
            })
            .collect()
    }

    /// Draws all random numbers in every round, so that later rounds do not depend on the settings.
    fn round(&self, number: u32, ingests: usize, faults: usize, dice: &mut ChaCha8Rng) -> Round {
        let millis = |dice: &mut ChaCha8Rng, range| Duration::from_millis(dice.random_range(range));
        let up = dice.random_bool(0.8);
        let calm = millis(dice, 0..if up { 1500 } else { 400 });
        let fault = (dice.random_range(0..faults), millis(dice, 200..2500));
        let failing = dice.random_bool(0.2);
        let pause = (dice.random_range(0..self.services), millis(dice, PAUSE));
        let outage = (millis(dice, 500..6000), true);
        let (service, ingest) = (dice.random_range(0..self.services), dice.random_range(0..ingests));
        let (services, ingests): (BTreeSet<_>, BTreeSet<_>) = match dice.random_range(0..10) {
            0..6 => ([service].into(), BTreeSet::new()),
            6 => (BTreeSet::new(), [ingest].into()),
            7 | 8 => ([service].into(), [ingest].into()),
            _ => ((0..self.services).collect(), (0..ingests).collect()),
        };
        Round {
            number,
            up,
            calm,
            overlap: dice.random_bool(0.3),
            fault: failing.then_some(fault),
            pause: Some(pause),
            outage: Some(outage),
            services,
            ingests,
            ingests_first: dice.random_bool(0.5),
            // Other services take over, if there are any.
            down: millis(dice, if self.services > 1 { 0..8000 } else { 0..800 }),
        }
    }
}
