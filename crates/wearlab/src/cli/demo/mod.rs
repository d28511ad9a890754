//! `wearlab demo`: the service on sample data.

mod greeting;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use chrono::Utc;
use tracing_subscriber::EnvFilter;
use wearlab_store::{Store, StoreError};

use self::greeting::Demo;
use super::keys::{TOKEN_MINUTES, new_link_token};
use super::place::failed;
use crate::sample::{self, Sample, SampleOptions};
use crate::{Service, Settings, serve};

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
    start_log()?;
    let stop = serve::Stop::listen().context("cannot listen for signals")?;
    // The address first: where it is taken, nothing is written.
    let listener = serve::bind(options.listen)
        .await
        .with_context(|| format!("cannot listen at {}", options.listen))?;
    let folder = Folder::of(options.data.as_deref())?;
    let wanted = SampleOptions {
        seed: options.seed,
        users: options.users,
    };
    let (mut stop, filled) = (stop.clone(), {
        let path = folder.path().to_owned();
        // Filling takes its thread for as long as it takes; a signal is heard meanwhile.
        tokio::task::spawn_blocking(move || tokio::runtime::Handle::current().block_on(prepare(&path, wanted)))
    });
    let (store, sample, link_token) = tokio::select! {
        filled = filled => filled.context("the sample data could not be made")?.map_err(failed)?,
        () = stop.asked() => return Ok(()),
    };
    let url = format!("http://{}", reachable(listener.local_addr()?));
    let demo = Demo::new(&url, &sample, &link_token);
    let service = Service::new(store, Settings::default(), Utc::now, rand::random())
        .await
        .map_err(failed)?;
    demo.print(options.json)?;
    let served = serve::serve(listener, Arc::new(service), async move { stop.asked().await });
    served.await.context("the service failed")
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

    fn path(&self) -> &Path {
        match self {
            Self::Kept(path) => path,
            Self::Temporary(folder) => folder.path(),
        }
    }
}

async fn prepare(folder: &Path, wanted: SampleOptions) -> Result<(Store, Sample, String), StoreError> {
    let store = Store::open(folder)?;
    if let Some(kept) = sample::filled(&store).await?
        && (kept.seed, kept.users) != (wanted.seed, wanted.users)
    {
        let (seed, users) = (kept.seed, kept.users);
        eprintln!("wearlab: the folder keeps what it was filled with: --seed {seed} --users {users}");
    }
    let sample = sample::fill(&store, &wanted).await?;
    let link_token = new_link_token(&store, sample.team_id, TOKEN_MINUTES).await?;
    Ok((store, sample, link_token))
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
fn start_log() -> Result<()> {
    let filter = match std::env::var("RUST_LOG") {
        Ok(text) => {
            EnvFilter::try_new(&text).with_context(|| format!("RUST_LOG is {text:?}, which is no log filter"))?
        }
        Err(_) => EnvFilter::new("warn"),
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    Ok(())
}
