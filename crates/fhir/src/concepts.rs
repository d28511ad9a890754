//! Codes and their systems.

use serde_json::{Value, json};

use crate::prune::is_blank;

const LOINC: &str = "http://loinc.org";
const ICD_10_CM: &str = "http://hl7.org/fhir/sid/icd-10-cm";

/// Creates a code of a system.
pub(crate) fn coding(system: &str, code: &str, display: &str) -> Value {
    json!({"system": system, "code": code, "display": display})
}

/// Creates a concept of one code.
pub(crate) fn concept(system: &str, code: &str, display: &str) -> Value {
    json!({"coding": [coding(system, code, display)]})
}

/// Creates the concept of the measured quantity: its LOINC code, and the first text that is not blank. FHIR requires
/// one of them.
pub(crate) fn measured(loinc: Option<&str>, texts: [Option<&str>; 3]) -> Value {
    let coding = loinc
        .map(str::trim)
        .filter(|code| is_loinc(code))
        .map(|code| json!([{"system": LOINC, "code": code}]));
    let text = texts.into_iter().flatten().find(|text| !is_blank(text));
    let text = text.or(if coding.is_none() { Some("unknown") } else { None });
    json!({"coding": coding, "text": text})
}

/// Creates the concept of a laboratory report, with the name of the ordered tests.
pub(crate) fn laboratory_report(text: &str) -> Value {
    json!({"coding": [coding(LOINC, "11502-2", "Laboratory report")], "text": text})
}

/// Creates the concept of a diagnosis, by a code with or without its dot.
pub(crate) fn diagnosis(code: &str) -> Value {
    let code = code.trim();
    let bare = code.replacen('.', "", 1).to_ascii_uppercase();
    let is_code = (3..=7).contains(&bare.len())
        && bare.starts_with(|c: char| c.is_ascii_uppercase())
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_code {
        return json!({"text": code});
    }
    let (category, rest) = bare.split_at(3);
    let code = if rest.is_empty() {
        bare.clone()
    } else {
        format!("{category}.{rest}")
    };
    json!({"coding": [{"system": ICD_10_CM, "code": code}]})
}

/// Returns whether a text has the form of a LOINC code: digits, a hyphen, and their check digit.
fn is_loinc(code: &str) -> bool {
    let Some((number, check)) = code.split_once('-') else {
        return false;
    };
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    (1..=7).contains(&number.len())
        && is_number(number)
        && check.len() == 1
        && is_number(check)
        && luhn(number) == check
}

/// Returns the check digit of a number by the algorithm of Luhn, as LOINC uses it.
fn luhn(number: &str) -> String {
    let digits = number.bytes().rev().map(|byte| u32::from(byte - b'0')).enumerate();
    let sum: u32 = digits
        .map(|(position, digit)| match position % 2 {
            0 => digit * 2 / 10 + digit * 2 % 10,
            _ => digit,
        })
        .sum();
    ((10 - sum % 10) % 10).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prune::prune;

    #[test]
    fn only_what_can_be_a_loinc_code_is_one() {
        for code in ["2345-7", "13457-7", "11502-2", "788-0", "43583-4"] {
            assert!(is_loinc(code), "{code}");
        }
        for code in [
            "2345-8",
            "2345",
            "-7",
            "2345-",
            "2345-77",
            "x345-7",
            "12345678-9",
            "٣-1",
        ] {
            assert!(!is_loinc(code), "{code}");
        }
    }

    #[test]
    fn what_was_measured_always_has_a_name() {
        let measured = |loinc, texts| prune(measured(loinc, texts));
        let glucose = json!([{"system": LOINC, "code": "2345-7"}]);
        assert_eq!(
            measured(Some("2345-7"), [Some(""), None, None]),
            json!({"coding": glucose})
        );
        assert_eq!(
            measured(Some("GLU"), [Some(" "), Some("glucose"), None]),
            json!({"text": "glucose"})
        );
        assert_eq!(measured(None, [Some(""), None, None]), json!({"text": "unknown"}));
    }

    #[test]
    fn diagnoses_have_their_dot() {
        for (given, code) in [
            ("E78.5", "E78.5"),
            ("e785", "E78.5"),
            ("I10", "I10"),
            ("S72001A", "S72.001A"),
        ] {
            assert_eq!(diagnosis(given)["coding"][0]["code"], code, "{given}");
        }
        for given in ["", "E7", "78.5", "E78.5.1", "high cholesterol", "É78.5"] {
            assert_eq!(diagnosis(given), json!({"text": given}), "{given}");
        }
    }
}
