//! Delivery from the durable log, compared with a bare client that sends the same messages to the same destination.

mod backlog;
mod cloud_pubsub;
mod endpoints;
mod event_hubs;
mod rabbitmq;
mod sink;
mod webhooks;

use anyhow::Result;

pub(crate) use self::backlog::Backlog;
use self::cloud_pubsub::Emulator;
use self::endpoints::Endpoints;
use self::event_hubs::Namespace;
use self::rabbitmq::Broker;
pub(crate) use self::sink::{Sink, speed};
pub(crate) use self::webhooks::{IN_FLIGHT, Receiver};
use crate::environment::Environment;
use crate::measure::{alternate, in_turns};
use crate::results::{Comparison, Found, Growth, Target};

/// Number of events of a broker in a round.
const EVENTS: u32 = 50_000;
/// Number of requests to a webhook receiver in a round, also in rounds of growth.
const REQUESTS: u32 = 20_000;
/// Number of endpoints of a backlog with many endpoints.
const ENDPOINTS: u32 = 1000;
/// Number of requests for events in a database, which take longer to write.
const FROM_DATABASE: u32 = 5000;
/// Number of events for the test double of Event Hubs in a round: it is slow.
const ENVELOPES: u32 = 10_000;

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let mut found = Found::default();
    if Broker::is_there() {
        let broker = Broker::new(&environment.scratch("broker")?)?;
        found
            .results
            .push(against_bare(environment, &broker, "RabbitMQ", EVENTS, 0.85)?);
    } else {
        println!("SKIPPED: delivery to RabbitMQ is not measured: Debian's package rabbitmq-server is missing");
    }
    let receiver = Receiver::new()?;
    found
        .results
        .push(against_bare(environment, &receiver, "webhooks", REQUESTS, 0.8)?);
    found.results.push(against_one_endpoint(environment)?);
    if let Some(jar) = Emulator::jar() {
        let emulator = Emulator::new(&jar, receiver.events())?;
        found
            .results
            .push(against_bare(environment, &emulator, "Pub/Sub's emulator", EVENTS, 0.8)?);
    } else {
        let package = cloud_pubsub::PACKAGE;
        println!("SKIPPED: delivery to Pub/Sub is not measured: Google's Debian package {package} is missing");
    }
    match Namespace::python(environment) {
        Ok(python) => {
            let namespace = Namespace::new(&python, receiver.events())?;
            found.results.push(against_bare(
                environment,
                &namespace,
                "the Event Hubs peer",
                ENVELOPES,
                0.8,
            )?);
        }
        Err(error) => println!("SKIPPED: delivery to Event Hubs is not measured: {error:#}"),
    }
    Ok(found)
}

/// Measures the growth with the number of users.
pub(crate) fn growth(environment: &Environment) -> Result<Found> {
    Ok(Found {
        growths: vec![as_webhooks(environment)?],
        ..Found::default()
    })
}

/// Measures webhooks from a database.
pub(crate) fn from_database(environment: &Environment, url: &str, users: u32) -> Result<Comparison> {
    let receiver = Receiver::new()?;
    let backlog = Backlog::in_database(environment, url, users, &receiver)?;
    let count = environment.scale.of(FROM_DATABASE).max(100);
    backlog_against_bare(
        environment,
        backlog,
        &receiver,
        "webhooks, PostgreSQL",
        count,
        Target::None,
    )
}

/// Compares a service with a backlog and a bare client with the same messages.
fn against_bare(environment: &Environment, sink: &dyn Sink, name: &str, count: u32, least: f64) -> Result<Comparison> {
    let count = environment.scale.of(count).max(100);
    let backlog = Backlog::new(environment, environment.scale.users[0], sink)?;
    backlog_against_bare(environment, backlog, sink, name, count, Target::AtLeast(least))
}

fn backlog_against_bare(
    environment: &Environment,
    mut backlog: Backlog<'_>,
    sink: &dyn Sink,
    name: &str,
    count: u32,
    target: Target,
) -> Result<Comparison> {
    // The warm-up round records the messages of the reference.
    sink.keep();
    let rounds = alternate(
        environment.scale.rounds,
        || backlog.goes_out(sink, count),
        || {
            let bare = sink.bare(count.try_into()?)?;
            let speed = speed(sink, None, count);
            bare.join().map_err(|_| anyhow::anyhow!("the reference panicked"))??;
            speed
        },
    )?;
    Ok(Comparison {
        what: format!("deliver events of about {} bytes from the log, {name}", sink.length()),
        reference: sink.reference().into(),
        unit: "events/s".into(),
        target,
        rounds,
    })
}

/// Compares a backlog of many endpoints, each of a team of its own, with the same backlog of one.
fn against_one_endpoint(environment: &Environment) -> Result<Comparison> {
    let (count, many) = (
        environment.scale.of(REQUESTS).max(100),
        environment.scale.of(ENDPOINTS).max(10),
    );
    let mut ours = Endpoints::new(environment, "endpoints-many", many)?;
    let mut one = Endpoints::new(environment, "endpoints-one", 1)?;
    let rounds = alternate(environment.scale.rounds, || ours.spend(count), || one.spend(count))?;
    Ok(Comparison {
        what: format!("a webhook, one backlog for {many} endpoints at once"),
        reference: "the same backlog for one endpoint".into(),
        unit: "us of processor (service)".into(),
        target: Target::AtMost(1.3),
        rounds,
    })
}

/// Measures webhooks, which need no installed broker.
fn as_webhooks(environment: &Environment) -> Result<Growth> {
    let count = environment.scale.of(REQUESTS).max(100);
    let mut all = Vec::new();
    for users in environment.scale.users {
        let receiver = Receiver::new()?;
        let backlog = Backlog::new(environment, users, &receiver)?;
        all.push((receiver, backlog));
    }
    let costs = in_turns(environment.scale.rounds, &mut all, |(receiver, backlog)| {
        Ok(1e6 / backlog.goes_out(receiver, count)?)
    })?;
    Ok(Growth::by_users(
        "deliver an event as a webhook",
        environment.scale.users,
        costs,
    ))
}
