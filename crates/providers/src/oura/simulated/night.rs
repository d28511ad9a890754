//! Made-up nights and naps.

use chrono::{FixedOffset, NaiveDate, TimeDelta};
use wearlab_models::DateTime;

use super::super::generated::models::{Samples, Sleep, SleepReadiness, SleepType};
use crate::simulated::local_time::local_time;
use crate::simulated::noise::Noise;

/// Length of an epoch of stages, in s.
const EPOCH: i64 = 30;
/// Interval of samples, in s.
const INTERVAL: i64 = 300;

/// Makes the night that ends on a day. It begins on the day before.
pub(super) fn night(noise: Noise, offset: FixedOffset, day: NaiveDate) -> Sleep {
    let noise = noise.derive(100);
    let start = local_time(offset, day, -noise.derive(1).within(10..120));
    let epochs = noise.derive(2).within(780..1_020);
    sleep(noise, format!("sleep-{day}"), day, start, epochs, SleepType::LongSleep)
}

/// Makes a short sleep in the afternoon of a day, of any kind.
pub(super) fn nap(noise: Noise, offset: FixedOffset, day: NaiveDate, kind: SleepType) -> Sleep {
    let noise = noise.derive(200);
    let start = local_time(offset, day, noise.derive(1).within(780..1_000));
    let epochs = noise.derive(2).within(40..120);
    sleep(noise, format!("nap-{day}"), day, start, epochs, kind)
}

fn sleep(noise: Noise, id: String, day: NaiveDate, start: DateTime, epochs: i64, kind: SleepType) -> Sleep {
    let is_night = kind == SleepType::LongSleep;
    let phases = phases(epochs, noise.derive(3).within(4..40));
    let seconds = |digit| phases.matches(digit).count() as i64 * EPOCH;
    let (deep, light, rem, awake) = (seconds('1'), seconds('2'), seconds('3'), seconds('4'));
    let in_bed = epochs * EPOCH;
    let total = deep + light + rem;
    let samples = |purpose: u64, range: std::ops::Range<i64>| {
        let noise = noise.derive(purpose);
        let value = |index: i64| noise.derive(index.unsigned_abs());
        let items = (0..in_bed / INTERVAL).map(|index| {
            let is_missing = value(index).derive(1).is_one_in(20);
            (!is_missing).then(|| value(index).within(range.clone()) as f64)
        });
        Samples {
            interval: INTERVAL as f64,
            items: items.collect(),
            timestamp: start,
        }
    };
    Sleep {
        id,
        day,
        bedtime_start: start,
        bedtime_end: start + TimeDelta::seconds(in_bed),
        type_: Some(kind),
        period: Some(i64::from(!is_night)),
        time_in_bed: in_bed,
        total_sleep_duration: Some(total),
        awake_time: Some(awake),
        light_sleep_duration: Some(light),
        rem_sleep_duration: Some(rem),
        deep_sleep_duration: Some(deep),
        latency: Some(phases.bytes().take_while(|digit| *digit == b'4').count() as i64 * EPOCH),
        efficiency: Some(total * 100 / in_bed),
        restless_periods: Some(noise.derive(4).within(0..200)),
        average_heart_rate: Some(noise.derive(5).within(480..620) as f64 / 10.0),
        lowest_heart_rate: Some(noise.derive(6).within(40..50)),
        average_hrv: Some(noise.derive(7).within(25..90)),
        average_breath: Some(noise.derive(8).within(120..170) as f64 / 10.0),
        heart_rate: Some(samples(9, 45..65)),
        hrv: Some(samples(10, 20..110)),
        sleep_phase_30_sec: Some(phases),
        sleep_phase_5_min: None,
        movement_30_sec: None,
        readiness: is_night.then(|| SleepReadiness {
            score: (!noise.derive(11).is_one_in(4)).then(|| noise.derive(11).within(50..100)),
            temperature_deviation: Some(noise.derive(12).within(-60..60) as f64 / 100.0),
            temperature_trend_deviation: None,
        }),
        low_battery_alert: Some(false),
        ring_id: Some("ring-1".to_owned()),
        sleep_analysis_reason: Some("foreground_sleep_analysis".to_owned()),
    }
}

/// Returns a digit for each epoch: cycles of 90 minutes after falling asleep, deep ones first.
fn phases(epochs: i64, latency: i64) -> String {
    let phase = |epoch: i64| match (epoch - latency, (epoch - latency).rem_euclid(180)) {
        (..0, _) => '4',
        (..360, 50..100) => '1',
        (_, 140..175) => '3',
        (_, 175..) => '4',
        _ => '2',
    };
    (0..epochs).map(phase).collect()
}
