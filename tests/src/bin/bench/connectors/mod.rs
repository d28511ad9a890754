//! Connectors: histories against bare requests, a round of many connections, and notices.

mod band;
mod notices;
mod server;
mod world;

use std::time::Instant;

use anyhow::{Result, ensure};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use wearlab_tests::process::usage::{forget_peak, memory};

use self::band::Days;
use self::server::Server;
use self::world::World;
use crate::environment::Environment;
use crate::measure::alternate;
use crate::results::{Comparison, Found, Printed, Target};

/// Linked users of the histories.
const USERS: u32 = 100;
/// Days of a history.
const HISTORY_DAYS: u32 = 60;
/// Linked users of a round.
const CONNECTIONS: u32 = 10_000;
/// Time that the provider takes for a response of the round, in ms.
const RESPONSE_MS: u64 = 200;
/// Maximum time of a round, in s.
const MAX_ROUND: f64 = 120.0;
/// Minimum notices per second.
const MIN_NOTICES: f64 = 2000.0;

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let server = runtime.block_on(Server::start())?;
    let histories = histories(environment, &runtime, &server)?;
    let world = runtime.block_on(World::linked(
        &environment.scratch("connections")?,
        &server,
        environment.scale.of(CONNECTIONS),
        1,
    ))?;
    runtime.block_on(world.pull())?;
    Ok(Found {
        results: vec![histories],
        printed: [
            round(&runtime, &world, &server)?,
            vec![notices(environment, &runtime, &world)?],
        ]
        .concat(),
        ..Found::default()
    })
}

/// Measures histories of many users: requests per second until all values are stored with their events.
fn histories(environment: &Environment, runtime: &Runtime, server: &Server) -> Result<Comparison> {
    let users = environment.scale.of(USERS);
    let rounds = alternate(
        environment.scale.rounds,
        || {
            let directory = environment.scratch("histories")?;
            let world = runtime.block_on(World::linked(&directory, server, users, HISTORY_DAYS))?;
            server.requests();
            let begun = Instant::now();
            runtime.block_on(world.pull())?;
            let seconds = begun.elapsed().as_secs_f64();
            let requests = server.requests();
            ensure!(!requests.is_empty(), "nothing was pulled");
            server.keep(requests.clone());
            Ok(requests.len() as f64 / seconds)
        },
        || {
            let requests = server.kept();
            let begun = Instant::now();
            runtime.block_on(bare(server, &requests))?;
            Ok(requests.len() as f64 / begun.elapsed().as_secs_f64())
        },
    )?;
    Ok(Comparison {
        what: format!("connectors: histories of {USERS} users, a heart rate every 5 minutes, until stored"),
        reference: "the same requests by reqwest and serde, stored nowhere".into(),
        unit: "requests/s".into(),
        target: Target::AtLeast(0.5),
        rounds,
    })
}

/// Reads the same pages without a connector, as many at a time.
async fn bare(server: &Server, requests: &[String]) -> Result<()> {
    let http = reqwest::Client::new();
    let mut reading = JoinSet::new();
    for first in 0..band::MAX_CONCURRENT.min(requests.len()) {
        let urls = requests.iter().skip(first).step_by(band::MAX_CONCURRENT);
        let urls: Vec<_> = urls.map(|path| format!("{}{path}", server.url())).collect();
        let http = http.clone();
        reading.spawn(async move {
            let mut days = 0;
            for url in urls {
                let body = http.get(url).bearer_auth("token").send().await?.bytes().await?;
                days += serde_json::from_slice::<Days>(&body)?.days.len();
            }
            Ok::<_, anyhow::Error>(days)
        });
    }
    let days: Result<Vec<usize>> = reading.join_all().await.into_iter().collect();
    ensure!(days?.iter().sum::<usize>() > 0, "there are no days");
    Ok(())
}

/// Measures a pull of the last days of all connections, of a provider that takes a while for a response.
fn round(runtime: &Runtime, world: &World, server: &Server) -> Result<Vec<Printed>> {
    world::advance(chrono::TimeDelta::hours(2));
    server.delay(RESPONSE_MS);
    server.requests();
    let process = std::process::id();
    forget_peak(process)?;
    let before = memory(process)?.now;
    let begun = Instant::now();
    runtime.block_on(world.pull())?;
    let seconds = begun.elapsed().as_secs_f64();
    let most = memory(process)?.peak;
    server.delay(0);
    let pulled = server.requests().len();
    ensure!(
        pulled >= world.users(),
        "{pulled} of {} connections were pulled",
        world.users()
    );
    Ok(vec![
        Printed {
            what: format!("connectors: a round of {CONNECTIONS} connections, {RESPONSE_MS} ms a response"),
            value: format!("{seconds:.1} s"),
            target: Some(format!("<= {MAX_ROUND:.0} s")),
            met: seconds <= MAX_ROUND,
        },
        Printed {
            what: "connectors: memory of the round".into(),
            value: format!("{} MiB before it, at most {} MiB", before / 1024, most / 1024),
            target: None,
            met: true,
        },
    ])
}

/// Measures notices, each of another user, until they are durable.
fn notices(environment: &Environment, runtime: &Runtime, world: &World) -> Result<Printed> {
    let rate = runtime.block_on(notices::per_second(world, environment.scale.span))?;
    Ok(Printed {
        what: "connectors: notices over HTTP, verified and durable, of users in turns".into(),
        value: format!("{rate:.0} notices/s"),
        target: Some(format!(">= {MIN_NOTICES:.0} notices/s")),
        met: rate >= MIN_NOTICES,
    })
}
