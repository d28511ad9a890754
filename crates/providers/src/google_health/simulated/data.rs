//! Made-up points of a person.

use std::collections::BTreeMap;

use chrono::{Datelike, FixedOffset, NaiveDate, SecondsFormat, TimeDelta};
use serde_json::{Value, json};
use wearlab_models::DateTime;

use super::super::generated::models::{DataPoint, Identity, RollUp};
use crate::days::last_days;
use crate::simulated::local_time::local_time;
use crate::simulated::noise::Noise;

/// Points of a person by type, in order of time, with the keys that filters compare. They are the same for the same arguments of
/// [`generate`](Self::generate); a test may change them.
#[derive(Clone, Debug)]
pub struct Data {
    /// The person.
    pub identity: Identity,
    /// Points by type.
    pub points: BTreeMap<&'static str, Vec<(String, DataPoint)>>,
    /// Sums of days by type.
    pub sums: BTreeMap<&'static str, BTreeMap<NaiveDate, RollUp>>,
    noise: Noise,
    offset: FixedOffset,
}

impl Data {
    /// Makes points for some days up to the last, in the time of a fixed offset.
    pub fn generate(seed: u64, offset: FixedOffset, last: NaiveDate, days: u32) -> Self {
        let mut data = Self {
            identity: Identity {
                name: None,
                health_user_id: format!("person-{seed}"),
                legacy_user_id: None,
            },
            points: BTreeMap::new(),
            sums: BTreeMap::new(),
            noise: Noise::new(seed),
            offset,
        };
        last_days(last, days).for_each(|day| data.add_day(day));
        data
    }

    /// Adds the points and the sums of a day.
    pub fn add_day(&mut self, day: NaiveDate) {
        let noise = self.noise.for_day(day);
        let of = |purpose: u64| noise.derive(purpose);
        self.add_sums(day, of(1));
        self.add_daily(day, of(2));
        self.add_sleep(day, of(3));
        if of(4).is_one_in(5) {
            self.add_nap(day, of(4).derive(1));
        }
        if of(5).is_one_in(3) {
            self.add_exercise(day, of(5).derive(1));
        }
        for minute in (0..1_440_i64).step_by(15) {
            self.add_samples(day, minute, of(6).derive(minute.unsigned_abs()));
        }
        self.add_measurements(day, of(7));
    }

    fn add(&mut self, data_type: &'static str, key: String, point: Value) {
        // Made-up points are those of the document; tests count them.
        if let Ok(point) = serde_json::from_value(point) {
            self.points.entry(data_type).or_default().push((key, point));
        }
    }

    fn add_sum(&mut self, data_type: &'static str, day: NaiveDate, member: &str, sum: &Value) {
        let mut window = json!({"civilStartTime": {"date": date(day)}});
        window[member] = sum.clone();
        if let Ok(window) = serde_json::from_value(window) {
            self.sums.entry(data_type).or_default().insert(day, window);
        }
    }

    fn add_sums(&mut self, day: NaiveDate, noise: Noise) {
        let steps = noise.within(1_500..16_000);
        self.add_sum("steps", day, "steps", &json!({"countSum": steps.to_string()}));
        self.add_sum(
            "floors",
            day,
            "floors",
            &json!({"countSum": noise.derive(1).within(0..20).to_string()}),
        );
        self.add_sum(
            "distance",
            day,
            "distance",
            &json!({"millimetersSum": (steps * 750).to_string()}),
        );
        let active = steps as f64 / 25.0;
        self.add_sum(
            "active-energy-burned",
            day,
            "activeEnergyBurned",
            &json!({"kcalSum": active}),
        );
        self.add_sum(
            "total-calories",
            day,
            "totalCalories",
            &json!({"kcalSum": 1_600.5 + active}),
        );
        let level = |name: &str, minutes: i64| json!({"activityLevel": name, "activeMinutesSum": minutes.to_string()});
        let levels = [
            level("LIGHT", steps / 60),
            level("MODERATE", steps / 300),
            level("VIGOROUS", steps / 900),
        ];
        self.add_sum(
            "active-minutes",
            day,
            "activeMinutes",
            &json!({"activeMinutesRollupByActivityLevel": levels}),
        );
        let range = json!({"beatsPerMinuteAvg": 68.5, "beatsPerMinuteMin": 45, "beatsPerMinuteMax": 150});
        self.add_sum("heart-rate", day, "heartRate", &range);
    }

