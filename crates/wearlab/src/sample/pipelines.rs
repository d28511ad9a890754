//! Pipelines of the teams.

use wearlab_models::{
    AzureAmqp, BlobStorage, CloudPubsub, Compression, DeliveryKind, EventHubMatcher, Pipeline, PipelinePreferences,
    Rabbitmq, Svix,
};
use wearlab_store::{PutTeam, StoreError, TeamId, Write};

use super::draw::Draw;
use super::identity::Sample;

/// Puts a pipeline of all kinds and others of some, one of them of a team without users beside the described one.
pub(super) fn put(write: &mut Write<'_>, seed: u64, sample: &Sample, teams: [TeamId; 3]) -> Result<(), StoreError> {
    let draw = &mut Draw::of_pipelines(seed);
    let [first, second, third] = teams;
    write.put_pipeline(first, &all_kinds(draw, first))?;
    let webhooks = Pipeline::builder()
        .team_id(second.uuid())
        .preferences(preferences(&[DeliveryKind::Svix, DeliveryKind::AzureAmqp]))
        .push_historical_data(false)
        .provider_raw_data(true)
        .svix(Svix::builder().regional(false).build())
        .azure_amqp(azure(draw, Compression::None, Vec::new()))
        .event_type_prefixes(Vec::new())
        .build();
    write.put_pipeline(second, &webhooks)?;
    let hubs = Pipeline::builder()
        .team_id(third.uuid())
        .preferences(preferences(&[DeliveryKind::AzureAmqp, DeliveryKind::CloudPubsub]))
        .push_historical_data(true)
        .provider_raw_data(false)
        .cloud_pubsub(pubsub("events-eu", false))
        .azure_amqp({
            let archive = EventHubMatcher::builder()
                .event_type_regex(r"\.deleted$")
                .event_hub("deletions")
                .build();
            azure(draw, Compression::Always, vec![archive])
        })
        .event_type_prefixes(vec!["provider.connection.".to_owned()])
        .build();
    write.put_pipeline(third, &hubs)?;
    let organisation = write.put_organisation(&sample.org_id)?;
    let idle = write.put_team(PutTeam {
        team_id: draw.uuid(),
        organisation,
        environment: sample.env,
        region: sample.region,
    })?;
    write.put_pipeline(idle, &webhooks_only(idle))
}

fn webhooks_only(team: TeamId) -> Pipeline {
    Pipeline::builder()
        .team_id(team.uuid())
        .preferences(preferences(&[DeliveryKind::Svix]))
        .push_historical_data(false)
        .provider_raw_data(false)
        .svix(Svix::builder().regional(false).build())
        .event_type_prefixes(Vec::new())
        .build()
}

fn all_kinds(draw: &mut Draw, team: TeamId) -> Pipeline {
    let uri = format!("amqps://wearlab:{}@rabbit.example:5671/events", draw.text(24));
    let matchers = matchers(draw);
    Pipeline::builder()
        .team_id(team.uuid())
        .preferences(preferences(DeliveryKind::KNOWN))
        .push_historical_data(true)
        .provider_raw_data(false)
        .cloud_pubsub(pubsub("events-us", true))
        .rabbitmq(Rabbitmq::builder().uri(uri.into()).exchange("wearlab.events").build())
        .svix(Svix::builder().regional(true).build())
        .azure_amqp(azure(draw, Compression::Auto, matchers))
        .event_type_prefixes(vec!["daily.data.".to_owned(), "historical.data.".to_owned()])
        .build()
}

/// Matchers that have each condition and each target, together and alone.
fn matchers(draw: &mut Draw) -> Vec<EventHubMatcher> {
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

fn azure(draw: &mut Draw, compression: Compression, matchers: Vec<EventHubMatcher>) -> AzureAmqp {
    let key = draw.text(43);
    let connection =
        format!("Endpoint=sb://events.servicebus.example/;SharedAccessKeyName=send;SharedAccessKey={key}=");
    AzureAmqp::builder()
        .connection_string(connection.into())
        .default_event_hub("everything")
        .event_hub_matchers(matchers)
        .compression(compression)
        .build()
}

fn blobs(draw: &mut Draw, container: &str) -> BlobStorage {
    let key = draw.text(86);
    let connection =
        format!("DefaultEndpointsProtocol=https;AccountName=wearlab;AccountKey={key}==;EndpointSuffix=storage.example");
    BlobStorage::builder()
        .connection_string(connection.into())
        .container_name(container)
        .build()
}
