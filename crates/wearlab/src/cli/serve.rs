//! `wearlab serve`: the service on the configured store.

use std::sync::Arc;

use anyhow::{Context, Result};
use chrono::Utc;
use tokio::task::JoinHandle;
use wearlab_delivery::webhook::Sender;
use wearlab_delivery::{DispatchSettings, Dispatcher};
use wearlab_store::Store;

use super::place::{self, Place, failed};
use crate::config::webhooks::WebhookSettings;
use crate::serve::{Server, Stop};
use crate::{Service, log};

/// What can be set.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Where the interface is answered, in place of the configured address. Port 0 takes any free one.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Where the management area, the probes and the metrics are answered, in place of the configured address.
    #[arg(long, value_name = "ADDR")]
    management_listen: Option<String>,
    #[command(flatten)]
    place: Place,
}

/// Serves until the process is told to stop.
pub(super) async fn run(mut options: Options) -> Result<()> {
    for (name, value) in [
        ("http.listen", options.listen),
        ("http.management_listen", options.management_listen),
    ] {
        options.place.set(name, value);
    }
    let config = options.place.config()?;
    let _log = log::start(&config.log).map_err(place::bad_log)?;
    let mut stop = Stop::listen().context("cannot listen for signals")?;
    // The address first: where it is taken, the store is left alone.
    let server = Server::bind(config.http.clone()).await.map_err(place::unbound)?;
    let store = place::open(&config)?.observed(server.store_observer());
    let delivering = deliver(&store, &config.webhooks, stop.clone());
    let service = Service::new(store, config.service, Utc::now, rand::random())
        .await
        .map_err(failed)?;
    server.run(Arc::new(service), stop.asked()).await;
    if let Some(delivering) = delivering {
        delivering.await.context("sending events failed")?;
    }
    Ok(())
}

/// Sends events for as long as the service runs.
pub(super) fn deliver(store: &Store, settings: &WebhookSettings, mut stop: Stop) -> Option<JoinHandle<()>> {
    let sender = match Sender::new(settings.sender(), Utc::now) {
        Ok(sender) => sender,
        Err(error) => {
            // The reads need none of it.
            tracing::error!(error = &error as &dyn std::error::Error, "no webhooks are sent");
            return None;
        }
    };
    let settings = DispatchSettings::default();
    let dispatcher = Dispatcher::new(store.clone(), sender, settings, Utc::now, rand::random);
    Some(tokio::spawn(dispatcher.run(async move { stop.asked().await })))
}
