//! Time series as devices send them, the same in each run.

use anyhow::{Context, Result};
use chrono::{DateTime, NaiveDate, SecondsFormat};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::population::{TEAM, user_id};

/// Length of a day, in ms.
const DAY: i64 = 86_400_000;

/// Time series of a device.
pub(crate) struct Series {
    /// Name in results.
    pub(crate) name: &'static str,
    pub(crate) resource: &'static str,
    unit: &'static str,
    /// Number of smallest steps of its values in 1.
    parts: f64,
    /// Time between two samples, in ms.
    step: i64,
    /// Maximum deviation of a time from its step, in ms.
    jitter: i64,
    /// True if samples cover the time since the previous one, have types, and are missing while nothing happens.
    spans: bool,
}

/// Heart rate at 0.2 Hz.
pub(crate) const HEART_RATE: Series = Series {
    name: "heart rate at 0.2 Hz, jittered",
    resource: "heartrate",
    unit: "bpm",
    parts: 1.0,
    step: 5000,
    jitter: 20,
    spans: false,
};

/// Series whose sizes are measured.
pub(crate) const SERIES: [Series; 4] = [
    Series {
        name: "heart rate at 1 Hz",
        step: 1000,
        jitter: 0,
        ..HEART_RATE
    },
    HEART_RATE,
    Series {
        name: "glucose each 5 minutes",
        resource: "glucose",
        unit: "mmol/L",
        parts: 10.0,
        step: 300_000,
        jitter: 0,
        spans: false,
    },
    Series {
        name: "steps by minute, with spans and types",
        resource: "steps",
        unit: "count",
        parts: 1.0,
        step: 60_000,
        jitter: 0,
        spans: true,
    },
];

/// Sample in the form of a row. Times are in ms since 1970, UTC.
pub(crate) struct Reading {
    pub(crate) time: i64,
    pub(crate) start: Option<i64>,
    pub(crate) kind: Option<&'static str>,
    pub(crate) value: f64,
}

/// Returns the first day of all series.
pub(crate) fn first_day() -> Result<NaiveDate> {
    NaiveDate::from_ymd_opt(2026, 1, 1).context("no such day")
}

impl Series {
    /// Returns the samples of a day, which is counted from the first one.
    pub(crate) fn day(&self, day: u32) -> Result<Vec<Reading>> {
        let mut rng = ChaCha8Rng::seed_from_u64(day.into());
        let midnight = first_day()?
            .and_time(chrono::NaiveTime::MIN)
            .and_utc()
            .timestamp_millis()
            + i64::from(day) * DAY;
        let mut level = 80_i32;
        let mut readings = Vec::new();
        for index in 0..DAY / self.step {
            level = (level + rng.random_range(-1..=1)).clamp(45, 180);
            let minute = index * self.step / 60_000;
            let rests = self.spans && !((420..1320).contains(&minute) && minute / 20 % 3 > 0);
            if rests {
                continue;
            }
            // The last step is before midnight.
            let time = midnight + index * self.step + self.jitter + rng.random_range(-self.jitter..=self.jitter);
            readings.push(match self.spans {
                false => Reading {
                    time,
                    start: None,
                    kind: None,
                    value: f64::from(level) / self.parts,
                },
                true => Reading {
                    time,
                    start: Some(time - self.step),
                    kind: Some(if minute % 60 < 50 { "watch" } else { "phone" }),
                    value: f64::from(rng.random_range(0..130)),
                },
            });
        }
        Ok(readings)
    }

    /// Returns an arrival of samples of a user, as a line to ingest.
    pub(crate) fn line(&self, user: u32, samples: &[Reading]) -> Result<String> {
        let first = samples.first().context("an arrival without samples")?;
        let data: Vec<_> = samples.iter().map(|sample| self.sample(sample)).collect();
        let data = json!({"team_id": TEAM, "user_id": user_id(user), "provider": "stridewell", "resource": self.resource,
            "date": &timestamp(first.time)[..10], "source": {"type": "watch"}, "data": data});
        Ok(json!({ "data": data }).to_string())
    }

    fn sample(&self, sample: &Reading) -> Value {
        let mut value = json!({"timestamp": timestamp(sample.time), "value": sample.value, "unit": self.unit});
        if let Some((start, kind)) = sample.start.zip(sample.kind) {
            value["start"] = timestamp(start).into();
            value["end"] = timestamp(sample.time).into();
            value["type"] = kind.into();
        }
        value
    }
}

/// Formats a time in ms since 1970.
pub(crate) fn timestamp(time: i64) -> String {
    let time = DateTime::from_timestamp_millis(time).unwrap_or_default();
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
