//! Checks of days: births, ages, and the day from which an order is active.

use chrono::{Months, NaiveDate};

use super::ViolationCode::OutOfRange;
use super::violation::{Checked, Checks, Violation, failed};

/// Maximum age in years: the oldest verified age is 122.
const OLDEST_YEARS: u32 = 130;

/// Returns the age in whole years on a day, none before the birth. A person who was born on 29 February is a year older
/// on 1 March of years without that day.
pub fn age(dob: NaiveDate, on: NaiveDate) -> Option<u32> {
    on.years_since(dob)
}

/// Checks a day of birth: before today, at most 130 years ago.
pub(super) fn dob(dob: NaiveDate, today: NaiveDate) -> Checked {
    if dob >= today {
        return failed(OutOfRange, "must be a past day");
    }
    let earliest = today.checked_sub_months(Months::new(OLDEST_YEARS * 12));
    if earliest.is_some_and(|earliest| dob < earliest) {
        return failed(OutOfRange, format!("must be at most {OLDEST_YEARS} years ago"));
    }
    Ok(())
}

/// Checks the day from which an order is active, the value at `location`: today or later.
pub fn check_activate_by(day: NaiveDate, today: NaiveDate, location: &str) -> Option<Violation> {
    let (at, name) = location.rsplit_once('/').unwrap_or(("", location));
    let mut checks = Checks::of(at);
    if day < today {
        checks.member(name, failed(OutOfRange, "must be today or a later day"));
    }
    checks.found().pop()
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::{age, check_activate_by, dob};

    fn day(text: &str) -> NaiveDate {
        text.parse().expect("a day")
    }

    #[test]
    fn an_age_changes_on_the_birthday() {
        for (born, on, years) in [
            ("2000-02-29", "2025-02-28", Some(24)),
            ("2000-02-29", "2025-03-01", Some(25)),
            ("2000-02-29", "2024-02-29", Some(24)),
            ("1985-12-10", "2026-12-09", Some(40)),
            ("1985-12-10", "2026-12-10", Some(41)),
            ("2026-01-02", "2026-01-02", Some(0)),
            ("2026-01-02", "2026-01-01", None),
        ] {
            assert_eq!(age(day(born), day(on)), years, "{born} on {on}");
        }
    }

    #[test]
    fn a_birth_was_before_today_and_within_130_years() {
        for (born, good) in [
            ("2026-03-01", false),
            ("2026-02-28", true),
            ("2027-01-01", false),
            ("1896-03-01", true),
            ("1896-02-29", false),
            ("0001-01-01", false),
        ] {
            assert_eq!(dob(day(born), day("2026-03-01")).is_ok(), good, "{born}");
        }
    }

    #[test]
    fn an_order_is_active_from_today_on() {
        let found = |text| check_activate_by(day(text), day("2026-03-01"), "/activate_by");
        assert_eq!(found("2026-03-01"), None);
        assert_eq!(found("2026-02-28").expect("a violation").location, "/activate_by");
    }
}
