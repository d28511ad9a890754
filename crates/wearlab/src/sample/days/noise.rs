//! What varies: drawn for an instant or a day of its own, so that no value depends on which others are made.

/// Draws for one wearer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise(u64);

/// What is drawn for. Draws for one of these do not depend on those for another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    Bedtime,
    SleepLength,
    Stage,
    Score,
    Steps,
    Workout,
    Sport,
    Heart,
    Variability,
    Breaths,
    Oxygen,
    Glucose,
    Meal,
    Serving,
    Weight,
    Pressure,
    Electrocardiogram,
    Cycle,
    Floors,
    Correction,
    Note,
}

impl Noise {
    pub(super) fn new(key: u64) -> Self {
        Self(key)
    }

    /// From 0 to 1, without 1. `at` is an instant, a day or a number.
    pub(super) fn unit(self, of: Of, at: i64) -> f64 {
        let mixed = mixed(mixed(self.0 ^ mixed(of as u64 + 1)) ^ at as u64);
        // As many bits as a float of this size holds.
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// From -1 to 1, without 1.
    pub(super) fn sway(self, of: Of, at: i64) -> f64 {
        2.0 * self.unit(of, at) - 1.0
    }

    /// True so many times of a hundred.
    pub(super) fn percent(self, of: Of, at: i64, chance: f64) -> bool {
        self.unit(of, at) * 100.0 < chance
    }

    /// One of `items`, which are not empty.
    pub(super) fn one_of<T>(self, of: Of, at: i64, items: &[T]) -> &T {
        &items[(self.unit(of, at) * items.len() as f64) as usize]
    }

    /// Between -1 and 1, without leaps: from one multiple of `period` seconds to the next it changes evenly.
    pub(super) fn smooth(self, of: Of, at: i64, period: i64) -> f64 {
        let before = at.div_euclid(period);
        let part = at.rem_euclid(period) as f64 / period as f64;
        self.sway(of, before) * (1.0 - part) + self.sway(of, before + 1) * part
    }
}

/// The finaliser of SplitMix64: all bits of a number depend on all of its bits.
fn mixed(number: u64) -> u64 {
    let mut number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
