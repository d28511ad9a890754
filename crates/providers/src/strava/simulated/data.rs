//! Made-up activities of a person.

use chrono::{FixedOffset, NaiveDate};

use super::super::generated::models::{Activity, ActivityMap, Athlete, AthleteReference, NumberStream, StreamSet};
use super::limits::Limits;
use crate::days::last_days;
use crate::simulated::local_time::local_time;
use crate::simulated::noise::Noise;

/// Seconds between two values of a stream.
const INTERVAL: i64 = 5;

/// Data of a person. They are the same for the same arguments of [`generate`](Self::generate); a test may change them.
#[derive(Clone, Debug)]
pub struct Data {
    /// The person.
    pub athlete: Athlete,
    /// Activities in order of their start.
    pub activities: Vec<Recorded>,
    /// Limits of the application.
    pub limits: Limits,
    noise: Noise,
    offset: FixedOffset,
}

/// Activity with all of its details and its streams.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The activity.
    pub activity: Activity,
    /// Streams. None for an activity that was entered.
    pub streams: Option<StreamSet>,
}

/// Purposes of made-up numbers.
#[derive(Clone, Copy)]
enum Purpose {
    Active = 1,
    Second,
    Sport,
    Start,
    Minutes,
    Manual,
    Private,
    Sensor,
    Rate,
    Pace,
}

impl Data {
    /// Makes the activities of some days up to the last, in the time of a fixed offset.
    pub fn generate(seed: u64, offset: FixedOffset, last: NaiveDate, days: u32) -> Self {
        let noise = Noise::new(seed);
        let athlete = Athlete {
            id: 30_000 + i64::try_from(seed % 1_000).unwrap_or_default(),
            resource_state: Some(3),
            firstname: Some("Kim".to_owned()),
            lastname: Some("Berg".to_owned()),
            sex: Some(if noise.derive(1).is_one_in(2) { "F" } else { "M" }.to_owned()),
            weight: Some(noise.derive(2).within(500..1_000) as f64 / 10.0),
            ftp: None,
            measurement_preference: Some("meters".to_owned()),
        };
        let mut data = Self {
            athlete,
            activities: Vec::new(),
            limits: Limits::new(100_000, 1_000_000),
            noise,
            offset,
        };
        last_days(last, days).for_each(|day| data.add_day(day));
        data
    }

    /// Adds the activities of a day: none, one or two.
    pub fn add_day(&mut self, day: NaiveDate) {
        let noise = self.noise.for_day(day);
        if !noise.derive(Purpose::Active as u64).is_one_in(2) {
            return;
        }
        self.activities.push(self.recorded(noise, day, 0));
        if noise.derive(Purpose::Second as u64).is_one_in(3) {
            self.activities.push(self.recorded(noise.derive(2), day, 1));
        }
    }

    fn recorded(&self, noise: Noise, day: NaiveDate, number: i64) -> Recorded {
        let of = |purpose: Purpose| noise.derive(purpose as u64);
        let (sport_type, type_) = match of(Purpose::Sport).within(0..5) {
            0 => ("Run", "Run"),
            1 => ("TrailRun", "Run"),
            2 => ("Ride", "Ride"),
            3 => ("VirtualRide", "VirtualRide"),
            _ => ("WeightTraining", "WeightTraining"),
        };
        // Some begin shortly after midnight or before it, which is another day in UTC.
        let range = if number == 0 { 5..700 } else { 780..1_370 };
        let start = local_time(self.offset, day, of(Purpose::Start).within(range));
        let minutes = of(Purpose::Minutes).within(20..69);
        let is_manual = of(Purpose::Manual).is_one_in(9);
        let has_rate = !is_manual && !of(Purpose::Sensor).is_one_in(4);
        let has_power = !is_manual && type_.ends_with("Ride");
        let moves = type_ != "WeightTraining";
        let speed = if has_power { 7.5 } else { 3.0 };
        let streams = (!is_manual).then(|| streams(noise, minutes * 60, (has_rate, has_power, moves), speed));
        let id = 9_000_000_000 + i64::from(chrono::Datelike::num_days_from_ce(&day)) * 10 + number;
        let distance = moves.then_some(minutes as f64 * 60.0 * speed);
        let activity = Activity {
            id,
            name: Some("Lunch loop".to_owned()),
            athlete: Some(AthleteReference { id: self.athlete.id }),
            resource_state: Some(3),
            sport_type: Some(sport_type.to_owned()),
            type_: Some(type_.to_owned()),
            start_date: start.to_utc().fixed_offset(),
            // Local, with a false offset.
            start_date_local: Some(start.naive_local().and_utc().fixed_offset()),
            timezone: Some("(GMT+00:00) Etc/Invented".to_owned()),
            utc_offset: Some(f64::from(self.offset.local_minus_utc())),
            elapsed_time: minutes * 60,
            moving_time: Some(minutes * 60 - 30),
            distance,
            total_elevation_gain: Some(42.0),
            elev_high: moves.then_some(61.2),
            elev_low: moves.then_some(20.1),
            average_speed: moves.then_some(speed),
            max_speed: moves.then_some(speed * 1.4),
            has_heartrate: Some(has_rate),
            average_heartrate: has_rate.then_some(132.5),
            max_heartrate: has_rate.then_some(171.0),
            average_cadence: None,
            average_watts: has_power.then_some(180.5),
            max_watts: has_power.then_some(420.0),
            weighted_average_watts: has_power.then_some(195.0),
            device_watts: has_power.then_some(sport_type == "Ride"),
            kilojoules: has_power.then_some(minutes as f64 * 10.8),
            calories: Some(minutes as f64 * 9.5),
            description: Some("In the rain".to_owned()),
            device_name: (!is_manual).then(|| "Forerunner".to_owned()),
            map: Some(ActivityMap {
                id: Some(format!("a{id}")),
                summary_polyline: Some(if moves { "abc" } else { "" }.to_owned()),
                polyline: Some(if moves { "abcdef" } else { "" }.to_owned()),
            }),
            manual: Some(is_manual),
            private: Some(of(Purpose::Private).is_one_in(5)),
            trainer: Some(sport_type == "VirtualRide"),
            commute: Some(false),
            external_id: None,
            upload_id: None,
        };
        Recorded { activity, streams }
    }
}

/// Makes the streams of an activity: rate, power and distance, as far as they were recorded.
fn streams(noise: Noise, seconds: i64, (has_rate, has_power, moves): (bool, bool, bool), speed: f64) -> StreamSet {
    let count = seconds / INTERVAL;
    let stream = |value: &dyn Fn(i64) -> Option<f64>| NumberStream {
        data: (0..count).map(value).collect(),
        series_type: Some("time".to_owned()),
        original_size: Some(count),
        resolution: Some("high".to_owned()),
    };
    let of = |purpose: Purpose, index: i64| noise.derive(purpose as u64).derive(index.unsigned_abs());
    let rate = |index| Some(of(Purpose::Rate, index).within(95..171) as f64);
    let power =
        |index| (!of(Purpose::Pace, index).is_one_in(20)).then(|| of(Purpose::Pace, index).within(0..420) as f64);
    let distance = |index| Some(((index * INTERVAL) as f64 * speed * 10.0).round() / 10.0);
    StreamSet {
        time: Some(stream(&|index| Some((index * INTERVAL) as f64))),
        distance: moves.then(|| stream(&distance)),
        heartrate: has_rate.then(|| stream(&rate)),
        watts: has_power.then(|| stream(&power)),
        latlng: None,
        altitude: None,
        velocity_smooth: None,
        cadence: None,
        temp: None,
        moving: None,
        grade_smooth: None,
    }
}
