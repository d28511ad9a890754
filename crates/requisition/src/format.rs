//! Formats of names, places and times.

use chrono::{DateTime, Datelike, NaiveDate, Timelike, Utc};

use crate::text::{NOTHING, one_line};

/// Formats a name as labs sort it.
pub(crate) fn name(last: &str, first: &str) -> String {
    match [one_line(last), one_line(first)] {
        [last, first] if last.is_empty() && first.is_empty() => NOTHING.to_owned(),
        [last, first] if last.is_empty() || first.is_empty() => last + &first,
        [last, first] => format!("{last}, {first}"),
    }
}

/// Formats city, state and ZIP code in a line, as on envelopes.
pub(crate) fn place([city, state, zip]: [&str; 3]) -> String {
    let [city, state, zip] = [one_line(city), one_line(state), one_line(zip)];
    let comma = if !city.is_empty() && !state.is_empty() {
        ", "
    } else {
        " "
    };
    one_line(&format!("{city}{comma}{state} {zip}"))
}

/// Formats a date as in the United States.
pub(crate) fn date(date: NaiveDate) -> String {
    format!("{:02}/{:02}/{:04}", date.month(), date.day(), date.year())
}

/// Formats a time, with its date.
pub(crate) fn time(time: DateTime<Utc>) -> String {
    format!(
        "{} {:02}:{:02} UTC",
        date(time.date_naive()),
        time.hour(),
        time.minute()
    )
}

/// Returns the words of a name of the API: `walk_in_test` is "Walk in test". Other texts are unchanged.
pub(crate) fn words(name: &str) -> String {
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    if !name.bytes().all(is_name) {
        return name.to_owned();
    }
    let mut words = name.replace(['_', '-'], " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{name, place, words};

    #[test]
    fn what_is_missing_leaves_no_comma() {
        assert_eq!(name("Rivera", "Ana"), "Rivera, Ana");
        assert_eq!(name("Rivera", " "), "Rivera");
        assert_eq!(name("\u{200b}", ""), "\u{2013}");
        assert_eq!(place(["Austin", "TX", "73301"]), "Austin, TX 73301");
        assert_eq!(place(["Austin", "", "73301"]), "Austin 73301");
        assert_eq!(place(["", "", ""]), "");
    }

    #[test]
    fn names_of_the_interface_become_words() {
        assert_eq!(words("at_home_phlebotomy"), "At home phlebotomy");
        assert_eq!(words("telehealth-informed-consent"), "Telehealth informed consent");
        assert_eq!(words("Commercial insurance_x"), "Commercial insurance_x");
        assert_eq!(words(""), "");
    }
}
