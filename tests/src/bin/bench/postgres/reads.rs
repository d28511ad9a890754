//! Operations over HTTP.

use anyhow::{Result, ensure};
use wearlab_tests::process::Service;

use super::databases::Database;
use crate::environment::Environment;
use crate::load::Load;
use crate::measure::{Rounds, alternate, alternate_cold};
use crate::reads::{pages, point_paths};
use crate::results::{Comparison, Target};
use crate::service::{Bare, get};

/// Compares the service with a bare handler that reads the same rows.
pub(super) fn against_bare(
    environment: &Environment,
    service: &Service,
    database: &Database,
    users: u32,
) -> Result<Vec<Comparison>> {
    let bare = Bare::start_postgres(database.url())?;
    let span = environment.scale.span;
    let points = Load::new(&environment.scratch("postgres-points")?, point_paths(users))?;
    let first = pages(&environment.scratch("postgres-first")?, 0)?;
    let deep = pages(&environment.scratch("postgres-deep")?, users - 100)?;
    let compare = |what: &str, load: &Load, least: f64| -> Result<Comparison> {
        let [ours, theirs] = [service.url(), bare.url().to_owned()].map(|url| get(&format!("{url}{}", load.first())));
        let length = ours.as_ref().map_or(0, Vec::len);
        ensure!(
            ours? == theirs?,
            "the reference answers {what} otherwise than the service"
        );
        Ok(Comparison {
            what: format!("{what} of {users}, PostgreSQL"),
            reference: format!(
                "a bare axum handler with a prepared statement of tokio-postgres, as many connections, the same \
                {length} bytes"
            ),
            unit: "requests/s".into(),
            target: Target::AtLeast(least),
            rounds: in_turns(
                environment,
                || load.requests_per_second(&service.url(), span),
                || load.requests_per_second(bare.url(), span),
            )?,
        })
    };
    let cost = |load: &Load| Ok(1e6 / load.requests_per_second(&service.url(), span)?);
    Ok(vec![
        compare("read one user", &points, 0.70)?,
        compare("list 100 users", &first, 0.50)?,
        Comparison {
            what: format!("list 100 users at offset {} of {users}, PostgreSQL", users - 100),
            reference: "the same at offset 0".into(),
            unit: "µs".into(),
            target: Target::AtMost(1.2),
            rounds: in_turns(environment, || cost(&deep), || cost(&first))?,
        },
    ])
}

/// Measures in turns. A smoke run needs no warm-up.
fn in_turns(
    environment: &Environment,
    ours: impl FnMut() -> Result<f64>,
    reference: impl FnMut() -> Result<f64>,
) -> Result<Rounds> {
    match environment.scale.smoke {
        true => alternate_cold(environment.scale.rounds, ours, reference),
        false => alternate(environment.scale.rounds, ours, reference),
    }
}