    fn add_daily(&mut self, day: NaiveDate, noise: Noise) {
        let number = |purpose: u64, range| noise.derive(purpose).within(range);
        let resting = json!({"date": date(day), "beatsPerMinute": number(1, 45..65).to_string()});
        self.add(
            "daily-resting-heart-rate",
            day.to_string(),
            json!({"dailyRestingHeartRate": resting}),
        );
        let variability = json!({"date": date(day), "averageHeartRateVariabilityMilliseconds": number(2, 20..90)});
        self.add(
            "daily-heart-rate-variability",
            day.to_string(),
            json!({"dailyHeartRateVariability": variability}),
        );
        let breaths = json!({"date": date(day), "breathsPerMinute": number(3, 120..170) as f64 / 10.0});
        self.add(
            "daily-respiratory-rate",
            day.to_string(),
            json!({"dailyRespiratoryRate": breaths}),
        );
        let nightly = number(4, 330..350) as f64 / 10.0;
        let temperature =
            json!({"date": date(day), "nightlyTemperatureCelsius": nightly, "baselineTemperatureCelsius": 34.1});
        self.add(
            "daily-sleep-temperature-derivations",
            day.to_string(),
            json!({"dailySleepTemperatureDerivations": temperature}),
        );
        if day.num_days_from_ce() % 7 == 0 {
            let estimate = json!({"date": date(day), "vo2Max": number(5, 380..440) as f64 / 10.0, "estimated": true});
            self.add("daily-vo2-max", day.to_string(), json!({"dailyVo2Max": estimate}));
        }
    }

    /// Adds the night that ends on a day. It begins on the day before.
    fn add_sleep(&mut self, day: NaiveDate, noise: Noise) {
        let start = local_time(self.offset, day, -noise.within(10..120));
        self.add_session(format!("night-{day}"), start, noise.derive(1).within(13..18), false);
    }

    fn add_nap(&mut self, day: NaiveDate, noise: Noise) {
        let start = local_time(self.offset, day, noise.within(780..1_000));
        self.add_session(format!("nap-{day}"), start, 2, true);
    }

    /// Adds a sleep of stages of half an hour.
    fn add_session(&mut self, id: String, start: DateTime, stages: i64, is_nap: bool) {
        let kinds = ["LIGHT", "DEEP", "LIGHT", "REM", "AWAKE"];
        let kind = |index: i64| kinds[index.unsigned_abs() as usize % kinds.len()];
        let time = |index: i64| start + TimeDelta::minutes(30 * index);
        let all: Vec<_> = (0..stages)
            .map(|index| json!({"startTime": utc(time(index)), "endTime": utc(time(index + 1)), "type": kind(index)}))
            .collect();
        let minutes = |of: &str| (0..stages).filter(|index| kind(*index) == of).count() as i64 * 30;
        let asleep = stages * 30 - minutes("AWAKE");
        let of_stage = |name: &str| json!({"type": name, "minutes": minutes(name).to_string(), "count": "1"});
        let sleep = json!({
            "interval": interval(start, time(stages)),
            "type": "STAGES",
            "stages": all,
            "summary": {
                "minutesInSleepPeriod": (stages * 30).to_string(), "minutesAsleep": asleep.to_string(),
                "minutesAwake": minutes("AWAKE").to_string(), "minutesToFallAsleep": "8",
                "stagesSummary": [of_stage("DEEP"), of_stage("LIGHT"), of_stage("REM")],
            },
            "metadata": {"nap": is_nap, "processed": true, "stagesStatus": "SUCCEEDED"},
        });
        let name = format!("users/h1/dataTypes/sleep/dataPoints/{id}");
        self.add(
            "sleep",
            utc(time(stages)),
            json!({"name": name, "dataSource": source(), "sleep": sleep}),
        );
    }

    fn add_exercise(&mut self, day: NaiveDate, noise: Noise) {
        // Some end shortly before midnight, which is the next day in UTC in the west of it.
        let start = local_time(self.offset, day, noise.within(400..1_370));
        let minutes = noise.derive(1).within(20..69);
        let kinds = ["RUNNING", "BIKING", "HIIT", "YOGA"];
        let exercise = json!({
            "interval": interval(start, start + TimeDelta::minutes(minutes)),
            "exerciseType": kinds[noise.derive(2).within(0..4).unsigned_abs() as usize % kinds.len()],
            "displayName": "After work",
            "activeDuration": format!("{}s", minutes * 55),
            "metricsSummary": {
                "caloriesKcal": minutes as f64 * 7.5, "distanceMillimeters": minutes * 150_000,
                "steps": (minutes * 160).to_string(), "averageHeartRateBeatsPerMinute": "140",
                "heartRateZoneDurations": {"lightTime": "120s", "moderateTime": "600s"},
            },
        });
        let name = format!("users/h1/dataTypes/exercise/dataPoints/exercise-{day}");
        let key = start.naive_local().format("%Y-%m-%dT%H:%M:%S").to_string();
        self.add(
            "exercise",
            key,
            json!({"name": name, "dataSource": source(), "exercise": exercise}),
        );
    }

