//! Day of a value of an arrival.

use std::ops::Range;
use std::slice;

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};
use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use wearlab_models::{ResourceName, User};

use crate::{ExactObject, ExactValue, Sample};

const SECONDS_OF_DAY: i64 = 86_400;

/// Returns the day that a value names (`calendar_date`, `date`, `period_start`), or the day of its time in a time zone:
/// for sleep, the day on which it ends, for all else the day on which it begins. None without a time. Times have their
/// offsets.
pub fn value_day(resource: &ResourceName, value: &ExactObject, zone: Option<&TimeZone>) -> Option<NaiveDate> {
    let text = |name: &&str| match value.get(name) {
        Some(ExactValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let named = ["calendar_date", "date", "period_start"].iter().filter_map(text);
    if let Some(day) = named.filter_map(|text| text.parse().ok()).next() {
        return Some(day);
    }
    let times = match resource.times() {
        [_, end] if resource.ends_day() => slice::from_ref(end),
        [start, _] => slice::from_ref(start),
        _ => &["timestamp", "start"],
    };
    let mut times = times.iter().filter_map(text).filter_map(|text| text.parse().ok());
    times.next().map(|time| day_in(zone, time))
}

/// Returns a function that maps times, in µs since 1970, to days in a user's time zone.
pub fn days_of(user: &User) -> impl Fn(i64) -> Option<NaiveDate> {
    let zone = TimeZoneDatabase::bundled().get(&user.fallback_time_zone.id).ok();
    move |micros| {
        let time = DateTime::from_timestamp_micros(micros)?;
        Some(day_in(zone.as_ref(), time.fixed_offset()))
    }
}

/// Days of samples in a time zone; without one, the days of their own local times.
pub(crate) struct SampleDays<'z> {
    zone: Option<&'z TimeZone>,
    /// Span of seconds since 1970 in which the clock has this offset, in seconds.
    offset: Option<(Range<i64>, i64)>,
}

impl<'z> SampleDays<'z> {
    pub(crate) fn new(zone: Option<&'z TimeZone>) -> Self {
        Self { zone, offset: None }
    }

    /// Returns the day of a sample. Samples in the order of their times look up an offset only at changes of the clock.
    pub(crate) fn day_of(&mut self, sample: &Sample) -> Option<NaiveDate> {
        let second = sample.time.div_euclid(1_000_000);
        let offset = match self.zone {
            None => i64::from(sample.offset),
            Some(zone) => match &self.offset {
                Some((span, offset)) if span.contains(&second) => *offset,
                _ => {
                    let time = Timestamp::from_second(second).ok()?;
                    let offset = i64::from(zone.to_offset(time).seconds());
                    let end = zone.following(time).next();
                    let end = end.map_or(i64::MAX, |change| change.timestamp().as_second());
                    self.offset = Some((second..end, offset));
                    offset
                }
            },
        };
        let day = second.checked_add(offset)?.div_euclid(SECONDS_OF_DAY);
        NaiveDate::from_epoch_days(i32::try_from(day).ok()?)
    }
}

/// Returns the day of a time in a time zone; without one, the day of its own local time.
fn day_in(zone: Option<&TimeZone>, time: DateTime<FixedOffset>) -> NaiveDate {
    let day = || {
        let time = Timestamp::from_second(time.with_timezone(&Utc).timestamp()).ok()?;
        let day = time.to_zoned(zone?.clone()).date();
        let [month, day_of_month] = [day.month(), day.day()].map(|part| u32::from(part.unsigned_abs()));
        NaiveDate::from_ymd_opt(day.year().into(), month, day_of_month)
    };
    day().unwrap_or_else(|| time.date_naive())
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZoneDatabase;
    use serde_json::json;

    use super::{SampleDays, days_of, value_day};
    use crate::Sample;
    use crate::kept::user;

    /// Samples of each hour around clock changes, one of which goes back over midnight, in and out of order.
    #[test]
    fn a_sample_is_of_the_day_that_it_was_in_the_time_zone() {
        let mut user = user();
        for zone in [
            "UTC",
            "Europe/Oslo",
            "America/St_Johns",
            "Asia/Kathmandu",
            "Africa/Monrovia",
        ] {
            zone.clone_into(&mut user.fallback_time_zone.id);
            let found = TimeZoneDatabase::bundled().get(zone).ok();
            let expected = days_of(&user);
            for start in [
                "1971-12-30T00:10:00Z",
                "2005-10-28T00:10:00Z",
                "2026-03-27T00:10:00Z",
                "2026-10-23T00:10:00Z",
            ] {
                let samples = (0..24 * 20).map(|quarters| {
                    let start: chrono::DateTime<chrono::Utc> = start.parse().expect("a time");
                    let time = start + chrono::TimeDelta::minutes(15 * quarters);
                    let value = json!({"timestamp": time, "value": 1});
                    Sample::read(&serde_json::from_value(value).expect("an object")).expect("a sample")
                });
                let samples: Vec<_> = samples.collect();
                let mut days = SampleDays::new(found.as_ref());
                for sample in samples.iter().chain(samples.iter().rev()) {
                    assert_eq!(days.day_of(sample), expected(sample.time), "{} in {zone}", sample.time);
                }
            }
        }
        let value = json!({"timestamp": "2026-05-02T01:30:00+02:00", "value": 1});
        let sample = Sample::read(&serde_json::from_value(value).expect("an object")).expect("a sample");
        let shown = SampleDays::new(None).day_of(&sample).map(|day| day.to_string());
        assert_eq!(shown.as_deref(), Some("2026-05-02"));
    }

    #[test]
    fn a_value_is_of_the_day_that_it_says_or_of_its_time_where_the_user_is() {
        let late = "2026-05-01T23:30:00Z";
        for (resource, value, zone, day) in [
            ("steps", json!({"timestamp": late}), "UTC", Some("2026-05-01")),
            ("steps", json!({"timestamp": late}), "Europe/Oslo", Some("2026-05-02")),
            (
                "steps",
                json!({"timestamp": late}),
                "America/New_York",
                Some("2026-05-01"),
            ),
            (
                "steps",
                json!({"timestamp": "2026-05-02T01:30:00+02:00"}),
                "UTC",
                Some("2026-05-01"),
            ),
            (
                "steps",
                json!({"timestamp": "2026-05-02T01:30:00+02:00"}),
                "Mars/Olympus",
                Some("2026-05-02"),
            ),
            (
                "steps",
                json!({"start": late, "end": "2026-05-03T00:00:00Z"}),
                "UTC",
                Some("2026-05-01"),
            ),
            (
                "sleep_cycle",
                json!({"session_start": late, "session_end": "2026-05-02T06:00:00Z"}),
                "UTC",
                Some("2026-05-02"),
            ),
            (
                "body",
                json!({"calendar_date": "2026-04-30", "timestamp": late}),
                "UTC",
                Some("2026-04-30"),
            ),
            ("body", json!({"date": "2026-04-30"}), "UTC", Some("2026-04-30")),
            ("body", json!({"date": late, "value": 1}), "UTC", None),
            ("steps", json!({"timestamp": 7, "value": 1}), "UTC", None),
        ] {
            let read = serde_json::from_value(value.clone()).expect("an object");
            let zone_of_user = TimeZoneDatabase::bundled().get(zone).ok();
            let found = value_day(&resource.into(), &read, zone_of_user.as_ref());
            assert_eq!(found.map(|day| day.to_string()).as_deref(), day, "{value} in {zone}");
        }
    }
}
