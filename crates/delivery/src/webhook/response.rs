//! Outcomes of an endpoint's responses.

use chrono::{DateTime, Utc};
use reqwest::StatusCode;

use crate::http::pause;
use crate::{Outcome, Reason};

/// Number of failures in a row from which an endpoint that responds with server errors is unavailable. Fewer may be due
/// to one event.
const FAILURES: u32 = 3;

/// The outcome of a message by the status and `Retry-After` of the response. `failures` counts the server errors and
/// missing responses in a row, this one included.
pub(super) fn outcome(status: StatusCode, retry_after: Option<&str>, now: DateTime<Utc>, failures: u32) -> Outcome {
    match status {
        status if status.is_success() => Outcome::Delivered,
        StatusCode::GONE => Outcome::Gone,
        status if status.is_redirection() => Outcome::Retry {
            reason: Reason::new(format!("responded {}: redirects are not followed", status.as_u16())),
            not_before: None,
        },
        status => {
            let reason = Reason::new(format!("responded {}", status.as_u16()));
            let not_before = retry_after.and_then(|value| pause(value, now));
            match status.is_server_error() && failures >= FAILURES {
                true => Outcome::Unavailable { reason, not_before },
                false => Outcome::Retry { reason, not_before },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use reqwest::StatusCode;

    use super::outcome;
    use crate::Outcome;

    /// Sun, 06 Nov 1994 08:49:37 GMT
    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(784_111_777, 0).expect("a time")
    }

    fn of(status: u16, retry_after: Option<&str>) -> Outcome {
        outcome(StatusCode::from_u16(status).expect("a status"), retry_after, now(), 1)
    }

    #[test]
    fn only_2xx_is_delivered() {
        for status in [200, 201, 202, 204, 299] {
            assert_eq!(of(status, None), Outcome::Delivered);
        }
        assert_eq!(of(410, None), Outcome::Gone);
        for status in [
            300, 301, 302, 304, 307, 308, 400, 401, 404, 408, 413, 422, 429, 500, 502, 503, 504, 599, 999,
        ] {
            let Outcome::Retry {
                reason,
                not_before: None,
            } = of(status, None)
            else {
                panic!("{status}")
            };
            assert!(reason.as_str().contains(&status.to_string()), "{reason}");
        }
    }

    #[test]
    fn server_errors_in_a_row_are_of_the_endpoint_and_rejections_never() {
        for (status, failures, expected) in [(500, 2, false), (500, 3, true), (503, 9, true), (400, 9, false)] {
            let status = StatusCode::from_u16(status).expect("a status");
            let outcome = outcome(status, None, now(), failures);
            let unavailable = matches!(outcome, Outcome::Unavailable { .. });
            assert_eq!(unavailable, expected, "{status} {failures}");
        }
    }

    #[test]
    fn retry_after_is_honoured() {
        for (status, retry_after, seconds) in [
            (429, "120", Some(120)),
            (503, "Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            (429, "0", None),
            (302, "7", None),
        ] {
            let Outcome::Retry { not_before, .. } = of(status, Some(retry_after)) else {
                panic!("{status}")
            };
            let wait = not_before.map(|at| (at - now()).num_seconds());
            assert_eq!(wait, seconds, "{status} {retry_after}");
        }
    }
}
