//! Generator of arrivals: data of many users, new, changed and repeated, pulls in shuffled chunks, and connections that
//! come and go.

use std::collections::VecDeque;

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::arrival::{Arrival, Badness, Kind};
use crate::world::{FICKLE, STEADY, has_ids};

const RESOURCES: [&str; 3] = ["steps", "heartrate", "body"];
/// Resources that are time series.
pub(crate) const SERIES: [&str; 2] = ["steps", "heartrate"];
const SOURCES: [&str; 3] = ["watch", "watch", "phone"];
/// Number of recent arrivals that may be repeated unchanged.
const RECENT: usize = 400;
/// Number of chunks that wait in a shuffled queue.
const WAITING: usize = 60;

/// Endless sequence of arrivals, determined by the seed.
pub(crate) struct Load {
    dice: ChaCha8Rng,
    number: u64,
    users: Vec<usize>,
    /// Flags of users who have the fickle provider connected, once all arrivals are taken.
    connected: Vec<bool>,
    /// Chunks that are not sent yet.
    chunks: Vec<Arrival>,
    recent: VecDeque<Arrival>,
}

impl Load {
    pub(crate) fn new(seed: u64, users: Vec<usize>) -> Self {
        Self {
            dice: ChaCha8Rng::seed_from_u64(seed),
            number: 0,
            connected: vec![false; users.len()],
            users,
            chunks: Vec::new(),
            recent: VecDeque::new(),
        }
    }

    /// Returns the number of arrivals in the next burst.
    pub(crate) fn burst(&mut self) -> usize {
        match self.dice.random_range(0..1000) {
            0..5 => 1000,
            5..60 => 60,
            _ => self.dice.random_range(1..8),
        }
    }

    /// Returns the next arrival.
    pub(crate) fn next(&mut self) -> Arrival {
        let arrival = match self.dice.random_range(0..100) {
            0..12 if !self.recent.is_empty() => {
                let index = self.dice.random_range(0..self.recent.len());
                return self.recent[index];
            }
            12..40 => self.chunk(),
            40..52 => self.connection(),
            52..54 => {
                let (_, user) = self.anybody();
                let kind = Kind::Deleted {
                    provider: self.one_of(&STEADY),
                    resource: self.one_of(&SERIES),
                    day: self.dice.random_range(1..=28),
                };
                self.numbered(user, kind)
            }
            54..56 => {
                let device = self.dice.random_range(0..3);
                self.about_anybody(Kind::Device { device })
            }
            56 => {
                let all = [Badness::Cut, Badness::User, Badness::Field];
                let badness = all[self.dice.random_range(0..all.len())];
                self.about_anybody(Kind::Bad(badness))
            }
            _ => self.day(),
        };
        self.recent.push_back(arrival);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        arrival
    }

    fn numbered(&mut self, user: usize, kind: Kind) -> Arrival {
        self.number += 1;
        let number = self.number;
        Arrival { number, user, kind }
    }

    fn about_anybody(&mut self, kind: Kind) -> Arrival {
        let (_, user) = self.anybody();
        self.numbered(user, kind)
    }

    /// Returns the index of a random user, and the user.
    fn anybody(&mut self) -> (usize, usize) {
        let place = self.dice.random_range(0..self.users.len());
        (place, self.users[place])
    }

    fn one_of(&mut self, list: &[&'static str]) -> &'static str {
        list.choose(&mut self.dice).copied().unwrap_or_default()
    }

    /// Returns data of one of few days, so that many arrivals change a day.
    fn day(&mut self) -> Arrival {
        let (place, user) = self.anybody();
        // Repeated data of a disconnected provider could be refused. Arrivals with an id are recognised as duplicates.
        let fickle = has_ids(user) && self.connected[place] && self.dice.random_bool(0.2);
        let kind = Kind::Day {
            provider: if fickle { FICKLE } else { self.one_of(&STEADY) },
            resource: self.one_of(&RESOURCES),
            day: self.dice.random_range(1..=28),
            source: self.one_of(&SOURCES),
        };
        self.numbered(user, kind)
    }

    /// Returns a chunk. Chunks of several pulls are shuffled, and some are repeated.
    fn chunk(&mut self) -> Arrival {
        while self.chunks.len() < WAITING {
            self.number += 1;
            let pull = self.number;
            let (_, user) = self.anybody();
            let provider = self.one_of(&STEADY);
            let resources = self.dice.random_range(1..=2);
            for resource in &RESOURCES[..resources] {
                let chunks = self.dice.random_range(1..=6);
                for chunk in 1..=chunks {
                    let kind = Kind::Chunk {
                        provider,
                        resource,
                        day: self.dice.random_range(1..=28),
                        pull,
                        chunk,
                        chunks,
                    };
                    let arrival = self.numbered(user, kind);
                    let copies = if self.dice.random_bool(0.1) { 2 } else { 1 };
                    self.chunks.extend(std::iter::repeat_n(arrival, copies));
                }
            }
            self.chunks.shuffle(&mut self.dice);
        }
        let last = self.chunks.pop();
        last.unwrap_or_else(|| self.day())
    }

    fn connection(&mut self) -> Arrival {
        let (place, user) = self.anybody();
        let made = Kind::Made {
            provider: FICKLE,
            on: self.dice.random_range(0..300),
        };
        let kind = match (self.connected[place], self.dice.random_range(0..3)) {
            (false, _) | (true, 0) => made,
            (true, 1) => Kind::Failed { provider: FICKLE },
            (true, _) => Kind::Ended { provider: FICKLE },
        };
        self.connected[place] = !matches!(kind, Kind::Ended { .. });
        self.numbered(user, kind)
    }
}
