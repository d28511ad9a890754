//! Dates of requests: days of the user's time zone, or instants.

use chrono::{DateTime, Days, FixedOffset, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use jiff::civil;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use wearlab_models::Violation;
use wearlab_server::ApiError;

/// Maximum days of a request.
const MOST_DAYS: i64 = 366;

/// Date of a request.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Date {
    Day(NaiveDate),
    Instant(DateTime<Utc>),
    /// Time without an offset.
    Local(NaiveDateTime),
}

/// Start and end of a request, in the user's time zone.
pub(super) struct Dates<'a> {
    pub(super) start: &'a str,
    pub(super) end: Option<&'a str>,
    pub(super) zone: TimeZone,
    pub(super) now: DateTime<Utc>,
}

/// Returns the time zone of an identifier; UTC for an unknown one, as in a user of an older store.
pub fn zone(id: &str) -> TimeZone {
    TimeZoneDatabase::bundled().get(id).unwrap_or(TimeZone::UTC)
}

/// Returns true if both dates are days, which are the same in each time zone.
pub(super) fn are_days(start: &str, end: Option<&str>) -> bool {
    let is_day = |text| matches!(read(text), Some(Date::Day(_)));
    is_day(start) && end.is_some_and(is_day)
}

impl Dates<'_> {
    /// Returns the first and the last day. Without an end, the last day is today.
    pub(super) fn days(&self) -> Result<[NaiveDate; 2], ApiError> {
        let (start, end) = self.read()?;
        let day = |date| match date {
            Date::Day(day) => day,
            Date::Instant(time) => self.day_of(time),
            Date::Local(time) => time.date(),
        };
        let (first, last) = (day(start), day(end.unwrap_or(Date::Instant(self.now))));
        self.check(last >= first, last.signed_duration_since(first).num_days() < MOST_DAYS)?;
        Ok([first, last])
    }

    /// Returns the start and the exclusive end of the span. Without an end, it ends now.
    pub(super) fn span(&self) -> Result<[DateTime<Utc>; 2], ApiError> {
        let (start, end) = self.read()?;
        let start = match start {
            Date::Day(day) => self.midnight(day),
            Date::Instant(time) => time,
            Date::Local(time) => self.instant_of(time),
        };
        let (end, is_ordered) = match end {
            Some(Date::Day(day)) => {
                let end = self.midnight(day.checked_add_days(Days::new(1)).unwrap_or(day));
                (end, end > start)
            }
            Some(Date::Instant(end)) => (end, end >= start),
            Some(Date::Local(end)) => {
                let end = self.instant_of(end);
                (end, end >= start)
            }
            None => (self.now, self.now >= start),
        };
        // A day may have 25 hours.
        let hours = end.signed_duration_since(start).num_hours();
        self.check(is_ordered, hours <= MOST_DAYS * 24 + 1)?;
        Ok([start, end])
    }

    fn read(&self) -> Result<(Date, Option<Date>), ApiError> {
        let (start, end) = (read(self.start), self.end.map(read));
        let malformed = |name: &str, wrong: bool| {
            let text = "must be a day, YYYY-mm-dd, or a time, such as 2026-05-01T08:00:00Z";
            wrong.then(|| violation(name, "malformed", text))
        };
        let wrong = [
            malformed("start_date", start.is_none()),
            malformed("end_date", end == Some(None)),
        ];
        match (start, end) {
            (Some(start), None) => Ok((start, None)),
            (Some(start), Some(Some(end))) => Ok((start, Some(end))),
            _ => Err(ApiError::invalid(wrong.into_iter().flatten().collect())),
        }
    }

    fn check(&self, is_ordered: bool, is_short: bool) -> Result<(), ApiError> {
        // Without an end, the start is too late or too early.
        let name = if self.end.is_some() { "end_date" } else { "start_date" };
        let text = match (is_ordered, is_short) {
            (true, true) => return Ok(()),
            (false, _) if self.end.is_some() => "must not be before start_date".to_owned(),
            (false, _) => "must not be after today where end_date is missing".to_owned(),
            (true, false) => format!("the span must not be longer than {MOST_DAYS} days"),
        };
        Err(ApiError::invalid(vec![violation(name, "out_of_range", &text)]))
    }

    fn day_of(&self, time: DateTime<Utc>) -> NaiveDate {
        let local = jiff::Timestamp::from_second(time.timestamp()).ok().and_then(|time| {
            let date = time.to_zoned(self.zone.clone()).date();
            let [month, day] = [date.month(), date.day()].map(|part| u32::from(part.unsigned_abs()));
            NaiveDate::from_ymd_opt(date.year().into(), month, day)
        });
        local.unwrap_or_else(|| time.date_naive())
    }

    /// Returns the instant at which the clocks of the time zone show a time: the first of two; for a skipped time, the
    /// one as long after the skipped hour.
    fn instant_of(&self, time: NaiveDateTime) -> DateTime<Utc> {
        let utc = time.and_utc();
        let civil = jiff::Timestamp::from_second(utc.timestamp());
        let civil = civil.map(|time| time.to_zoned(TimeZone::UTC).datetime());
        let second = civil.and_then(|time| time.to_zoned(self.zone.clone()));
        let second = second
            .ok()
            .and_then(|time| DateTime::from_timestamp(time.timestamp().as_second(), 0));
        let fraction = TimeDelta::nanoseconds(utc.timestamp_subsec_nanos().into());
        second.map_or(utc, |second| second + fraction)
    }

    /// Returns the beginning of a day: if clocks skip midnight, that of the day's first hour.
    fn midnight(&self, day: NaiveDate) -> DateTime<Utc> {
        use chrono::Datelike;
        let civil = || {
            civil::Date::new(
                day.year().try_into().ok()?,
                day.month().try_into().ok()?,
                day.day().try_into().ok()?,
            )
            .ok()
        };
        let start = civil().and_then(|date| date.to_zoned(self.zone.clone()).ok());
        let start = start.and_then(|start| DateTime::from_timestamp(start.timestamp().as_second(), 0));
        start.unwrap_or_else(|| day.and_time(chrono::NaiveTime::MIN).and_utc())
    }
}

