//! 406 for a caller whose `Accept` excludes the response's media type.

use axum::extract::Request;
use axum::http::header::{ACCEPT, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};

use crate::ApiError;

/// The media type of values that are sent one a line.
const LINES: &str = "application/x-ndjson";

/// The media ranges that a request's `Accept` accepts, and those that it excludes by `q=0`; none without an
/// `Accept`.
pub struct Accepted {
    ranges: Option<Ranges>,
    writes: bool,
}

impl Accepted {
    /// Reads the accepted media types of a request.
    pub fn by(request: &Request) -> Self {
        let headers = request.headers();
        Self {
            ranges: headers.contains_key(ACCEPT).then(|| Ranges::read(headers)),
            writes: !request.method().is_safe(),
        }
    }

    /// Replaces a successful response by a 406 where its media type is not accepted.
    ///
    /// Only a response has a media type, so the check is after the operation. Errors stay as they are: a problem
    /// document says more than a 406. So do responses to writes, which are completed; a stream of lines does nothing
    /// before it is read.
    pub fn check(self, response: Response) -> Response {
        let Some(accepted) = self.ranges.filter(|_| response.status().is_success()) else {
            return response;
        };
        let kind = response.headers().get(CONTENT_TYPE).and_then(essence);
        match kind {
            Some(kind) if !accepted.takes(kind) && (!self.writes || kind == LINES) => {
                let mut refused = ApiError::not_acceptable(kind).into_response();
                refused.headers_mut().insert(VARY, HeaderValue::from_static("accept"));
                refused
            }
            _ => response,
        }
    }
}

/// A type without its parameters.
fn essence(value: &HeaderValue) -> Option<&str> {
    Some(value.to_str().ok()?.split(';').next().unwrap_or_default().trim())
}

/// Media ranges, and whether each is accepted.
struct Ranges(Vec<(String, bool)>);

impl Ranges {
    /// Ignores invalid media ranges.
    fn read(headers: &HeaderMap) -> Self {
        let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let ranges = values.flat_map(|value| value.split(',')).filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let name = parts.next().filter(|name| name.contains('/'))?.to_ascii_lowercase();
            let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
            let refused = weight.and_then(|weight| weight.parse().ok()) == Some(0.0);
            Some((name, !refused))
        });
        Self(ranges.collect())
    }

    /// The range that is nearest to the type decides. A header without a valid range accepts everything.
    fn takes(&self, kind: &str) -> bool {
        let family = kind.split('/').next().unwrap_or_default();
        let ranges = [kind.to_ascii_lowercase(), format!("{family}/*"), "*/*".to_owned()];
        let says = |range: &String| {
            let mut same = self.0.iter().filter(|(name, _)| name == range).peekable();
            same.peek()?;
            Some(same.any(|(_, taken)| *taken))
        };
        self.0.is_empty() || ranges.iter().find_map(says).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_range_decides() {
        for (accept, taken) in [
            ("application/json", true),
            ("*/*", true),
            ("application/*", true),
            ("APPLICATION/JSON; charset=utf-8", true),
            ("text/html, application/json;q=0.1", true),
            ("text/html", false),
            ("application/problem+json", false),
            ("application/json;q=0, */*", false),
            ("application/*;q=0.000, */*", false),
            ("*/*;q=0", false),
            ("*/*;q=0, application/json", true),
            ("", true),
            ("nonsense", true),
            ("nonsense, text/html", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_str(accept).expect("a header"));
            assert_eq!(Ranges::read(&headers).takes("application/json"), taken, "{accept}");
        }
    }
}
