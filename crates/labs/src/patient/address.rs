//! Address of a patient, for kits and visits of phlebotomists.

use super::ViolationCode::{Malformed, UnknownValue};
use super::violation::{Checked, Checks, Violation, failed};
use super::{countries, states, text};

const LINE_MOST: usize = 100;
const ZIP_MOST: usize = 20;

/// Address of a patient. It has no `Debug`: logs show no patients.
#[derive(Clone, Copy)]
pub struct PatientAddress<'a> {
    /// Recipient of a kit, if not the patient.
    pub receiver_name: Option<&'a str>,
    /// Street and number.
    pub first_line: &'a str,
    /// Further line, such as a flat or a floor.
    pub second_line: Option<&'a str>,
    /// City.
    pub city: &'a str,
    /// Code of a state of the US; free text elsewhere, and empty if there are no states.
    pub state: &'a str,
    /// `12345` or `12345-6789` in the US; free text elsewhere, and empty if there are none.
    pub zip: &'a str,
    /// Code of the country, by ISO 3166-1 alpha-2.
    pub country: &'a str,
}

impl PatientAddress<'_> {
    /// Returns all violations, at the members of the object at the JSON pointer `at`.
    pub fn check(&self, at: &str) -> Vec<Violation> {
        let mut checks = Checks::of(at);
        checks.member(
            "receiver_name",
            text::optional(self.receiver_name.unwrap_or(""), LINE_MOST),
        );
        checks.member("first_line", text::required(self.first_line, LINE_MOST));
        checks.member("second_line", text::optional(self.second_line.unwrap_or(""), LINE_MOST));
        checks.member("city", text::required(self.city, LINE_MOST));
        if self.country == "US" {
            checks.member("state", state(self.state));
            checks.member("zip", us_zip(self.zip));
        } else {
            checks.member("state", text::optional(self.state, LINE_MOST));
            checks.member("zip", text::optional(self.zip, ZIP_MOST));
        }
        checks.member("country", country(self.country));
        checks.found()
    }
}

fn state(state: &str) -> Checked {
    if states::is_us_state(state) {
        return Ok(());
    }
    match states::code_of(state) {
        Some(code) => failed(
            UnknownValue,
            format!("must be the code of a state: did you mean `{code}`?"),
        ),
        None => failed(
            UnknownValue,
            "must be the code of a state or territory of the US, such as `CA`",
        ),
    }
}

fn us_zip(zip: &str) -> Checked {
    let digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    let good = match zip.split_once('-') {
        Some((zip, more)) => digits(zip, 5) && digits(more, 4),
        None => digits(zip, 5),
    };
    if good {
        return Ok(());
    }
    failed(Malformed, "must be a ZIP code: `12345` or `12345-6789`")
}

fn country(country: &str) -> Checked {
    if countries::is_country(country) {
        return Ok(());
    }
    match countries::code_of(country) {
        Some(code) => failed(
            UnknownValue,
            format!("must be a code of ISO 3166-1: did you mean `{code}`?"),
        ),
        None => failed(
            UnknownValue,
            "must be a country's code of two capital letters (ISO 3166-1 alpha-2), such as `US`",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::PatientAddress;

    fn good() -> PatientAddress<'static> {
        PatientAddress {
            receiver_name: None,
            first_line: "1 Main Street",
            second_line: Some(""),
            city: "San Francisco",
            state: "CA",
            zip: "94103",
            country: "US",
        }
    }

    fn found(address: PatientAddress<'_>) -> Vec<String> {
        let violations = address.check("/patient_address");
        let short = violations
            .into_iter()
            .map(|violation| format!("{} {}", violation.location, violation.message));
        short.collect()
    }

    #[test]
    fn an_address_in_the_us_has_a_state_and_a_zip_code() {
        assert!(found(good()).is_empty());
        for (state, hint) in [
            ("California", "did you mean `CA`?"),
            ("new  york", "did you mean `NY`?"),
            ("ca", "did you mean `CA`?"),
            (" TX", "did you mean `TX`?"),
            ("Virgina", "did you mean `VA`?"),
            ("Washington DC", "did you mean `DC`?"),
            ("ZZ", "such as `CA`"),
            ("", "such as `CA`"),
        ] {
            let found = found(PatientAddress { state, ..good() });
            assert_eq!(found.len(), 1, "{state}");
            assert!(
                found[0].starts_with("/patient_address/state ") && found[0].ends_with(hint),
                "{found:?}"
            );
        }
        for (zip, accepted) in [
            ("94103-1234", true),
            ("9410", false),
            ("94103-", false),
            ("94103 1234", false),
            ("94103-12345", false),
            ("٩٤١٠٣", false),
        ] {
            assert_eq!(found(PatientAddress { zip, ..good() }).is_empty(), accepted, "{zip}");
        }
    }

    #[test]
    fn elsewhere_state_and_zip_are_texts() {
        for (country, state, zip) in [("GB", "", "SW1A 1AA"), ("HK", "", ""), ("DE", "Bayern", "80331")] {
            let address = PatientAddress {
                country,
                state,
                zip,
                ..good()
            };
            assert!(found(address).is_empty(), "{country}");
        }
        for (country, hint) in [
            ("USA", "did you mean `US`?"),
            ("us", "did you mean `US`?"),
            ("United Kingdom", "did you mean `GB`?"),
            ("UK", "did you mean `GB`?"),
            ("XX", "such as `US`"),
            ("", "such as `US`"),
        ] {
            let found = found(PatientAddress { country, ..good() });
            assert_eq!(found.len(), 1, "{country}");
            assert!(
                found[0].starts_with("/patient_address/country ") && found[0].ends_with(hint),
                "{found:?}"
            );
        }
    }
}
