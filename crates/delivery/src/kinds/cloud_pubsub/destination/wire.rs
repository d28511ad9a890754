//! The service's messages as Protocol Buffers: `PublishRequest`, written straight from events, and `PublishResponse`.
//!
//! Hand-written, since code generated from the service's schema allocates each text of a message, and all of them but
//! the ids are the same in each.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use wearlab_models::Uuid;

use crate::Message;

/// Fields of `PublishRequest`, of `PubsubMessage`, of an entry of a map, and of `PublishResponse`.
const TOPIC: u8 = 1;
const MESSAGES: u8 = 2;
const DATA: u8 = 1;
const ATTRIBUTES: u8 = 2;
const ORDERING_KEY: u8 = 5;
const KEY: u8 = 1;
const VALUE: u8 = 2;
const MESSAGE_IDS: u64 = 1;

/// The wire type of bytes, texts and messages.
const LENGTH_DELIMITED: u8 = 2;

/// A request that publishes messages to a topic, each with an ordering key if they are `ordered`.
pub(super) fn request<'a>(
    topic: &str,
    messages: impl Iterator<Item = &'a Message> + Clone,
    ordered: bool,
) -> (Bytes, usize) {
    let bytes: usize = messages.clone().map(|message| message.payload.len() + 512).sum();
    let mut request = BytesMut::with_capacity(bytes + topic.len() + 16);
    put(&mut request, TOPIC, topic.as_bytes());
    let mut count = 0;
    for message in messages {
        put_message(&mut request, message, ordered);
        count += 1;
    }
    (request.freeze(), count)
}

fn put_message(request: &mut BytesMut, message: &Message, ordered: bool) {
    let team = Text::of(message.team_id);
    let user = message.user_id.map(Text::of);
    let attributes = [
        ("content-type", "application/json"),
        ("event-id", &message.event_id),
        ("event-type", &message.event_type),
        ("team-id", team.as_str()),
        ("user-id", user.as_ref().map_or("", Text::as_str)),
    ];
    let attributes = &attributes[..if user.is_some() { 5 } else { 4 }];
    let ordering_key = user.as_ref().filter(|_| ordered).map(Text::as_str);
    let entry = |(key, value): &(&str, &str)| length(key.len()) + length(value.len());
    let all = length(message.payload.len())
        + attributes.iter().map(|pair| length(entry(pair))).sum::<usize>()
        + ordering_key.map_or(0, |key| length(key.len()));
    put_head(request, MESSAGES, all);
    put(request, DATA, &message.payload);
    for pair in attributes {
        put_head(request, ATTRIBUTES, entry(pair));
        put(request, KEY, pair.0.as_bytes());
        put(request, VALUE, pair.1.as_bytes());
    }
    if let Some(key) = ordering_key {
        put(request, ORDERING_KEY, key.as_bytes());
    }
}

/// Returns the number of ids of a response. None if it is malformed.
pub(super) fn count_ids(mut response: impl Buf) -> Option<usize> {
    let mut count = 0;
    while response.has_remaining() {
        let head = take_varint(&mut response)?;
        let skipped = match head & 7 {
            0 => {
                take_varint(&mut response)?;
                0
            }
            1 => 8,
            2 => usize::try_from(take_varint(&mut response)?).ok()?,
            5 => 4,
            _ => return None,
        };
        if skipped > response.remaining() {
            return None;
        }
        response.advance(skipped);
        count += usize::from(head == MESSAGE_IDS << 3 | u64::from(LENGTH_DELIMITED));
    }
    Some(count)
}

/// Returns the length of a field whose content has a length.
fn length(content: usize) -> usize {
    let bits = (usize::BITS - content.leading_zeros()).max(1) as usize;
    1 + bits.div_ceil(7) + content
}

fn put(buffer: &mut BytesMut, field: u8, content: &[u8]) {
    put_head(buffer, field, content.len());
    buffer.put_slice(content);
}

fn put_head(buffer: &mut BytesMut, field: u8, mut length: usize) {
    buffer.put_u8(field << 3 | LENGTH_DELIMITED);
    while length >= 0x80 {
        buffer.put_u8((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    buffer.put_u8((length & 0x7f) as u8);
}

fn take_varint(buffer: &mut impl Buf) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = buffer.try_get_u8().ok()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// An id as text.
struct Text([u8; 36]);

impl Text {
    fn of(id: Uuid) -> Self {
        let mut text = [0; 36];
        id.hyphenated().encode_lower(&mut text);
        Self(text)
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use wearlab_models::Uuid;

    use super::{count_ids, request};
    use crate::Message;

    fn message(user: Option<u128>, length: usize) -> Message {
        Message {
            event_id: "evt_1".to_owned(),
            event_type: "t".to_owned(),
            team_id: Uuid::from_u128(1),
            user_id: user.map(Uuid::from_u128),
            created_on: chrono::DateTime::UNIX_EPOCH.fixed_offset(),
            payload: Bytes::from(vec![b'x'; length]),
        }
    }

    /// Compares with the output of Google's Python library, with attributes in order:
    /// `SerializeToString(deterministic=True)`.
    #[test]
    fn messages_say_what_they_are() {
        let attributes = b"\x12 \n\x0ccontent-type\x12\x10application/json\x12\x11\n\x08event-id\x12\x05evt_1\
            \x12\x0f\n\nevent-type\x12\x01t\x12/\n\x07team-id\x12$00000000-0000-0000-0000-000000000001";
        let about = b"\x12/\n\x07user-id\x12$00000000-0000-0000-0000-000000000abc";
        let key = b"*$00000000-0000-0000-0000-000000000abc";
        for (user, ordered, length, rest) in [
            (None, true, &b"{"[..], [&b""[..], &b""[..]]),
            (Some(0xabc), true, b"\xd2\x01", [about, key]),
            (Some(0xabc), false, b"\xac\x01", [about, b""]),
        ] {
            let (sent, count) = request("topic", std::iter::once(&message(user, 2)), ordered);
            let expected = [b"\n\x05topic\x12", length, b"\n\x02xx", attributes, rest[0], rest[1]].concat();
            assert_eq!((&sent[..], count), (&expected[..], 1), "{user:?}, {ordered}");
        }
    }

    #[test]
    fn lengths_of_any_size_are_written() {
        for length in [0, 127, 128, 16_383, 16_384, 3_000_000] {
            let one = message(Some(1), length);
            let (sent, count) = request("topic", [&one, &one].into_iter(), true);
            assert_eq!(count, 2);
            // Field 2 is what field 1 is not, here: `count_ids` walks over both and counts the topic.
            assert_eq!(count_ids(&sent[..]), Some(1), "{length}");
            assert_eq!(count_ids(&sent[..sent.len() - 1]), None, "{length}");
        }
    }

    #[test]
    fn ids_are_counted() {
        for (response, expected) in [
            (&b""[..], Some(0)),
            (b"\n\x011\n\x00", Some(2)),
            // Fields of a later version.
            (b"\x12\x02\n\x00\n\x011\x18\x96\x01\x25abcd\x29abcdefgh", Some(1)),
            (b"\n\x02a", None),
            (b"\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", None),
            (b"\x0b", None),
            (b"\n", None),
        ] {
            assert_eq!(count_ids(response), expected, "{response:?}");
        }
    }
}
