//! Nights: the time in bed, and the stages of sleep.

use chrono::{Datelike, NaiveDate, Weekday};

use super::clock::{number, shifted};
use super::noise::Of;
use super::wearer::Wearer;

/// Stage of sleep, or awake in bed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StageKind {
    Deep,
    Light,
    Rem,
    Awake,
}

impl StageKind {
    /// Returns its code in the API.
    pub(super) fn code(self) -> i64 {
        match self {
            Self::Deep => 1,
            Self::Light => 2,
            Self::Rem => 3,
            Self::Awake => 4,
        }
    }
}

/// Stage with its span, in seconds from the start of the night.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) kind: StageKind,
}

/// Night before a day.
#[derive(Clone, Debug)]
pub(super) struct Night {
    pub(super) start: i64,
    pub(super) stop: i64,
    /// Stages from the start to the stop, without gaps.
    pub(super) stages: Vec<Stage>,
}

/// Stages of the cycles of sleep, in minutes: the first ones of a night have more deep sleep, the last ones more REM
/// sleep.
const CYCLES: &[[(StageKind, i64); 5]] = {
    use StageKind::{Awake, Deep, Light, Rem};
    &[
        [(Light, 20), (Deep, 38), (Light, 14), (Rem, 8), (Awake, 2)],
        [(Light, 26), (Deep, 26), (Light, 18), (Rem, 16), (Awake, 3)],
        [(Light, 30), (Deep, 12), (Light, 20), (Rem, 24), (Awake, 2)],
        [(Light, 32), (Deep, 6), (Light, 16), (Rem, 30), (Awake, 4)],
        [(Light, 38), (Deep, 3), (Light, 10), (Rem, 34), (Awake, 3)],
    ]
};

impl Night {
    /// Returns the night of a wearer that ends on a day.
    pub(super) fn of(wearer: &Wearer, day: NaiveDate) -> Self {
        let (noise, at) = (wearer.noise, number(day));
        let evening = shifted(day, -1);
        let late = match evening.weekday() {
            Weekday::Fri | Weekday::Sat => 45,
            _ => 0,
        };
        let bedtime = wearer.bedtime + late + (noise.sway(Of::Bedtime, at) * 35.0) as i64;
        let start = wearer.clock.at(evening, bedtime);
        let length = wearer.in_bed + late * 40 + (noise.sway(Of::SleepLength, at) * 55.0) as i64 * 60;
        Self {
            start,
            stop: start + length,
            stages: stages(wearer, start, length),
        }
    }

    /// Returns the stage at an instant; none out of bed.
    pub(super) fn stage_at(&self, at: i64) -> Option<StageKind> {
        if !(self.start..self.stop).contains(&at) {
            return None;
        }
        let within = self.stages.partition_point(|stage| stage.to <= at - self.start);
        self.stages.get(within).map(|stage| stage.kind)
    }

    /// Returns the total length of a stage, in s.
    pub(super) fn time_in(&self, kind: StageKind) -> i64 {
        let stages = self.stages.iter().filter(|stage| stage.kind == kind);
        stages.map(|stage| stage.to - stage.from).sum()
    }

    /// Returns the time to fall asleep, in s.
    pub(super) fn latency(&self) -> i64 {
        self.stages.first().map_or(0, |stage| stage.to)
    }

    /// Returns the multiples of `every` seconds that are within both the night and a span.
    pub(super) fn instants(&self, every: i64, from: i64, until: i64) -> impl Iterator<Item = i64> {
        let first = self.start.max(from);
        let first = first + (-first).rem_euclid(every);
        (first..self.stop.min(until)).step_by(every as usize)
    }
}

/// Returns the stages: first awake, then cycle by cycle, until the end of the night.
fn stages(wearer: &Wearer, start: i64, length: i64) -> Vec<Stage> {
    let mut stages = Vec::new();
    let mut from = 0;
    let cycles = CYCLES.iter().chain(CYCLES.last().into_iter().cycle()).flatten();
    let awake = &(StageKind::Awake, 9);
    for (kind, minutes) in std::iter::once(awake).chain(cycles) {
        let varied = *minutes as f64 * (1.0 + 0.35 * wearer.noise.sway(Of::Stage, start + from));
        // Watches have a resolution of half a minute.
        let seconds = ((varied * 2.0).round() as i64).max(1) * 30;
        let to = (from + seconds).min(length);
        stages.push(Stage { from, to, kind: *kind });
        if to == length {
            break;
        }
        from = to;
    }
    stages
}
