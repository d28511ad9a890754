//! `wearlab serve`: the service on the configured store.

use std::sync::Arc;

use anyhow::{Context, Result};

use wearlab_delivery::Kinds;
use wearlab_delivery::webhook::Sender;

use super::place::{self, Place, failed};
use super::sending;
use crate::clock;
use crate::config::Config;
use crate::housekeeping::Housekeeping;
use crate::serve::{Server, Stop};
use crate::{Service, file_probe, log};

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
    let mut loaded = options.place.loaded()?;
    loaded.check_files();
    let ignored = std::mem::take(&mut loaded.ignored);
    let config = loaded.finish()?;
    let _log = log::start(&config.log).map_err(place::bad_log)?;
    for variable in ignored {
        tracing::debug!(variable, "ignored: a variable of an orchestrator, not a setting");
    }
    let kinds = kinds(&config)?;
    let mut stop = Stop::listen().context("cannot listen for signals")?;
    // The address first: where it is taken, the store is left alone.
    let server = Server::bind(config.http.clone()).await.map_err(place::unbound)?;
    let store = place::open(&config).await?.observed(server.store_observer());
    let observer = server.delivery_observer();
    let dispatcher = config.delivery.dispatcher();
    let delivering = kinds.map(|kinds| sending::start(kinds, dispatcher, &store, observer, stop.clone()));
    let mut stop_pruning = stop.clone();
    let stop_pruning = async move { stop_pruning.asked().await };
    let mut housekeeping = Housekeeping::new(store.clone(), config.events, server.prune_observer());
    let runtime = tokio::runtime::Handle::current();
    let pruning = tokio::task::spawn_blocking(move || runtime.block_on(housekeeping.run(clock::reading, stop_pruning)));
    let mut stop_probing = stop.clone();
    let probing = file_probe::run(store.clone(), async move { stop_probing.asked().await });
    let probing = tokio::spawn(probing);
    let service = Service::new(store, config.service, clock::now, rand::random())
        .await
        .map_err(failed)?;
    server.run(Arc::new(service), stop.asked()).await;
    pruning.await.context("pruning failed")?;
    probing.await.context("looking at the files failed")?;
    if let Some(delivering) = delivering {
        delivering.await.context("sending events failed")?;
    }
    Ok(())
}

/// What events are sent with. The reads need none of it.
fn kinds(config: &Config) -> Result<Option<Kinds>> {
    match Sender::new(config.webhooks.sender(), clock::now) {
        Ok(sender) => sending::kinds(config, sender).map(Some),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "no events are sent");
            Ok(None)
        }
    }
}
