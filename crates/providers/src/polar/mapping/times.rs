//! Times without an offset, and durations.

use chrono::{DateTime as Instant, FixedOffset, NaiveDateTime, NaiveTime, TimeDelta};
use wearlab_models::DateTime;

/// Numbers of s since 1970 from here on are ms: as s, they would be after the year 5000.
const MILLISECONDS: i64 = 100_000_000_000;

/// Reads a time, such as `2026-03-04T17:00:00`, also without seconds. A `Z` is not an offset of it.
pub(super) fn date_time(text: &str) -> Option<NaiveDateTime> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let mut forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"].iter();
    forms.find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
}

/// Reads a time in UTC.
pub(super) fn utc(text: &str) -> Option<DateTime> {
    date_time(text).map(|time| time.and_utc().fixed_offset())
}

/// Reads a time of a clock, such as `23:05` or `00:02:08`.
pub(super) fn clock_time(text: &str) -> Option<NaiveTime> {
    let mut forms = ["%H:%M", "%H:%M:%S%.f"].iter();
    forms.find_map(|form| NaiveTime::parse_from_str(text, form).ok())
}

/// Reads a duration of ISO 8601 with days at most, such as `PT1H2M3.5S`.
pub(super) fn duration(text: &str) -> Option<TimeDelta> {
    let mut rest = text.strip_prefix('P').filter(|rest| !rest.is_empty())?;
    let (mut milliseconds, mut is_time) = (0.0, false);
    while !rest.is_empty() {
        if let Some(time) = rest.strip_prefix('T').filter(|_| !is_time) {
            (rest, is_time) = (time, true);
            continue;
        }
        let unit = rest.find(|letter: char| letter.is_ascii_alphabetic())?;
        let number: f64 = rest[..unit].parse().ok()?;
        let seconds = match (rest.as_bytes()[unit], is_time) {
            (b'D', false) => 86_400.0,
            (b'H', true) => 3_600.0,
            (b'M', true) => 60.0,
            (b'S', true) => 1.0,
            _ => return None,
        };
        milliseconds += number * seconds * 1_000.0;
        rest = &rest[unit + 1..];
    }
    TimeDelta::try_milliseconds(milliseconds.round() as i64)
}

/// Returns an offset of so many minutes.
pub(super) fn offset(minutes: i64) -> Option<FixedOffset> {
    FixedOffset::east_opt(i32::try_from(minutes.checked_mul(60)?).ok()?)
}

/// Returns the time of a number of s, or of ms if it is large, since 1970, with an offset in minutes. UTC without one.
pub(super) fn epoch(number: i64, minutes: Option<i64>) -> Option<DateTime> {
    let time = match number >= MILLISECONDS {
        true => Instant::from_timestamp_millis(number),
        false => Instant::from_timestamp(number, 0),
    };
    let offset = offset(minutes.unwrap_or(0))?;
    Some(time?.with_timezone(&offset))
}

#[cfg(test)]
mod tests {
    use super::{clock_time, date_time, duration, epoch};

    #[test]
    fn durations() {
        let seconds = |text| duration(text).map(|duration| duration.as_seconds_f64());
        for (text, expected) in [
            ("PT1H2M3S", 3_723.0),
            ("PT45M0S", 2_700.0),
            ("PT2H44M", 9_840.0),
            ("PT210.026S", 210.026),
            ("P1DT1M", 86_460.0),
            ("PT0S", 0.0),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in [
            "", "P", "45", "PT5", "PTS", "P1M", "P1H", "PT1TT1S", "PT1X", "pt1s", "PT1Sé",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn times() {
        let shown = |text| date_time(text).map(|time| time.to_string());
        assert_eq!(shown("2026-03-04T17:00:00").as_deref(), Some("2026-03-04 17:00:00"));
        assert_eq!(shown("2026-03-04T17:00").as_deref(), Some("2026-03-04 17:00:00"));
        assert_eq!(
            shown("2026-03-04T17:00:00.250Z").as_deref(),
            Some("2026-03-04 17:00:00.250")
        );
        assert_eq!(shown("2026-03-04"), None);
        assert_eq!(
            clock_time("23:05").map(|time| time.to_string()).as_deref(),
            Some("23:05:00")
        );
        assert_eq!(
            clock_time("00:02:08").map(|time| time.to_string()).as_deref(),
            Some("00:02:08")
        );
        assert_eq!(clock_time("24:00"), None);
    }

    #[test]
    fn numbers_of_seconds_and_of_milliseconds() {
        let shown = |number, minutes| epoch(number, minutes).map(|time| time.to_rfc3339());
        let expected = Some("2026-03-04T06:53:20+02:00".to_owned());
        assert_eq!(shown(1_772_600_000, Some(120)), expected);
        assert_eq!(shown(1_772_600_000_000, Some(120)), expected);
        assert_eq!(shown(1_772_600_000, None).as_deref(), Some("2026-03-04T04:53:20+00:00"));
        assert_eq!(shown(1_772_600_000, Some(1 << 40)), None);
    }
}
