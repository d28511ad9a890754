//! The day that a value of an arrival belongs to.

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};
use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use wearlab_models::{ResourceName, User};

use crate::{ExactObject, ExactValue, Sample};

/// The day that a value names (`calendar_date`, `date`, `period_start`), or of its time in a time zone: a sleep is of the day that it ends
/// on, all else of the one that it begins on. None where it has no time. Times have their offsets.
pub fn value_day(resource: &ResourceName, value: &ExactObject, zone: Option<&TimeZone>) -> Option<NaiveDate> {
    let text = |name: &&str| match value.get(name) {
        Some(ExactValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let named = ["calendar_date", "date", "period_start"].iter().filter_map(text);
    if let Some(day) = named.filter_map(|text| text.parse().ok()).next() {
        return Some(day);
    }
    let times: &[&str] = match resource {
        ResourceName::Sleep => &["bedtime_stop"],
        ResourceName::SleepCycle => &["session_end"],
        ResourceName::Workouts => &["time_start"],
        ResourceName::Electrocardiogram => &["session_start"],
        _ => &["timestamp", "start"],
    };
    let mut times = times.iter().filter_map(text).filter_map(|text| text.parse().ok());
    times.next().map(|time| day_in(zone, time))
}

/// Returns the day of times, in µs since 1970, where a user is.
pub fn days_of(user: &User) -> impl Fn(i64) -> Option<NaiveDate> {
    let zone = TimeZoneDatabase::bundled().get(&user.fallback_time_zone.id).ok();
    move |micros| {
        let time = DateTime::from_timestamp_micros(micros)?;
        Some(day_in(zone.as_ref(), time.fixed_offset()))
    }
}

/// The day of a sample in a time zone; without one, the day that its own time shows.
pub(crate) fn sample_day(sample: &Sample, zone: Option<&TimeZone>) -> Option<NaiveDate> {
    let time = DateTime::from_timestamp_micros(sample.time)?;
    let offset = FixedOffset::east_opt(sample.offset)?;
    Some(day_in(zone, time.with_timezone(&offset)))
}

/// The day of a time in a time zone; without one, the day that the time itself shows.
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

    use super::value_day;

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
