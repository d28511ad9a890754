//! Made-up documents of a person.

use chrono::{Datelike, FixedOffset, NaiveDate};

use wearlab_models::DateTime;

use super::super::generated::models::{
    DailyActivity, DailyReadiness, DailySleep, DailySpo2, HeartRate, HeartRateSource, PersonalInfo, Sleep, SleepType,
    Spo2Percentage, Vo2Max, Workout, WorkoutIntensity, WorkoutSource,
};
use super::night::{nap, night};
use crate::days::last_days;
use crate::simulated::local_time::local_time;
use crate::simulated::noise::Noise;

/// Documents of a person, each list in order of time. They are the same for the same arguments of
/// [`generate`](Self::generate); a test may change them.
#[derive(Clone, Debug)]
pub struct Data {
    /// The person.
    pub person: PersonalInfo,
    /// `daily_activity`
    pub activity: Vec<DailyActivity>,
    /// `sleep`, also rejected and deleted ones.
    pub sleep: Vec<Sleep>,
    /// `daily_sleep`
    pub sleep_scores: Vec<DailySleep>,
    /// `daily_readiness`
    pub readiness: Vec<DailyReadiness>,
    /// `daily_spo2`
    pub spo2: Vec<DailySpo2>,
    /// `vO2_max`
    pub vo2_max: Vec<Vo2Max>,
    /// `workout`
    pub workouts: Vec<Workout>,
    /// `heartrate`
    pub heart_rate: Vec<HeartRate>,
    noise: Noise,
    offset: FixedOffset,
}

/// Purposes of made-up numbers.
#[derive(Clone, Copy)]
enum Purpose {
    Nap = 1,
    Rest,
    Worn,
    Steps,
    Workout,
    Sport,
    Score,
    Temperature,
    Oxygen,
    Heart,
    Gap,
}

impl Data {
    /// Makes documents for some days up to the last, in the time of a fixed offset.
    pub fn generate(seed: u64, offset: FixedOffset, last: NaiveDate, days: u32) -> Self {
        let noise = Noise::new(seed);
        let person = PersonalInfo {
            id: format!("person-{seed}"),
            age: Some(noise.derive(1).within(20..70)),
            weight: Some(noise.derive(2).within(500..1_000) as f64 / 10.0),
            height: Some(noise.derive(3).within(150..200) as f64 / 100.0),
            biological_sex: Some(if noise.derive(4).is_one_in(2) { "female" } else { "male" }.to_owned()),
            email: Some(format!("person-{seed}@wearlab.example")),
        };
        let mut data = Self {
            person,
            activity: Vec::new(),
            sleep: Vec::new(),
            sleep_scores: Vec::new(),
            readiness: Vec::new(),
            spo2: Vec::new(),
            vo2_max: Vec::new(),
            workouts: Vec::new(),
            heart_rate: Vec::new(),
            noise,
            offset,
        };
        last_days(last, days).for_each(|day| data.add_day(day));
        data
    }

