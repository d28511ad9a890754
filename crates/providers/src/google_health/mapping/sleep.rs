//! Conversion of nights and naps.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde_json::json;
use wearlab_connect::{Reading, Refusal};
use wearlab_models::{DateTime, ResourceName};

use super::super::generated::models::{DataPoint, Sleep, SleepStage, SleepStageType};
use super::numbers::optional;
use super::samples::ends;
use super::times::day;
use crate::numbers::rounded;
use crate::records::readable;
use crate::samples::offset_seconds;
use crate::stages::{self, ASLEEP, AWAKE, DEEP, LIGHT, REM, Stage, UNKNOWN, without_overlaps};

/// Values of a day that belong to its longest sleep.
#[derive(Clone, Copy, Default)]
struct Night {
    variability: Option<f64>,
    breaths: Option<f64>,
    temperature: Option<f64>,
    baseline: Option<f64>,
}

/// Returns the sleeps of points with their stages. The longest `long_sleep` of a day has the values of the day.
///
/// # Errors
///
/// If a number or an offset of each of them cannot be read.
pub fn sleeps(points: &[DataPoint], days: &[DataPoint]) -> Result<Vec<Reading>, Refusal> {
    let of_days = nights(days);
    let mut longest: BTreeMap<NaiveDate, (i64, usize)> = BTreeMap::new();
    for (index, sleep) in points
        .iter()
        .enumerate()
        .filter_map(|(index, point)| Some((index, point.sleep.as_ref()?)))
    {
        let Ok((start, end)) = ends(&sleep.interval) else {
            continue;
        };
        let length = (end - start).num_seconds();
        let best = longest.entry(end.date_naive()).or_insert((0, index));
        if !is_nap(sleep) && length > best.0 {
            *best = (length, index);
        }
    }
    let sleeps = points
        .iter()
        .enumerate()
        .filter_map(|(index, point)| Some((index, point, point.sleep.as_ref()?)));
    let readings = sleeps.map(|(index, point, sleep)| {
        let (start, end) = ends(&sleep.interval)?;
        let is_main = longest
            .get(&end.date_naive())
            .is_some_and(|best| best.0 > 0 && best.1 == index);
        let night = of_days
            .get(&end.date_naive())
            .copied()
            .filter(|_| is_main)
            .unwrap_or_default();
        let id = id(point, start);
        let summary = summary(sleep, &id, (start, end), night)?;
        Ok::<_, Refusal>([Some(summary), cycle(sleep, &id, (start, end))])
    });
    let readings = readable("google_health", "sleeps", readings)?;
    Ok(readings.into_iter().flatten().flatten().collect())
}

/// Returns the end of the name of a point, or its start if it has no name.
pub(super) fn id(point: &DataPoint, start: DateTime) -> String {
    let name = point.name.as_deref().or(point.data_point_name.as_deref());
    let last = name
        .and_then(|name| name.rsplit('/').next())
        .filter(|last| !last.is_empty());
    last.map_or_else(|| start.to_utc().to_rfc3339(), str::to_owned)
}

fn is_nap(sleep: &Sleep) -> bool {
    sleep.metadata.as_ref().and_then(|metadata| metadata.nap) == Some(true)
}

fn nights(points: &[DataPoint]) -> BTreeMap<NaiveDate, Night> {
    let mut nights: BTreeMap<NaiveDate, Night> = BTreeMap::new();
    for point in points {
        if let Some((date, of_day)) = point
            .daily_heart_rate_variability
            .as_ref()
            .and_then(|of_day| Some((day(&of_day.date)?, of_day)))
        {
            nights.entry(date).or_default().variability = of_day.average_heart_rate_variability_milliseconds;
        }
        if let Some((date, of_day)) = point
            .daily_respiratory_rate
            .as_ref()
            .and_then(|of_day| Some((day(&of_day.date)?, of_day)))
        {
            nights.entry(date).or_default().breaths = of_day.breaths_per_minute;
        }
        if let Some((date, of_day)) = point
            .daily_sleep_temperature_derivations
            .as_ref()
            .and_then(|of_day| Some((day(&of_day.date)?, of_day)))
        {
            let night = nights.entry(date).or_default();
            night.temperature = of_day.nightly_temperature_celsius;
            night.baseline = of_day.baseline_temperature_celsius;
        }
    }
    nights
}

