//! What is done in each round of a run: it depends on the seed alone.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What a run does.
pub(crate) struct Plan {
    pub(crate) rounds: u32,
    pub(crate) seed: u64,
    /// How many arrivals there are in a second, about.
    pub(crate) rate: f64,
    /// Of a broker: in exactly so many rounds it is killed, its first fault, and in all the service is.
    pub(crate) broker_kills: Option<u32>,
}

impl Plan {
    /// The rounds in which the broker is killed, where there is one.
    pub(crate) fn broker_kills(&self) -> Option<BTreeSet<u32>> {
        let mut dice = ChaCha8Rng::seed_from_u64(self.seed);
        dice.set_stream(2);
        let mut rounds: Vec<_> = (1..=self.rounds).collect();
        rounds.shuffle(&mut dice);
        Some(rounds.into_iter().take(self.broker_kills? as usize).collect())
    }
}

/// What is done in a round. It depends on the seed alone.
pub(crate) struct Round {
    /// Whether the service is up first, and how long everything runs then.
    pub(crate) up: bool,
    pub(crate) calm: Duration,
    /// What is wrong with the destination, for how long, and whether until after the kill.
    pub(crate) fault: Option<(usize, Duration, bool)>,
    pub(crate) kill: Kill,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kill {
    Service,
    Ingest,
    /// The service first.
    Both,
    /// The ingest first.
    BothTurned,
}

impl Kill {
    pub(crate) fn service(self) -> bool {
        self != Self::Ingest
    }

    pub(crate) fn ingest(self) -> bool {
        self != Self::Service
    }
}

impl fmt::Display for Kill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Service => "service killed",
            Self::Ingest => "ingest killed",
            Self::Both | Self::BothTurned => "both killed",
        })
    }
}

impl Round {
    /// `broker_killed` says of a broker whether it is killed; any other fault is left to the dice.
    pub(crate) fn of(dice: &mut ChaCha8Rng, faults: usize, broker_killed: Option<bool>) -> Self {
        let up = dice.random_bool(0.8);
        let calm = Duration::from_millis(dice.random_range(0..if up { 2000 } else { 400 }));
        // All dice are thrown in every round, so that what follows does not hang on this.
        let length = Duration::from_millis(dice.random_range(200..2500));
        let (fault, failing, late) = (
            dice.random_range(0..faults),
            dice.random_bool(0.4),
            dice.random_bool(0.5),
        );
        let kill = match dice.random_range(0..6) {
            0..3 => Kill::Service,
            3 if broker_killed.is_none() => Kill::Ingest,
            3 | 4 => Kill::Both,
            _ => Kill::BothTurned,
        };
        let fault = match broker_killed {
            None => failing.then_some(fault),
            Some(true) => Some(0),
            Some(false) => failing.then_some(fault).filter(|fault| *fault > 0),
        };
        Self {
            // A broker is killed while messages are under way.
            up: up || broker_killed == Some(true),
            calm,
            fault: fault.map(|fault| (fault, length, late)),
            kill,
        }
    }
}