    /// Adds the documents of a day, with all of its samples. Now and then there are none, since the ring is not worn.
    pub fn add_day(&mut self, day: NaiveDate) {
        let (noise, offset) = (self.noise.for_day(day), self.offset);
        if noise.derive(Purpose::Worn as u64).is_one_in(19) {
            return;
        }
        let of = |purpose: Purpose| noise.derive(purpose as u64);
        let steps = of(Purpose::Steps).within(1_500..16_000);
        let active = steps / 25;
        self.activity.push(DailyActivity {
            id: format!("activity-{day}"),
            day,
            timestamp: local_time(offset, day, 240),
            score: Some(of(Purpose::Steps).derive(1).within(50..100)),
            steps,
            active_calories: active,
            total_calories: 1_600 + active,
            equivalent_walking_distance: steps * 4 / 5,
            low_activity_time: 7_200 + steps / 2,
            medium_activity_time: steps / 5,
            high_activity_time: steps / 20,
            sedentary_time: Some(30_000),
            resting_time: Some(28_000),
            non_wear_time: Some(0),
            class_5_min: None,
            met: None,
        });
        self.sleep.push(night(noise, offset, day));
        if of(Purpose::Nap).is_one_in(6) {
            self.sleep.push(nap(noise, offset, day, SleepType::LateNap));
        } else if of(Purpose::Rest).is_one_in(8) {
            self.sleep.push(nap(noise, offset, day, SleepType::Rest));
        }
        self.sleep_scores.push(DailySleep {
            id: format!("score-{day}"),
            day,
            timestamp: local_time(offset, day, 0),
            score: Some(of(Purpose::Score).within(50..100)),
        });
        self.readiness.push(DailyReadiness {
            id: format!("readiness-{day}"),
            day,
            timestamp: local_time(offset, day, 0),
            score: Some(of(Purpose::Score).derive(1).within(50..100)),
            temperature_deviation: Some(of(Purpose::Temperature).within(-80..80) as f64 / 100.0),
            temperature_trend_deviation: None,
        });
        let oxygen = of(Purpose::Oxygen);
        self.spo2.push(DailySpo2 {
            id: format!("spo2-{day}"),
            day,
            spo2_percentage: (!oxygen.is_one_in(7)).then(|| Spo2Percentage {
                average: oxygen.within(9_400..9_900) as f64 / 100.0,
            }),
            breathing_disturbance_index: Some(oxygen.derive(1).within(0..20)),
        });
        if day.num_days_from_ce() % 7 == 0 {
            self.vo2_max.push(Vo2Max {
                id: format!("vo2-{day}"),
                day,
                timestamp: local_time(offset, day, 450),
                vo2_max: Some(38.0 + of(Purpose::Heart).within(0..60) as f64 / 10.0),
            });
        }
        if of(Purpose::Workout).is_one_in(3) {
            self.workouts.push(workout(noise, offset, day));
        }
        self.add_heart_rate(noise, offset, day);
    }

    /// Adds a sample of heart rate of a person at rest, at a time after the others.
    pub fn add_heart_rate_sample(&mut self, timestamp: DateTime) {
        let noise = self.noise.derive(timestamp.timestamp().unsigned_abs());
        self.heart_rate.push(HeartRate {
            timestamp,
            bpm: noise.within(62..72),
            source: Some(HeartRateSource::Awake),
        });
    }

    /// Adds a sample every five minutes, apart from some that the ring missed.
    fn add_heart_rate(&mut self, noise: Noise, offset: FixedOffset, day: NaiveDate) {
        let noise = noise.derive(Purpose::Heart as u64);
        for minute in (0..1_440_i64).step_by(5) {
            let sample = noise.derive(minute.unsigned_abs());
            if sample.derive(Purpose::Gap as u64).is_one_in(30) {
                continue;
            }
            let (source, range) = match minute / 60 {
                ..=6 => (HeartRateSource::Sleep, 46..62),
                18 => (HeartRateSource::Workout, 95..165),
                _ => (HeartRateSource::Awake, 60..95),
            };
            self.heart_rate.push(HeartRate {
                timestamp: local_time(offset, day, minute).to_utc().fixed_offset(),
                bpm: sample.within(range),
                source: Some(source),
            });
        }
    }
}

fn workout(noise: Noise, offset: FixedOffset, day: NaiveDate) -> Workout {
    let noise = noise.derive(Purpose::Sport as u64);
    let sports = ["running", "cycling", "walking", "yoga", "crossCountrySkiing"];
    let activity = sports[noise.within(0..5).unsigned_abs() as usize % sports.len()];
    // Some end shortly before midnight, which is the next day in UTC in the west of it.
    let start = noise.derive(1).within(400..1_370);
    let minutes = noise.derive(2).within(20..69);
    Workout {
        id: format!("workout-{day}"),
        day,
        activity: activity.to_owned(),
        start_datetime: local_time(offset, day, start),
        end_datetime: local_time(offset, day, start + minutes),
        intensity: Some(WorkoutIntensity::Moderate),
        source: Some(WorkoutSource::Confirmed),
        calories: Some(minutes as f64 * 7.5),
        distance: (activity != "yoga").then_some(minutes as f64 * 150.0),
        label: noise.derive(3).is_one_in(4).then(|| "After work".to_owned()),
    }
}
