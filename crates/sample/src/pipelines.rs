//! Pipelines of the teams.

use wearlab_models::{
    AzureAmqp, BlobStorage, CloudPubsub, Compression, DeliveryKind, EventHubMatcher, Nats, Pipeline,
    PipelinePreferences, Rabbitmq, Svix, Uuid,
};

use super::generator::Generator;

/// Creates a pipeline for each team. Every kind of delivery is in one of them, and absent from another.
pub(super) fn make(seed: u64, teams: [Uuid; 3]) -> impl Iterator<Item = Pipeline> {
    let draw = &mut Generator::of_pipelines(seed);
    let [first, second, third] = teams;
    [
        brokers(draw, first),
        webhooks_and_hub(draw, second),
        webhooks_and_topic(draw, third),
    ]
    .into_iter()
}

/// Creates a pipeline with all kinds of secrets, and all conditions of matchers.
fn brokers(draw: &mut Generator, team_id: Uuid) -> Pipeline {
    let uri = format!("amqps://wearlab:{}@rabbit.example:5671/events", draw.text(24));
    let matchers = matchers(draw);
    let kinds = [
        DeliveryKind::Rabbitmq,
        DeliveryKind::AzureAmqp,
        DeliveryKind::CloudPubsub,
    ];
    Pipeline::builder()
        .team_id(team_id)
        .preferences(preferences(&kinds))
        .push_historical_data(true)
        .provider_raw_data(false)
        .cloud_pubsub(pubsub("events-us", true))
        .rabbitmq(Rabbitmq::builder().uri(uri.into()).exchange("wearlab.events").build())
        .azure_amqp(azure(draw, Compression::Auto, matchers))
        .event_type_prefixes(vec!["daily.data.".to_owned(), "historical.data.".to_owned()])
        .build()
}

fn webhooks_and_hub(draw: &mut Generator, team_id: Uuid) -> Pipeline {
    // Only two of the three pipelines have a hub, so that each seed lacks one of the three compressions.
    let compression = draw.one_of(&[Compression::None, Compression::Always]).clone();
    let hub = azure(draw, compression, Vec::new());
    let url = format!("tls://wearlab:{}@nats.example:4222", draw.text(24));
    Pipeline::builder()
        .team_id(team_id)
        .preferences(preferences(&[
            DeliveryKind::Svix,
            DeliveryKind::AzureAmqp,
            DeliveryKind::Nats,
        ]))
        .push_historical_data(false)
        .provider_raw_data(true)
        .svix(Svix::builder().regional(false).build())
        .azure_amqp(hub)
        .nats(
            Nats::builder()
                .url(url.into())
                .subject("wearlab.{event_type}")
                .stream("WEARLAB")
                .build(),
        )
        .event_type_prefixes(Vec::new())
        .build()
}

fn webhooks_and_topic(draw: &mut Generator, team_id: Uuid) -> Pipeline {
    // Of the length of a seed.
    let seed = format!("SU{}", draw.text(56));
    Pipeline::builder()
        .team_id(team_id)
        .preferences(preferences(&[
            DeliveryKind::CloudPubsub,
            DeliveryKind::Svix,
            DeliveryKind::Nats,
        ]))
        .push_historical_data(true)
        .provider_raw_data(false)
        .cloud_pubsub(pubsub("events-eu", false))
        .svix(Svix::builder().regional(true).build())
        .nats(
            Nats::builder()
                .url("tls://nats.example".into())
                .subject("wearlab.users.{user_id}")
                .credentials(seed.into())
                .build(),
        )
        .event_type_prefixes(vec!["provider.connection.".to_owned()])
        .build()
}

/// Returns matchers with each condition and each target, together and alone.
fn matchers(draw: &mut Generator) -> Vec<EventHubMatcher> {
    vec![
        EventHubMatcher::builder()
            .event_type_prefix("historical.data.")
            .event_type_regex(r"\.(sleep|sleep_cycle)\.created$")
            .event_hub("sleep")
            .blob_storage(blobs(draw, "sleep"))
            .build(),
        EventHubMatcher::builder()
            .event_type_prefix("daily.data.glucose.")
            .event_hub("glucose")
            .build(),
        EventHubMatcher::builder()
            .event_type_regex("electrocardiogram")
            .blob_storage(blobs(draw, "traces"))
            .build(),
    ]
}

fn preferences(kinds: &[DeliveryKind]) -> PipelinePreferences {
    let preferred = kinds.first().cloned().unwrap_or(DeliveryKind::Svix);
    PipelinePreferences::builder()
        .preferred(preferred)
        .enabled(kinds.to_vec())
        .build()
}

fn pubsub(topic: &str, ordered: bool) -> CloudPubsub {
    CloudPubsub::builder()
        .project("wearlab-sample")
        .topic(topic)
        .message_ordering(ordered)
        .build()
}

fn azure(draw: &mut Generator, compression: Compression, matchers: Vec<EventHubMatcher>) -> AzureAmqp {
    // Base64 of 32 bytes: the last two bits of the last letter are zero.
    let key = draw.text(42) + "A";
    let connection =
        format!("Endpoint=sb://events.servicebus.example/;SharedAccessKeyName=send;SharedAccessKey={key}=");
    AzureAmqp::builder()
        .connection_string(connection.into())
        .default_event_hub("everything")
        .event_hub_matchers(matchers)
        .compression(compression)
        .build()
}

fn blobs(draw: &mut Generator, container: &str) -> BlobStorage {
    // Base64 of 64 bytes.
    let key = draw.text(85) + "A";
    let connection =
        format!("DefaultEndpointsProtocol=https;AccountName=wearlab;AccountKey={key}==;EndpointSuffix=storage.example");
    BlobStorage::builder()
        .connection_string(connection.into())
        .container_name(container)
        .build()
}
