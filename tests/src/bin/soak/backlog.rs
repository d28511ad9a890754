//! Backlog test: events pile up while the destination is down. Measures memory and the latency of reads, and checks
//! that all events are delivered once the destination is back.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use chrono::{Days, NaiveDate};
use serde_json::{Value, json};

use crate::arrival::{number_of, value};
use crate::meter::{Meter, Stretch};
use crate::reads::Reads;
use crate::received::digest;
use crate::sink::{Received, Sink};
use crate::world::{self, team_id, user_id};
use wearlab_tests::process::usage::{forget_peak, memory, processor};
use wearlab_tests::process::{Service, Wearlab};

const USERS: usize = 2000;
/// Time limit until the service responds, and between events.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Time without an event after the destination is back, after which the failed events are replayed.
const REPLAY_AFTER: Duration = Duration::from_secs(20);
/// Percentage of events at which the rate is measured. The last events failed before, and wait for their next attempt.
const PERCENT: usize = 95;

/// Maximum increase of the service's peak memory, in KiB.
const MEMORY: u64 = 64 * 1024;
/// Maximum factor of the latency of reads with the backlog, and while it is delivered on the same processors.
const MAX_SLOWDOWN: [f64; 2] = [3.0, 6.0];

/// Received events.
struct ReceivedEvents {
    /// Digest of each event by id.
    events: HashMap<String, u64>,
    /// Flags of received arrivals.
    marks: Vec<bool>,
    repeats: u64,
}

/// Creates a backlog of `count` events, and delivers it.
pub(crate) fn run(wearlab: &Wearlab, sink: &mut dyn Sink, directory: &Path, count: usize, seed: u64) -> Result<()> {
    wearlab.import(world::records(0, USERS, &sink.pipeline()))?;
    sink.connect(wearlab, 1)?;
    let mut service = Service::new("service")?;
    service.start(wearlab)?;
    let reads = Reads::new(service.url())?;
    reads.ready(TIMEOUT)?;
    let pid = service.pid().context("the service does not run")?;
    let meter = Meter::new(&reads, pid, USERS, seed)?;
    // The first run is not counted: it opens connections and fills caches.
    meter.stretch("to begin with")?;
    let before = meter.stretch("before")?;

    let gone = sink.faults().len() - 1;
    sink.fail(gone)?;
    forget_peak(pid)?;
    ingest(wearlab, directory, count)?;
    let backlog = meter.stretch("with the backlog")?;

    forget_peak(pid)?;
    sink.heal()?;
    let mut arrived = ReceivedEvents {
        events: HashMap::with_capacity(count),
        marks: vec![false; count],
        repeats: 0,
    };
    let draining = drain(wearlab, sink, &service, &mut arrived, &meter)?;
    if let Some(status) = service.ended()? {
        bail!("the service ended by itself: {status}");
    }
    arrived.compare(wearlab)?;
    let slower = [&backlog, &draining].map(|later| later.read / before.read);
    let more = [&backlog, &draining].map(|later| later.memory.peak.saturating_sub(before.memory.peak));
    println!(
        "{count} events, all arrived, with {} repeats; memory grew by {} MiB with the backlog and by {} MiB while it \
         went out, reads took {:.2} and {:.2} times as long",
        arrived.repeats,
        more[0] / 1024,
        more[1] / 1024,
        slower[0],
        slower[1],
    );
    ensure!(
        more.iter().all(|more| *more <= MEMORY),
        "memory grew by more than {} MiB",
        MEMORY / 1024
    );
    ensure!(
        slower.iter().zip(MAX_SLOWDOWN).all(|(slower, bound)| *slower <= bound),
        "reads took more than {} times as long with the backlog, or {} times while it went out",
        MAX_SLOWDOWN[0],
        MAX_SLOWDOWN[1]
    );
    Ok(())
}

/// Ingests `count` events.
fn ingest(wearlab: &Wearlab, directory: &Path, count: usize) -> Result<()> {
    let file = directory.join("arrivals.ndjson");
    let mut lines = BufWriter::new(File::create(&file)?);
    for mark in 0..count {
        writeln!(lines, "{}", line(mark).context("a date too far")?)?;
    }
    lines.flush()?;
    let started = Instant::now();
    wearlab.says(&["ingest", &file.display().to_string()])?;
    fs::remove_file(file)?;
    let took = started.elapsed();
    println!(
        "{count} events ingested in {took:.0?}, {:.0} a second",
        count as f64 / took.as_secs_f64()
    );
    Ok(())
}

