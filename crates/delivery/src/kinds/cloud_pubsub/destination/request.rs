//! Splits messages into requests, and rejects those that the service never accepts.

use crate::{Message, Reason};

/// Maximum size of a request, and of each message, by the service's quotas.
const LONGEST: usize = 10_000_000;
/// Maximum length of an attribute, in bytes.
const LONGEST_ATTRIBUTE: usize = 1024;
/// Upper bound of the encoding's overhead besides texts and data.
const FORM: usize = 128;
/// Size from which no more messages are added to a request: a failed one is sent again as a whole.
const WORTHWHILE: usize = 1_000_000;
/// Maximum number of messages of a request.
const MOST: usize = 1000;

/// Upper bound of the size of a message in a request, in bytes.
pub(super) fn size(message: &Message) -> usize {
    // Five names, and four ids at most, one of them the ordering key.
    const REST: usize = 5 * 12 + 4 * 36;
    message.payload.len() + message.event_type.len() + message.event_id.len() + REST + FORM
}

/// Reason to reject a message that the service never accepts.
pub(super) fn refusal(message: &Message, topic: &str) -> Option<Reason> {
    if size(message) + topic.len() > LONGEST {
        return Some(Reason::new("longer than the 10,000,000 bytes that Pub/Sub takes"));
    }
    [("type", &message.event_type), ("id", &message.event_id)]
        .into_iter()
        .find(|(_, text)| text.len() > LONGEST_ATTRIBUTE)
        .map(|(what, _)| Reason::new(format!("its {what} is longer than the 1,024 bytes that Pub/Sub takes")))
}

/// Messages in their order, as many in a part as go into a request. `indices` point into `messages`.
pub(super) fn parts(messages: &[Message], indices: Vec<usize>) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut bytes = 0;
    for index in indices {
        let size = size(&messages[index]);
        match parts.last_mut() {
            Some(part) if part.len() < MOST && bytes + size <= WORTHWHILE => {
                bytes += size;
                part.push(index);
            }
            _ => {
                bytes = size;
                parts.push(vec![index]);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use wearlab_models::Uuid;

    use super::{parts, refusal};
    use crate::Message;

    fn message(length: usize) -> Message {
        Message {
            event_id: "evt_1".to_owned(),
            event_type: "daily.data.steps.created".to_owned(),
            team_id: Uuid::from_u128(1),
            user_id: Some(Uuid::from_u128(0xabc)),
            created_on: chrono::DateTime::UNIX_EPOCH.fixed_offset(),
            payload: Bytes::from(vec![b' '; length]),
        }
    }

    #[test]
    fn what_is_too_long_is_known_before() {
        let topic = "projects/p/topics/t";
        assert_eq!(refusal(&message(9_999_000), topic), None);
        assert!(refusal(&message(10_000_000), topic).is_some());
        assert!(refusal(&message(9_999_000), &"t".repeat(1000)).is_some());
        let named = |event_type: String, event_id: String| Message {
            event_id,
            event_type,
            ..message(2)
        };
        assert_eq!(refusal(&named("t".repeat(1024), "i".repeat(1024)), topic), None);
        assert!(refusal(&named("t".repeat(1025), String::new()), topic).is_some());
        assert!(refusal(&named(String::new(), "i".repeat(1025)), topic).is_some());
    }

    #[test]
    fn parts_keep_the_order_and_fit() {
        let lengths = |lengths: &[usize]| -> Vec<Vec<usize>> {
            let messages: Vec<_> = lengths.iter().map(|length| message(*length)).collect();
            parts(&messages, (0..messages.len()).collect())
        };
        assert_eq!(lengths(&[]), Vec::<Vec<usize>>::new());
        assert_eq!(lengths(&[1, 1, 1]), [vec![0, 1, 2]]);
        assert_eq!(
            lengths(&[600_000, 600_000, 300_000, 9_000_000, 1]),
            [vec![0], vec![1, 2], vec![3], vec![4]]
        );
        let many = lengths(&[1; 2001]);
        assert_eq!(many.iter().map(Vec::len).collect::<Vec<_>>(), [1000, 1000, 1]);
        assert_eq!(many.concat(), (0..2001).collect::<Vec<_>>());
    }
}
