//! Made-up data of a person.

use std::collections::BTreeMap;

use chrono::{FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};

use super::super::generated::models::{
    Activity, ActivitySamples, ActivityZone, ActivityZoneSample, ActivityZoneSamples, BodyTemperature,
    ContinuousHeartRate, Ecg, EcgSample, Exercise, Gender, HeartRateSample, HeartRateSummary, HeartRateZone, Location,
    NightlyRecharge, PhysicalInfo, SampleType, Samples, SensorLocation, SkinTemperature, Sleep, Spo2Test,
    Spo2TestStatus, StepSample, StepSamples, TemperatureSample, TemperatureType,
};
use super::night::night;
use crate::days::last_days;
use crate::simulated::local_time::local_time;
use crate::simulated::noise::Noise;

/// Data of a person. They are the same for the same arguments of [`generate`](Self::generate); a test may change them.
#[derive(Clone, Debug)]
pub struct Data {
    /// Id of the person.
    pub user_id: i64,
    /// True if the person is registered.
    pub is_registered: bool,
    /// True if the person has accepted all consents.
    pub has_consents: bool,
    /// Day on which lists end.
    pub today: NaiveDate,
    /// Nights, by their days.
    pub nights: Vec<Sleep>,
    /// Recharge of the nights.
    pub recharges: Vec<NightlyRecharge>,
    /// Temperatures of the skin in the nights.
    pub skin: Vec<SkinTemperature>,
    /// Activity of days.
    pub activity: BTreeMap<NaiveDate, Activity>,
    /// Heart rate of days.
    pub heart_rate: BTreeMap<NaiveDate, ContinuousHeartRate>,
    /// Exercises.
    pub exercises: Vec<Exercise>,
    /// Periods of temperature, by their days in UTC.
    pub temperatures: BTreeMap<NaiveDate, BodyTemperature>,
    /// Tests of blood oxygen, by their days in UTC.
    pub tests: BTreeMap<NaiveDate, Spo2Test>,
    /// Electrocardiograms, by their days in UTC.
    pub cardiograms: BTreeMap<NaiveDate, Ecg>,
    /// Physical information.
    pub info: PhysicalInfo,
    noise: Noise,
    offset: FixedOffset,
}

/// Purposes of made-up numbers.
#[derive(Clone, Copy)]
enum Purpose {
    Worn = 1,
    Steps,
    Rate,
    Exercise,
    Minutes,
    Start,
    Sport,
    Temperature,
    Oxygen,
    Cardiogram,
}

impl Data {
    /// Makes the data of some days up to the last, in the time of a fixed offset. The person is not registered yet.
    pub fn generate(seed: u64, offset: FixedOffset, last: NaiveDate, days: u32) -> Self {
        let noise = Noise::new(seed);
        let info = PhysicalInfo {
            weight: Some(noise.derive(1).within(500..1_000) as f64 / 10.0),
            weight_source: Some("SOURCE_MEASURED".to_owned()),
            height: Some(noise.derive(2).within(150..200) as f64),
            birthday: NaiveDate::from_ymd_opt(1985, 6, 1),
            gender: Some(if noise.derive(3).is_one_in(2) {
                Gender::Female
            } else {
                Gender::Male
            }),
            maximum_heart_rate: Some(187),
            resting_heart_rate: Some(51),
            vo2_max: Some(noise.derive(4).within(35..55)),
            created: None,
            modified: Some(local_time(offset, last, 480)),
        };
        let mut data = Self {
            user_id: 5_000 + i64::try_from(seed % 1_000).unwrap_or_default(),
            is_registered: false,
            has_consents: true,
            today: last,
            nights: Vec::new(),
            recharges: Vec::new(),
            skin: Vec::new(),
            activity: BTreeMap::new(),
            heart_rate: BTreeMap::new(),
            exercises: Vec::new(),
            temperatures: BTreeMap::new(),
            tests: BTreeMap::new(),
            cardiograms: BTreeMap::new(),
            info,
            noise,
            offset,
        };
        last_days(last, days).for_each(|day| data.add_day(day));
        data
    }

