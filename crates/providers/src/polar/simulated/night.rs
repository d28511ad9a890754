//! Made-up nights, with clock times alone.

use std::collections::BTreeMap;

use chrono::{FixedOffset, NaiveDate, TimeDelta};
use wearlab_models::DateTime;

use super::super::generated::models::{NightlyRecharge, SkinTemperature, Sleep};
use crate::simulated::local_time::local_time;
use crate::simulated::noise::Noise;

/// Makes the night that ends on a day, with its recharge and the temperature of the skin.
pub(super) fn night(noise: Noise, offset: FixedOffset, day: NaiveDate) -> (Sleep, NightlyRecharge, SkinTemperature) {
    let of = |purpose: u64| noise.derive(1_000 + purpose);
    let seconds = of(1).within(0..60);
    let start = local_time(offset, day, -of(2).within(-90..120)) + TimeDelta::seconds(seconds);
    let minutes = of(3).within(390..510);
    let end = start + TimeDelta::minutes(minutes);
    let clock = |minute: i64| clock(start + TimeDelta::minutes(minute));
    // Cycles of 90 minutes, each with a stage every 15.
    let stages = (0..minutes).step_by(15).map(|minute| {
        let stage = match (minute / 15) % 6 {
            0 => 2,
            1 => 3,
            2 | 3 => 4,
            4 => 1,
            _ => i64::from(minute > 60 && minute % 180 == 75) * 5,
        };
        (clock(minute), stage)
    });
    let hypnogram: BTreeMap<String, i64> = stages.collect();
    let count = |stages: &[i64]| {
        let starts = (0..minutes).step_by(15);
        let of_stage = starts.filter(|minute| {
            hypnogram
                .get(&clock(*minute))
                .is_some_and(|stage| stages.contains(stage))
        });
        of_stage.map(|minute| (minutes - minute).min(15) * 60).sum::<i64>()
    };
    let samples = |purpose: u64, range: std::ops::Range<i64>| -> BTreeMap<String, f64> {
        let minutes = (30..270).step_by(5);
        let value = |minute: i64| of(purpose).derive(minute.unsigned_abs()).within(range.clone()) as f64 / 10.0;
        minutes.map(|minute| (clock(minute), value(minute))).collect()
    };
    let sleep = Sleep {
        date: day,
        sleep_start_time: start,
        sleep_end_time: end,
        device_id: Some("AB12".to_owned()),
        light_sleep: Some(count(&[2, 3])),
        deep_sleep: Some(count(&[4])),
        rem_sleep: Some(count(&[1])),
        unrecognized_sleep_stage: Some(count(&[5])),
        total_interruption_duration: Some(count(&[0])),
        sleep_score: Some(of(4).within(50..100)),
        sleep_charge: Some(3),
        continuity: Some(2.8),
        sleep_cycles: Some(5),
        hypnogram,
        heart_rate_samples: (0..minutes).step_by(5).map(|minute| (clock(minute), 58)).collect(),
    };
    let recharge = NightlyRecharge {
        date: day,
        heart_rate_avg: Some(of(5).within(45..60) as f64),
        heart_rate_variability_avg: Some(of(6).within(25..90) as f64),
        beat_to_beat_avg: Some(1_150.0),
        breathing_rate_avg: Some(of(7).within(120..170) as f64 / 10.0),
        nightly_recharge_status: Some(4),
        ans_charge: Some(2.3),
        ans_charge_status: Some(4),
        hrv_samples: samples(8, 200..900),
        breathing_samples: samples(9, 120..170),
    };
    let skin = SkinTemperature {
        sleep_date: day,
        sleep_time_skin_temperature_celsius: Some(of(10).within(330..360) as f64 / 10.0),
        deviation_from_baseline_celsius: Some(of(11).within(-10..10) as f64 / 10.0),
    };
    (sleep, recharge, skin)
}

/// Returns a time as its clock shows it, without seconds.
fn clock(time: DateTime) -> String {
    time.format("%H:%M").to_string()
}
