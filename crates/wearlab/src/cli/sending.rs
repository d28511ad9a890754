//! Sets up delivery from the configuration.

use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::task::JoinHandle;
use uuid::Uuid;
use wearlab_delivery::egress::Projects;
use wearlab_delivery::kinds::is_built;
use wearlab_delivery::webhook::Sender;
use wearlab_delivery::{DeliveryObserver, DispatchSettings, Dispatcher, Kinds};
use wearlab_models::{DeliveryKind, Secret};
use wearlab_store::Store;

use crate::config::kinds::SvixSettings;
use crate::config::{Config, files};
use crate::stop::Stop;

/// Creates all kinds of destinations.
pub(super) fn kinds(config: &Config, webhooks: Sender) -> Result<Kinds> {
    let mut kinds = Kinds::new(webhooks);
    kinds.egress.hosts = config.egress.policy();
    kinds.egress.projects = Projects::Bound(config.cloud_pubsub.projects.clone());
    let authorities = config.delivery.authorities().context("delivery.authorities_file")?;
    let token = token(&config.svix)?;
    if let Some(authorities) = &authorities {
        kinds.trust(authorities);
    }
    if is_built(&DeliveryKind::CloudPubsub) {
        kinds.cloud_pubsub.endpoint = match &config.cloud_pubsub.endpoint {
            Some(endpoint) => Some(endpoint.clone()),
            None => emulator()?,
        };
        if kinds.cloud_pubsub.is_emulator() {
            kinds.egress.projects = Projects::Any;
        }
    }
    kinds
        .cloud_pubsub
        .credentials_file
        .clone_from(&config.cloud_pubsub.credentials_file);
    anyhow::ensure!(
        token.is_none() || is_built(&DeliveryKind::Svix),
        "svix.token: this build does not support Svix: build it with the feature `svix`"
    );
    kinds.svix = token.map(|token| {
        let mut settings = wearlab_delivery::svix::Settings::new(token, wearlab_clock::now);
        settings.server.clone_from(&config.svix.server);
        settings
    });
    Ok(kinds)
}

/// Returns the Pub/Sub emulator of Google's environment variable, if it is set.
fn emulator() -> Result<Option<String>> {
    const VARIABLE: &str = "PUBSUB_EMULATOR_HOST";
    let Some(host) = std::env::var_os(VARIABLE).filter(|host| !host.is_empty()) else {
        return Ok(None);
    };
    let endpoint = host.into_string().ok();
    let settings = wearlab_delivery::cloud_pubsub::Settings {
        endpoint: endpoint.clone(),
        ..Default::default()
    };
    let checked = settings.check().is_ok();
    anyhow::ensure!(
        checked && endpoint.is_some(),
        "invalid configuration: {VARIABLE}: expected host:port of an emulator"
    );
    Ok(endpoint)
}

/// Returns the token of the Svix server, if one is configured.
fn token(settings: &SvixSettings) -> Result<Option<Secret>> {
    match (&settings.token, &settings.token_file) {
        (Some(token), _) => Ok(Some(token.clone())),
        (None, Some(file)) => Ok(Some(files::secret(file).context("svix.token_file")?)),
        (None, None) => Ok(None),
    }
}

/// Starts the dispatcher, which runs until the service stops.
pub(super) fn start(
    kinds: Kinds,
    settings: DispatchSettings,
    store: &Store,
    observer: Arc<dyn DeliveryObserver>,
    mut stop: Stop,
) -> JoinHandle<()> {
    let dispatcher = Dispatcher::new(
        store.clone(),
        Uuid::now_v7(),
        kinds,
        settings,
        observer,
        wearlab_clock::now,
        rand::random,
    );
    tokio::spawn(dispatcher.run(async move { stop.asked().await }))
}
