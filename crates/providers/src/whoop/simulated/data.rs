//! Made-up records of a person.

use chrono::{FixedOffset, NaiveDate};

use super::super::generated::models::{
    BodyMeasurement, Cycle, CycleScore, Profile, Recovery, ScoreState, Sleep, Workout,
};
use super::records::{USER, nap, night, recovery, workout};
use crate::days::last_days;
use crate::simulated::noise::Noise;

/// Records of a person, each list in order of time. They are the same for the same arguments of
/// [`generate`](Self::generate); a test may change them.
#[derive(Clone, Debug)]
pub struct Data {
    /// The person.
    pub profile: Profile,
    /// Height and weight, if they are known.
    pub body: Option<BodyMeasurement>,
    /// Cycles, of which the last has no end.
    pub cycles: Vec<Cycle>,
    /// Nights and naps.
    pub sleep: Vec<Sleep>,
    /// Recoveries.
    pub recoveries: Vec<Recovery>,
    /// Workouts.
    pub workouts: Vec<Workout>,
    noise: Noise,
    offset: FixedOffset,
}

/// Purposes of made-up numbers.
#[derive(Clone, Copy)]
enum Purpose {
    Worn = 1,
    State,
    Cycle,
    Nap,
    Workout,
}

impl Data {
    /// Makes records for some days up to the last, in the time of a fixed offset.
    pub fn generate(seed: u64, offset: FixedOffset, last: NaiveDate, days: u32) -> Self {
        let noise = Noise::new(seed);
        let mut data = Self {
            profile: Profile {
                user_id: USER,
                email: Some("person@wearlab.example".to_owned()),
                first_name: Some("Kim".to_owned()),
                last_name: Some("Berg".to_owned()),
            },
            body: Some(BodyMeasurement {
                height_meter: Some(noise.derive(1).within(150..200) as f64 / 100.0),
                weight_kilogram: Some(noise.derive(2).within(500..1_000) as f64 / 10.0),
                max_heart_rate: Some(noise.derive(3).within(170..200)),
            }),
            cycles: Vec::new(),
            sleep: Vec::new(),
            recoveries: Vec::new(),
            workouts: Vec::new(),
            noise,
            offset,
        };
        last_days(last, days).for_each(|day| data.add_day(day));
        data
    }

    /// Adds the records of a day: its night ends the current cycle, and begins another one. Now and then there are none,
    /// since the band is not worn, and the cycle goes on.
    pub fn add_day(&mut self, day: NaiveDate) {
        let noise = self.noise.for_day(day);
        let of = |purpose: Purpose| noise.derive(purpose as u64);
        if of(Purpose::Worn).is_one_in(19) {
            return;
        }
        let state = match of(Purpose::State).within(0..20) {
            0 => ScoreState::Unscorable,
            1 => ScoreState::PendingScore,
            _ => ScoreState::Scored,
        };
        let id = self.cycles.last().map_or(5_000, |cycle| cycle.id + 1);
        let night = night(noise, self.offset, day, id, state);
        if let Some(current) = self.cycles.last_mut() {
            current.end = Some(night.start);
            current.updated_at = night.end;
        }
        self.cycles.push(cycle(of(Purpose::Cycle), &night, id));
        self.recoveries.push(recovery(noise, &night, id));
        self.sleep.push(night);
        if of(Purpose::Nap).is_one_in(6) {
            self.sleep.push(nap(noise, self.offset, day, id));
        }
        if of(Purpose::Workout).is_one_in(2) {
            self.workouts.push(workout(noise, self.offset, day));
        }
    }
}

/// Returns the cycle that a night begins.
fn cycle(noise: Noise, night: &Sleep, id: i64) -> Cycle {
    let average_heart_rate = noise.derive(1).within(55..80);
    Cycle {
        id,
        user_id: USER,
        created_at: night.end,
        updated_at: night.end,
        start: night.start,
        end: None,
        timezone_offset: night.timezone_offset.clone(),
        score_state: ScoreState::Scored,
        score: Some(CycleScore {
            strain: noise.derive(2).within(30..200) as f64 / 10.0,
            kilojoule: noise.derive(3).within(70_000..150_000) as f64 / 10.0,
            average_heart_rate,
            max_heart_rate: average_heart_rate + noise.derive(4).within(40..120),
        }),
    }
}
