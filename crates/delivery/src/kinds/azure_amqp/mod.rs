//! Azure Event Hubs: hubs of one namespace, and blob storage.
//!
//! The first matcher of the pipeline that fits an event's type decides where it goes: to a hub, a container of blobs,
//! or both. What none fits goes to the default hub.
//!
//! # What a consumer gets from a hub
//!
//! | part of the message | what it holds |
//! |---|---|
//! | body | the event as JSON, in one data section, compressed by gzip as the pipeline's `compression` says |
//! | partition key | the user's id: a user's events are in one partition, in their order |
//! | `message-id` | the event's id, the same at every attempt |
//! | `content-type` | `application/json` |
//! | `content-encoding` | `gzip`, absent where the body is not compressed |
//! | application property `event-type` | the event's type |
//! | application property `event-id` | the event's id |
//! | application property `team-id` | whose event it is |
//! | application property `user-id` | the user it is about, absent where it is about none |
//! | application property `content-encoding` | as above, for consumers that do not see the other |
//!
//! An event may arrive more than once, also after later ones of its user: drop repeated ids.
//!
//! # What a consumer finds in a container
//!
//! A blob for each event, named `team id/day/event type/event id.json`, or `.json.gz`: all of a day begin with
//! `team id/2026-01-31/`. The day is that of the event's making, in UTC. Content type and content encoding are properties
//! of the blob. A blob is written once: a repeated attempt finds it there, and leaves it.
//!
//! # What becomes of a message
//!
//! | what happened | outcome |
//! |---|---|
//! | the hub accepted it, and the blob is written, where both are wanted | delivered |
//! | the hub rejected it, released it or gave it back modified | tried again |
//! | it is larger than the hub takes | refused |
//! | a hub or a container is not there, and the pipeline has others; blob storage cannot be reached or refuses its key | tried again |
//! | the only hub is not there; the namespace cannot be reached, refuses the key, or is throttled; the connection was lost; no confirm came in time | down |
//!
//! Events of one user that are sent together go as one batch, which a hub takes or refuses as a whole, and wait for the
//! confirm of the batch before. The users' batches go side by side. Where a hub rejects a batch, its events go one by
//! one, so that one that is never taken holds up itself alone. Where a batch may not have arrived, its first event says
//! why, and the user's others are behind it.
//!
//! # Why not by the service's own library
//!
//! `azure_messaging_eventhubs` 0.16 calls a batch sent that the hub released or modified, sends one batch at a time over a
//! link, and tries again by itself. So AMQP is spoken through `fe2o3-amqp`, which all of that library rests on.

mod blob_storage;
mod config;
mod connection_string;
#[cfg(feature = "azure_amqp")]
mod destination;
mod settings;

use wearlab_models::{AzureAmqp, DeliveryKind};

pub use self::blob_storage::{BlobCredential, ContainerConfig};
pub use self::config::{EventHubsConfig, Gzip, MatcherConfig, NamespaceConfig, NamespaceCredential};
#[cfg(feature = "azure_amqp")]
pub use self::destination::Namespace;
pub use self::settings::Settings;
use super::kind::{DestinationKind, at};
use crate::ConfigError;
use crate::egress::PipelinePolicy;

impl DestinationKind for AzureAmqp {
    const KIND: DeliveryKind = DeliveryKind::AzureAmqp;
    type Config = EventHubsConfig;
    type Settings = Settings;

    fn parse(&self) -> Result<EventHubsConfig, ConfigError> {
        EventHubsConfig::parse(self)
    }

    fn check_egress(config: &EventHubsConfig, _: &str, policy: &PipelinePolicy) -> Result<(), ConfigError> {
        let namespace = &config.namespace;
        let checked = policy.hosts.check_host(&namespace.host, namespace.tls);
        at("azure_amqp.connection_string", checked)?;
        let containers = config.matchers.iter().enumerate();
        let containers = containers.filter_map(|(index, matcher)| Some((index, matcher.container.as_ref()?)));
        for (index, container) in containers {
            let field = format!("azure_amqp.event_hub_matchers[{index}].blob_storage.connection_string");
            at(&field, policy.hosts.check_url(&container.endpoint).map(drop))?;
        }
        Ok(())
    }

    fn trust(settings: &mut Settings, roots: &[u8]) {
        settings.extra_roots.push(roots.to_owned());
    }
}