    /// Adds the data of a day. Now and then there are none, since the watch is not worn.
    pub fn add_day(&mut self, day: NaiveDate) {
        let noise = self.noise.for_day(day);
        let of = |purpose: Purpose| noise.derive(purpose as u64);
        if of(Purpose::Worn).is_one_in(19) {
            return;
        }
        let (sleep, recharge, skin) = night(noise, self.offset, day);
        self.nights.push(sleep);
        self.recharges.push(recharge);
        self.skin.push(skin);
        self.activity.insert(day, activity(of(Purpose::Steps), day));
        self.heart_rate.insert(day, heart_rate(of(Purpose::Rate), day));
        if of(Purpose::Exercise).is_one_in(2) {
            self.exercises.push(self.exercise(noise, day));
        }
        // In the evening, which may be the next day in UTC, or in the morning.
        let evening = local_time(self.offset, day, 1_380);
        let temperature = self.temperature(of(Purpose::Temperature), day);
        self.temperatures.insert(evening.to_utc().date_naive(), temperature);
        if of(Purpose::Oxygen).is_one_in(2) {
            let has_passed = !of(Purpose::Oxygen).derive(1).is_one_in(4);
            let test = Spo2Test {
                source_device_id: Some("AB12".to_owned()),
                test_time: evening.timestamp(),
                time_zone_offset: Some(i64::from(self.offset.local_minus_utc() / 60)),
                test_status: Some(match has_passed {
                    true => Spo2TestStatus::Spo2TestPassed,
                    false => Spo2TestStatus::Spo2TestInconclusiveTooLowOverallQuality,
                }),
                blood_oxygen_percent: Some(of(Purpose::Oxygen).derive(2).within(93..100)),
                average_heart_rate_bpm: Some(58),
                heart_rate_variability_ms: Some(61.0),
            };
            self.tests.insert(evening.to_utc().date_naive(), test);
        }
        if of(Purpose::Cardiogram).is_one_in(3) {
            let start = local_time(self.offset, day, 540);
            let sample = |index: i64| EcgSample {
                recording_time_delta_ms: index * 8,
                amplitude_mv: of(Purpose::Cardiogram).derive(index.unsigned_abs()).within(-50..150) as f64 / 100.0,
            };
            let cardiogram = Ecg {
                source_device_id: Some("AB12".to_owned()),
                test_time: start.timestamp_millis(),
                time_zone_offset: Some(i64::from(self.offset.local_minus_utc() / 60)),
                average_heart_rate_bpm: Some(60),
                heart_rate_variability_ms: None,
                samples: (0..125).map(sample).collect(),
            };
            self.cardiograms.insert(start.to_utc().date_naive(), cardiogram);
        }
    }

    fn temperature(&self, noise: Noise, day: NaiveDate) -> BodyTemperature {
        let start = local_time(self.offset, day, 1_380).naive_utc();
        let text = |time: NaiveDateTime| time.format("%Y-%m-%dT%H:%M:%S").to_string();
        BodyTemperature {
            source_device_id: Some("AB12".to_owned()),
            measurement_type: Some(TemperatureType::TmSkinTemperature),
            sensor_location: Some(SensorLocation::SlDistal),
            start_time: text(start),
            end_time: Some(text(start + TimeDelta::minutes(30))),
            modified_time: None,
            samples: (0..6_i64)
                .map(|index| TemperatureSample {
                    temperature_celsius: noise.derive(index.unsigned_abs()).within(330..360) as f64 / 10.0,
                    recording_time_delta_milliseconds: index * 300_000,
                })
                .collect(),
        }
    }

