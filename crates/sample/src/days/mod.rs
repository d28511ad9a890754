//! Realistic days of a user: measurements of a watch, a scale, a cuff and a sensor, as arrivals.
//!
//! All values follow from the seed, the user and the instant, and not from other values. Measurements of the same
//! quantity agree: the stretches of a day add up to its activity, the stages of a night to its sleep.

mod backfill;
mod clock;
mod cycle;
mod feed;
mod heart;
mod meals;
mod movement;
mod night;
mod noise;
mod series;
mod summaries;
#[cfg(test)]
mod tests;
mod wearer;

use chrono::NaiveDate;

pub use self::feed::{Feed, Span};
use self::meals::Meal;
use self::movement::Movement;
use self::night::Night;
use self::wearer::Wearer;

/// Intervals of measurements, in s.
#[derive(Clone, Copy, Debug)]
struct Detail {
    heart: i64,
    /// Heart rate in workouts.
    exercise: i64,
    night: i64,
    glucose: i64,
    /// Steps, distance and energy.
    movement: i64,
}

/// Detail that devices send from day to day.
const FINE: Detail = Detail {
    heart: 120,
    exercise: 60,
    night: 300,
    glucose: 300,
    movement: 900,
};
/// Detail that providers keep for some weeks.
const COARSE: Detail = Detail {
    heart: 300,
    exercise: 60,
    night: 1_800,
    glucose: 900,
    movement: 900,
};
/// Detail that they keep for years.
const SPARSE: Detail = Detail {
    heart: 1_800,
    exercise: 300,
    night: 3_600,
    glucose: 3_600,
    movement: 7_200,
};

/// Day of a wearer, with the data up to an instant.
struct Day<'a> {
    wearer: &'a Wearer,
    day: NaiveDate,
    start: i64,
    /// Current time. Later data are not known yet.
    now: i64,
    /// End of the day, or now if that is earlier.
    until: i64,
    /// Night that ends on the day, and the one that begins in its evening.
    nights: [Night; 2],
    movement: Movement,
    meals: Vec<Meal>,
    detail: Detail,
}

impl<'a> Day<'a> {
    fn of(wearer: &'a Wearer, day: NaiveDate, now: i64, detail: Detail) -> Self {
        let tomorrow = clock::shifted(day, 1);
        let [start, end] = [day, tomorrow].map(|day| wearer.clock.midnight(day));
        let nights = [day, tomorrow].map(|day| Night::of(wearer, day));
        let mut movement = Movement::of(wearer, day, (start, end), &nights);
        let mut meals = meals::of_day(wearer, day, nights[0].stop);
        let until = end.min(now);
        movement.stretches.retain(|stretch| stretch.stop <= until);
        movement.workout.take_if(|workout| workout.stop > until);
        meals.retain(|meal| meal.at < until);
        Self {
            wearer,
            day,
            start,
            now,
            until,
            nights,
            movement,
            meals,
            detail,
        }
    }

    /// Returns the night that ended on the day, if it did.
    fn night(&self) -> Option<&Night> {
        Some(&self.nights[0]).filter(|night| night.stop <= self.until)
    }
}
