//! Events as AMQP messages.

use fe2o3_amqp::Sendable;
use fe2o3_amqp::types::messaging::message::__private::Serializable;
use fe2o3_amqp::types::messaging::{
    ApplicationProperties, Batch, Data, Message as Amqp, MessageAnnotations, Properties,
};
use fe2o3_amqp::types::primitives::Binary;
use wearlab_models::Uuid;

use super::payload::Payload;
use crate::Message;

/// Message format by which each section of the body is a message of its own.
const BATCH_FORMAT: u32 = 0x8001_3700;
/// Bytes of an envelope besides its events, and of each event besides its bytes. Generous.
const ENVELOPE: usize = 256;
const SECTION: usize = 16;

/// An event, encoded.
pub(super) type Encoded = Vec<u8>;

/// Several events of one user, which a hub accepts or rejects as one.
pub(super) type Envelope = Sendable<Batch<Data>>;

/// The annotation that puts a user's events into one partition.
fn partition_key(user: Uuid) -> MessageAnnotations {
    MessageAnnotations::builder()
        .insert("x-opt-partition-key", user.to_string())
        .build()
}

/// An event as a message.
pub(super) fn encode(message: &Message, payload: &Payload) -> Encoded {
    let mut properties = Properties::builder()
        .message_id(message.event_id.clone())
        .content_type("application/json")
        .build();
    properties.content_encoding = payload.encoding().map(Into::into);
    let user = message.user_id.map(|user| user.to_string());
    let named = [
        ("event-type", Some(message.event_type.clone())),
        ("event-id", Some(message.event_id.clone())),
        ("team-id", Some(message.team_id.to_string())),
        ("user-id", user),
        ("content-encoding", payload.encoding().map(str::to_owned)),
    ];
    let mut application = ApplicationProperties::builder();
    for (name, value) in named {
        if let Some(value) = value {
            application = application.insert(name, value);
        }
    }
    let message = Amqp::builder()
        .message_annotations(message.user_id.map(partition_key))
        .properties(properties)
        .application_properties(application.build())
        .data(Binary::from(payload.bytes.to_vec()))
        .build();
    serde_amqp::to_vec(&Serializable(message)).expect("strings and bytes can be encoded")
}

/// Returns the bytes that an encoded event takes within an envelope.
pub(super) fn size(event: &Encoded) -> usize {
    ENVELOPE + SECTION + event.len()
}

/// Returns the number of events that fit into one envelope. At least the first, which the caller has measured.
pub(super) fn fitting(events: &[Encoded], limit: usize) -> usize {
    let mut total = ENVELOPE;
    let fitting = events.iter().take_while(|event| {
        total += SECTION + event.len();
        total <= limit
    });
    fitting.count().max(1)
}

/// Events of one user, or one about none.
pub(super) fn envelope(user: Option<Uuid>, events: &[Encoded]) -> Envelope {
    let sections: Vec<Data> = events.iter().map(|event| Data(Binary::from(event.clone()))).collect();
    let message = Amqp::builder()
        .message_annotations(user.map(partition_key))
        .data_batch(Batch::new(sections))
        .build();
    Sendable::builder()
        .message(message)
        .message_format(BATCH_FORMAT)
        .build()
}