fn summary(sleep: &Sleep, id: &str, (start, end): (DateTime, DateTime), night: Night) -> Result<Reading, Refusal> {
    let summary = sleep.summary.as_ref();
    let minutes =
        |text: Option<&String>| Ok::<_, Refusal>(optional(text.map(String::as_str))?.map(|minutes| minutes * 60));
    let period = minutes(summary.and_then(|summary| summary.minutes_in_sleep_period.as_ref()))?;
    let asleep = minutes(summary.and_then(|summary| summary.minutes_asleep.as_ref()))?;
    let awake = minutes(summary.and_then(|summary| summary.minutes_awake.as_ref()))?;
    let latency = minutes(summary.and_then(|summary| summary.minutes_to_fall_asleep.as_ref()))?;
    let stage = |kind: SleepStageType| {
        let stages = summary.map_or(&[][..], |summary| &summary.stages_summary);
        let stage = stages.iter().find(|stage| stage.type_ == kind);
        Ok::<_, Refusal>(minutes(stage.and_then(|stage| stage.minutes.as_ref()))?.unwrap_or(0))
    };
    let (light, deep, rem) = (
        stage(SleepStageType::Light)?,
        stage(SleepStageType::Deep)?,
        stage(SleepStageType::Rem)?,
    );
    let efficiency = asleep.zip(period.filter(|period| *period > 0));
    let processed = sleep.metadata.as_ref().and_then(|metadata| metadata.processed);
    let difference = night.temperature.zip(night.baseline);
    let value = json!({
        "provider_id": id,
        "calendar_date": end.date_naive(),
        "bedtime_start": start.to_rfc3339(),
        "bedtime_stop": end.to_rfc3339(),
        "type": if is_nap(sleep) { "acknowledged_nap" } else { "long_sleep" },
        "timezone_offset": sleep.interval.end_utc_offset.as_ref().map(|_| offset_seconds(end)),
        "duration": period.unwrap_or((end - start).num_seconds()),
        "total": asleep.unwrap_or(light + deep + rem),
        "awake": awake.unwrap_or(0),
        "light": light,
        "rem": rem,
        "deep": deep,
        "efficiency": efficiency.map(|(asleep, period)| rounded(asleep as f64 / period as f64 * 100.0, 2)),
        "latency": latency,
        "state": processed.map(|processed| if processed { "confirmed" } else { "tentative" }),
        "average_hrv": night.variability,
        "respiratory_rate": night.breaths,
        "skin_temperature": night.temperature,
        "temperature_delta": difference.map(|(temperature, baseline)| rounded(temperature - baseline, 3)),
    });
    Ok(Reading::new(ResourceName::Sleep, end.date_naive(), value))
}

/// Returns the stages of a sleep, in order, if it has some. They end with the sleep, and begin where the one before ends.
fn cycle(sleep: &Sleep, id: &str, (start, end): (DateTime, DateTime)) -> Option<Reading> {
    let mut stages: Vec<_> = sleep.stages.iter().collect();
    stages.sort_by_key(|stage| (stage.start_time, stage.end_time));
    let length = (end - start).num_seconds();
    let of_sleep = |stage: &SleepStage| Stage {
        start: (stage.start_time - start).num_seconds(),
        end: (stage.end_time - start).num_seconds(),
        kind: kind(&stage.type_),
    };
    let stages = without_overlaps(length, stages.into_iter().map(of_sleep));
    stages::cycle(id, (start, end), end.date_naive(), &stages)
}

/// Returns the kind of a stage.
fn kind(stage: &SleepStageType) -> i64 {
    match stage {
        SleepStageType::Deep => DEEP,
        SleepStageType::Light => LIGHT,
        SleepStageType::Rem => REM,
        SleepStageType::Awake => AWAKE,
        SleepStageType::Asleep => ASLEEP,
        _ => UNKNOWN,
    }
}
