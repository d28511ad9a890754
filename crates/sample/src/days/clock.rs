//! Local time of a wearer. Instants are seconds since 1970, UTC.

use chrono::{DateTime, Datelike, Days, FixedOffset, NaiveDate, SecondsFormat};
use jiff::Timestamp;
use jiff::civil;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// Minutes of a day without a clock change.
const DAY: i64 = 1_440;

/// Time zone.
#[derive(Clone, Debug)]
pub(super) struct Clock(TimeZone);

impl Clock {
    /// Returns the clock of a time zone in the tz database; UTC for an unknown name.
    pub(super) fn of(zone: &str) -> Self {
        Self(TimeZoneDatabase::bundled().get(zone).unwrap_or(TimeZone::UTC))
    }

    /// Returns the instant so many minutes after midnight of a day. Negative minutes, or more than a day has, are on
    /// another day. A time that is skipped by a clock change is shifted by the length of the gap.
    pub(super) fn at(&self, day: NaiveDate, minutes: i64) -> i64 {
        let day = shifted(day, minutes.div_euclid(DAY));
        let minutes = minutes.rem_euclid(DAY);
        let (hour, minute) = (minutes / 60, minutes % 60);
        let shown = civil_date(day).map(|date| date.at(hour as i8, minute as i8, 0, 0));
        let at = shown.and_then(|shown| self.0.to_timestamp(shown).ok());
        at.map_or_else(|| as_in_utc(day) + minutes * 60, |at| at.as_second())
    }

    /// Returns the start of a day.
    pub(super) fn midnight(&self, day: NaiveDate) -> i64 {
        self.at(day, 0)
    }

    /// Returns the local day of an instant.
    pub(super) fn day(&self, at: i64) -> NaiveDate {
        self.time(at).date_naive()
    }

    /// Returns the local time of an instant, in minutes after midnight.
    pub(super) fn minute(&self, at: i64) -> f64 {
        let shown = at + i64::from(self.offset(at));
        shown.rem_euclid(DAY * 60) as f64 / 60.0
    }

    /// Returns the offset from UTC, in seconds to the east, in whole minutes.
    pub(super) fn offset(&self, at: i64) -> i32 {
        let at = Timestamp::from_second(at).unwrap_or_default();
        self.0.to_offset(at).seconds() / 60 * 60
    }

    /// Formats an instant as RFC 3339, with its local offset.
    pub(super) fn text(&self, at: i64) -> String {
        self.time(at).to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    fn time(&self, at: i64) -> DateTime<FixedOffset> {
        let offset = FixedOffset::east_opt(self.offset(at));
        let time = DateTime::from_timestamp(at, 0).unwrap_or_default();
        time.with_timezone(&offset.unwrap_or_else(|| chrono::Offset::fix(&chrono::Utc)))
    }
}

/// Shifts a day by a number of days.
pub(super) fn shifted(day: NaiveDate, days: i64) -> NaiveDate {
    let by = Days::new(days.unsigned_abs());
    let shifted = match days < 0 {
        true => day.checked_sub_days(by),
        false => day.checked_add_days(by),
    };
    shifted.unwrap_or(day)
}

/// Returns the days from `first` to `last`.
pub(super) fn days(first: NaiveDate, last: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    first.iter_days().take_while(move |day| *day <= last)
}

/// Returns the number of a day.
pub(super) fn number(day: NaiveDate) -> i64 {
    i64::from(day.num_days_from_ce())
}

fn civil_date(day: NaiveDate) -> Option<civil::Date> {
    let [month, day_of_month] = [day.month(), day.day()].map(|part| part as i8);
    civil::Date::new(day.year().try_into().ok()?, month, day_of_month).ok()
}

fn as_in_utc(day: NaiveDate) -> i64 {
    day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp()
}