/// Parses a date of a request.
pub(super) fn read(text: &str) -> Option<Date> {
    // Years have four digits, which databases and other languages can read.
    let is_plain = text.as_bytes().first().is_some_and(u8::is_ascii_digit) && text.as_bytes().get(4) == Some(&b'-');
    let day = || text.parse().ok().map(Date::Day);
    let instant = || {
        let time = text.replacen(' ', "+", 1).parse::<DateTime<FixedOffset>>().ok()?;
        Some(Date::Instant(time.to_utc()))
    };
    let local = || text.parse().ok().map(Date::Local);
    is_plain.then(|| day().or_else(instant).or_else(local)).flatten()
}

/// Creates a violation of a query parameter.
pub(super) fn violation(name: &str, code: &str, message: &str) -> Violation {
    Violation::builder()
        .location(format!("/query/{name}"))
        .code(code)
        .message(message)
        .build()
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::{Dates, zone};

    fn dates<'a>(start: &'a str, end: Option<&'a str>) -> Dates<'a> {
        Dates {
            start,
            end,
            zone: zone("Europe/Oslo"),
            now: "2026-05-07T23:30:00Z".parse().expect("a time"),
        }
    }

    #[test]
    fn days_are_those_of_the_users_time_zone() {
        for (start, end, days) in [
            ("2026-05-01", Some("2026-05-03"), ["2026-05-01", "2026-05-03"]),
            ("2026-05-01T23:00:00Z", Some("2026-05-02"), ["2026-05-02", "2026-05-02"]),
            ("2026-05-01", None, ["2026-05-01", "2026-05-08"]),
        ] {
            let found = dates(start, end).days().expect("days");
            assert_eq!(found.map(|day| day.to_string()), days, "{start} {end:?}");
        }
    }

    #[test]
    fn a_day_is_as_long_as_its_clock_says() {
        for (day, hours) in [("2026-03-29", 23), ("2026-05-01", 24), ("2026-10-25", 25)] {
            let [start, end] = dates(day, Some(day)).span().expect("a span");
            assert_eq!((end - start).num_hours(), hours, "{day}");
        }
        let [start, end] = dates("2026-05-01T08:00:00+02:00", None).span().expect("a span");
        let expected: [DateTime<Utc>; 2] =
            ["2026-05-01T06:00:00Z", "2026-05-07T23:30:00Z"].map(|time| time.parse().expect("a time"));
        assert_eq!([start, end], expected);
    }

    #[test]
    fn a_time_without_an_offset_is_one_of_the_users_time_zone() {
        for (local, instant) in [
            ("2026-05-01T08:00:00", "2026-05-01T06:00:00Z"),
            ("2026-01-01T08:00:00.25", "2026-01-01T07:00:00.25Z"),
            ("2026-03-29T02:30:00", "2026-03-29T01:30:00Z"),
            ("2025-10-26T02:30:00", "2025-10-26T00:30:00Z"),
        ] {
            let [start, end] = dates(local, Some(local)).span().expect("a span");
            let expected: DateTime<Utc> = instant.parse().expect("a time");
            assert_eq!([start, end], [expected, expected], "{local}");
        }
        let days = dates("2026-05-01T23:30:00", Some("2026-05-02T00:30:00"))
            .days()
            .expect("days");
        assert_eq!(days.map(|day| day.to_string()), ["2026-05-01", "2026-05-02"]);
    }

    #[test]
    fn what_is_wrong_is_located() {
        for (start, end, location) in [
            ("yesterday", None, "/query/start_date"),
            ("2026-05-01T08", None, "/query/start_date"),
            ("+12026-05-01", None, "/query/start_date"),
            ("2026-05-01", Some("May"), "/query/end_date"),
            ("2026-05-02", Some("2026-05-01"), "/query/end_date"),
            ("2025-01-01", Some("2026-05-01"), "/query/end_date"),
            ("2025-01-01", None, "/query/start_date"),
        ] {
            for error in [
                dates(start, end).days().map(drop).expect_err(start),
                dates(start, end).span().map(drop).expect_err(start),
            ] {
                let text = format!("{error:?}");
                assert!(text.contains(location), "{start} {end:?}: {text}");
            }
        }
    }
}
