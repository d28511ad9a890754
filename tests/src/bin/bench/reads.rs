//! Operations over HTTP.

use std::path::Path;

use anyhow::Result;
use wearlab_tests::process::Service;

use crate::environment::Environment;
use crate::load::Load;
use crate::measure::{alternate, in_turns};
use crate::population::user_id;
use crate::results::{Comparison, Found, Growth, Target};
use crate::service::{Bare, get, start};

/// Number of users that are requested in turns.
const REQUESTED_USERS: u32 = 10_000;

/// Load on a service.
struct ServiceLoad {
    service: Service,
    load: Load,
}

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let most = environment.scale.most();
    let service = serving(environment, most)?;
    let directory = environment.scratch("reads")?;
    let points = Load::new(&directory, point_paths(most))?;
    let user = against_bare(environment, &service, &points, "read one user", Target::AtLeast(0.60))?;
    let first = pages(&environment.scratch("first")?, 0)?;
    let page = against_bare(environment, &service, &first, "list 100 users", Target::AtLeast(0.45))?;
    let deep = pages(&environment.scratch("deep")?, most - 100)?;
    let span = environment.scale.span;
    // The cost of a page is its latency.
    let cost = |load: &Load| Ok(1e6 / load.requests_per_second(&service.url(), span)?);
    let deep = Comparison {
        what: format!("list 100 users at offset {} of {most}", most - 100),
        reference: "the same at offset 0".into(),
        unit: "µs".into(),
        target: Target::AtMost(1.1),
        rounds: alternate(environment.scale.rounds, || cost(&deep), || cost(&first))?,
    };
    drop(service);
    Ok(Found {
        results: vec![user, page, deep],
        growths: vec![
            growth(environment, "read one user", |users, directory| {
                Load::new(directory, point_paths(users))
            })?,
            growth(environment, "list 100 users in the middle", |users, directory| {
                pages(directory, users / 2)
            })?,
        ],
        ..Found::default()
    })
}

/// Starts a service with `users` users and default settings: keys, entity tags, a log line for each request, metrics.
fn serving(environment: &Environment, users: u32) -> Result<Service> {
    start(&environment.wearlab(&environment.stored(users)?, &[]))
}

/// Returns the paths of the requested users.
pub(crate) fn point_paths(users: u32) -> impl Iterator<Item = String> {
    let step = (users / REQUESTED_USERS).max(1);
    let asked = (0..users).step_by(step as usize);
    asked.map(|user| format!("/v2/user/{}", user_id(user)))
}

/// Returns the load of a page of 100 users.
pub(crate) fn pages(directory: &Path, offset: u32) -> Result<Load> {
    Load::new(directory, [format!("/v2/user?limit=100&offset={offset}")])
}

/// Compares the service with a bare handler that responds with the same bytes.
pub(crate) fn against_bare(
    environment: &Environment,
    service: &Service,
    load: &Load,
    what: &str,
    target: Target,
) -> Result<Comparison> {
    let body = get(&format!("{}{}", service.url(), load.first()))?;
    let bare = Bare::start(&environment.scratch("bare")?, &body)?;
    let span = environment.scale.span;
    let rounds = alternate(
        environment.scale.rounds,
        || load.requests_per_second(&service.url(), span),
        || load.requests_per_second(bare.url(), span),
    )?;
    Ok(Comparison {
        what: what.into(),
        reference: format!("a bare axum handler that returns the same {} bytes", body.len()),
        unit: "requests/s".into(),
        target,
        rounds,
    })
}

/// Measures the growth with the number of users.
fn growth(environment: &Environment, what: &str, load: impl Fn(u32, &Path) -> Result<Load>) -> Result<Growth> {
    let mut all = Vec::new();
    for users in environment.scale.users {
        all.push(ServiceLoad {
            service: serving(environment, users)?,
            load: load(users, &environment.scratch(&format!("load-{users}"))?)?,
        });
    }
    let cost = |served: &mut ServiceLoad| {
        Ok(1e6
            / served
                .load
                .requests_per_second(&served.service.url(), environment.scale.span)?)
    };
    let costs = in_turns(environment.scale.rounds, &mut all, cost)?;
    Ok(Growth::by_users(what, environment.scale.users, costs))
}
