//! Azure Event Hubs: hubs of one namespace, and blob storage.
//!
//! The first matcher of the pipeline that matches an event's type decides its target: a hub, a container of blobs,
//! or both. Other events go to the default hub.
//!
//! # Messages of a hub
//!
//! | part of the message | content |
//! |---|---|
//! | body | the event as JSON, in one data section, compressed with gzip by the pipeline's `compression` |
//! | partition key | the user's id: a user's events are in one partition, in their order |
//! | `message-id` | the event's id, the same at every attempt |
//! | `content-type` | `application/json` |
//! | `content-encoding` | `gzip`, absent where the body is not compressed |
//! | application property `event-type` | the event's type |
//! | application property `event-id` | the event's id |
//! | application property `team-id` | the team of the event |
//! | application property `user-id` | the user of the event, absent if it has none |
//! | application property `content-encoding` | as above, for consumers that do not see the other |
//!
//! An event may arrive more than once, also after later ones of its user: drop repeated ids.
//!
//! # Blobs of a container
//!
//! A blob for each event, named `team id/day/event type/event id.json`, or `.json.gz`: all of a day begin with
//! `team id/2026-01-31/`. The day is that of the event, in UTC. Content type and content encoding are properties
//! of the blob. A blob is written once: a repeated attempt finds it there, and leaves it.
//!
//! # Outcomes
//!
//! | fault | outcome |
//! |---|---|
//! | the hub accepted it, and the blob is written, if there are both targets | delivered |
//! | the hub rejected it, released it or returned it modified | retry |
//! | it is larger than the hub accepts | refused |
//! | a hub or a container does not exist, and the pipeline has others; blob storage cannot be reached or rejects its key | retry |
//! | the only hub does not exist; the namespace cannot be reached, rejects the key, or is throttled; the connection was lost; no confirm arrived in time | down |
//!
//! Events of one user that are sent together are one batch, which a hub accepts or rejects as a whole, and wait for the
//! confirm of the previous batch. The batches of users are concurrent. If a hub rejects a batch, its events are sent
//! one by one, so that one that is never accepted blocks only itself. If a batch may not have arrived, its first event
//! has the reason, and the user's others are held behind it.
//!
//! # Choice of the library
//!
//! `azure_messaging_eventhubs` 0.16 reports a batch as sent that the hub released or modified, sends one batch at a
//! time over a link, and retries by itself. So AMQP is spoken through `fe2o3-amqp`, which that library depends on.

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
