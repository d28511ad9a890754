//! Pipelines, parsed and validated: what can be checked without connecting to anything.
//!
//! [`DestinationConfig::from_pipeline`] is the only place that reads a pipeline's blocks. It is the same in every build,
//! whatever its features; import and the destinations use its types.

mod blob_storage;
mod cloud_pubsub;
mod connection_string;
mod event_hubs;
mod mask;
mod rabbitmq;
mod text;

use wearlab_models::{DeliveryKind, Pipeline, PipelinePreferences};

pub use self::blob_storage::{BlobCredential, ContainerConfig};
pub use self::cloud_pubsub::TopicConfig;
pub use self::event_hubs::{EventHubsConfig, Gzip, MatcherConfig, NamespaceConfig, NamespaceCredential};
pub use self::mask::{check_unmasked, unmask};
pub use self::rabbitmq::{AmqpUri, ExchangeConfig};
use self::text::{filled, known, plain};
use crate::ConfigError;

/// What a pipeline says of one kind of destination.
#[derive(Clone, Debug)]
pub enum DestinationConfig {
    /// A topic of Cloud Pub/Sub.
    CloudPubsub(TopicConfig),
    /// An exchange of a RabbitMQ broker.
    Rabbitmq(ExchangeConfig),
    /// An application of a Svix server.
    Svix {
        /// Whether to use the server of the team's region.
        regional: bool,
    },
    /// An Event Hubs namespace, with containers of blob storage.
    AzureAmqp(Box<EventHubsConfig>),
}

impl DestinationConfig {
    /// Parses the block that a pipeline has for a kind. A secret may be the mask of one.
    ///
    /// # Errors
    ///
    /// For a missing block, the first invalid field, or an unknown kind.
    pub fn from_pipeline(pipeline: &Pipeline, kind: &DeliveryKind) -> Result<Self, ConfigError> {
        Ok(match kind {
            DeliveryKind::CloudPubsub => Self::CloudPubsub(TopicConfig::parse(given(kind, &pipeline.cloud_pubsub)?)?),
            DeliveryKind::Rabbitmq => Self::Rabbitmq(ExchangeConfig::parse(given(kind, &pipeline.rabbitmq)?)?),
            DeliveryKind::Svix => Self::Svix {
                regional: given(kind, &pipeline.svix)?.regional,
            },
            DeliveryKind::AzureAmqp => {
                Self::AzureAmqp(Box::new(EventHubsConfig::parse(given(kind, &pipeline.azure_amqp)?)?))
            }
            kind => return Err(unsupported(kind, 0)),
        })
    }
}

/// Checks a pipeline.
///
/// Blocks of kinds that are not enabled are ignored, and may be empty. Keys and passwords may be masked.
///
/// # Errors
///
/// For the first field that is invalid.
pub fn check(pipeline: &Pipeline) -> Result<(), ConfigError> {
    preferences(&pipeline.preferences)?;
    for (index, kind) in pipeline.preferences.enabled.iter().enumerate() {
        if !DeliveryKind::KNOWN.contains(kind) {
            // The enum is open in the interface, but nothing here would deliver the events.
            let reason = format!("unknown kind of delivery; supported are {}", known(DeliveryKind::KNOWN));
            return Err(ConfigError::new(format!("preferences.enabled[{index}]"), reason));
        }
        DestinationConfig::from_pipeline(pipeline, kind)?;
    }
    for (index, prefix) in pipeline.event_type_prefixes.iter().enumerate() {
        let reason = "is empty; to let all events through, leave the list empty";
        let field = format!("event_type_prefixes[{index}]");
        filled(&field, prefix, reason)?;
        plain(&field, prefix)?;
    }
    Ok(())
}

/// Checks that this build supports the kinds that a pipeline enables. `svix` always is: without the feature, the built-in
/// webhooks replace it.
///
/// # Errors
///
/// For the first kind that is not supported, with the feature to enable.
pub fn check_build(pipeline: &Pipeline) -> Result<(), ConfigError> {
    let enabled = pipeline.preferences.enabled.iter().enumerate();
    let built = |kind: &DeliveryKind| match kind {
        DeliveryKind::CloudPubsub => cfg!(feature = "cloud_pubsub"),
        DeliveryKind::Rabbitmq => cfg!(feature = "rabbitmq"),
        DeliveryKind::AzureAmqp => cfg!(feature = "azure_amqp"),
        _ => true,
    };
    match enabled.into_iter().find(|(_, kind)| !built(kind)) {
        Some((index, kind)) => Err(unsupported(kind, index)),
        None => Ok(()),
    }
}

/// Removes the blocks of kinds that are not enabled.
pub fn remove_unused(pipeline: &mut Pipeline) {
    let enabled = std::mem::take(&mut pipeline.preferences.enabled);
    let unused = |kind: &DeliveryKind| !enabled.contains(kind);
    pipeline.cloud_pubsub.take_if(|_| unused(&DeliveryKind::CloudPubsub));
    pipeline.rabbitmq.take_if(|_| unused(&DeliveryKind::Rabbitmq));
    pipeline.svix.take_if(|_| unused(&DeliveryKind::Svix));
    pipeline.azure_amqp.take_if(|_| unused(&DeliveryKind::AzureAmqp));
    pipeline.preferences.enabled = enabled;
}

/// For a kind that this build does not support.
pub(crate) fn unsupported(kind: &DeliveryKind, index: usize) -> ConfigError {
    let reason = format!("this build does not support {kind}; build wearlab with `--features {kind}`");
    ConfigError::new(format!("preferences.enabled[{index}]"), reason)
}

fn preferences(preferences: &PipelinePreferences) -> Result<(), ConfigError> {
    let enabled = &preferences.enabled;
    for (index, kind) in enabled.iter().enumerate() {
        if enabled[..index].contains(kind) {
            return Err(ConfigError::new(
                format!("preferences.enabled[{index}]"),
                "is listed twice",
            ));
        }
    }
    // Without a kind, nothing is sent, whichever is preferred.
    match enabled.is_empty() || enabled.contains(&preferences.preferred) {
        true => Ok(()),
        false => Err(ConfigError::new(
            "preferences.preferred",
            "is not in preferences.enabled; add it there, or prefer one that is",
        )),
    }
}

fn given<'a, T>(kind: &DeliveryKind, block: &'a Option<T>) -> Result<&'a T, ConfigError> {
    let missing = || ConfigError::new(kind.as_str(), "is missing, but preferences.enabled names it");
    block.as_ref().ok_or_else(missing)
}
