//! Several services on one database.

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use wearlab_tests::process::usage::processor;
use wearlab_tests::process::{Service, Wearlab};

use crate::environment::Environment;
use crate::load::Load;
use crate::measure::Rounds;
use crate::measure::in_turns;
use crate::reads::point_paths;
use crate::results::{Comparison, Target};
use crate::service::until_answered;

/// Maximum number of services.
const MAX_SERVICES: usize = 3;

/// Measures the processor time of a read in all services together, with one, two and three of them under load.
pub(super) fn cost(
    environment: &Environment,
    wearlab: &Wearlab,
    first: Service,
    users: u32,
) -> Result<Vec<Comparison>> {
    let load = Load::new(&environment.scratch("postgres-processes")?, point_paths(users))?;
    let mut services = vec![first];
    for number in 2..=MAX_SERVICES {
        let mut service = Service::new(&format!("service-{number}"))?;
        service.start(wearlab)?;
        until_answered(&format!("{}/readyz", service.url()))?;
        services.push(service);
    }
    let mut counts = [1, 2, MAX_SERVICES];
    let costs = in_turns(environment.scale.rounds, &mut counts, |count| {
        a_read(&load, &services[..*count], environment.scale.span)
    })?;
    let comparison = |index: usize| Comparison {
        what: format!("processor time of a read, {} processes on one database", counts[index]),
        reference: "one process".into(),
        unit: "µs".into(),
        target: Target::AtMost(1.1),
        rounds: Rounds {
            ours: costs[index].clone(),
            reference: costs[0].clone(),
        },
    };
    Ok(vec![comparison(1), comparison(2)])
}

/// Returns the processor time of a read in µs.
fn a_read(load: &Load, services: &[Service], span: Duration) -> Result<f64> {
    let processors = || -> Result<Duration> {
        let of = |service: &Service| processor(service.pid().context("the service does not run")?);
        services.iter().map(of).sum()
    };
    let before = processors()?;
    let requests = thread::scope(|scope| {
        let loads: Vec<_> = services
            .iter()
            .map(|service| scope.spawn(|| load.requests(&service.url(), span)))
            .collect();
        let ended = loads
            .into_iter()
            .map(|load| load.join().map_err(|_| anyhow!("a load panicked"))?);
        ended.sum::<Result<f64>>()
    })?;
    Ok((processors()? - before).as_secs_f64() * 1e6 / requests)
}
