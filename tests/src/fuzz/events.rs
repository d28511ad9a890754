//! Events, compressed or not: parsed or refused, round trips, and idempotent upgrades.

use std::io::Write;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use wearlab_models::Event;
use wearlab_models::consume::Message;

use super::bytes::Choices;
use super::json::{HEALTH, altered};
use crate::coverage::families;

static EXAMPLES: LazyLock<Vec<&'static Value>> =
    LazyLock::new(|| families().into_iter().flat_map(|family| family.examples).collect());

/// Maximum size of an uncompressed body.
const LIMIT: usize = 1 << 20;

/// Parses an event.
pub fn events(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let kind = choices.below(8);
    let body = match kind {
        0 => choices.rest().to_owned(),
        1 => spliced(&mut choices),
        _ => altered(example(&mut choices), &mut choices).to_string().into_bytes(),
    };
    let plain = Event::from_bytes(&body);
    match &plain {
        Ok(event) => holds(event, &body),
        // Text of the input itself may be shown. It is not a health value.
        Err(error) if kind > 1 => {
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains(HEALTH), "{shown}");
        }
        Err(_) => {}
    }
    let packed = gzip(&body);
    let label = choices.text();
    let message = Message::new(&packed)
        .at_most(LIMIT)
        .labels([("event-id", label.as_str()), ("user-id", label.as_str())]);
    let read = message.read();
    assert_eq!(read.is_ok(), plain.is_ok(), "compressed is another event");
    if let (Ok(read), Ok(plain)) = (read, plain) {
        assert_eq!(read.event, plain);
        let own = plain.event_id().is_some() || label.is_empty();
        let key = if own { plain.dedup_key() } else { label.as_str().into() };
        assert_eq!(read.dedup_key(), key);
    }
    broken(packed, &label, &mut choices);
}

fn example(choices: &mut Choices<'_>) -> &'static Value {
    let example: &&Value = choices.of(&EXAMPLES);
    example
}

/// Returns the text of an example, with parts replaced by bytes.
fn spliced(choices: &mut Choices<'_>) -> Vec<u8> {
    let mut text = example(choices).to_string().into_bytes();
    for _ in 0..1 + choices.below(3) {
        let start = choices.below(text.len());
        let end = (start + choices.below(8)).min(text.len());
        text.splice(start..end, choices.bytes().iter().copied());
    }
    text
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Checks that a changed body causes an error or an event, within the limit.
fn broken(mut packed: Vec<u8>, encoding: &str, choices: &mut Choices<'_>) {
    let at = choices.below(packed.len());
    packed.splice(at..(at + 2).min(packed.len()), choices.bytes().iter().copied());
    if let Ok(read) = Message::new(&packed).at_most(LIMIT).read() {
        assert!(serde_json::to_vec(&read.event).expect("JSON").len() < 2 * LIMIT);
    }
    let _ = Event::from_encoded(Some(encoding), &packed);
}

fn holds(event: &Event, body: &[u8]) {
    let written = serde_json::to_string(event).expect("events are JSON");
    if let Event::Unknown(unknown) = event {
        assert_eq!(unknown.json().as_bytes(), body.trim_ascii(), "kept byte for byte");
        assert_eq!(unknown.json(), written);
    }
    let again = Event::from_bytes(written.as_bytes()).expect("what was written is read");
    assert_eq!(&again, event);
    assert_eq!(again.dedup_key(), event.dedup_key());
    assert_eq!(serde_json::to_string(&again).expect("events are JSON"), written);

    let upgraded = event.clone().upgraded();
    assert_eq!(upgraded.event.event_id(), event.event_id());
    assert_eq!(upgraded.event.user_id(), event.user_id());
    let written = serde_json::to_string(&upgraded.event).expect("events are JSON");
    let read = Event::from_bytes(written.as_bytes()).expect("what was upgraded is read");
    assert_eq!(read, upgraded.event, "of the type that it says");
    let twice = upgraded.event.clone().upgraded();
    assert_eq!(twice.event, upgraded.event);
    assert!(twice.losses.is_empty(), "{:?}", twice.losses);
}
