//! NATS JetStream: one subject, or one for each type, team or user.
//!
//! A message, so that a consumer in any language can be written from this:
//!
//! | what | where |
//! |---|---|
//! | subject | that of the pipeline, with the event type, team id and user id in place of `{event_type}`, `{team_id}` and `{user_id}`; `none` stands for the user of an event about no user |
//! | payload | the event as JSON |
//! | header `Nats-Msg-Id` | the event id. A repeat has the same, and the stream drops it within its duplicate window |
//! | header `Nats-Expected-Stream` | the pipeline's `stream`, if it has one |
//! | header `content-type` | `application/json` |
//! | headers | `event-type`, `event-id`, `team-id`, and `user-id` where the event is about a user |
//!
//! The stream exists already: nothing is created. A user's messages are stored in their order, apart from repeats: one is
//! sent when the one before is acknowledged.
//!
//! A replay has the id of the event: within the duplicate window of the stream it is acknowledged, and not stored. Retries
//! pause up to five minutes, which is longer than the default window of two minutes: set it to ten minutes or more. The
//! test event has the type `pipeline.test`: with `{event_type}` in the subject, a stream must listen to it.
//!
//! | what happens | outcome |
//! |---|---|
//! | acknowledged by a stream, as new or as a duplicate | delivered |
//! | larger than the `max_payload` of the server, or the `max_msg_size` of the stream | refused |
//! | the subject of the event is not one that can be published to | refused |
//! | no stream listens to the subject, or another than `stream`, a sealed one, or something else than a stream | retry; down, where the subject is the same for all events |
//! | no permission to publish to the subject | retry; down, where the subject is the same for all events |
//! | no acknowledgement in time, but of other messages of the call | retry; down, where the subject is the same for all events |
//! | the stream is full and discards new messages, or has no leader | retry |
//! | storage is exhausted, JetStream is not enabled | down |
//! | login refused, no permission to receive acknowledgements | down |
//! | no connection, it broke, no acknowledgement in time of any message | down: what was in flight may have arrived |
//!
//! Servers are tried in the order of the URLs, and share the timeout; after a refused login, no other is tried. Those that
//! a server advertises are ignored: they could be ones that the egress policy does not allow. A host is resolved once, and
//! the connection is to an address that was checked. So the handshake of TLS names no host to the server (SNI); the
//! certificate must be for the host of the URL all the same. Certificates of clients are not supported.
//!
//! The connection is made when there is something to send, and kept until it fails; the next call then makes a new one. A
//! server that sends more than acknowledgements need is cut off.

mod config;
mod credentials;
#[cfg(feature = "nats")]
mod destination;
mod servers;
mod settings;
mod subject;

use wearlab_models::{DeliveryKind, Nats};

pub use self::config::SubjectConfig;
pub use self::credentials::Login;
#[cfg(feature = "nats")]
pub use self::destination::Subject;
pub use self::servers::Server;
pub use self::settings::Settings;
pub use self::subject::SubjectTemplate;
use super::kind::{DestinationKind, at};
use crate::ConfigError;
use crate::egress::PipelinePolicy;

impl DestinationKind for Nats {
    const KIND: DeliveryKind = DeliveryKind::Nats;
    const HOST_FIELDS: &'static [(&'static str, &'static str)] = &[("credentials", "url")];
    type Config = SubjectConfig;
    type Settings = Settings;

    fn parse(&self) -> Result<SubjectConfig, ConfigError> {
        SubjectConfig::parse(self)
    }

    fn check_egress(config: &SubjectConfig, _: &str, policy: &PipelinePolicy) -> Result<(), ConfigError> {
        let mut servers = config.servers.iter();
        servers.try_for_each(|server| at("nats.url", policy.hosts.check_host(&server.host, server.tls)))
    }

    fn trust(settings: &mut Settings, roots: &[u8]) {
        settings.extra_roots.push(roots.to_owned());
    }
}
