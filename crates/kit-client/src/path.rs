//! Values in URLs.

use std::fmt::Display;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use wearlab_kit_types::segment::{Piece, pieces};

use crate::Error;

/// All characters except the unreserved ones of RFC 3986.
pub(crate) const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The path of an operation, with its values filled in. No value can leave its segment, or the place of its parameter.
pub(crate) fn fill(template: &str, values: &[String]) -> Result<String, Error> {
    let mut path = String::with_capacity(template.len() + 32);
    let mut values = values.iter();
    for segment in template.split('/').skip(1) {
        path.push('/');
        if segment.contains('{') {
            path.push_str(&filled(segment, &mut values)?);
        } else {
            path.push_str(segment);
        }
    }
    Ok(path)
}

/// A segment with its values.
fn filled<'v>(template: &str, values: &mut impl Iterator<Item = &'v String>) -> Result<String, Error> {
    let mut segment = String::new();
    let pieces = pieces(template);
    let parameters = pieces
        .iter()
        .filter(|piece| matches!(piece, Piece::Parameter(_)))
        .count();
    let mut seen = 0;
    for (index, piece) in pieces.iter().enumerate() {
        let name = match piece {
            Piece::Text(text) => {
                segment.push_str(text);
                continue;
            }
            Piece::Parameter(name) => name,
        };
        seen += 1;
        let value = values.next().map(String::as_str).unwrap_or_default();
        if let Some(Piece::Text(text)) = pieces.get(index + 1)
            && seen < parameters
            && value.contains(text)
        {
            // The service would end the value there.
            return Err(Error::invalid_request(format!("{name}: must not contain `{text}`")));
        }
        // A URL with a dot segment is another URL.
        if value.is_empty() || pieces.len() == 1 && matches!(value, "." | "..") {
            return Err(Error::invalid_request(format!(
                "{name}: must not be empty, `.` or `..`"
            )));
        }
        segment.extend(utf8_percent_encode(value, UNRESERVED));
    }
    if pieces.len() > 1 && matches!(segment.as_str(), "." | "..") {
        return Err(Error::invalid_request(format!("{template}: must not be `.` or `..`")));
    }
    Ok(segment)
}

/// The items of a list as texts.
pub fn texts<T: Display>(list: &[T]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
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
        let mixed = |values: &[&str]| {
            let values: Vec<_> = values.iter().map(|value| (*value).to_owned()).collect();
            fill("/{a}-{b}/r.{c}", &values).map_err(|error| error.to_string())
        };
        assert_eq!(mixed(&["1", "2-3", "/"]).as_deref(), Ok("/1-2-3/r.%2F"));
        assert!(mixed(&["1-2", "3", "c"]).is_err_and(|error| error.contains("a: must not contain `-`")));
        assert!(mixed(&["1", "", "c"]).is_err());
        assert!(fill("/{a}.", &[".".to_owned()]).is_err());
        assert_eq!(fill("/v2/user/", &[]).ok().as_deref(), Some("/v2/user/"));
    }
}
