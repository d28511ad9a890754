//! Movement of a wearer: workouts, and the steps, distance and energy of each stretch of a day.

use chrono::{Datelike, NaiveDate, Weekday};

use super::clock::number;
use super::night::Night;
use super::noise::Of;
use super::wearer::Wearer;

/// Length of a stretch outside workouts, in s.
const QUARTER: i64 = 900;
/// Length of a stretch in workouts, in s.
const MINUTE: i64 = 60;

/// Sport with its intensity.
#[derive(Debug)]
pub(super) struct Sport {
    pub(super) id: i64,
    pub(super) name: &'static str,
    pub(super) slug: &'static str,
    /// Fraction of the range from the resting to the highest heart rate.
    pub(super) effort: f64,
    /// Steps per minute.
    steps: f64,
    /// Speed in m per minute.
    speed: f64,
    /// Energy in kcal per minute and kg.
    energy: f64,
}

const SPORTS: &[Sport] = &[
    Sport {
        id: 1,
        name: "Running",
        slug: "running",
        effort: 0.72,
        steps: 164.0,
        speed: 168.0,
        energy: 0.162,
    },
    Sport {
        id: 2,
        name: "Cycling",
        slug: "cycling",
        effort: 0.62,
        steps: 0.0,
        speed: 385.0,
        energy: 0.122,
    },
    Sport {
        id: 3,
        name: "Walking",
        slug: "walking",
        effort: 0.34,
        steps: 114.0,
        speed: 88.0,
        energy: 0.058,
    },
];

/// Session of a sport.
#[derive(Debug)]
pub(super) struct Workout {
    pub(super) sport: &'static Sport,
    pub(super) start: i64,
    pub(super) stop: i64,
}

impl Workout {
    /// Returns the workout of a day. About every other day has one.
    fn of(wearer: &Wearer, day: NaiveDate, midnight: i64) -> Option<Self> {
        let (noise, at) = (wearer.noise, number(day));
        if !noise.percent(Of::Workout, at, 45.0) {
            return None;
        }
        // Late enough after the night, and early enough before the next one.
        let minutes = 17 * 60 + 15 * (noise.unit(Of::Workout, -at) * 8.0) as i64;
        let from_midnight = wearer.clock.at(day, minutes) - midnight;
        let start = midnight + from_midnight.div_euclid(QUARTER) * QUARTER;
        Some(Self {
            sport: noise.one_of(Of::Sport, at, SPORTS),
            start,
            stop: start + QUARTER * (2 + (noise.unit(Of::Sport, -at) * 3.0) as i64),
        })
    }

    pub(super) fn contains(&self, at: i64) -> bool {
        (self.start..self.stop).contains(&at)
    }
}

/// Stretch of time. Its values are integers, so that their sums are exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) start: i64,
    pub(super) stop: i64,
    pub(super) steps: i64,
    /// Distance in tenths of a metre.
    pub(super) distance: i64,
    /// Energy in tenths of a kcal.
    pub(super) energy: i64,
    /// Fraction of the range from the resting to the highest heart rate.
    pub(super) effort: f64,
}

/// All stretches of a day, without gaps, and its workout.
#[derive(Debug)]
pub(super) struct Movement {
    pub(super) stretches: Vec<Stretch>,
    pub(super) workout: Option<Workout>,
}

impl Movement {
    /// Creates the movement from the start to the end of a day. `nights` are those that begin or end on it.
    pub(super) fn of(wearer: &Wearer, day: NaiveDate, span: (i64, i64), nights: &[Night; 2]) -> Self {
        let workout = Workout::of(wearer, day, span.0);
        let mut stretches = Vec::with_capacity(192);
        let mut start = span.0;
        while start < span.1 {
            let exercise = workout.as_ref().filter(|workout| workout.contains(start));
            let in_bed = nights
                .iter()
                .any(|night| night.start < start + QUARTER && start < night.stop);
            let stretch = match exercise {
                Some(workout) => workout_minute(wearer, workout.sport, start),
                None if in_bed => Stretch::at(start, QUARTER),
                None => routine_quarter(wearer, day, start),
            };
            start = stretch.stop.min(span.1);
            stretches.push(Stretch { stop: start, ..stretch });
        }
        Self { stretches, workout }
    }

    /// Returns the effort at an instant.
    pub(super) fn effort_at(&self, at: i64) -> f64 {
        let within = self.stretches.partition_point(|stretch| stretch.stop <= at);
        self.stretches.get(within).map_or(0.0, |stretch| stretch.effort)
    }
}

impl Stretch {
    /// Returns a stretch without movement.
    fn at(start: i64, seconds: i64) -> Self {
        Self {
            start,
            stop: start + seconds,
            steps: 0,
            distance: 0,
            energy: 0,
            effort: 0.0,
        }
    }

    /// Merges it with the next one. The effort is the greater of the two.
    pub(super) fn and(self, next: Self) -> Self {
        Self {
            start: self.start,
            stop: next.stop,
            steps: self.steps + next.steps,
            distance: self.distance + next.distance,
            energy: self.energy + next.energy,
            effort: self.effort.max(next.effort),
        }
    }
}

/// Returns a minute of a sport.
fn workout_minute(wearer: &Wearer, sport: &Sport, start: i64) -> Stretch {
    let pace = 1.0 + 0.07 * wearer.noise.smooth(Of::Workout, start, 300);
    Stretch {
        steps: (sport.steps * pace).round() as i64,
        distance: (sport.speed * pace * 10.0).round() as i64,
        energy: (sport.energy * pace * wearer.weight * 10.0).round() as i64,
        effort: sport.effort * pace,
        ..Stretch::at(start, MINUTE)
    }
}

/// Returns a quarter of an hour outside workouts and nights.
fn routine_quarter(wearer: &Wearer, day: NaiveDate, start: i64) -> Stretch {
    let hour = wearer.clock.minute(start) / 60.0;
    let business = match hour as i64 {
        7 | 8 | 17 | 18 => 300.0,
        12 | 13 => 260.0,
        9..=16 => 130.0,
        19 | 20 => 110.0,
        _ => 45.0,
    };
    let weekend = match day.weekday() {
        Weekday::Sat => 1.25,
        Weekday::Sun => 0.75,
        _ => 1.0,
    };
    let drawn = wearer.noise.unit(Of::Steps, start);
    // The wearer sits most of the time.
    let share = if drawn < 0.3 { 0.0 } else { 2.4 * drawn * drawn };
    let steps = (business * weekend * wearer.vigour * share).round();
    let stride = wearer.height * 0.00415;
    Stretch {
        steps: steps as i64,
        distance: (steps * stride * 10.0).round() as i64,
        energy: (steps * wearer.weight * 0.00055 * 10.0).round() as i64,
        effort: steps / 1_500.0 * 0.4,
        ..Stretch::at(start, QUARTER)
    }
}
