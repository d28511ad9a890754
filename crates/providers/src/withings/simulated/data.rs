//! Made-up data of a person.

use std::collections::BTreeMap;

use chrono::{Datelike, NaiveDate};

use super::super::generated::models::{
    Activity, AtrialFibrillation, BloodPressure, Ecg, HeartRate, HeartRateValue, HeartRecord, IntradaySample,
    MeasureGroup, Night, Stage, Workout, WorkoutData,
};
use super::groups::{groups, height};
use super::night::night;
use crate::days::last_days;
use crate::simulated::noise::Noise;
use crate::zones::Zone;

/// Interval of the samples of a day, in s.
const INTERVAL: i64 = 600;
/// Values of a second of a signal.
pub(super) const FREQUENCY: i64 = 300;

/// Data of a person, each list in order of time. They are the same for the same arguments of [`generate`](Self::generate); a test
/// may change them.
#[derive(Clone, Debug)]
pub struct Data {
    /// Name of the person's time zone.
    pub zone: String,
    /// Groups of measures, also goals, and those of another person.
    pub groups: Vec<MeasureGroup>,
    /// Days of activity, also copies of another service.
    pub activities: Vec<Activity>,
    /// Samples of the days, by their time.
    pub intraday: BTreeMap<i64, IntradaySample>,
    /// Workouts.
    pub workouts: Vec<Workout>,
    /// Nights of a watch and of a mat.
    pub nights: Vec<Night>,
    /// Stages of the nights.
    pub stages: Vec<Stage>,
    /// Electrocardiograms.
    pub heart: Vec<HeartRecord>,
    /// Signals of the electrocardiograms, by their ids.
    pub signals: BTreeMap<i64, Vec<i64>>,
    noise: Noise,
}

/// Purposes of made-up numbers.
#[derive(Clone, Copy)]
enum Purpose {
    Activity = 6,
    Workout,
    Night,
    Mat,
    Samples,
    Heart,
}

impl Data {
    /// Makes data for some days up to the last, in a time zone such as `Europe/Oslo`.
    pub fn generate(seed: u64, zone: &str, last: NaiveDate, days: u32) -> Self {
        let mut data = Self {
            zone: zone.to_owned(),
            groups: Vec::new(),
            activities: Vec::new(),
            intraday: BTreeMap::new(),
            workouts: Vec::new(),
            nights: Vec::new(),
            stages: Vec::new(),
            heart: Vec::new(),
            signals: BTreeMap::new(),
            noise: Noise::new(seed),
        };
        last_days(last, days).for_each(|day| data.add_day(day));
        data
    }

    /// Adds the data of a day.
    pub fn add_day(&mut self, day: NaiveDate) {
        let noise = self.noise.for_day(day);
        let of = |purpose: Purpose| noise.derive(purpose as u64);
        if self.groups.is_empty() {
            let height = height(day, self.time(day, 300), noise);
            self.groups.push(height);
        }
        let groups = groups(day, noise, |minutes| self.time(day, minutes));
        self.groups.extend(groups);
        self.add_activity(day, of(Purpose::Activity));
        if of(Purpose::Workout).is_one_in(3) {
            self.add_workout(day, of(Purpose::Workout).derive(1));
        }
        self.add_night(day, of(Purpose::Night), "dev-watch", 16);
        if of(Purpose::Mat).is_one_in(3) {
            self.add_night(day, of(Purpose::Mat).derive(1), "dev-mat", 32);
        }
        self.add_samples(day, of(Purpose::Samples));
        if of(Purpose::Heart).is_one_in(5) {
            self.add_heart(day, of(Purpose::Heart).derive(1));
        }
    }

    /// Returns the time so many minutes after the start of a day, in s since 1970.
    pub(super) fn time(&self, day: NaiveDate, minutes: i64) -> i64 {
        let noon = Zone::named(Some(&self.zone)).noon(day);
        noon.map_or(0, |noon| noon.timestamp()) + (minutes - 720) * 60
    }

    fn add_activity(&mut self, day: NaiveDate, noise: Noise) {
        let is_copy = noise.is_one_in(9);
        let steps = noise.derive(1).within(1_500..16_000);
        self.activities.push(Activity {
            date: day,
            timezone: Some(self.zone.clone()),
            modified: Some(self.time(day, 1_440)),
            deviceid: (!is_copy).then(|| "dev-watch".to_owned()),
            brand: Some(if is_copy { 18 } else { 1 }),
            is_tracker: Some(!is_copy && !noise.derive(2).is_one_in(10)),
            model: Some("ScanWatch".to_owned()),
            modelid: Some(93),
            steps: Some(steps),
            distance: Some(steps as f64 * 0.75),
            elevation: Some(noise.derive(3).within(0..20) as f64),
            soft: Some(5_400 + steps / 3),
            moderate: Some(steps / 5),
            intense: Some(steps / 50),
            calories: Some(steps as f64 / 25.0),
            totalcalories: Some(1_700.5 + steps as f64 / 25.0),
            hr_average: Some(noise.derive(4).within(60..80) as f64),
            hr_min: Some(noise.derive(5).within(40..55) as f64),
            hr_max: Some(noise.derive(6).within(100..170) as f64),
            hr_zone_0: Some(80_000),
            hr_zone_1: Some(3_000),
            hr_zone_2: Some(600),
            hr_zone_3: Some(60),
        });
    }

