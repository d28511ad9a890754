//! Webhooks of a demo, which may send to this machine, and `wearlab demo --webhook`: an endpoint of the printed team.

use std::sync::Arc;

use anyhow::Result;
use ipnet::IpNet;
use tokio::task::JoinHandle;
use uuid::Uuid;
use wearlab_delivery::egress::{PipelinePolicy, Policy, Projects};
use wearlab_delivery::webhook::{Sender, Settings};
use wearlab_delivery::{DeliveryObserver, DispatchSettings, Kinds};
use wearlab_models::{DeliveryKind, Secret, Svix};
use wearlab_service::administration::webhooks;
use wearlab_store::{Store, StoreError};

use crate::cli::sending;
use crate::cli::store_args::failed;
use crate::config::webhooks::WebhookSettings;
use crate::stop::Stop;

/// Returns the networks of this machine.
pub(super) fn loopback() -> Vec<IpNet> {
    let networks = ["127.0.0.0/8", "::1/128"].map(str::parse);
    networks.into_iter().flatten().collect()
}

/// Egress policy of a demo's pipelines. A demo sends nothing to brokers.
pub(super) fn egress() -> PipelinePolicy {
    PipelinePolicy {
        hosts: Policy {
            allow_plaintext: true,
            allow_networks: loopback(),
            ..Policy::default()
        },
        projects: Projects::Any,
    }
}

/// Egress policy of webhooks: public hosts, and this machine, also by http.
pub(super) fn settings() -> Settings {
    let settings = WebhookSettings {
        allow_http: true,
        allow_networks: loopback(),
        ..WebhookSettings::default()
    };
    settings.sender()
}

/// Sends the events of all teams to their endpoints, until the demo stops.
pub(super) fn send(store: &Store, observer: Arc<dyn DeliveryObserver>, stop: Stop) -> Result<JoinHandle<()>> {
    let mut kinds = Kinds::new(Sender::new(settings(), wearlab_clock::now)?);
    // The hosts of the sample pipelines do not exist.
    kinds.only_webhooks = true;
    Ok(sending::start(
        kinds,
        DispatchSettings::default(),
        store,
        observer,
        stop,
    ))
}

/// Creates an endpoint of a team, and returns its signing secret.
pub(super) async fn add(url: &str, store: &Store, team_id: Uuid) -> Result<Secret> {
    let settings = settings();
    let known = store.webhooks().await.map_err(failed)?.into_iter();
    let mut known = known.filter(|known| known.team_id == team_id && known.url == url && known.disabled.is_none());
    let webhook = match known.next() {
        Some(known) => known,
        None => {
            settings.check(url)?;
            let webhook = webhooks::new_webhook(team_id, url, Vec::new(), wearlab_clock::now());
            let put = store.write(|write| webhooks::put_new(write, &webhook));
            put.await.map_err(failed)?;
            webhook
        }
    };
    store
        .write(|write| enable_webhooks(write, team_id))
        .await
        .map_err(failed)?;
    let secret = webhook.secrets.into_iter().next().map(|secret| secret.secret);
    secret.ok_or(StoreError::Missing { what: "secret" }).map_err(failed)
}

/// Enables webhooks of all events in the team's pipeline.
fn enable_webhooks(write: &mut wearlab_store::Transaction<'_>, team_id: Uuid) -> Result<(), StoreError> {
    let team = write.team(team_id)?.ok_or(StoreError::Missing { what: "team" })?;
    let Some(mut pipeline) = write.pipeline(team)? else {
        return Ok(());
    };
    if !pipeline.preferences.enabled.contains(&DeliveryKind::Svix) {
        pipeline.preferences.enabled.push(DeliveryKind::Svix);
    }
    let block = || Svix::builder().regional(false).build();
    pipeline.svix.get_or_insert_with(block);
    pipeline.event_type_prefixes.clear();
    write.put_pipeline(team, &pipeline)
}
