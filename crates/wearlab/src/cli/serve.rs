//! `wearlab serve` and `wearlab connect`: run the service, or its connectors alone, with the configured store.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use wearlab_connect::{Connector, PullObserver};
use wearlab_delivery::webhook::Sender;
use wearlab_delivery::{DeliveryObserver, Kinds};
use wearlab_linking::{Linker, Linking, Refresher};
use wearlab_service::Service;
use wearlab_store::Store;

use super::connecting;
use super::opening::{self, Observer};
use super::sending;
use super::store_args::{self, StoreArgs};
use crate::config::Config;
use crate::file_probe;
use crate::log;
use crate::pruner::{Pruner, Reading};
use crate::scrubber;
use crate::serve::{Server, configured_url};
use crate::stop::Stop;

/// Options of the command.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Address of the API; overrides the configuration. Port 0 selects a free port.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Address of the management API, the probes and the metrics; overrides the configuration.
    #[arg(long, value_name = "ADDR")]
    management_listen: Option<String>,
    /// Leave pulls from providers to processes of `wearlab connect`. Their notices are received all the same.
    #[arg(long)]
    no_pulls: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// Options of `wearlab connect`.
#[derive(clap::Args)]
pub(super) struct ConnectOptions {
    /// Address of the probes and the metrics; overrides the configuration, which has that of management, or of the API. Port 0
    /// selects a free port.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    #[command(flatten)]
    store: StoreArgs,
}

/// Work of a process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Everything.
    Service,
    /// Everything but pulls.
    NoPulls,
    /// Pulls, with the probes and the metrics of the process.
    Connectors,
}

/// Serves until the process is asked to stop.
pub(super) async fn run(mut options: Options) -> Result<()> {
    for (name, value) in [
        ("http.listen", options.listen),
        ("http.management_listen", options.management_listen),
    ] {
        options.store.set(name, value);
    }
    let role = if options.no_pulls { Role::NoPulls } else { Role::Service };
    start(options.store, role).await
}

/// Pulls until the process is asked to stop.
pub(super) async fn connect(mut options: ConnectOptions) -> Result<()> {
    options.store.set("http.management_listen", options.listen);
    start(options.store, Role::Connectors).await
}

async fn start(store: StoreArgs, role: Role) -> Result<()> {
    let mut loaded = store.loaded()?;
    loaded.check_files();
    let ignored = std::mem::take(&mut loaded.ignored);
    let mut config = loaded.finish()?;
    let _log = log::start(&config.log).map_err(store_args::log_error)?;
    for variable in ignored {
        tracing::debug!(variable, "ignored a variable of an orchestrator: it is not a setting");
    }
    let connectors = connecting::connectors(&config.connectors)?;
    let api_url = (role == Role::Connectors).then(|| configured_url(&config.http));
    let kinds = match role {
        Role::Connectors => {
            ensure!(!connectors.is_empty(), connecting::NONE_ON);
            if let Some(address) = config.http.management_listen.take() {
                config.http.listen = address;
            }
            None
        }
        Role::Service | Role::NoPulls => kinds(&config)?,
    };
    let mut stop = Stop::listen().context("cannot listen for signals")?;
    // Bound before the store is opened: nothing is changed if the address is in use.
    let server = Server::bind(config.http.clone())
        .await
        .map_err(store_args::bind_error)?;
    let api_url = api_url.map_or_else(|| server.url(), Ok)?;
    let linking = Linking::new(config.linking.clone(), &api_url).observed_by(server.refresh_observer());
    let linking = Arc::new(linking);
    let service = Service::starting(config.service, wearlab_clock::now)
        .with_deprecated_forms(config.events.deprecated)
        .with_rejected_notes(config.ingest.rejected())
        .with_linking(linking.clone())
        .with_connectors(connecting::slugs(&connectors))
        .with_webhooks(config.webhooks.sender())
        .with_kinds(kinds.clone());
    let service = Arc::new(service);
    let server = match role {
        Role::Connectors => server.with_probes_alone(),
        Role::Service | Role::NoPulls => {
            let inbox = connecting::inbox(&connectors, &service, server.notice_observer());
            server.with_notices(inbox)
        }
    };
    let (drain, patient) = (config.http.timeouts.drain, config.database.is_set());
    let (tried, opening) = oneshot::channel();
    let work = Work {
        role,
        config,
        kinds,
        connectors,
        service: service.clone(),
        linking,
        store_observer: Arc::new(server.store_observer()),
        delivery_observer: server.delivery_observer(),
        pull_observer: server.pull_observer(),
        prune_observer: server.prune_observer(),
        stop: stop.clone(),
    };
    let mut work = tokio::spawn(work.run(tried));
    // The first attempt usually succeeds immediately, so that the first request finds the store open.
    let opening = async {
        match patient {
            true => tokio::time::timeout(OPEN_TIMEOUT, opening).await.unwrap_or(Ok(())),
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
                tracing::warn!(limit = ?drain, "deliveries did not end within the drain timeout: the next run repeats them");
                return Ok(());
            }
        },
    };
    ended.context("the service failed")?
}

