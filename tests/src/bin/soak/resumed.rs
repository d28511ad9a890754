//! Test of a service that is paused during a delivery, and resumed when another one has its leases.

use std::collections::BTreeSet;
use std::io::Write;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chrono::{Days, NaiveDate};
use serde_json::json;

use crate::arrival::value;
use crate::reads::Reads;
use crate::receiver::Receiver;
use crate::world::{self, team_id, user_id, users_of};
use wearlab_tests::process::{Service, Wearlab};

/// Additional settings of the services: one webhook at a time, so that a delivery takes long.
pub(crate) const SETTINGS: [&str; 3] = [
    "webhooks.in_flight=1",
    "webhooks.allow_http=true",
    "webhooks.allow_networks=127.0.0.0/8",
];
/// Number of events, more than one batch.
const EVENTS: u64 = 120;
/// Number of events before the pause, and the delay of each response.
const BEFORE: usize = 10;
const SLOW: Duration = Duration::from_millis(150);
/// Time limits until another service takes over, and until a service responds.
const TAKEOVER: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(60);
/// Observation time after a service is resumed: longer than a lease.
const OBSERVATION: Duration = Duration::from_secs(8);

/// Pauses and resumes a service.
pub(crate) fn run(wearlab: &Wearlab) -> Result<()> {
    let receiver = Receiver::new()?;
    receiver.delay(SLOW);
    let pipeline = json!({"preferences": {"preferred": "svix", "enabled": ["svix"]}, "svix": {"regional": false}});
    wearlab.import(world::records(0, 1, &pipeline))?;
    wearlab.says(&["webhooks", "add", &receiver.url(0), "--team", &team_id(0).to_string()])?;
    let mut first = start(wearlab, "service-1")?;
    ingest(wearlab, 0..EVENTS)?;
    wait("nothing is delivered", TIMEOUT, || receiver.received().len() >= BEFORE)?;
    let mut second = start(wearlab, "service-2")?;

    let count = receiver.received().len();
    ensure!(count < EVENTS as usize / 3, "too much was delivered before the pause");
    wait("nothing more is delivered", TIMEOUT, || {
        receiver.received().len() > count
    })?;
    first.pause()?;
    let paused = Instant::now();
    receiver.delay(Duration::ZERO);
    wait("nobody takes over", TAKEOVER, || {
        receiver.received().last().is_some_and(|last| last.at > paused)
    })?;
    let taken_over = paused.elapsed();
    wait("not everything is delivered", TIMEOUT, || {
        different(&receiver) == EVENTS as usize
    })?;
    sleep(Duration::from_secs(1));

    let (by_then, on) = (receiver.received().len(), Instant::now());
    first.go_on()?;
    sleep(OBSERVATION);
    let more = receiver.received().len() - by_then;
    ensure!(
        more == 0,
        "{more} webhooks were received from a service that was paused, once it went on: its lease was over"
    );

    second.kill()?;
    let killed = Instant::now();
    ingest(wearlab, EVENTS..EVENTS + 1)?;
    let all = EVENTS as usize + 1;
    wait("the service that was paused does not work again", TAKEOVER, || {
        different(&receiver) == all
    })?;
    if let Some(status) = first.ended()? {
        anyhow::bail!("the service ended by itself: {status}");
    }
    println!(
        "a service was paused in the middle of a delivery: taken over after {taken_over:.1?}; in {:.1?} after it went on, \
         it sent nothing; it took over from the other one after {:.1?}; {} of {all} events were received twice",
        killed - on,
        killed.elapsed(),
        receiver.received().len() - all,
    );
    Ok(())
}

fn start(wearlab: &Wearlab, name: &str) -> Result<Service> {
    let mut service = Service::new(name)?;
    service.start(wearlab)?;
    Reads::new(service.url())?.ready(TIMEOUT)?;
    Ok(service)
}

/// Ingests data of one day for each number.
fn ingest(wearlab: &Wearlab, numbers: std::ops::Range<u64>) -> Result<()> {
    let mut lines = tempfile::NamedTempFile::new()?;
    let user = users_of(0, 1).next().map(user_id);
    for number in numbers {
        let first = NaiveDate::from_ymd_opt(2027, 1, 1).context("a date")?;
        let date = first.checked_add_days(Days::new(number));
        let data = json!({
            "team_id": team_id(0), "user_id": user, "provider": world::STEADY[0], "resource": "steps", "date": date,
            "source": {"type": "watch"}, "data": [value("steps", &format!("{}T10:00:00Z", date.context("a date")?), number)],
        });
        writeln!(lines, "{}", json!({ "data": data }))?;
    }
    lines.flush()?;
    wearlab.says(&["ingest", &lines.path().display().to_string()]).map(drop)
}

fn different(receiver: &Receiver) -> usize {
    let ids: BTreeSet<_> = receiver
        .received()
        .into_iter()
        .map(|received| received.event_id)
        .collect();
    ids.len()
}

/// Waits until a condition holds.
fn wait(otherwise: &str, patience: Duration, mut is: impl FnMut() -> bool) -> Result<()> {
    let since = Instant::now();
    while !is() {
        ensure!(since.elapsed() < patience, "{otherwise} within {patience:?}");
        sleep(Duration::from_millis(5));
    }
    Ok(())
}
