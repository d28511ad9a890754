//! `wearlab demo`: the service on sample data.

mod described;
mod greeting;
mod webhook;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use chrono::Utc;
use tokio::sync::oneshot;
use wearlab_store::{Store, StoreError};

use self::described::Described;
use self::greeting::Greeting;
use super::import::import_into;
use super::lines::Inputs;
use super::output::{say, warn};
use super::place::failed;
use crate::config::http::{HttpSettings, Timeouts};
use crate::config::log::LogSettings;
use crate::sample::{self, SampleOptions};
use crate::serve::{Server, Stop};
use crate::{Service, Settings, log};

/// What can be set.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Keep the data in this folder, which is made if it is missing. Without it, the data goes when the demo ends.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The address to listen at. Port 0 takes any free port.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080", value_parser = address)]
    listen: SocketAddr,
    /// How many users to make.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    users: u32,
    /// What the data and the keys are derived from.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Keep pipelines in the directory, too. Their destinations are remote hosts, which a `wearlab serve` on the directory
    /// would call; the demo calls none of them. Without --data, there are always pipelines.
    #[arg(long, requires = "data")]
    pipelines: bool,
    /// Serve these data, which `wearlab import` could read, instead of a sample.
    #[arg(long, value_name = "FILE|DIR", conflicts_with_all = ["users", "seed", "pipelines"])]
    import: Option<PathBuf>,
    /// Send events of the described team to this address, which may be http and of this machine; `wearlab trigger` makes
    /// some, with the same --data.
    #[arg(long, value_name = "URL", requires = "data")]
    webhook: Option<String>,
    /// Print one line of JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// An address and a port; a name is looked up.
fn address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| "expected an address and a port, such as 127.0.0.1:8080".to_owned())
}

/// Fills a store, says what is in it, and serves it until the process is told to stop.
pub(super) async fn run(options: Options) -> Result<()> {
    let _log = start_log()?;
    let stop = Stop::listen().context("cannot listen for signals")?;
    // The address first: where it is taken, nothing is written.
    let server = Server::bind(HttpSettings {
        listen: options.listen,
        timeouts: Timeouts {
            // Nobody waits long for a demo to end.
            drain: Duration::from_secs(5),
            ..Timeouts::default()
        },
        ..HttpSettings::default()
    })
    .await?
    .with_faults();
    let folder = Folder::of(options.data.as_deref())?;
    // Opened before the filling begins: what is left of that cannot make the folder again once it is taken away.
    let store = Store::open(folder.path()).map_err(failed)?;
    let contents = match &options.import {
        Some(file) => Contents::Own(Inputs::of(file)?),
        None => Contents::Sample {
            wanted: SampleOptions {
                seed: options.seed,
                users: options.users,
            },
            pipelines: options.pipelines || options.data.is_none(),
        },
    };
    let mut stop = stop.clone();
    // Filling takes its thread for as long as it takes; a signal is heard meanwhile.
    let filled =
        tokio::task::spawn_blocking(move || tokio::runtime::Handle::current().block_on(prepare(store, contents)));
    let (store, mut described) = tokio::select! {
        filled = filled => filled.context("the data could not be made")??,
        () = stop.asked() => {
            folder.remove_beside_a_writer();
            return Ok(());
        }
    };
    let mut delivering = None;
    if let Some(url) = &options.webhook {
        let (secret, task) =
            webhook::send_to(url, &store, described.team_id, server.delivery_observer(), stop.clone()).await?;
        described.webhook_secret = Some(secret);
        delivering = Some(task);
    }
    let url = format!("http://{}", reachable(server.address()?));
    let service = Service::new(
        store.observed(server.store_observer()),
        Settings::default(),
        Utc::now,
        rand::random(),
    )
    .await
    .map_err(failed)?;
    let mut printed = print(Greeting::new(&url, &url, &described).text(options.json)?)?;
    let mut unwritten = Ok(());
    let ended = async {
        tokio::select! {
            () = stop.asked() => {}
            Ok(Err(error)) = &mut printed => unwritten = Err(error),
        }
    };
    server.run(Arc::new(service), ended).await;
    unwritten?;
    if let Some(delivering) = delivering {
        delivering.await.context("sending events failed")?;
    }
    Ok(())
}

/// Prints text on a thread of its own: a standard output that nobody reads holds up neither the service nor its end.
fn print(text: String) -> Result<oneshot::Receiver<Result<()>>> {
    let (done, printed) = oneshot::channel();
    let printing = thread::Builder::new().spawn(move || {
        // Nobody may be left to hear of it.
        let _ = done.send(say(text));
    });
    printing.context("cannot start a thread")?;
    Ok(printed)
}

/// Where the data are.
enum Folder {
    Kept(PathBuf),
    Temporary(tempfile::TempDir),
}

impl Folder {
    fn of(kept: Option<&Path>) -> Result<Self> {
        match kept {
            Some(path) => Ok(Self::Kept(path.to_owned())),
            None => {
                let made = tempfile::Builder::new().prefix("wearlab-demo-").tempdir();
                made.map(Self::Temporary).context("cannot make a temporary folder")
            }
        }
    }

    /// Takes a temporary folder away while somebody may still make files in it.
    fn remove_beside_a_writer(self) {
        if let Self::Temporary(folder) = self {
            let path = folder.keep();
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
            Self::Temporary(folder) => folder.path(),
        }
    }
}

/// What is served.
enum Contents {
    Sample { wanted: SampleOptions, pipelines: bool },
    Own(Inputs),
}

async fn prepare(store: Store, contents: Contents) -> Result<(Store, Described)> {
    let described = match contents {
        Contents::Own(inputs) => {
            let summary = import_into(&store, inputs, false).await?;
            if summary.refused > 0 {
                warn(format_args!(
                    "{} lines were refused; serving the others",
                    summary.refused
                ));
            }
            Described::found(&store).await?
        }
        Contents::Sample { wanted, pipelines } => sampled(&store, wanted, pipelines).await.map_err(failed)?,
    };
    Ok((store, described))
}

async fn sampled(store: &Store, wanted: SampleOptions, pipelines: bool) -> Result<Described, StoreError> {
    let kept = sample::filled(store).await?;
    let sample = sample::fill_with(store, &wanted, pipelines).await?;
    if let Some(kept) = kept {
        let has_pipelines = store.pipeline(sample.team_id).await?.is_some();
        if kept != wanted || (pipelines && !has_pipelines) {
            let (seed, users) = (kept.seed, kept.users);
            let pipelines = if has_pipelines { " --pipelines" } else { "" };
            warn(format_args!(
                "the directory keeps what it was filled with: --seed {seed} --users {users}{pipelines}"
            ));
        }
    }
    Described::sample(store, sample).await
}

/// An address that a client on this machine can call: an unspecified one is none.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// The log goes to standard error, so that standard output is for programs to read.
fn start_log() -> Result<log::Log> {
    let settings = LogSettings {
        filter: std::env::var("RUST_LOG").unwrap_or_else(|_| "warn".to_owned()),
        ..LogSettings::default()
    };
    log::start(&settings).context("RUST_LOG")
}
