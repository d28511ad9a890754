//! Heart rate at any instant, and measurements of the night.

use std::f64::consts::TAU;

use super::Day;
use super::night::{Night, StageKind};
use super::noise::Of;
use super::wearer::Wearer;

/// Time that the heart rate takes to follow the effort, in s.
const DELAY: i64 = 240;

impl Day<'_> {
    /// Returns the heart rate, in beats per minute.
    pub(super) fn heart_rate(&self, at: i64) -> i64 {
        let night = self.nights.iter().find(|night| night.stage_at(at).is_some());
        match night {
            Some(night) => asleep(self.wearer, night, at),
            None => self.awake(at),
        }
    }

    fn awake(&self, at: i64) -> i64 {
        let wearer = self.wearer;
        // Highest in the afternoon.
        let of_day = (wearer.clock.minute(at) / 1_440.0 - 0.625) * TAU;
        let quiet = wearer.resting + 15.0 + 5.0 * of_day.cos();
        let effort = (self.movement.effort_at(at) + self.movement.effort_at(at - DELAY)) / 2.0;
        let rate = quiet + effort * (wearer.highest_rate(self.day) - quiet);
        (rate + 4.0 * wearer.noise.sway(Of::Heart, at)).round() as i64
    }
}

/// Returns the heart rate in bed, in beats per minute. It falls until the end of the night.
pub(super) fn asleep(wearer: &Wearer, night: &Night, at: i64) -> i64 {
    let stage = match night.stage_at(at) {
        Some(StageKind::Deep) => 0.0,
        Some(StageKind::Light) => 3.0,
        Some(StageKind::Rem) => 6.0,
        Some(StageKind::Awake) | None => 10.0,
    };
    let left = (night.stop - at) as f64 / (night.stop - night.start) as f64;
    let rate = wearer.resting + stage + 5.0 * left + 2.0 * wearer.noise.sway(Of::Heart, at);
    rate.round() as i64
}

/// Returns the variability of the heart rate asleep, as RMSSD in ms: greater at a lower rate.
pub(super) fn variability(wearer: &Wearer, night: &Night, at: i64) -> f64 {
    let base = 78.0 - wearer.resting * 0.6;
    let deep = night.stage_at(at) == Some(StageKind::Deep);
    base + if deep { 8.0 } else { 0.0 } + 9.0 * wearer.noise.sway(Of::Variability, at)
}

/// Returns breaths per minute, asleep.
pub(super) fn breaths(wearer: &Wearer, night: &Night, at: i64) -> f64 {
    let dreams = night.stage_at(at) == Some(StageKind::Rem);
    let base = 12.5 + (wearer.resting - 46.0) * 0.12;
    base + if dreams { 1.2 } else { 0.0 } + 0.7 * wearer.noise.sway(Of::Breaths, at)
}

/// Returns the oxygen saturation of the blood, in %.
pub(super) fn oxygen(wearer: &Wearer, at: i64) -> i64 {
    96 + (wearer.noise.unit(Of::Oxygen, at) * 4.0) as i64
}
