//! Deterministic noise: each value is drawn for an instant or a day, independently of all others.

/// Draws for one wearer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise(u64);

/// Purpose of a draw. Draws for one purpose do not depend on those for another.
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

    /// Returns a number from 0 to 1, exclusive. `at` is an instant, a day or a number.
    pub(super) fn unit(self, of: Of, at: i64) -> f64 {
        let mixed = mixed(mixed(self.0 ^ mixed(of as u64 + 1)) ^ at as u64);
        // Uses as many bits as the mantissa of a double has.
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number from -1 to 1, exclusive.
    pub(super) fn sway(self, of: Of, at: i64) -> f64 {
        2.0 * self.unit(of, at) - 1.0
    }

    /// Returns true with a probability in percent.
    pub(super) fn percent(self, of: Of, at: i64, chance: f64) -> bool {
        self.unit(of, at) * 100.0 < chance
    }

    /// Returns one of `items`, which must not be empty.
    pub(super) fn one_of<T>(self, of: Of, at: i64, items: &[T]) -> &T {
        &items[(self.unit(of, at) * items.len() as f64) as usize]
    }

    /// Returns a continuous value between -1 and 1: it changes evenly from one multiple of `period` seconds to the
    /// next.
    pub(super) fn smooth(self, of: Of, at: i64, period: i64) -> f64 {
        let before = at.div_euclid(period);
        let part = at.rem_euclid(period) as f64 / period as f64;
        self.sway(of, before) * (1.0 - part) + self.sway(of, before + 1) * part
    }
}

/// Mixes with the finaliser of SplitMix64: all bits of the result depend on all bits of a number.
fn mixed(number: u64) -> u64 {
    let mut number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
