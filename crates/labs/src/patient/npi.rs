//! Identifiers of physicians in the US.

use super::ViolationCode::Malformed;
use super::violation::{Checks, Violation, failed};

/// Returns whether a text is a National Provider Identifier: 10 digits that begin with 1 or 2, the last of which is the
/// check digit (Luhn, of the digits with `80840` before them).
pub fn is_npi(text: &str) -> bool {
    /// Sum of the prefix `80840`.
    const PREFIX_SUM: u32 = 24;
    if text.len() != 10 || !text.starts_with(['1', '2']) {
        return false;
    }
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(10)).collect();
    let sum = |digits: Vec<u32>| {
        let doubled = digits.iter().step_by(2).map(|digit| digit * 2 / 10 + digit * 2 % 10);
        PREFIX_SUM + doubled.sum::<u32>() + digits.iter().skip(1).step_by(2).sum::<u32>()
    };
    digits.is_some_and(|digits| sum(digits) % 10 == 0)
}

/// Checks the identifier of a physician, the value at `location`.
pub fn check_npi(npi: &str, location: &str) -> Option<Violation> {
    let (at, name) = location.rsplit_once('/').unwrap_or(("", location));
    let mut checks = Checks::of(at);
    if !is_npi(npi) {
        let message = "must be an NPI: 10 digits, the last of which is a check digit";
        checks.member(name, failed(Malformed, message));
    }
    checks.found().pop()
}

#[cfg(test)]
mod tests {
    use super::{check_npi, is_npi};

    #[test]
    fn the_last_digit_checks_the_others() {
        // The example of the standard.
        assert!(is_npi("1234567893"));
        for last in "012456789".chars() {
            assert!(!is_npi(&format!("123456789{last}")), "{last}");
        }
        for bad in [
            "",
            "123456789",
            "12345678930",
            "1234567 93",
            "3234567891",
            "１２３４５６７８９３",
        ] {
            assert!(!is_npi(bad), "{bad}");
        }
        let violation = check_npi("12", "/physician/npi").expect("a violation");
        assert_eq!(violation.location, "/physician/npi");
    }
}
