//! What webhooks and Svix share: the HTTP client, `Retry-After`, bodies of responses, and failures.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::{Certificate, Client, ClientBuilder, Response, redirect};

use crate::Reason;

/// The longest pause that a receiver can ask for.
const LONGEST_PAUSE: TimeDelta = TimeDelta::days(1);
/// A response's body is read up to here, so that the connection can be reused.
const LONGEST_BODY: usize = 16 * 1024;
/// How long that may take: the status is known by then.
const BODY_TIME: Duration = Duration::from_secs(1);

/// A client that follows no redirects, and trusts certificates besides the system's, each as PEM.
pub(crate) fn client(extra_roots: &[Vec<u8>]) -> reqwest::Result<ClientBuilder> {
    let roots: Result<Vec<_>, _> = extra_roots.iter().map(|pem| Certificate::from_pem(pem)).collect();
    Ok(Client::builder()
        .user_agent(concat!("wearlab/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .tls_certs_merge(roots?))
}

/// The time that a `Retry-After` names, in seconds from now or as a date, where it is one to come.
pub(crate) fn pause(value: &str, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let value = value.trim();
    let wait = if value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty() {
        // More digits than a number has are a long time all the same.
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

/// The body of a response, up to a bound and within a time; what there is of it if that fails.
pub(crate) async fn body(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > LONGEST_BODY {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(BODY_TIME, read).await;
    body
}

/// Why there is no response.
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

    use super::pause;

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
