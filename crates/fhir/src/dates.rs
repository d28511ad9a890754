//! Dates and times in the formats of FHIR.

use chrono::{Datelike, SecondsFormat, Utc};
use wearlab_models::{DateTime, NaiveDate};

/// Maximum offset from UTC in FHIR, in seconds: 14 hours.
const LARGEST_OFFSET: i32 = 14 * 60 * 60;

/// Formats a time with its offset; in UTC if FHIR does not allow the offset.
pub(crate) fn instant(time: DateTime) -> String {
    if time.offset().local_minus_utc().abs() > LARGEST_OFFSET {
        time.with_timezone(&Utc).to_rfc3339_opts(SecondsFormat::AutoSi, true)
    } else {
        time.to_rfc3339_opts(SecondsFormat::AutoSi, true)
    }
}

/// Formats a day, unless its year does not have four digits.
pub(crate) fn day(day: NaiveDate) -> Option<String> {
    (1..=9999).contains(&day.year()).then(|| day.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_the_offset_that_fhir_knows() {
        let written = |text| instant(DateTime::parse_from_rfc3339(text).expect("a time"));
        assert_eq!(written("2026-03-04T15:30:00+00:00"), "2026-03-04T15:30:00Z");
        assert_eq!(written("2026-03-04T15:30:00.25-08:00"), "2026-03-04T15:30:00.250-08:00");
        assert_eq!(written("2026-03-04T15:30:00+14:00"), "2026-03-04T15:30:00+14:00");
        assert_eq!(written("2026-03-04T15:30:00+14:30"), "2026-03-04T01:00:00Z");
    }

    #[test]
    fn days_have_years_of_four_digits() {
        assert_eq!(
            day(NaiveDate::from_ymd_opt(990, 1, 2).expect("a day")).as_deref(),
            Some("0990-01-02")
        );
        assert_eq!(day(NaiveDate::from_ymd_opt(10_000, 1, 1).expect("a day")), None);
    }
}
