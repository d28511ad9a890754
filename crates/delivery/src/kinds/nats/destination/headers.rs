//! The headers of a message.

use std::str::FromStr;

use async_nats::{HeaderMap, HeaderValue};

use crate::{Message, Reason};

/// The headers of a message for a stream, or for any.
pub(super) fn of(message: &Message, stream: Option<&str>) -> Result<HeaderMap, Reason> {
    let mut headers = HeaderMap::new();
    let mut header = |name: &'static str, value: &str| {
        let value = HeaderValue::from_str(value);
        let value = value.map_err(|_| Reason::new(format!("its {name} has a line break, which no header may have")))?;
        headers.insert(name, value);
        Ok(())
    };
    header("Nats-Msg-Id", &message.event_id)?;
    if let Some(stream) = stream {
        header("Nats-Expected-Stream", stream)?;
    }
    header("content-type", "application/json")?;
    header("event-type", &message.event_type)?;
    header("event-id", &message.event_id)?;
    header("team-id", &message.team_id.to_string())?;
    if let Some(user) = message.user_id {
        header("user-id", &user.to_string())?;
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use wearlab_models::Uuid;

    use super::of;
    use crate::Message;

    fn message(event_id: &str) -> Message {
        Message {
            event_id: event_id.to_owned(),
            event_type: "lab.order.created".to_owned(),
            team_id: Uuid::from_u128(1),
            user_id: None,
            created_on: chrono::DateTime::UNIX_EPOCH.fixed_offset(),
            payload: Bytes::from_static(b"{}"),
        }
    }

    #[test]
    fn headers_without_a_value_are_absent() {
        let headers = of(&message("evt_1"), None).expect("headers");
        let mut names: Vec<_> = headers.iter().map(|(name, _)| name.to_string()).collect();
        names.sort();
        assert_eq!(
            names,
            ["Nats-Msg-Id", "content-type", "event-id", "event-type", "team-id"]
        );
        let headers = of(&message("evt_1"), Some("EVENTS")).expect("headers");
        assert_eq!(
            headers.get("Nats-Expected-Stream").map(|value| value.as_str()),
            Some("EVENTS")
        );
    }

    #[test]
    fn line_breaks_are_refused() {
        let reason = of(&message("evt_1\r\nNats-Rollup: all"), None).expect_err("a line break");
        assert!(reason.as_str().contains("has a line break"), "{reason}");
    }
}
