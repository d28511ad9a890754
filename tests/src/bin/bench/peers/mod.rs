//! Alternatives to Wearlab: packages of registries, each installed below `target/bench/peers` at a fixed version.

mod backlog;
mod datasette;
mod doubles;
mod generators;
mod install;
mod open_wearables;
mod ours;
mod peer;
mod samples;
mod svix;

use anyhow::{Context, Result};

use crate::environment::Environment;
use crate::results::{Comparison, Found};

/// Function that measures some peers.
type PeerBench = fn(&Environment) -> Result<Vec<Comparison>>;

/// Measures all peers. One that cannot be installed or run is reported, and the others are measured.
pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let mut found = Found::default();
    let peers: [(&str, PeerBench); 9] = [
        ("datasette", datasette::run),
        ("Prism", doubles::prism),
        ("@scalar/mock-server", doubles::scalar),
        ("WireMock", doubles::wiremock),
        ("graphile-worker", backlog::run),
        ("samples in PostgreSQL", samples::postgres),
        ("samples in DuckDB", samples::duckdb),
        ("open-wearables", open_wearables::run),
        ("a Svix server", svix::run),
    ];
    for (name, measured) in peers {
        match measured(environment) {
            Ok(results) => found.results.extend(results),
            Err(error) => println!("SKIPPED: {name} is not measured: {error:#}"),
        }
    }
    if let Err(error) = generators::run(environment, &mut found) {
        println!("SKIPPED: generators are not measured: {error:#}");
    }
    Ok(found)
}

/// Returns the address and the credential of a peer that no registry has, from the environment.
fn by_address(names: [&str; 2]) -> Result<[String; 2]> {
    let [address, credential] = names;
    let value = |name| {
        let missing = || format!("{address} and {credential} name one, and {name} is not set");
        std::env::var(name).ok().with_context(missing)
    };
    Ok([value(address)?, value(credential)?])
}