/// Timeout of the first attempt to connect to the database. After that, the service starts, and responds with 503.
const OPEN_TIMEOUT: Duration = Duration::from_secs(3);

/// Background work of a service.
struct Work<F> {
    role: Role,
    config: Config,
    kinds: Option<Kinds>,
    connectors: Vec<Connector>,
    service: Arc<Service>,
    linking: Arc<Linking>,
    store_observer: Observer,
    delivery_observer: Arc<dyn DeliveryObserver>,
    pull_observer: Arc<dyn PullObserver>,
    prune_observer: F,
    stop: Stop,
}

impl<F: Fn(u64) + Send + 'static> Work<F> {
    /// Opens the store, notifies `tried` after the first attempt, then delivers events and prunes until the process is
    /// asked to stop.
    async fn run(mut self, tried: oneshot::Sender<()>) -> Result<()> {
        let store = tokio::select! {
            store = opening::open(&self.config, &self.service, &self.store_observer, tried, rand::random) => store?,
            () = self.stop.asked() => return Ok(()),
        };
        // A demo that was killed leaves such settings, and its provider no longer exists.
        if !self.config.database.is_set() && super::demo::linking::remove(&store).await.map_err(store_args::failed)? > 0
        {
            tracing::warn!("removed the settings of simulated providers, which a demo left in the data directory");
        }
        if let Some(warning) = self.config.plaintext_warning() {
            tracing::warn!("{warning}");
        }
        let dispatcher = self.config.delivery.dispatcher();
        let delivering = self
            .kinds
            .map(|kinds| sending::start(kinds, dispatcher, &store, self.delivery_observer, self.stop.clone()));
        let forms = self.config.events.deprecated;
        let refresher = Refresher::new(self.linking.clone(), store.clone(), wearlab_clock::now, forms);
        let mut stop = self.stop.clone();
        let refreshing = tokio::spawn(async move { refresher.run(stop.asked()).await });
        let linker = Linker {
            linking: self.linking.clone(),
            store: store.clone(),
            now: wearlab_clock::now,
            forms,
        };
        let puller = match self.role {
            Role::Service | Role::Connectors => connecting::puller(self.connectors, linker)?,
            Role::NoPulls => None,
        };
        let mut stop = self.stop.clone();
        let pulling = tokio::spawn(async move {
            if let Some(puller) = puller {
                Arc::new(puller.observed_by(self.pull_observer)).run(stop.asked()).await;
            }
        });
        let housekeeping = match self.role {
            Role::Service | Role::NoPulls => {
                let (events, values) = (self.config.events, self.config.values.clone());
                let pruner = Pruner::new(store.clone(), events, values, self.prune_observer);
                Some(housekeeping(&store, pruner, &self.stop))
            }
            Role::Connectors => None,
        };
        file_probe::run(store, async { self.stop.asked().await }).await;
        if let Some([pruning, scrubbing]) = housekeeping {
            pruning.await.context("pruning failed")?;
            scrubbing.await.context("scrubbing failed")?;
        }
        refreshing.await.context("refreshing tokens failed")?;
        pulling.await.context("pulling from providers failed")?;
        self.linking.finish(self.config.http.timeouts.drain).await;
        match delivering {
            Some(delivering) => delivering.await.context("delivery failed"),
            None => Ok(()),
        }
    }
}

/// Prunes and scrubs a store, on other threads, until the process is asked to stop.
fn housekeeping<F: Fn(u64) + Send + 'static>(store: &Store, mut pruner: Pruner<F>, stop: &Stop) -> [JoinHandle<()>; 2] {
    let (runtime, mut stop_pruning, mut stop_scrubbing) = (Handle::current(), stop.clone(), stop.clone());
    let pruning = tokio::task::spawn_blocking(move || {
        runtime.block_on(pruner.run(Reading::take, async { stop_pruning.asked().await }));
    });
    let scrubbing = scrub(store.clone(), async move { stop_scrubbing.asked().await });
    [pruning, scrubbing]
}

/// Scrubs the files of a store after deletions, on another thread, until `stop` is ready.
pub(super) fn scrub(store: Store, stop: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || runtime.block_on(scrubber::run(store, stop)))
}

/// Creates the kinds of destinations. Without them the service still responds to requests.
fn kinds(config: &Config) -> Result<Option<Kinds>> {
    match Sender::new(config.webhooks.sender(), wearlab_clock::now) {
        Ok(sender) => sending::kinds(config, sender).map(Some),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "events are not delivered");
            Ok(None)
        }
    }
}
