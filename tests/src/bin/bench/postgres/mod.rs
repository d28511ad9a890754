//! Store in PostgreSQL, compared with bare tokio-postgres on the same server.

mod databases;
mod handler;
mod processes;
mod reads;
mod writes;

use anyhow::Result;

pub(crate) use self::databases::{Database, Databases};
pub(crate) use self::handler::{DATABASE, serve};
use crate::delivery;
use crate::environment::Environment;
use crate::results::{Comparison, Found};
use crate::service::start;

/// Number of connections of the service by default, and of the reference.
const CONNECTIONS: usize = 16;

/// Measures reads of one service and of several.
pub(crate) fn run(environment: &Environment) -> Result<Found> {
    // Number of users that can be imported in a minute or two.
    let users = environment.scale.users[1];
    filled(environment, users, |databases, filled| {
        let wearlab = databases.wearlab(environment, "served", filled)?;
        let service = start(&wearlab)?;
        let mut results = reads::against_bare(environment, &service, filled, users)?;
        results.extend(processes::cost(environment, &wearlab, service, users)?);
        Ok(results)
    })
}

/// Measures import and ingest, and delivery of the ingested events.
pub(crate) fn writes(environment: &Environment) -> Result<Found> {
    let [users, ..] = environment.scale.users;
    filled(environment, users, |databases, filled| {
        Ok(vec![
            writes::import(environment, databases, filled, users)?,
            writes::ingest(environment, databases, filled, users)?,
            delivery::from_database(environment, databases.copy(filled, "delivered")?.url(), users)?,
        ])
    })
}

/// Measures with a database of `users` users.
fn filled(
    environment: &Environment,
    users: u32,
    measure: impl FnOnce(&Databases, &Database) -> Result<Vec<Comparison>>,
) -> Result<Found> {
    let Some(databases) = Databases::start(environment)? else {
        println!("SKIPPED: PostgreSQL is not measured: Debian's package postgresql is missing");
        return Ok(Found::default());
    };
    let filled = databases.create("filled")?;
    println!("  filling a database with {users} users");
    databases.fill(environment, &filled, users)?;
    Ok(Found {
        results: measure(&databases, &filled)?,
        ..Found::default()
    })
}
