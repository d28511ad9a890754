//! `wearlab demo`: runs the service with sample data.

mod banner;
pub(super) mod linking;
mod secret_key;
mod summary;
mod webhook;

use std::env;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use chrono::{Days, Utc};
use tokio::sync::oneshot;
use wearlab_connect::{Inbox, Puller};
use wearlab_http::settings::{HttpSettings, Timeouts};
use wearlab_linking::settings::LinkingSettings;
use wearlab_linking::{Linker, Linking, Refresher};
use wearlab_sample::{Sample, SampleOptions};
use wearlab_service::Service;
use wearlab_store::{DeprecatedForms, EmbeddedSettings, SecretKey, Store, StoreError};

use self::banner::Banner;
use self::linking::SimulatedProviders;
use self::secret_key::SecretKeyFile;
use self::summary::DemoSummary;
use super::connecting;
use super::import::import_into;
use super::lines::Inputs;
use super::output::{print_line, warn};
use super::serve;
use super::store_args::failed;
use crate::config::log::LogSettings;
use crate::config::{Config, ConfigurationError, Loaded};
use crate::log;
use crate::serve::Server;
use crate::stop::Stop;

/// Timeout of the work in progress at shutdown.
const DRAIN: Duration = Duration::from_secs(5);

/// Environment variables of `wearlab serve` that the demo supports, too.
const VARIABLES: [&str; 2] = ["WEARLAB_HTTP__HEADER_PREFIX", "WEARLAB_SERVICE__LINK_TOKEN_SUFFICES"];

/// Options of the command.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Keep the data in this directory, which is created if it does not exist. By default it is deleted at exit.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Address to listen at. Port 0 selects a free port.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080", value_parser = address)]
    listen: SocketAddr,
    /// Number of users.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    users: u32,
    /// Seed of the data and the keys.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Days of data of the printed user, up to today: summaries and time series. Some users behind it have up to 14. 0
    /// for none.
    #[arg(long, value_name = "D", default_value_t = 365, value_parser = clap::value_parser!(u32).range(..=3650))]
    days: u32,
    /// Include pipelines in the kept data. Their destinations are remote hosts, which a later `wearlab serve` on the
    /// directory connects to; the demo does not. Without --data, pipelines are always included.
    #[arg(long, requires = "data")]
    pipelines: bool,
    /// Serve this data, in the format of `wearlab import`, instead of sample data.
    #[arg(long, value_name = "FILE|DIR", conflicts_with_all = ["users", "seed", "days", "pipelines"])]
    import: Option<PathBuf>,
    /// Send the events of the printed team to this URL, which may be http and on this machine. Endpoints that are
    /// created over HTTP receive events, too, where the pipeline of their team enables `svix` or the team has none.
    #[arg(long, value_name = "URL")]
    webhook: Option<String>,
    /// Print a line of JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// Parses host and port; a host name is resolved.
fn address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| "expected an address and a port, such as 127.0.0.1:8080".to_owned())
}

/// Reads the settings of the environment.
fn configured() -> Result<Config, ConfigurationError> {
    let variables = env::vars_os().filter(|(name, _)| VARIABLES.iter().any(|variable| name == variable));
    let Loaded { config, problems, .. } = Loaded::read(None, variables, &[])?;
    match problems.is_empty() {
        true => Ok(config),
        false => Err(ConfigurationError(problems)),
    }
}

