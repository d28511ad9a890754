//! Made-up nights and their stages.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::super::generated::models::{Night, NightData, SleepState, Stage};
use crate::simulated::noise::Noise;

/// Length of a stage, in s.
const STAGE: i64 = 1_800;
/// Interval of samples, in s.
const INTERVAL: i64 = 300;

/// Makes a night that ends on a day, and its stages. It has its id, its day and its start.
pub(super) fn night(
    noise: Noise,
    (id, day, start): (i64, NaiveDate, i64),
    device: &str,
    model: i64,
    zone: &str,
) -> (Night, Vec<Stage>) {
    let length = noise.derive(1).within(12..18);
    let stage = |index: i64| {
        let state = match (index, index % 5) {
            (0, _) => SleepState::Awake,
            (_, 0 | 2) => SleepState::Light,
            (_, 1) => SleepState::Deep,
            (_, 3) => SleepState::Rem,
            _ if noise.derive(9).derive(index.unsigned_abs()).is_one_in(2) => SleepState::OutOfBed,
            _ => SleepState::Unspecified,
        };
        let startdate = start + index * STAGE;
        let samples = |purpose: u64, range: std::ops::Range<i64>| -> BTreeMap<String, Option<f64>> {
            let times = (startdate..startdate + STAGE).step_by(INTERVAL as usize);
            let value = |time: i64| noise.derive(purpose).derive(time.unsigned_abs()).within(range.clone()) as f64;
            times.map(|time| (time.to_string(), Some(value(time)))).collect()
        };
        Stage {
            startdate,
            enddate: startdate + STAGE,
            state,
            hash_deviceid: Some(device.to_owned()),
            hr: samples(2, 45..65),
            rr: samples(3, 11..17),
            // Some are 0, which was not measured.
            rmssd: samples(4, -20..90)
                .into_iter()
                .map(|(time, value)| (time, value.map(|value| value.max(0.0))))
                .collect(),
            sdnn_1: BTreeMap::new(),
            snoring: BTreeMap::new(),
        }
    };
    let stages: Vec<_> = (0..length).map(stage).collect();
    let seconds = |states: &[SleepState]| {
        let of_state = stages.iter().filter(|stage| states.contains(&stage.state));
        Some(of_state.count() as f64 * STAGE as f64)
    };
    let awake = seconds(&[SleepState::Awake, SleepState::OutOfBed]);
    let (in_bed, asleep) = (length * STAGE, (length * STAGE) as f64 - awake.unwrap_or(0.0));
    let night = Night {
        id,
        timezone: Some(zone.to_owned()),
        model: Some(model),
        model_id: Some(if model == 32 { 63 } else { 93 }),
        hash_deviceid: Some(device.to_owned()),
        startdate: start,
        enddate: start + in_bed,
        date: Some(day),
        created: Some(start + in_bed + 60),
        modified: Some(start + in_bed + 60),
        completed: Some(true),
        data: Some(NightData {
            total_timeinbed: Some(in_bed as f64),
            total_sleep_time: Some(asleep),
            asleepduration: None,
            lightsleepduration: seconds(&[SleepState::Light]),
            deepsleepduration: seconds(&[SleepState::Deep]),
            remsleepduration: seconds(&[SleepState::Rem]),
            wakeupduration: awake,
            wakeupcount: Some(2.0),
            waso: Some(300.0),
            sleep_efficiency: Some(asleep / in_bed as f64),
            sleep_latency: Some(STAGE as f64),
            sleep_score: Some(noise.derive(5).within(50..100) as f64),
            hr_average: Some(noise.derive(6).within(50..60) as f64),
            hr_min: Some(noise.derive(7).within(42..48) as f64),
            hr_max: Some(80.0),
            rr_average: Some(14.0),
            rmssd_start_avg: Some(noise.derive(8).within(20..60) as f64),
            rmssd_end_avg: Some(0.0),
            core_body_temperature_avg: None,
            snoring: Some(0.0),
            apnea_hypopnea_index: None,
        }),
    };
    (night, stages)
}
