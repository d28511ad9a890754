//! What an endpoint's answer means.

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::StatusCode;

use crate::{Outcome, Reason};

/// The longest pause that an endpoint can ask for.
const LONGEST_PAUSE: TimeDelta = TimeDelta::days(1);

/// The outcome of a message by the status and `Retry-After` of its answer.
pub(super) fn outcome(status: StatusCode, retry_after: Option<&str>, now: DateTime<Utc>) -> Outcome {
    match status {
        status if status.is_success() => Outcome::Delivered,
        StatusCode::GONE => Outcome::Gone,
        status if status.is_redirection() => Outcome::Retry {
            reason: Reason::new(format!("answered {}: redirects are not followed", status.as_u16())),
            not_before: None,
        },
        status => Outcome::Retry {
            reason: Reason::new(format!("answered {}", status.as_u16())),
            not_before: retry_after.and_then(|value| pause(value, now)),
        },
    }
}

/// The time that a `Retry-After` names, in seconds from now or as a date, where it is one to come.
fn pause(value: &str, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
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
        outcome(StatusCode::from_u16(status).expect("a status"), retry_after, now())
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
    fn retry_after_is_honoured_within_bounds() {
        let wait = |value: &str| match of(429, Some(value)) {
            Outcome::Retry { not_before, .. } => not_before.map(|at| (at - now()).num_seconds()),
            other => panic!("{other:?}"),
        };
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
            assert_eq!(wait(value), seconds, "{value:?}");
        }
        assert!(matches!(
            of(503, Some("7")),
            Outcome::Retry {
                not_before: Some(_),
                ..
            }
        ));
        assert!(matches!(of(302, Some("7")), Outcome::Retry { not_before: None, .. }));
    }
}
