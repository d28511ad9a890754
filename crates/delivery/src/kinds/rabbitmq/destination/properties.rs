//! The AMQP properties of an event.

use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable, ShortString};

use crate::{Message, Reason};

/// Survives a restart of the broker, in queues that do.
const PERSISTENT: u8 = 2;

/// The routing key and the properties of a message.
pub(super) fn of(message: &Message) -> Result<(ShortString, BasicProperties), Reason> {
    let short = |what: &str, text: &str| {
        let too_long = |_| Reason::new(format!("its {what} is longer than the 255 bytes that AMQP allows"));
        ShortString::try_new(text).map_err(too_long)
    };
    let key = short("event type", &message.event_type)?;
    let mut headers = FieldTable::default();
    let mut header = |name: &str, value: &str| {
        headers.insert(name.into(), AMQPValue::LongString(value.into()));
    };
    header("event-type", &message.event_type);
    header("event-id", &message.event_id);
    header("team-id", &message.team_id.to_string());
    if let Some(user) = message.user_id {
        header("user-id", &user.to_string());
    }
    // The property `user_id` is left out: brokers compare it with the user of the connection.
    let mut properties = BasicProperties::default()
        .with_content_type("application/json".into())
        .with_content_encoding("utf-8".into())
        .with_delivery_mode(PERSISTENT)
        .with_message_id(short("event id", &message.event_id)?)
        .with_type(key.clone())
        .with_app_id("wearlab".into())
        .with_headers(headers);
    if let Ok(seconds) = u64::try_from(message.created_on.timestamp()) {
        properties = properties.with_timestamp(seconds);
    }
    Ok((key, properties))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use wearlab_models::Uuid;

    use super::of;
    use crate::Message;

    fn message(event_id: &str, event_type: &str) -> Message {
        Message {
            event_id: event_id.to_owned(),
            event_type: event_type.to_owned(),
            team_id: Uuid::from_u128(1),
            user_id: None,
            created_on: chrono::DateTime::UNIX_EPOCH.fixed_offset(),
            payload: Bytes::from_static(b"{}"),
        }
    }

    #[test]
    fn an_event_about_no_user_names_none() {
        let (key, properties) = of(&message("evt_1", "lab.order.created")).expect("a message");
        assert_eq!(key.as_str(), "lab.order.created");
        let headers = properties.headers().clone().expect("headers");
        let names: Vec<_> = headers.inner().keys().map(|name| name.as_str()).collect();
        assert_eq!(names, ["event-id", "event-type", "team-id"]);
        assert_eq!(*properties.user_id(), None);
    }

    #[test]
    fn what_amqp_cannot_say_is_refused() {
        let long = "x".repeat(256);
        for (message, what) in [
            (message(&long, "a"), "its event id is longer"),
            (message("evt_1", &long), "its event type is longer"),
        ] {
            let reason = of(&message).expect_err("too long");
            assert!(reason.as_str().starts_with(what), "{reason}");
        }
        assert!(of(&message(&long[1..], &long[1..])).is_ok());
    }
}