    fn add_workout(&mut self, day: NaiveDate, noise: Noise) {
        let (start, minutes) = (noise.within(400..1_370), noise.derive(1).within(20..69));
        let startdate = self.time(day, start);
        let is_measured = !noise.derive(2).is_one_in(4);
        let measured = |value: f64| Some(if is_measured { value } else { 0.0 });
        let (calories, distance) = (minutes as f64 * 7.5, minutes as f64 * 150.0);
        self.workouts.push(Workout {
            id: 6_000_000 + i64::from(day.num_days_from_ce()),
            category: Some([1, 2, 6, 7, 999][noise.derive(3).within(0..5).unsigned_abs() as usize % 5]),
            timezone: Some(self.zone.clone()),
            startdate,
            enddate: startdate + minutes * 60,
            date: Some(day),
            modified: Some(startdate + 7_200),
            deviceid: Some("dev-watch".to_owned()),
            data: Some(WorkoutData {
                calories: measured(calories),
                manual_calories: Some(if is_measured { 0.0 } else { calories }),
                distance: measured(distance),
                manual_distance: Some(if is_measured { 0.0 } else { distance }),
                elevation: Some(0.0),
                steps: Some(if is_measured { minutes * 100 } else { 0 }),
                hr_average: measured(130.0),
                hr_min: measured(90.0),
                hr_max: measured(165.0),
                hr_zone_0: Some(60),
                hr_zone_1: Some(300),
                hr_zone_2: Some(600),
                hr_zone_3: Some(0),
                intensity: Some(50.0),
                pause_duration: Some(noise.derive(4).within(0..300)),
                algo_pause_duration: None,
                spo2_average: Some(0.0),
                strokes: None,
                pool_laps: None,
                pool_length: None,
            }),
        });
    }

    fn add_night(&mut self, day: NaiveDate, noise: Noise, device: &str, model: i64) {
        let bedtime = self.time(day, -noise.within(10..120));
        let id = i64::from(day.num_days_from_ce()) * 100 + model;
        let (night, stages) = night(noise, (id, day, bedtime), device, model, &self.zone);
        self.nights.push(night);
        self.stages.extend(stages);
    }

    /// Adds samples every ten minutes, apart from some that the watch missed.
    fn add_samples(&mut self, day: NaiveDate, noise: Noise) {
        for minute in (0..1_440_i64).step_by(10) {
            let sample = noise.derive(minute.unsigned_abs());
            if sample.is_one_in(30) {
                continue;
            }
            let optional = |purpose: u64, range| {
                let number = sample.derive(purpose);
                number.is_one_in(6).then(|| number.derive(1).within(range) as f64)
            };
            let steps = sample.derive(1).within(0..900);
            self.intraday.insert(
                self.time(day, minute),
                IntradaySample {
                    duration: Some(INTERVAL),
                    steps: Some(steps),
                    distance: Some(steps as f64 * 0.75),
                    elevation: optional(2, 0..3),
                    calories: Some(steps as f64 / 25.0),
                    heart_rate: Some(sample.derive(3).within(50..120) as f64),
                    spo2_auto: optional(4, 93..100),
                    rmssd: optional(5, 0..90),
                    sdnn1: None,
                    core_body_temperature: optional(6, 36..38),
                    rr: optional(7, 11..18),
                    deviceid: Some("dev-watch".to_owned()),
                    model: Some("ScanWatch".to_owned()),
                    model_id: Some(93),
                },
            );
        }
    }

    fn add_heart(&mut self, day: NaiveDate, noise: Noise) {
        let timestamp = self.time(day, noise.within(300..1_300));
        let signalid = 4_000_000 + i64::from(day.num_days_from_ce());
        let bpm = noise.derive(1).within(50..90) as f64;
        let is_cuff = noise.derive(2).is_one_in(3);
        self.heart.push(HeartRecord {
            timestamp,
            modified: Some(timestamp + 60),
            deviceid: Some("dev-watch".to_owned()),
            model: Some(if is_cuff { 44 } else { 93 }),
            ecg: (!noise.derive(3).is_one_in(6)).then(|| Ecg {
                signalid,
                afib: Some(AtrialFibrillation::from(noise.derive(4).within(0..4))),
            }),
            bloodpressure: is_cuff.then_some(BloodPressure {
                systole: Some(118.0),
                diastole: Some(76.0),
            }),
            heart_rate: Some(if is_cuff {
                HeartRate::HeartRateValue(HeartRateValue {
                    value: Some(bpm),
                    is_deleted: Some(false),
                })
            } else {
                HeartRate::Bpm(bpm)
            }),
        });
        let value = |index: u64| noise.derive(5).derive(index).within(-900..1_500);
        self.signals.insert(signalid, (0..300).map(value).collect());
    }
}