/// Fills a store, prints a summary, and serves until the process is asked to stop.
pub(super) async fn run(options: Options) -> Result<()> {
    let _log = start_log()?;
    let stop = Stop::listen().context("cannot listen for signals")?;
    // Bound before anything is written: the address may be in use.
    let configured = configured()?;
    let server = Server::bind(HttpSettings {
        listen: options.listen,
        header_prefix: configured.http.header_prefix.clone(),
        timeouts: Timeouts {
            drain: DRAIN,
            ..Timeouts::default()
        },
        ..HttpSettings::default()
    })
    .await?
    .with_faults();
    let directory = DataDir::of(options.data.as_deref())?;
    // Opened first, so that filling cannot create the directory again after its removal.
    let store = directory.open()?;
    let contents = match &options.import {
        Some(file) => Contents::Own(Inputs::of(file)?),
        None => Contents::Sample {
            wanted: SampleOptions {
                seed: options.seed,
                users: options.users,
            },
            days: options.days,
            pipelines: options.pipelines || options.data.is_none(),
        },
    };
    let mut stop = stop.clone();
    // Runs on another thread, so that a signal can end it.
    let filled =
        tokio::task::spawn_blocking(move || tokio::runtime::Handle::current().block_on(prepare(store, contents)));
    let (store, mut summary) = tokio::select! {
        filled = filled => filled.context("cannot generate the data")??,
        () = stop.asked() => {
            directory.remove_with_retries();
            return Ok(());
        }
    };
    if let Some(url) = &options.webhook {
        summary.webhook_secret = Some(webhook::add(url, &store, summary.team_id).await?);
    }
    let delivering = webhook::send(&store, server.delivery_observer(), stop.clone())?;
    // Dropped whenever this function ends, even if the demo fails to start.
    let (ended, end) = oneshot::channel::<()>();
    let scrubbing = serve::scrub(store.clone(), async { drop(end.await) });
    let url = server.url()?;
    let settings = LinkingSettings {
        allow_http: true,
        allow_networks: webhook::loopback(),
        ..LinkingSettings::default()
    };
    let linking = Arc::new(Linking::new(settings, &url));
    let providers = SimulatedProviders::new(&store, &url, wearlab_clock::now());
    let linker = Linker {
        linking: linking.clone(),
        store: store.clone(),
        now: wearlab_clock::now,
        forms: DeprecatedForms::default(),
    };
    let live = providers.live();
    let inbox = {
        let linker = linker.clone();
        Inbox::new(
            providers.connectors.clone(),
            move || Some(linker.clone()),
            server.notice_observer(),
        )
    };
    let slugs = connecting::slugs(&providers.connectors);
    let puller = Puller::new(linker, providers.connectors).context("cannot pull from simulated providers")?;
    let puller = Arc::new(puller.without_quotas().observed_by(server.pull_observer()));
    // Before the link page is printed.
    puller.provision().await.map_err(failed)?;
    puller.forget_subscriptions().await.map_err(failed)?;
    let (served, until_served) = oneshot::channel::<()>();
    let pulling = tokio::spawn(async move { puller.run(async { drop(until_served.await) }).await });
    let living = tokio::spawn(live);
    let refresher = Refresher::new(
        linking.clone(),
        store.clone(),
        wearlab_clock::now,
        DeprecatedForms::default(),
    );
    let mut refresh_until = stop.clone();
    let refreshing = tokio::spawn(async move { refresher.run(refresh_until.asked()).await });
    let kept = store.clone();
    let service = Service::new(
        store.observed(server.store_observer()),
        configured.service,
        Utc::now,
        rand::random(),
    )
    .await
    .map_err(failed)?
    .with_linking(linking.clone())
    .with_connectors(slugs)
    .with_simulated_orders()
    .with_demo_key(summary.management_key.clone().into())
    .with_webhooks(webhook::settings())
    .with_egress(webhook::egress());
    let server = server
        .with_demo(summary.shown(&url, &url), providers.routes)
        .with_notices(Some(inbox));
    let mut printed = print(Banner::new(&url, &url, &configured.http.header_prefix, &summary).text(options.json)?)?;
    let mut unwritten = Ok(());
    let stopping = async {
        tokio::select! {
            () = stop.asked() => {}
            Ok(Err(error)) = &mut printed => unwritten = Err(error),
        }
    };
    server.run(Arc::new(service), stopping).await;
    drop(ended);
    refreshing.abort();
    living.abort();
    drop(served);
    pulling.await.context("pulling from providers failed")?;
    linking.finish(DRAIN).await;
    linking::remove(&kept).await.map_err(failed)?;
    unwritten?;
    delivering.await.context("delivery failed")?;
    scrubbing.await.context("scrubbing failed")
}

