//! Patient of an order.

use chrono::NaiveDate;

use super::ViolationCode::UnknownValue;
use super::violation::{Checked, Checks, Violation, failed};
use super::{age, contact, text};
use crate::nearest::nearest;

/// Documented genders: those of FHIR's `administrative-gender`. Other texts are accepted.
pub const GENDERS: [&str; 4] = ["male", "female", "other", "unknown"];

/// Maximum characters of a first or a last name.
const NAME_MOST: usize = 100;
/// Maximum characters of a gender.
const GENDER_MOST: usize = 50;

/// Patient of an order. It has no `Debug`: logs show no patients.
#[derive(Clone, Copy)]
pub struct PatientDetails<'a> {
    /// First name.
    pub first_name: &'a str,
    /// Last name.
    pub last_name: &'a str,
    /// Day of birth.
    pub dob: NaiveDate,
    /// Gender: one of [`GENDERS`], or another text.
    pub gender: &'a str,
    /// Phone number by E.164.
    pub phone_number: &'a str,
    /// Email address.
    pub email: &'a str,
}

impl PatientDetails<'_> {
    /// Returns all violations, at the members of the object at the JSON pointer `at`.
    pub fn check(&self, at: &str, today: NaiveDate) -> Vec<Violation> {
        let mut checks = Checks::of(at);
        checks.member("first_name", text::required(self.first_name, NAME_MOST));
        checks.member("last_name", text::required(self.last_name, NAME_MOST));
        checks.member("dob", age::dob(self.dob, today));
        checks.member("gender", gender(self.gender));
        checks.member("phone_number", contact::phone_number(self.phone_number));
        checks.member("email", contact::email(self.email));
        checks.found()
    }
}

/// Checks a gender: a documented one, or a text that does not resemble one. Labs compare results with the usual range
/// of a gender, so a typo matters.
fn gender(gender: &str) -> Checked {
    if GENDERS.contains(&gender) {
        return Ok(());
    }
    text::required(gender, GENDER_MOST)?;
    match nearest(gender.trim(), GENDERS) {
        Some(meant) => failed(
            UnknownValue,
            format!("must be a known gender or another text: did you mean `{meant}`?"),
        ),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::PatientDetails;

    fn good() -> PatientDetails<'static> {
        PatientDetails {
            first_name: "Zoë-Marie",
            last_name: "O'Neill 3rd",
            dob: NaiveDate::from_ymd_opt(1990, 5, 17).expect("a day"),
            gender: "female",
            phone_number: "+14155550132",
            email: "zoe@example.com",
        }
    }

    fn found(patient: PatientDetails<'_>) -> Vec<(String, &'static str)> {
        let today = NaiveDate::from_ymd_opt(2026, 3, 1).expect("a day");
        let violations = patient.check("/patient_details", today);
        let short = violations.into_iter().map(|violation| {
            let member = violation.location.strip_prefix("/patient_details/").map(str::to_owned);
            (member.expect("a member"), violation.code.as_str())
        });
        short.collect()
    }

    #[test]
    fn all_violations_are_found_at_their_members() {
        assert!(found(good()).is_empty());
        let bad = PatientDetails {
            first_name: " \u{3000}",
            last_name: &"x".repeat(101),
            dob: NaiveDate::from_ymd_opt(2026, 3, 1).expect("a day"),
            gender: "",
            phone_number: "",
            email: "",
        };
        let expected = [
            ("first_name", "too_short"),
            ("last_name", "too_long"),
            ("dob", "out_of_range"),
            ("gender", "too_short"),
            ("phone_number", "malformed"),
            ("email", "malformed"),
        ];
        assert_eq!(found(bad), expected.map(|(member, code)| (member.to_owned(), code)));
        let lines = PatientDetails {
            first_name: "A\nB",
            last_name: &"ü".repeat(100),
            ..good()
        };
        assert_eq!(found(lines), [("first_name".to_owned(), "malformed")]);
    }

    #[test]
    fn another_gender_is_accepted_and_a_typo_is_not() {
        for (gender, accepted) in [
            ("unknown", true),
            ("non_binary", true),
            ("Male", false),
            ("femal", false),
            ("FEMALE", false),
        ] {
            assert_eq!(
                found(PatientDetails { gender, ..good() }).is_empty(),
                accepted,
                "{gender}"
            );
        }
    }
}
