//! The clock on the wall of a wearer. Instants are seconds since 1970, UTC.

use chrono::{DateTime, Datelike, Days, FixedOffset, NaiveDate, SecondsFormat};
use jiff::Timestamp;
use jiff::civil;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// The minutes of a day on which no clock changes.
const DAY: i64 = 1_440;

/// A time zone.
#[derive(Clone, Debug)]
pub(super) struct Clock(TimeZone);

impl Clock {
    /// That of a time zone of the tz database; UTC where it has none of the name.
    pub(super) fn of(zone: &str) -> Self {
        Self(TimeZoneDatabase::bundled().get(zone).unwrap_or(TimeZone::UTC))
    }

    /// When it shows so many minutes after midnight of a day; with less than none, or more than a day has, of another day.
    /// Where it skips that, it is as long after the change as it would have been without it.
    pub(super) fn at(&self, day: NaiveDate, minutes: i64) -> i64 {
        let day = shifted(day, minutes.div_euclid(DAY));
        let minutes = minutes.rem_euclid(DAY);
        let (hour, minute) = (minutes / 60, minutes % 60);
        let shown = civil_date(day).map(|date| date.at(hour as i8, minute as i8, 0, 0));
        let at = shown.and_then(|shown| self.0.to_timestamp(shown).ok());
        at.map_or_else(|| as_in_utc(day) + minutes * 60, |at| at.as_second())
    }

    /// When a day begins.
    pub(super) fn midnight(&self, day: NaiveDate) -> i64 {
        self.at(day, 0)
    }

    /// The day that it shows.
    pub(super) fn day(&self, at: i64) -> NaiveDate {
        self.time(at).date_naive()
    }

    /// How many minutes after midnight it shows.
    pub(super) fn minute(&self, at: i64) -> f64 {
        let shown = at + i64::from(self.offset(at));
        shown.rem_euclid(DAY * 60) as f64 / 60.0
    }

    /// How far it is from UTC, in s to the east: whole minutes.
    pub(super) fn offset(&self, at: i64) -> i32 {
        let at = Timestamp::from_second(at).unwrap_or_default();
        self.0.to_offset(at).seconds() / 60 * 60
    }

    /// An instant as RFC 3339, with the offset that it shows.
    pub(super) fn text(&self, at: i64) -> String {
        self.time(at).to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    fn time(&self, at: i64) -> DateTime<FixedOffset> {
        let offset = FixedOffset::east_opt(self.offset(at));
        let time = DateTime::from_timestamp(at, 0).unwrap_or_default();
        time.with_timezone(&offset.unwrap_or_else(|| chrono::Offset::fix(&chrono::Utc)))
    }
}

/// So many days later, or earlier.
pub(super) fn shifted(day: NaiveDate, days: i64) -> NaiveDate {
    let by = Days::new(days.unsigned_abs());
    let shifted = match days < 0 {
        true => day.checked_sub_days(by),
        false => day.checked_add_days(by),
    };
    shifted.unwrap_or(day)
}

/// The days of a span, both included.
pub(super) fn days(first: NaiveDate, last: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    first.iter_days().take_while(move |day| *day <= last)
}

/// The number of a day.
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
