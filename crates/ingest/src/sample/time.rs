//! Times as JSON.

const DAY: i64 = 86_400;
const MICROS: i64 = 1_000_000;

/// Appends a time of µs since 1970 as RFC 3339, as a clock of an offset shows it. `Z` stands for no offset.
///
/// Years are from 0000 to 9999; [`crate::years`] refuses others.
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

/// Year, month and day of a number of days since 1970, in the Gregorian calendar. Years are counted from March here, so that
/// a leap day is the last of its year.
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