/// Prints text on another thread: a blocked standard output delays neither the service nor its shutdown.
fn print(text: String) -> Result<oneshot::Receiver<Result<()>>> {
    let (done, printed) = oneshot::channel();
    let printing = thread::Builder::new().spawn(move || {
        let _ = done.send(print_line(text));
    });
    printing.context("cannot start a thread")?;
    Ok(printed)
}

/// Data directory.
enum DataDir {
    Kept(PathBuf),
    Temporary(tempfile::TempDir),
}

impl DataDir {
    fn of(kept: Option<&Path>) -> Result<Self> {
        match kept {
            Some(path) => Ok(Self::Kept(path.to_owned())),
            None => {
                let made = tempfile::Builder::new().prefix("wearlab-demo-").tempdir();
                made.map(Self::Temporary).context("cannot create a temporary directory")
            }
        }
    }

    /// Opens the store with a random secret key of this run, or with the keys in a kept directory. If that has none, a
    /// random one is created.
    fn open(&self) -> Result<Store> {
        let open = |keys: &[SecretKey]| Store::open_with(self.path(), &EmbeddedSettings::default(), keys);
        match self {
            Self::Temporary(_) => open(&[SecretKey::from(rand::random::<[u8; 32]>())]).map_err(failed),
            Self::Kept(directory) => {
                let file = SecretKeyFile::create_or_read(directory)?;
                open(&file.keys).map_err(|error| {
                    file.remove_after(&error);
                    failed(error)
                })
            }
        }
    }

    /// Removes a temporary directory while another thread may still create files in it.
    fn remove_with_retries(self) {
        if let Self::Temporary(directory) = self {
            let path = directory.keep();
            for _ in 0..100 {
                if std::fs::remove_dir_all(&path).is_ok() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::Kept(path) => path,
            Self::Temporary(directory) => directory.path(),
        }
    }
}

/// Data of the demo.
enum Contents {
    Sample {
        wanted: SampleOptions,
        days: u32,
        pipelines: bool,
    },
    Own(Inputs),
}

async fn prepare(store: Store, contents: Contents) -> Result<(Store, DemoSummary)> {
    let summary = match contents {
        Contents::Own(inputs) => {
            let summary = import_into(&store, inputs, false).await?;
            if summary.refused > 0 {
                warn(format_args!(
                    "{} lines were rejected; serving the others",
                    summary.refused
                ));
            }
            DemoSummary::found(&store).await?
        }
        Contents::Sample {
            wanted,
            days,
            pipelines,
        } => {
            let sample = sampled(&store, wanted, pipelines).await.map_err(failed)?;
            let now = wearlab_clock::now();
            if days > 0 {
                wearlab_sample::feed_first(&store, days, now).await.map_err(failed)?;
            }
            let summary = DemoSummary::sample(&store, sample).await.map_err(failed)?;
            match days {
                0 => summary,
                _ => summary.with_data_of(now.date_naive() - Days::new(1)),
            }
        }
    };
    Ok((store, summary))
}

async fn sampled(store: &Store, wanted: SampleOptions, pipelines: bool) -> Result<Sample, StoreError> {
    let kept = wearlab_sample::filled(store).await?;
    let sample = wearlab_sample::fill_with(store, &wanted, pipelines).await?;
    if let Some(kept) = kept {
        let has_pipelines = store.pipeline(sample.team_id).await?.is_some();
        if kept != wanted || (pipelines && !has_pipelines) {
            let (seed, users) = (kept.seed, kept.users);
            let pipelines = if has_pipelines { " --pipelines" } else { "" };
            warn(format_args!(
                "the directory keeps the data that it was filled with: --seed {seed} --users {users}{pipelines}"
            ));
        }
    }
    Ok(sample)
}

/// Initialises the log on standard error: standard output has the summary alone.
fn start_log() -> Result<log::Log> {
    let settings = LogSettings {
        filter: std::env::var("RUST_LOG").unwrap_or_else(|_| "warn".to_owned()),
        ..LogSettings::default()
    };
    log::start(&settings).context("RUST_LOG")
}
