//! Pipelines as the interface serves them.

use wearlab_delivery::pipeline::mask;
use wearlab_models::{DeliveryKind, Pipeline};

/// A pipeline as the interface serves it: without its secrets, and without the blocks of kinds that are not enabled,
/// which the store keeps.
pub(crate) fn pipeline(mut pipeline: Pipeline) -> Pipeline {
    let enabled = std::mem::take(&mut pipeline.preferences.enabled);
    let unused = |kind: &DeliveryKind| !enabled.contains(kind);
    pipeline.cloud_pubsub.take_if(|_| unused(&DeliveryKind::CloudPubsub));
    pipeline.rabbitmq.take_if(|_| unused(&DeliveryKind::Rabbitmq));
    pipeline.svix.take_if(|_| unused(&DeliveryKind::Svix));
    pipeline.azure_amqp.take_if(|_| unused(&DeliveryKind::AzureAmqp));
    pipeline.preferences.enabled = enabled;
    mask(pipeline)
}