    fn add_samples(&mut self, day: NaiveDate, minute: i64, noise: Noise) {
        let start = local_time(self.offset, day, minute);
        let (time, key) = (sample_time(start), utc(start));
        let bpm = noise.within(45..120).to_string();
        self.add(
            "heart-rate",
            key.clone(),
            json!({"dataSource": source(), "heartRate": {"sampleTime": time, "beatsPerMinute": bpm}}),
        );
        let steps = noise.derive(1).within(0..900);
        let interval = interval(start, start + TimeDelta::minutes(15));
        self.add(
            "steps",
            key.clone(),
            json!({"steps": {"interval": interval, "count": steps.to_string()}}),
        );
        self.add(
            "distance",
            key.clone(),
            json!({"distance": {"interval": interval, "millimeters": (steps * 750).to_string()}}),
        );
        if noise.derive(2).is_one_in(4) {
            let milliseconds = noise.derive(3).within(20..90);
            let variability =
                json!({"sampleTime": time, "rootMeanSquareOfSuccessiveDifferencesMilliseconds": milliseconds});
            self.add(
                "heart-rate-variability",
                key.clone(),
                json!({"heartRateVariability": variability}),
            );
            let oxygen = json!({"sampleTime": time, "percentage": noise.derive(4).within(920..1_000) as f64 / 10.0});
            self.add("oxygen-saturation", key, json!({"oxygenSaturation": oxygen}));
        }
    }

    fn add_measurements(&mut self, day: NaiveDate, noise: Noise) {
        let start = local_time(self.offset, day, noise.within(5..1_435));
        let (time, key) = (sample_time(start), utc(start));
        let grams = noise.derive(1).within(60_000..90_000);
        self.add(
            "weight",
            key.clone(),
            json!({"weight": {"sampleTime": time, "weightGrams": grams}}),
        );
        if noise.derive(2).is_one_in(2) {
            let percentage = noise.derive(3).within(100..300) as f64 / 10.0;
            self.add(
                "body-fat",
                key.clone(),
                json!({"bodyFat": {"sampleTime": time, "percentage": percentage}}),
            );
        }
        if noise.derive(4).is_one_in(6) {
            let celsius = noise.derive(5).within(360..380) as f64 / 10.0;
            let member = if noise.derive(6).is_one_in(2) {
                "celsius"
            } else {
                "temperatureCelsius"
            };
            self.add(
                "core-body-temperature",
                key.clone(),
                json!({"coreBodyTemperature": {"sampleTime": time, member: celsius}}),
            );
            let milligrams = noise.derive(7).within(70..140);
            let glucose = json!({"sampleTime": time, "bloodGlucoseMilligramsPerDeciliter": milligrams});
            self.add("blood-glucose", key.clone(), json!({"bloodGlucose": glucose}));
        }
        if day.num_days_from_ce() % 20 == 0 {
            let height = json!({"sampleTime": time, "heightMillimeters": "1780"});
            self.add("height", key.clone(), json!({"height": height}));
        }
        let drink = json!({"interval": interval(start, start), "amountConsumed": {"milliliters": noise.derive(8).within(100..500)}});
        self.add(
            "hydration-log",
            key,
            json!({"name": "users/h1/dataTypes/hydration-log/dataPoints/w1", "hydrationLog": drink}),
        );
    }
}

fn source() -> Value {
    json!({"platform": "FITBIT", "recordingMethod": "DERIVED", "device": {"displayName": "Band X", "formFactor": "FITNESS_BAND"}})
}

fn date(day: NaiveDate) -> Value {
    json!({"year": day.year(), "month": day.month(), "day": day.day()})
}

fn offset(time: DateTime) -> String {
    format!("{}s", time.offset().local_minus_utc())
}

fn utc(time: DateTime) -> String {
    time.to_utc().to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn sample_time(time: DateTime) -> Value {
    json!({"physicalTime": utc(time), "utcOffset": offset(time)})
}

fn interval(start: DateTime, end: DateTime) -> Value {
    json!({"startTime": utc(start), "startUtcOffset": offset(start), "endTime": utc(end), "endUtcOffset": offset(end)})
}
