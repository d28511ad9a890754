//! Outcomes of a server's responses.

use chrono::{DateTime, Utc};
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use crate::{Outcome, Reason};

/// The fields that a reason may name. The rest of the body could repeat a payload.
const FIELDS: [&str; 4] = ["eventId", "eventType", "payload", "channels"];

/// A response, with the time before which the server wants no more requests, if it gives one.
pub(super) struct SvixResponse {
    pub(super) status: StatusCode,
    pub(super) not_before: Option<DateTime<Utc>>,
    pub(super) body: Vec<u8>,
}

/// The ids that the server returns of applications and messages.
#[derive(Deserialize)]
struct Ids {
    uid: Option<String>,
    #[serde(rename = "eventId")]
    event_id: Option<String>,
}

impl SvixResponse {
    /// Returns whether it describes the application.
    pub(super) fn is_application(&self, uid: &str) -> bool {
        self.status.is_success() && self.ids().is_some_and(|it| it.uid.as_deref() == Some(uid))
    }

    /// Returns whether it describes the message of an event.
    pub(super) fn is_message(&self, event_id: &str) -> bool {
        self.status.is_success() && self.ids().is_some_and(|it| it.event_id.as_deref() == Some(event_id))
    }

    fn ids(&self) -> Option<Ids> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The outcome of a message, if the response is about that message.
    pub(super) fn of_message(&self) -> Option<Outcome> {
        match self.status.as_u16() {
            200..=299 => Some(Outcome::Delivered),
            413 => Some(refused(
                "responded 413: the event is larger than the server accepts".to_owned(),
            )),
            400 | 422 => Some(refused(match self.rejected_field() {
                Some(field) => format!("responded {}: the server rejected its {field}", self.status.as_u16()),
                None => format!("responded {}: the server rejected the event", self.status.as_u16()),
            })),
            _ => None,
        }
    }

    /// The field that the server rejected.
    fn rejected_field(&self) -> Option<&'static str> {
        let error: Value = serde_json::from_slice(&self.body).ok()?;
        let place = error.pointer("/detail/0/loc/1")?.as_str()?;
        FIELDS.into_iter().find(|field| *field == place)
    }

    /// The outcome if the response is not about a message.
    pub(super) fn fault(&self) -> Outcome {
        let code = self.status.as_u16();
        let down = |why: &str| Outcome::Down {
            reason: Reason::new(format!("responded {code}: {why}")),
        };
        match (code, self.not_before) {
            (429 | 503, Some(_)) => Outcome::Retry {
                reason: Reason::new(format!("responded {code}: the server asks for a pause")),
                not_before: self.not_before,
            },
            (429, None) => down("the server asks for fewer requests"),
            (408 | 423 | 425 | 500, _) => Outcome::Retry {
                reason: Reason::new(format!("responded {code}")),
                not_before: None,
            },
            (401 | 403, _) => down("the token was rejected; check that it is valid, and of this server and region"),
            (404, _) => down("the application does not exist; it is created again, and deliveries continue"),
            (300..=399, _) => down("redirects are not followed; check the server's URL"),
            (400..=499, _) => down("not a response of a Svix server; check its URL"),
            _ => down("the server is unavailable"),
        }
    }
}

fn refused(reason: String) -> Outcome {
    Outcome::Refused {
        reason: Reason::new(reason),
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use reqwest::StatusCode;

    use super::SvixResponse;
    use crate::Outcome;

    fn response(status: u16, body: &str) -> SvixResponse {
        SvixResponse {
            status: StatusCode::from_u16(status).expect("a status"),
            not_before: None,
            body: body.into(),
        }
    }

    #[test]
    fn what_is_about_a_message() {
        for status in [200, 201, 202, 204] {
            assert_eq!(response(status, "").of_message(), Some(Outcome::Delivered));
        }
        for (status, body, says) in [
            (413, "", "larger"),
            (400, "nonsense", "the event"),
            (
                422,
                r#"{"detail":[{"loc":["body","eventType"],"msg":"m","type":"t"}]}"#,
                "its eventType",
            ),
            (
                422,
                r#"{"detail":[{"loc":["body","7031982645"],"msg":"m","type":"t"}]}"#,
                "the event",
            ),
            (422, r#"{"detail":"7031982645"}"#, "the event"),
            (400, r#"{"code":"7031982645","detail":"7031982645"}"#, "the event"),
        ] {
            let Some(Outcome::Refused { reason }) = response(status, body).of_message() else {
                panic!("{status} {body}")
            };
            let reason = reason.to_string();
            assert!(
                reason.contains(says) && reason.contains(&status.to_string()),
                "{reason}"
            );
            assert!(!reason.contains("7031982645"), "{reason}");
        }
        for status in [301, 401, 403, 404, 409, 429, 500, 503] {
            assert_eq!(response(status, "").of_message(), None, "{status}");
        }
    }

    #[test]
    fn what_is_about_the_server() {
        for status in [408, 423, 425, 500] {
            assert!(
                matches!(response(status, "").fault(), Outcome::Retry { not_before: None, .. }),
                "{status}"
            );
        }
        for status in [
            301, 308, 401, 402, 403, 404, 405, 409, 410, 429, 501, 502, 503, 504, 520,
        ] {
            let Outcome::Down { reason } = response(status, "").fault() else {
                panic!("{status}")
            };
            assert!(reason.as_str().contains(&status.to_string()), "{reason}");
        }
        for status in [429, 503] {
            let paused = SvixResponse {
                not_before: Some(DateTime::UNIX_EPOCH),
                ..response(status, "")
            };
            let Outcome::Retry { not_before, .. } = paused.fault() else {
                panic!("{status}")
            };
            assert_eq!(not_before, Some(DateTime::UNIX_EPOCH));
        }
    }

    #[test]
    fn what_describes_something_else_is_not_taken_for_it() {
        assert!(response(200, r#"{"uid":"t","id":"app_1"}"#).is_application("t"));
        assert!(response(200, r#"{"eventId":"e","id":"msg_1"}"#).is_message("e"));
        for (status, body) in [
            (200, ""),
            (200, "<html>"),
            (200, r#"{"data":[],"done":true}"#),
            (200, r#"{"uid":"u","eventId":"f"}"#),
            (404, r#"{"uid":"t","eventId":"e"}"#),
        ] {
            assert!(!response(status, body).is_application("t"), "{status} {body}");
            assert!(!response(status, body).is_message("e"), "{status} {body}");
        }
    }
}
