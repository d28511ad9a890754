//! Helpers for consumers of events: unpack a message, drop repeats, convert deprecated forms.
//!
//! ```
//! use std::time::{Duration, Instant};
//! use wearlab_models::Event;
//! use wearlab_models::consume::{Deduplicator, Message, ReadError};
//!
//! /// Handler that a subscriber calls with the attributes and the body of a message.
//! fn handle(attributes: &[(&str, &str)], body: &[u8], seen: &mut Deduplicator) -> Result<(), ReadError> {
//!     let received = Message::new(body).labels(attributes.iter().map(|(name, value)| (*name, *value))).read()?;
//!     let (key, now) = (received.dedup_key(), Instant::now());
//!     if !seen.contains(&key, now) {
//!         match received.event.upgraded().event {
//!             Event::DailyDataCreated(daily) => println!("{} values", daily.data.data.len()),
//!             other => println!("nothing to do for {}", other.event_type()),
//!         }
//!         seen.insert(key, now);
//!     }
//!     Ok(())
//! }
//!
//! let mut seen = Deduplicator::new(Duration::from_secs(48 * 3600), 100_000);
//! let attributes = [("event-type", "lab.order.created"), ("event-id", "evt_1")];
//! handle(&attributes, br#"{"event_type": "lab.order.created"}"#, &mut seen)?;
//! # assert_eq!(seen.len(), 1);
//! # Ok::<_, ReadError>(())
//! ```
//!
//! # Labels by kind
//!
//! | kind | event type | event id | team id, user id | compressed |
//! |---|---|---|---|---|
//! | webhooks, Svix | | header `webhook-id` | | never |
//! | RabbitMQ | routing key | property `message_id` | headers `team-id`, `user-id` | property `content_encoding` |
//! | NATS JetStream | header `event-type` | header `event-id` | headers `team-id`, `user-id` | never |
//! | Cloud Pub/Sub | attribute `event-type` | attribute `event-id` | attributes `team-id`, `user-id` | never |
//! | Event Hubs | property `event-type` | property `event-id` | properties `team-id`, `user-id` | property `content-encoding`: `gzip` |
//!
//! A webhook is signed: `webhook::Verifier` (feature `webhooks`) takes its headers and body. For the others, pass the
//! library's attributes to [`Message::labels`], as text. Values that a library keeps beside the attributes are labels,
//! too:
//!
//! ```
//! # use std::collections::HashMap;
//! # use wearlab_models::consume::Message;
//! # let body = br#"{"event_type": "lab.order.created"}"#;
//! # let (headers, attributes, properties) = (HashMap::from([("team-id", "")]), HashMap::<String, String>::new(), vec![("user-id", "")]);
//! # let (routing_key, message_id, content_encoding) = ("lab.order.created", Some("evt_1"), None::<&str>);
//! // RabbitMQ: the routing key, two properties, and the headers that are text.
//! let message = Message::new(body)
//!     .labels([
//!         ("event-type", routing_key),
//!         ("event-id", message_id.unwrap_or_default()),
//!         ("content-encoding", content_encoding.unwrap_or_default()),
//!     ])
//!     .labels(headers.iter().map(|(name, value)| (*name, *value)));
//! # assert_eq!(message.read()?.event_id.as_deref(), Some("evt_1"));
//!
//! // Cloud Pub/Sub: the attributes, a map of strings.
//! let message = Message::new(body).labels(&attributes);
//! # message.read()?;
//!
//! // Event Hubs: the application properties that are text.
//! let message = Message::new(body).labels(properties.iter().map(|(name, value)| (*name, *value)));
//! # message.read()?;
//! # Ok::<_, wearlab_models::consume::ReadError>(())
//! ```

mod dedup_key;
mod deduplicator;
mod loss;
mod message;
mod sessions;
mod unpack;
mod upgrade;

pub use dedup_key::DedupKey;
pub use deduplicator::Deduplicator;
pub use loss::Loss;
pub use message::{Message, Received};
pub(crate) use unpack::unpack;
pub use unpack::{LARGEST, ReadError};
pub use upgrade::Upgraded;
