//! Values on their way into an address.

#![allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]

use std::fmt::Display;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::Error;

/// Everything but what RFC 3986 calls unreserved.
pub(crate) const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The path of an operation, with its values filled in. No value can leave its segment.
pub(crate) fn fill(template: &str, values: &[String]) -> Result<String, Error> {
    let mut path = String::with_capacity(template.len() + 32);
    let mut values = values.iter();
    for segment in template.split('/').skip(1) {
        path.push('/');
        if segment.starts_with('{') {
            let name = segment.trim_matches(['{', '}']);
            let value = values.next().map(String::as_str).unwrap_or_default();
            // An address with a dot segment is another address.
            if matches!(value, "" | "." | "..") {
                return Err(Error::invalid_request(format!(
                    "{name}: must not be empty, `.` or `..`"
                )));
            }
            path.extend(utf8_percent_encode(value, UNRESERVED));
        } else {
            path.push_str(segment);
        }
    }
    Ok(path)
}

/// A parameter that was converted, or which one was not.
pub(crate) fn argument<T, E>(name: &str, value: Result<T, E>) -> Result<T, String> {
    value.map_err(|_| format!("{name}: the value cannot be converted to this parameter's type"))
}

/// What a parameter is that must be set and was not, and the method that sets it.
pub(crate) fn missing<T>(name: &str, setter: &str) -> Result<T, String> {
    Err(format!("{name} is not set: call `.{setter}(...)` before sending"))
}

/// The items of a list as texts.
pub(crate) fn texts<T: Display>(list: &[T]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

/// The items of a list as one text, nothing for an empty one.
pub(crate) fn joined(
    name: &str,
    separator: char,
    list: Result<Option<Vec<String>>, String>,
) -> Result<Option<String>, String> {
    let Some(list) = list?.filter(|list| !list.is_empty()) else {
        return Ok(None);
    };
    if list.iter().any(|item| item.contains(separator)) {
        return Err(format!(
            "{name}: an item contains `{separator}`, which separates the items"
        ));
    }
    Ok(Some(list.join(&separator.to_string())))
}

/// A list that must have an item.
pub(crate) fn present(name: &str, list: Result<Option<String>, String>) -> Result<String, String> {
    list?.ok_or_else(|| format!("{name}: must have at least one item"))
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn values_stay_in_their_segment() {
        let filled = |value: &str| fill("/v3/lab_tests/{lab_test_id}/markers", &[value.to_owned()]);
        for (value, path) in [
            ("lt-1", "/v3/lab_tests/lt-1/markers"),
            ("a/../b", "/v3/lab_tests/a%2F..%2Fb/markers"),
            ("..\\..", "/v3/lab_tests/..%5C../markers"),
            ("%2e%2e", "/v3/lab_tests/%252e%252e/markers"),
            ("a?b#c é", "/v3/lab_tests/a%3Fb%23c%20%C3%A9/markers"),
            ("...", "/v3/lab_tests/.../markers"),
        ] {
            let filled = filled(value).expect("a good value");
            assert_eq!(filled, path);
            let url = reqwest::Url::parse(&format!("http://h{filled}")).expect("an address");
            assert_eq!(url.path(), path, "no reader takes it for another address");
        }
        for value in ["", ".", ".."] {
            assert!(filled(value).is_err(), "{value:?}");
        }
        assert_eq!(fill("/v2/user/", &[]).ok().as_deref(), Some("/v2/user/"));
    }
}