/// Returns new data of a user, with another day each time. All users want them.
fn line(mark: usize) -> Option<Value> {
    let date = NaiveDate::from_ymd_opt(2027, 1, 1)?.checked_add_days(Days::new((mark / USERS) as u64))?;
    Some(json!({"data": {
        "team_id": team_id(0), "user_id": user_id(mark % USERS), "provider": world::STEADY[0], "resource": "steps",
        "date": date, "source": {"type": "watch"}, "data": [value("steps", &format!("{date}T10:00:00Z"), mark as u64)],
    }}))
}

/// Waits until all events are received, and measures meanwhile.
fn drain(
    wearlab: &Wearlab,
    sink: &mut dyn Sink,
    service: &Service,
    arrived: &mut ReceivedEvents,
    meter: &Meter<'_>,
) -> Result<Stretch> {
    let (pid, own) = (service.pid().context("the service does not run")?, std::process::id());
    let used = (processor(pid)?, processor(own)?);
    let returned = Instant::now();
    let (mut since, mut asked) = (returned, returned);
    let (mut first, mut most) = (None, None);
    let mut stretches: Vec<Stretch> = Vec::new();
    let all = arrived.marks.len();
    while arrived.events.len() < all {
        let before = arrived.events.len();
        arrived.take(sink.take()?)?;
        let now = arrived.events.len();
        if now > before {
            first.get_or_insert_with(|| returned.elapsed());
            since = Instant::now();
        }
        if now * 100 >= all * PERCENT {
            most.get_or_insert_with(|| (now, returned.elapsed(), processor(pid), processor(own)));
        }
        // Measures at a tenth, three tenths and so on.
        if now < all && now * 10 >= all * (1 + 2 * stretches.len()) {
            stretches.push(meter.stretch(&format!("while it goes out, from {} %", now * 100 / all))?);
        }
        ensure!(
            since.elapsed() < TIMEOUT,
            "{now} of {all} were received, and nothing for {TIMEOUT:?}"
        );
        if since.elapsed() > REPLAY_AFTER && asked.elapsed() > REPLAY_AFTER && !sink.ordered() {
            let undelivered = wearlab.undelivered()?;
            println!(
                "nothing was received for {REPLAY_AFTER:?}: {} events wait for a later attempt, and are replayed",
                undelivered.len()
            );
            for event_id in &undelivered {
                wearlab.replay(event_id)?;
            }
            asked = Instant::now();
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let first = first.unwrap_or_default();
    let (count, took, service_used, own_used) = most.context("nothing was received")?;
    println!(
        "the first arrived {first:.1?} after the destination was back, {PERCENT} % of all after {took:.0?}, {:.0} a \
         second, the last after {:.0?}; up to {PERCENT} %, the service had a processor for {:.0} % of the time, and \
         the destination, with what measures, for {:.0} %",
        count as f64 / took.saturating_sub(first).as_secs_f64(),
        returned.elapsed(),
        100.0 * service_used?.saturating_sub(used.0).as_secs_f64() / took.as_secs_f64(),
        100.0 * own_used?.saturating_sub(used.1).as_secs_f64() / took.as_secs_f64(),
    );
    let memory = memory(pid)?;
    stretches.sort_by(|one, other| one.read.total_cmp(&other.read));
    let middle = stretches
        .get(stretches.len() / 2)
        .context("it went out before anything was measured")?;
    Ok(Stretch {
        memory,
        read: middle.read,
    })
}

impl ReceivedEvents {
    fn take(&mut self, events: Vec<Received>) -> Result<()> {
        for event in events.into_iter().filter(|event| event.kept) {
            let digest = digest(&event.payload);
            if let Some(before) = self.events.get(&event.event_id) {
                ensure!(
                    *before == digest,
                    "{} was received again and says something else",
                    event.event_id
                );
                self.repeats += 1;
                continue;
            }
            let payload: Value = serde_json::from_slice(&event.payload)?;
            let mark = number_of(&payload["data"]["data"][0])
                .as_u64()
                .and_then(|mark| usize::try_from(mark).ok());
            let mark = mark.and_then(|mark| self.marks.get_mut(mark));
            let mark = mark.with_context(|| format!("{} is of no arrival", event.event_id))?;
            ensure!(!*mark, "{} is the second event of an arrival", event.event_id);
            *mark = true;
            self.events.insert(event.event_id, digest);
        }
        Ok(())
    }

    /// Checks that each event of the log was received, and no other ones.
    fn compare(&self, wearlab: &Wearlab) -> Result<()> {
        let mut count = 0;
        wearlab.each_event(0, |event| {
            count += 1;
            ensure!(self.events.contains_key(&event.event_id), "{event:?} did not come");
            Ok(())
        })?;
        ensure!(
            count == self.events.len() && self.marks.iter().all(|received| *received),
            "the log has {count} events, and {} were received",
            self.events.len()
        );
        Ok(())
    }
}
