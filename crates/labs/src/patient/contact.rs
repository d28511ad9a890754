//! Syntax of phone numbers and email addresses.
//!
//! Libraries with the numbering plans of all countries weigh megabytes, become outdated, and reject existing numbers;
//! labs require E.164, which is a format. The grammar of email addresses is that of the crate `email_address`.

use email_address::{EmailAddress, Options};

use super::ViolationCode::{Malformed, TooLong};
use super::violation::{Checked, failed};

/// Maximum length of an email address in a path of SMTP (RFC 3696, erratum 1690).
const EMAIL_MOST: usize = 254;

/// Returns whether a text is a phone number by E.164, and nothing else: `+`, the code of the country, and the number, 7
/// to 15 digits together. Numbers of `+1` have 10 digits after it.
pub fn is_phone_number(text: &str) -> bool {
    let Some(digits) = text.strip_prefix('+') else {
        return false;
    };
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && (7..=15).contains(&digits.len())
        && !digits.starts_with('0')
        && (!digits.starts_with('1') || digits.len() == 11)
}

/// Returns whether a text is an email address with a domain name, and without a display name.
pub fn is_email(text: &str) -> bool {
    let options = Options::default()
        .with_required_tld()
        .without_display_text()
        .without_domain_literal();
    text.len() <= EMAIL_MOST && EmailAddress::parse_with_options(text, options).is_ok()
}

pub(super) fn phone_number(text: &str) -> Checked {
    if is_phone_number(text) {
        return Ok(());
    }
    let local = text.chars().filter(char::is_ascii_digit).count() == 10 && !text.trim_start().starts_with('+');
    let hint = if local { "; US numbers begin with +1" } else { "" };
    let form = "must be E.164: +, the country code and the number, 7 to 15 digits (11 with +1), without blanks";
    failed(Malformed, format!("{form}, such as +14155550132{hint}"))
}

pub(super) fn email(text: &str) -> Checked {
    if text.len() > EMAIL_MOST {
        return failed(TooLong, format!("must have at most {EMAIL_MOST} bytes"));
    }
    if is_email(text) {
        return Ok(());
    }
    failed(Malformed, "must be an email address, such as name@example.com")
}

#[cfg(test)]
mod tests {
    use super::{email, is_email, is_phone_number, phone_number};

    #[test]
    fn phone_numbers_are_e164_and_nothing_else() {
        for good in [
            "+14155550132",
            "+442079460958",
            "+4930901820",
            "+6834000",
            "+881234567890123",
        ] {
            assert!(is_phone_number(good), "{good}");
        }
        for bad in [
            "",
            "+",
            "14155550132",
            "+1 415 555 0132",
            "+1-415-555-0132",
            "+1415555013",
            "+123456789012345",
            "+0415555013",
            "+44207946095812345",
            "+441234",
            "+٤٤٢٠٧٩٤٦٠٩٥٨",
            "+14155550132 ",
            "+1415555o132",
        ] {
            assert!(!is_phone_number(bad), "{bad}");
        }
        let message = |text| phone_number(text).expect_err("no number").1;
        assert!(message("(415) 555-0132").ends_with("US numbers begin with +1"));
        assert!(!message("+1 415 555 0132").contains("begin"));
    }

    #[test]
    fn email_addresses_have_a_domain_name() {
        for good in [
            "a@example.com",
            "first.last+tag@mail.example.co.uk",
            "o'hara@example.ie",
            "Åsa@example.se",
        ] {
            assert!(is_email(good), "{good}");
        }
        for bad in [
            "",
            "a",
            "a@",
            "@example.com",
            "a@b@example.com",
            "a@example",
            "a b@example.com",
            "a@[127.0.0.1]",
            "A <a@example.com>",
            " a@example.com",
            "a@example.com\n",
            "a..b@example.com",
            "a@-example.com",
        ] {
            assert!(!is_email(bad), "{bad}");
        }
        assert!(email(&format!("{}@example.com", "a".repeat(300))).is_err());
    }
}
