//! Times in time zones of the IANA database.

use chrono::{Datelike, FixedOffset, NaiveDate};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use wearlab_models::DateTime;

use crate::samples::offset_seconds;

/// Time zone of a person. Where it is not known, times are in UTC.
#[derive(Clone, Debug)]
pub(crate) struct Zone(Option<TimeZone>);

impl Zone {
    /// Returns the zone of a name, such as `Europe/Oslo`. Without one that exists, it is not known.
    pub(crate) fn named(name: Option<&str>) -> Self {
        Self(name.and_then(|name| TimeZoneDatabase::bundled().get(name).ok()))
    }

    /// Returns a time, in s since 1970, with the offset that the zone has then. None if it is out of range.
    pub(crate) fn time(&self, seconds: i64) -> Option<DateTime> {
        let instant = Timestamp::from_second(seconds).ok()?;
        let offset = self.0.as_ref().map_or(Offset::UTC, |zone| zone.to_offset(instant));
        let time = chrono::DateTime::from_timestamp(seconds, 0)?;
        Some(time.with_timezone(&FixedOffset::east_opt(offset.seconds())?))
    }

    /// Returns the offset of a time of the zone, in s. None if the zone is not known.
    pub(crate) fn offset(&self, time: DateTime) -> Option<i32> {
        self.0.as_ref().map(|_| offset_seconds(time))
    }

    /// Returns the noon of a day. Clock changes are at night, so its offset is that of most of the day.
    pub(crate) fn noon(&self, day: NaiveDate) -> Option<DateTime> {
        let (month, of_month) = (i8::try_from(day.month()).ok()?, i8::try_from(day.day()).ok()?);
        let date = Date::new(i16::try_from(day.year()).ok()?, month, of_month).ok()?;
        let noon = date
            .at(12, 0, 0, 0)
            .to_zoned(self.0.clone().unwrap_or(TimeZone::UTC))
            .ok()?;
        self.time(noon.timestamp().as_second())
    }
}

#[cfg(test)]
mod tests {
    use super::Zone;

    #[test]
    fn times_have_the_offset_of_their_zone() {
        let shown = |zone: Option<&str>, seconds| Zone::named(zone).time(seconds).map(|time| time.to_rfc3339());
        let oslo = Some("Europe/Oslo");
        // The seconds before and after both clock changes of 2026.
        assert_eq!(shown(oslo, 1_774_745_999).as_deref(), Some("2026-03-29T01:59:59+01:00"));
        assert_eq!(shown(oslo, 1_774_746_000).as_deref(), Some("2026-03-29T03:00:00+02:00"));
        assert_eq!(shown(oslo, 1_792_889_999).as_deref(), Some("2026-10-25T02:59:59+02:00"));
        assert_eq!(shown(oslo, 1_792_890_000).as_deref(), Some("2026-10-25T02:00:00+01:00"));
        for unknown in [None, Some(""), Some("Mars/Olympus")] {
            assert_eq!(shown(unknown, 0).as_deref(), Some("1970-01-01T00:00:00+00:00"));
        }
        assert_eq!(shown(None, i64::MAX), None);
        let offset = |zone| Zone::named(zone).offset(Zone::named(zone).time(0).expect("a time"));
        assert_eq!(
            (offset(oslo), offset(None), offset(Some("UTC"))),
            (Some(3_600), None, Some(0))
        );
    }

    #[test]
    fn noon_has_the_offset_of_most_of_the_day() {
        let noon = |day: &str| {
            let noon = Zone::named(Some("America/St_Johns")).noon(day.parse().expect("a day"));
            noon.map(|noon| noon.to_rfc3339())
        };
        assert_eq!(noon("2026-03-08").as_deref(), Some("2026-03-08T12:00:00-02:30"));
        assert_eq!(noon("2026-11-01").as_deref(), Some("2026-11-01T12:00:00-03:30"));
    }
}
