//! `wearlab serve`: the service on the configured store.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use wearlab_delivery::webhook::Sender;
use wearlab_delivery::{DeliveryObserver, Kinds};

use super::opening::{self, Observer};
use super::place::{self, Place};
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
    let service = Arc::new(Service::starting(config.service, clock::now));
    let (drain, patient) = (config.http.timeouts.drain, config.database.is_set());
    let (tried, opening) = oneshot::channel();
    let work = Work {
        config,
        kinds,
        service: service.clone(),
        store_observer: Arc::new(server.store_observer()),
        delivery_observer: server.delivery_observer(),
        prune_observer: server.prune_observer(),
        stop: stop.clone(),
    };
    let mut work = tokio::spawn(work.run(tried));
    // The first attempt mostly takes a moment and succeeds: whoever asks first finds the store.
    let opening = async {
        match patient {
            true => tokio::time::timeout(OPENING, opening).await.unwrap_or(Ok(())),
            false => opening.await,
        }
    };
    let opening = tokio::select! {
        opening = opening => opening,
        () = stop.asked() => return Ok(()),
    };
    if opening.is_err() {
        return work.await.context("the service failed")?;
    }
    let mut ended = None;
    server
        .run(service.clone(), async {
            tokio::select! {
                () = stop.asked() => {}
                early = &mut work => ended = Some(early),
            }
        })
        .await;
    let ended = match ended {
        Some(ended) => ended,
        None if !service.is_open() => return Ok(()),
        None => match tokio::time::timeout(drain, work).await {
            Ok(ended) => ended,
            Err(_) => {
                tracing::warn!(limit = ?drain, "gave up what did not end in time: it is done again by the next run");
                return Ok(());
            }
        },
    };
    ended.context("the service failed")?
}

/// How long requests to a service that starts wait for the first attempt to reach its database. Then they are 503s.
const OPENING: Duration = Duration::from_secs(3);

/// What a service does beside answering requests.
struct Work<F> {
    config: Config,
    kinds: Option<Kinds>,
    service: Arc<Service>,
    store_observer: Observer,
    delivery_observer: Arc<dyn DeliveryObserver>,
    prune_observer: F,
    stop: Stop,
}

impl<F: Fn(u64) + Send + 'static> Work<F> {
    /// Opens the store, and tells `tried` of the first attempt unless that fails for good; then sends events and prunes
    /// until the process is asked to end.
    async fn run(mut self, tried: oneshot::Sender<()>) -> Result<()> {
        let store = tokio::select! {
            store = opening::open(&self.config, &self.service, &self.store_observer, tried, rand::random) => store?,
            () = self.stop.asked() => return Ok(()),
        };
        let dispatcher = self.config.delivery.dispatcher();
        let delivering = self
            .kinds
            .map(|kinds| sending::start(kinds, dispatcher, &store, self.delivery_observer, self.stop.clone()));
        let mut housekeeping = Housekeeping::new(store.clone(), self.config.events, self.prune_observer);
        let (runtime, mut stop) = (Handle::current(), self.stop.clone());
        let pruning = tokio::task::spawn_blocking(move || {
            runtime.block_on(housekeeping.run(clock::reading, async { stop.asked().await }));
        });
        file_probe::run(store, async { self.stop.asked().await }).await;
        pruning.await.context("pruning failed")?;
        match delivering {
            Some(delivering) => delivering.await.context("sending events failed"),
            None => Ok(()),
        }
    }
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
