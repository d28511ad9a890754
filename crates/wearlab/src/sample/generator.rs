//! What is drawn from the seed.

use chrono::{FixedOffset, TimeDelta, TimeZone};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wearlab_models::{DateTime, NaiveDate, Uuid};

const BASE_62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The first of January 2024 in UTC, from which all times are counted.
const EPOCH: i64 = 1_704_067_200;

/// Draws from one stream of the seed. What is drawn from one stream does not depend on the others.
pub(super) struct Generator(ChaCha8Rng);

impl Generator {
    /// For who there is, and their keys.
    pub(super) fn of_identities(seed: u64) -> Self {
        Self::of(seed, 0)
    }

    /// For pipelines.
    pub(super) fn of_pipelines(seed: u64) -> Self {
        Self::of(seed, 1)
    }

    /// For orders of lab tests.
    pub(super) fn of_orders(seed: u64) -> Self {
        Self::of(seed, 2)
    }

    /// For a user and all that belongs to them.
    pub(super) fn of_user(seed: u64, index: u32) -> Self {
        Self::of(seed, (1 << 32) + u64::from(index))
    }

    /// For what does not change about a user from day to day.
    pub(super) fn of_wearer(seed: u64, index: u32) -> Self {
        Self::of(seed, (2 << 32) + u64::from(index))
    }

    fn of(seed: u64, stream: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Self(random)
    }

    /// True so many times of a hundred.
    pub(super) fn percent(&mut self, chance: u32) -> bool {
        self.0.random_range(0..100) < chance
    }

    /// A number below `end`, or 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end.max(1))
    }

    /// Any number.
    pub(super) fn number(&mut self) -> u64 {
        self.0.random()
    }

    /// One of `items`, which are not empty.
    pub(super) fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Some of `items`, in their order: each with the same chance of so many of a hundred.
    pub(super) fn some_of<'a, T>(&mut self, items: &'a [T], chance: u32) -> Vec<&'a T> {
        items.iter().filter(|_| self.percent(chance)).collect()
    }

    /// A random id in the form of version 4.
    pub(super) fn uuid(&mut self) -> Uuid {
        let mut bytes = [0; 16];
        self.0.fill(&mut bytes);
        // The version and the variant, where RFC 9562 has them.
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Uuid::from_bytes(bytes)
    }

    /// Random letters and digits.
    pub(super) fn text(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(*self.one_of(BASE_62))).collect()
    }

    /// A time in the year and a half from the first of January 2024, in one of several offsets.
    pub(super) fn time(&mut self) -> DateTime {
        let offset = *self.one_of(&[0, 0, 3_600, -18_000, 19_800]);
        let milliseconds = self.0.random_range(0..540 * 86_400 * 1_000);
        at(offset, TimeDelta::milliseconds(milliseconds))
    }

    /// A time up to so many days after another, in the same offset.
    pub(super) fn after(&mut self, time: DateTime, days: i64) -> DateTime {
        time + TimeDelta::seconds(self.0.random_range(1..=days * 86_400))
    }

    /// A date up to so many days after the first day of a year.
    pub(super) fn date(&mut self, year: i32, days: u64) -> NaiveDate {
        let first = NaiveDate::from_ymd_opt(year, 1, 1).unwrap_or_default();
        first + chrono::Days::new(self.0.random_range(0..=days))
    }
}

/// A time before all others that are drawn, later for each index.
pub(super) fn before_others(index: u32) -> DateTime {
    at(0, TimeDelta::minutes(i64::from(index)) - TimeDelta::days(1))
}

fn at(offset: i32, since_epoch: TimeDelta) -> DateTime {
    let zone = FixedOffset::east_opt(offset).unwrap_or_else(|| chrono::Offset::fix(&chrono::Utc));
    zone.timestamp_nanos(EPOCH * 1_000_000_000) + since_epoch
}
