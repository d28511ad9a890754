//! Parts shared by webhooks and Svix: the HTTP client, `Retry-After`, bodies of responses, and failures.

use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use http_body_util::BodyExt;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Body, Certificate, Client, ClientBuilder, Response, redirect};

use crate::Reason;

/// Maximum pause that a receiver can request.
const LONGEST_PAUSE: TimeDelta = TimeDelta::days(1);
/// Maximum length of a response's body that is read, so that the connection can be reused.
pub(crate) const LONGEST_BODY: usize = 16 * 1024;
/// Timeout of reading it: the status has arrived by then.
pub(crate) const BODY_TIME: Duration = Duration::from_secs(1);

/// A client that follows no redirects, and trusts certificates besides the system's, each as PEM.
pub(crate) fn client(extra_roots: &[Vec<u8>]) -> reqwest::Result<ClientBuilder> {
    let roots: Result<Vec<_>, _> = extra_roots.iter().map(|pem| Certificate::from_pem(pem)).collect();
    Ok(Client::builder()
        .user_agent(concat!("wearlab/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .tls_certs_merge(roots?))
}

/// The time of a `Retry-After`, in seconds from now or as a date. None if it is in the past or invalid.
pub(crate) fn pause(value: &str, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let value = value.trim();
    let wait = if value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty() {
        // A number with too many digits is a long time nevertheless.
        value
            .parse()
            .ok()
            .and_then(TimeDelta::try_seconds)
            .unwrap_or(LONGEST_PAUSE)
    } else {
        DateTime::<Utc>::from(httpdate::parse_http_date(value).ok()?) - now
    };
    (wait > TimeDelta::zero()).then(|| now + wait.min(LONGEST_PAUSE))
}

/// The body of a response, up to a length and within a time; on failure, its beginning.
pub(crate) async fn body(response: Response) -> Vec<u8> {
    read(response).await.0
}

/// Reads the body of a response like [`body`]. Returns its length, if it is whole.
pub(crate) async fn body_length(response: Response) -> Option<u64> {
    let declared = response.content_length();
    let (body, ended) = read(response).await;
    declared.or_else(|| u64::try_from(body.len()).ok().filter(|_| ended))
}

/// Reads a body. True if it is whole.
async fn read(response: Response) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    let read = read_body(Body::from(response), LONGEST_BODY, &mut body);
    let ended = tokio::time::timeout(BODY_TIME, read).await;
    (body, ended.is_ok_and(|ended| ended.unwrap_or(false)))
}

/// Reads a body, and ends once it has more than `max` bytes. Returns whether the body is whole. The bytes are in
/// `read`, also if it fails or is dropped.
///
/// # Errors
///
/// The one of the body.
pub async fn read_body<E>(
    mut body: impl BodyExt<Data = Bytes, Error = E> + Unpin,
    max: usize,
    read: &mut Vec<u8>,
) -> Result<bool, E> {
    while read.len() <= max {
        match body.frame().await.transpose()? {
            Some(frame) => frame.into_data().iter().for_each(|data| read.extend_from_slice(data)),
            None => return Ok(true),
        }
    }
    Ok(false)
}

/// The media type of a response, without its parameters.
pub(crate) fn media_type(response: &Response) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    essence(value)
}

/// The type and subtype of a media type, if it is a valid one of usual length (RFC 6838, 4.2).
fn essence(value: &str) -> Option<String> {
    const LONGEST: usize = 127;
    let essence = value.split(';').next().unwrap_or_default().trim();
    let is_name = |name: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
        !name.is_empty() && name.bytes().all(is_allowed)
    };
    let (main, sub) = essence.split_once('/')?;
    (essence.len() <= LONGEST && is_name(main) && is_name(sub)).then(|| essence.to_ascii_lowercase())
}

/// Reason for a missing response.
pub(crate) fn failure(error: &reqwest::Error, timeout: Duration) -> Reason {
    if error.is_timeout() {
        Reason::new(format!("no response within {timeout:?}"))
    } else if error.is_connect() {
        Reason::cause("no connection", error)
    } else {
        Reason::cause("no response", error)
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::{essence, pause};

    #[test]
    fn media_types_are_without_parameters_and_nothing_else() {
        for (value, expected) in [
            ("application/json", Some("application/json")),
            ("Text/HTML; charset=utf-8", Some("text/html")),
            ("application/problem+json;x", Some("application/problem+json")),
            ("", None),
            ("json", None),
            ("text/", None),
            ("text/a/b", None),
            ("text/a b", None),
            ("text/\u{1b}[31m", None),
        ] {
            assert_eq!(essence(value).as_deref(), expected, "{value:?}");
        }
        assert_eq!(essence(&format!("text/{}", "a".repeat(123))), None);
    }

    #[test]
    fn pauses_are_seconds_or_dates_within_bounds() {
        // Sun, 06 Nov 1994 08:49:37 GMT
        let now = DateTime::from_timestamp(784_111_777, 0).expect("a time");
        for (value, seconds) in [
            ("120", Some(120)),
            (" 120 ", Some(120)),
            ("0", None),
            ("-5", None),
            ("", None),
            ("soon", None),
            ("86401", Some(86_400)),
            ("99999999999999999999999999", Some(86_400)),
            ("9223372036854775807", Some(86_400)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", None),
            ("Sat, 05 Nov 1994 08:49:37 GMT", None),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(86_400)),
        ] {
            let wait = pause(value, now).map(|at| (at - now).num_seconds());
            assert_eq!(wait, seconds, "{value:?}");
        }
    }
}
