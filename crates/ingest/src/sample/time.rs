//! Times in JSON.

use chrono::{DateTime, FixedOffset, NaiveDate, TimeZone};

const DAY: i64 = 86_400;
const MICROS: i64 = 1_000_000;

/// Parses a time of ISO 8601 with its offset.
pub(super) fn read_time(text: &str) -> Option<DateTime<FixedOffset>> {
    // Nearly all times have one form, and the parser of all forms takes far longer.
    read_usual(text.as_bytes()).or_else(|| text.parse().ok())
}

/// Returns whether a time is a leap second, such as 2016-12-31T23:59:60Z.
pub(crate) fn is_leap_second(text: &str) -> bool {
    const SECOND: u32 = 1_000_000_000;
    // No other time has this form.
    text.contains(":60") && read_time(text).is_some_and(|time| time.timestamp_subsec_nanos() >= SECOND)
}

/// Parses `2026-05-01T08:00:00Z`, with or without a fraction of the second, and `Z` or an offset of hours and minutes.
fn read_usual(text: &[u8]) -> Option<DateTime<FixedOffset>> {
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_u32, |number, digit| match digit {
            b'0'..=b'9' => Some(number * 10 + u32::from(digit - b'0')),
            _ => None,
        })
    };
    let (date_and_time, rest) = text.split_at_checked(19)?;
    let signs = [4, 7, 10, 13, 16].map(|at| date_and_time[at]);
    if signs != *b"--T::" {
        return None;
    }
    let part = |from: usize| number(&date_and_time[from..from + 2]);
    let (year, month, day) = (number(&date_and_time[..4])?, part(5)?, part(8)?);
    let date = NaiveDate::from_ymd_opt(year.try_into().ok()?, month, day)?;
    let (nanos, rest) = match rest.split_first()? {
        (b'.', rest) => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (fraction, rest) = rest.split_at(digits);
            if !(1..=9).contains(&digits) {
                return None;
            }
            (number(fraction)? * 10_u32.pow(9 - u32::try_from(digits).ok()?), rest)
        }
        _ => (0, rest),
    };
    let local = date.and_hms_nano_opt(part(11)?, part(14)?, part(17)?, nanos)?;
    let seconds = match rest {
        b"Z" => 0,
        [sign @ (b'+' | b'-'), h, hh, b':', m, mm] => {
            let (hours, minutes) = (number(&[*h, *hh])?, number(&[*m, *mm]).filter(|minutes| *minutes < 60)?);
            let seconds = i32::try_from(hours * 3600 + minutes * 60).ok()?;
            if *sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    let offset = FixedOffset::east_opt(seconds)?;
    offset.from_local_datetime(&local).single()
}

/// Appends a time of µs since 1970 as RFC 3339, with an offset. `Z` stands for no offset.
///
/// Years are from 0000 to 9999; [`crate::years`] rejects others.
pub(super) fn push_time(json: &mut Vec<u8>, time: i64, offset: i32) {
    let local = time.saturating_add(i64::from(offset).saturating_mul(MICROS));
    let (seconds, micros) = (local.div_euclid(MICROS), local.rem_euclid(MICROS));
    let (days, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = civil(days);
    json.push(b'"');
    push_digits(json, year, 4);
    for (sign, part) in [
        (b'-', month),
        (b'-', day),
        (b'T', second / 3600),
        (b':', second / 60 % 60),
        (b':', second % 60),
    ] {
        json.push(sign);
        push_digits(json, part, 2);
    }
    if micros > 0 {
        json.push(b'.');
        match micros % 1000 {
            0 => push_digits(json, micros / 1000, 3),
            _ => push_digits(json, micros, 6),
        }
    }
    if offset == 0 {
        json.push(b'Z');
    } else {
        json.push(if offset < 0 { b'-' } else { b'+' });
        let minutes = i64::from(offset.unsigned_abs() / 60);
        push_digits(json, minutes / 60, 2);
        json.push(b':');
        push_digits(json, minutes % 60, 2);
    }
    json.push(b'"');
}

/// Appends the last digits of a number.
fn push_digits(json: &mut Vec<u8>, mut number: i64, digits: usize) {
    let start = json.len();
    json.resize(start + digits, b'0');
    for digit in json[start..].iter_mut().rev() {
        *digit = b'0' + u8::try_from(number.rem_euclid(10)).unwrap_or(0);
        number = number.div_euclid(10);
    }
}

/// Returns year, month and day of a number of days since 1970, in the Gregorian calendar. Years are counted from March
/// here, so that a leap day is the last of its year.
fn civil(days: i64) -> (i64, i64, i64) {
    const ERA: i64 = 146_097; // The days of 400 years.
    let since_march_of_0 = days + 719_468;
    let (era, day_of_era) = (since_march_of_0.div_euclid(ERA), since_march_of_0.rem_euclid(ERA));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let (month, next_year) = match month_from_march {
        0..=9 => (month_from_march + 3, 0),
        _ => (month_from_march - 9, 1),
    };
    (era * 400 + year_of_era + next_year, month, day)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, FixedOffset};
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::{read_time, read_usual};

    fn parsed(text: &str) -> Option<DateTime<FixedOffset>> {
        text.parse().ok()
    }

    #[test]
    fn usual_times_are_read_as_all_others_are() {
        let usual = [
            "2026-05-01T08:00:00Z",
            "2026-05-01T08:00:00.5Z",
            "2024-02-29T23:59:59.123456789+14:00",
            "0000-01-01T00:00:00-00:30",
        ];
        for text in usual {
            assert_eq!(read_usual(text.as_bytes()), parsed(text), "{text}");
            assert!(parsed(text).is_some(), "{text}");
        }
        for text in [
            "2026-05-01T08:00:00",
            "2026-02-29T08:00:00Z",
            "2026-05-01T24:00:00Z",
            "2026-05-01T08:00:60Z",
            "2026-05-01 08:00:00Z",
            "2026-05-01T08:00:00z",
            "2026-05-01T08:00:00+0200",
            "2026-05-01T08:00:00+24:00",
            "2026-05-01T08:00:00+02:60",
            "2026-05-01T08:00:00.Z",
            "2026-05-01T08:00:00.1234567890Z",
            "2026-05-01T08:00:00Zz",
            "2026-05-01T08:00",
            "+2026-05-01T08:00:00Z",
            "",
        ] {
            assert_eq!(read_time(text), parsed(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_read_alike(
            millis in -62_167_132_800_000_i64..253_402_300_000_000,
            minutes in -840..840_i32,
            at in any::<proptest::sample::Index>(),
            other in "[0-9TZ:.+ -]",
        ) {
            let zone = FixedOffset::east_opt(minutes * 60).expect("an offset");
            let time = DateTime::from_timestamp_millis(millis).expect("a time").with_timezone(&zone);
            let text = time.to_rfc3339();
            prop_assert_eq!(read_time(&text), parsed(&text));
            let mut changed = text.clone();
            let at = at.index(text.len());
            changed.replace_range(at..=at, &other);
            prop_assert_eq!(read_time(&changed), parsed(&changed));
        }
    }
}