    fn exercise(&self, noise: Noise, day: NaiveDate) -> Exercise {
        let of = |purpose: Purpose| noise.derive(100 + purpose as u64);
        let minutes = of(Purpose::Minutes).within(20..50);
        let (sport, detailed) = [("RUNNING", "TRAIL_RUNNING"), ("CYCLING", "CYCLING"), ("OTHER", "OTHER")]
            [of(Purpose::Sport).within(0..3).unsigned_abs() as usize % 3];
        // Some begin shortly before midnight.
        let start = day.and_time(NaiveTime::MIN) + TimeDelta::minutes(of(Purpose::Start).within(5..1_435));
        let count = minutes * 12;
        let series = |value: &dyn Fn(i64) -> String| (0..count).map(value).collect::<Vec<_>>().join(",");
        let rate = |index: i64| match of(Purpose::Rate).derive(index.unsigned_abs()) {
            noise if noise.derive(1).is_one_in(40) => "null".to_owned(),
            noise if noise.derive(2).is_one_in(40) => "0".to_owned(),
            noise => noise.within(95..170).to_string(),
        };
        let samples = |kind: SampleType, data: String| Samples {
            recording_rate: Some(5),
            sample_type: kind,
            data,
        };
        Exercise {
            id: format!("E{day}"),
            upload_time: None,
            start_time: start.format("%Y-%m-%dT%H:%M:%S").to_string(),
            start_time_utc_offset: Some(i64::from(self.offset.local_minus_utc() / 60)),
            duration: format!("PT{minutes}M0.5S"),
            calories: Some(minutes * 9),
            distance: Some(minutes as f64 * 150.0),
            heart_rate: Some(HeartRateSummary {
                average: Some(132),
                maximum: Some(169),
            }),
            sport: Some(sport.to_owned()),
            detailed_sport_info: Some(detailed.to_owned()),
            training_load: Some(88.2),
            has_route: Some(sport == "RUNNING"),
            device: Some("Polar Grit X".to_owned()),
            device_id: Some("AB12".to_owned()),
            heart_rate_zones: (1..=5)
                .map(|index| HeartRateZone {
                    index,
                    lower_limit: Some(80 + index * 18),
                    upper_limit: Some(98 + index * 18),
                    in_zone: Some(format!("PT{}S", minutes * 12)),
                })
                .collect(),
            samples: vec![
                samples(SampleType::Text("0".to_owned()), series(&rate)),
                samples(
                    SampleType::Number(10),
                    series(&|index| format!("{:.1}", index as f64 * 12.5)),
                ),
                samples(SampleType::Text("3".to_owned()), series(&|_| "42".to_owned())),
            ],
            route: match sport {
                "RUNNING" => vec![location(60.17, 24.94, 0), location(60.171, 24.942, 5)],
                _ => Vec::new(),
            },
        }
    }
}

fn location(latitude: f64, longitude: f64, seconds: i64) -> Location {
    Location {
        latitude,
        longitude,
        time: format!("PT{seconds}S"),
    }
}

fn text(day: NaiveDate, minutes: i64) -> String {
    let time = day.and_time(NaiveTime::MIN) + TimeDelta::minutes(minutes);
    time.format("%Y-%m-%dT%H:%M:%S").to_string()
}

fn activity(noise: Noise, day: NaiveDate) -> Activity {
    let steps = (0..96_i64).map(|index| (index, noise.derive(index.unsigned_abs()).within(0..200)));
    let steps: Vec<_> = steps.filter(|(index, _)| *index > 28).collect();
    let total = steps.iter().map(|(_, steps)| steps).sum();
    let zone = |zone: ActivityZone, minutes: i64| ActivityZoneSample {
        zone,
        timestamp: text(day, minutes),
    };
    Activity {
        start_time: text(day, 0),
        end_time: Some(text(day, 1_439)),
        active_duration: Some("PT3H11M".to_owned()),
        inactive_duration: Some("PT9H".to_owned()),
        daily_activity: Some(89.1),
        calories: Some(1_600 + total / 25),
        active_calories: Some(total / 25),
        steps: Some(total),
        distance_from_steps: Some(total as f64 * 0.7),
        samples: Some(ActivitySamples {
            date: None,
            steps: Some(StepSamples {
                interval_ms: Some(900_000),
                total_steps: Some(total),
                // Repeated values are left out.
                samples: steps
                    .chunk_by(|(_, one), (_, other)| one == other)
                    .map(|repeated| &repeated[0])
                    .map(|(index, steps)| StepSample {
                        steps: *steps,
                        timestamp: text(day, index * 15),
                    })
                    .collect(),
            }),
            activity_zones: Some(ActivityZoneSamples {
                samples: vec![
                    zone(ActivityZone::Sleep, 0),
                    zone(ActivityZone::Light, 420),
                    zone(ActivityZone::Moderate, 510),
                    zone(ActivityZone::Vigorous, 560),
                    zone(ActivityZone::Sedentary, 585),
                    zone(ActivityZone::Light, 1_380),
                ],
            }),
        }),
    }
}

fn heart_rate(noise: Noise, day: NaiveDate) -> ContinuousHeartRate {
    let sample = |index: i64| HeartRateSample {
        heart_rate: noise.derive(index.unsigned_abs()).within(46..95),
        sample_time: format!("{:02}:{:02}:08", index / 12, index % 12 * 5 + 2),
    };
    ContinuousHeartRate {
        date: day,
        heart_rate_samples: (0..288).map(sample).collect(),
    }
}
