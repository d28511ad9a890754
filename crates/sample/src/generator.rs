//! Random values from the seed.

use chrono::{FixedOffset, TimeDelta, TimeZone};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wearlab_models::{DateTime, NaiveDate, Uuid};

const BASE_62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// January 1, 2024 in UTC, the origin of all times.
const EPOCH: i64 = 1_704_067_200;

/// Generator of one stream of the seed. Streams do not depend on each other.
pub(super) struct Generator(ChaCha8Rng);

impl Generator {
    /// Returns the generator of organisations and teams, and their keys.
    pub(super) fn of_identities(seed: u64) -> Self {
        Self::of(seed, 0)
    }

    /// Returns the generator of pipelines.
    pub(super) fn of_pipelines(seed: u64) -> Self {
        Self::of(seed, 1)
    }

    /// Returns the generator of orders of lab tests.
    pub(super) fn of_orders(seed: u64) -> Self {
        Self::of(seed, 2)
    }

    /// Returns the generator of a user and all that belongs to them.
    pub(super) fn of_user(seed: u64, index: u32) -> Self {
        Self::of(seed, (1 << 32) + u64::from(index))
    }

    /// Returns the generator of a user's traits, which do not change from day to day.
    pub(super) fn of_wearer(seed: u64, index: u32) -> Self {
        Self::of(seed, (2 << 32) + u64::from(index))
    }

    fn of(seed: u64, stream: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Self(random)
    }

    /// Returns true with a probability in percent.
    pub(super) fn percent(&mut self, chance: u32) -> bool {
        self.0.random_range(0..100) < chance
    }

    /// Returns a number below `end`, or 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end.max(1))
    }

    /// Returns any number.
    pub(super) fn number(&mut self) -> u64 {
        self.0.random()
    }

    /// Returns one of `items`, which must not be empty.
    pub(super) fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Returns some of `items` in their order, each with the same probability in percent.
    pub(super) fn some_of<'a, T>(&mut self, items: &'a [T], chance: u32) -> Vec<&'a T> {
        items.iter().filter(|_| self.percent(chance)).collect()
    }

    /// Returns a UUID of version 4.
    pub(super) fn uuid(&mut self) -> Uuid {
        let mut bytes = [0; 16];
        self.0.fill(&mut bytes);
        // The version and the variant of RFC 9562.
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Uuid::from_bytes(bytes)
    }

    /// Returns random letters and digits.
    pub(super) fn text(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(*self.one_of(BASE_62))).collect()
    }

    /// Returns a time in the year and a half from January 1, 2024, in one of several offsets.
    pub(super) fn time(&mut self) -> DateTime {
        let offset = *self.one_of(&[0, 0, 3_600, -18_000, 19_800]);
        let milliseconds = self.0.random_range(0..540 * 86_400 * 1_000);
        at(offset, TimeDelta::milliseconds(milliseconds))
    }

    /// Returns a time up to so many days after another, in the same offset.
    pub(super) fn after(&mut self, time: DateTime, days: i64) -> DateTime {
        time + TimeDelta::seconds(self.0.random_range(1..=days * 86_400))
    }

    /// Returns a date up to so many days after the first day of a year.
    pub(super) fn date(&mut self, year: i32, days: u64) -> NaiveDate {
        let first = NaiveDate::from_ymd_opt(year, 1, 1).unwrap_or_default();
        first + chrono::Days::new(self.0.random_range(0..=days))
    }
}

/// Returns a time before all drawn ones, later for each index.
pub(super) fn before_others(index: u32) -> DateTime {
    at(0, TimeDelta::minutes(i64::from(index)) - TimeDelta::days(1))
}

fn at(offset: i32, since_epoch: TimeDelta) -> DateTime {
    let zone = FixedOffset::east_opt(offset).unwrap_or_else(|| chrono::Offset::fix(&chrono::Utc));
    zone.timestamp_nanos(EPOCH * 1_000_000_000) + since_epoch
}
