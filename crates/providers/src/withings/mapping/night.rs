//! Conversion of nights.

use chrono::NaiveDate;
use serde_json::json;
use wearlab_connect::{Reading, Refusal};
use wearlab_models::ResourceName;

use super::super::generated::models::{Night, NightData};
use super::numbers::{measured, whole};
use super::times::{time_in, with_source};
use crate::numbers::rounded;
use crate::zones::Zone;

/// Model of mats.
const MAT: i64 = 32;

/// Returns the sleep of a night.
///
/// # Errors
///
/// If a time is out of range.
pub fn sleep(night: &Night) -> Result<Reading, Refusal> {
    let zone = Zone::named(night.timezone.as_deref());
    let (start, end) = (time_in(&zone, night.startdate)?, time_in(&zone, night.enddate)?);
    let day = night.date.unwrap_or(end.date_naive());
    let of = |member: fn(&NightData) -> Option<f64>| night.data.as_ref().and_then(member);
    let seconds = |member| of(member).map(whole);
    let light = seconds(|data| data.lightsleepduration).unwrap_or(0);
    let rem = seconds(|data| data.remsleepduration).unwrap_or(0);
    let deep = seconds(|data| data.deepsleepduration).unwrap_or(0);
    let total = seconds(|data| data.total_sleep_time.or(data.asleepduration));
    let variability = [of(|data| data.rmssd_start_avg), of(|data| data.rmssd_end_avg)];
    let value = json!({
        "provider_id": night.id.to_string(),
        "calendar_date": day,
        "bedtime_start": start.to_rfc3339(),
        "bedtime_stop": end.to_rfc3339(),
        "type": "unknown",
        "timezone_offset": zone.offset(end),
        "duration": seconds(|data| data.total_timeinbed).unwrap_or((end - start).num_seconds()),
        "total": total.unwrap_or(light + rem + deep),
        "awake": seconds(|data| data.wakeupduration).unwrap_or(0),
        "light": light,
        "rem": rem,
        "deep": deep,
        "score": of(|data| data.sleep_score),
        "hr_lowest": measured(of(|data| data.hr_min)),
        "hr_average": measured(of(|data| data.hr_average)),
        "efficiency": of(|data| data.sleep_efficiency).map(|share| rounded(share * 100.0, 2)),
        "latency": seconds(|data| data.sleep_latency),
        "state": night.completed.map(|completed| if completed { "confirmed" } else { "tentative" }),
        "average_hrv": mean(&variability.map(measured)),
        "respiratory_rate": measured(of(|data| data.rr_average)),
    });
    Ok(with_source(
        source(night),
        Reading::new(ResourceName::Sleep, day, value),
    ))
}

/// Returns the day of a night, which is that of waking.
///
/// # Errors
///
/// If its end is out of range.
pub fn night_day(night: &Night) -> Result<NaiveDate, Refusal> {
    match night.date {
        Some(day) => Ok(day),
        None => Ok(time_in(&Zone::named(night.timezone.as_deref()), night.enddate)?.date_naive()),
    }
}

/// Returns the kind of device of a night, if it is not a watch.
pub(super) fn source(night: &Night) -> Option<&'static str> {
    (night.model == Some(MAT)).then_some("unknown")
}

fn mean(values: &[Option<f64>]) -> Option<f64> {
    let known: Vec<f64> = values.iter().copied().flatten().collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}
