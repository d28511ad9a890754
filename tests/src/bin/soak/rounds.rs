//! Rounds of kill -9 under load, with a destination that fails now and then.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::arrival::Arrival;
use crate::ingest_process::{Ended, IngestProcess};
use crate::ledger::Ledger;
use crate::load::Load;
use crate::plan::{Kill, Plan, Round};
use crate::reads::Reads;
use crate::sink::Sink;
use crate::world;
use wearlab_tests::process::{Logged, Service, Wearlab};

const USERS: usize = 40;
/// How long nothing may happen at the end.
const TIMEOUT: Duration = Duration::from_secs(120);
/// How long an event may wait at the end before an operator has it sent again: longer than the first retry takes.
const WAIT: Duration = Duration::from_secs(10);
/// Every so many rounds, the operator does that with some of them between rounds, too.
const REPLAY_EVERY: u32 = 10;
const REPLAY_SOME: usize = 50;
/// Where the destination is behind by more events, less arrives, so that the end is not far.
const BEHIND: usize = 3000;

/// What runs.
struct Run<'a> {
    wearlab: &'a Wearlab,
    sink: &'a mut dyn Sink,
    service: Service,
    reads: Reads,
    ledger: Ledger,
    rate: f64,
}

/// Runs all rounds, and compares everything at the end.
pub(crate) fn run(wearlab: &Wearlab, sink: &mut dyn Sink, plan: &Plan) -> Result<()> {
    wearlab.import(world::records(0, USERS, &sink.pipeline()))?;
    sink.connect(wearlab, 1)?;
    let mut dice = ChaCha8Rng::seed_from_u64(plan.seed);
    dice.set_stream(1);
    let service = Service::new("service")?;
    let mut run = Run {
        wearlab,
        sink,
        reads: Reads::new(service.url())?,
        service,
        ledger: Ledger::new(world::users_of(0, USERS)),
        rate: plan.rate,
    };
    let started = Instant::now();
    let mut ingest = run.ingest(
        VecDeque::new(),
        Load::new(plan.seed, world::users_of(0, USERS).collect()),
    )?;
    let (broker_kills, mut last_fault) = (plan.broker_kills(), None);
    for number in 1..=plan.rounds {
        let broker_killed = broker_kills.as_ref().map(|rounds| rounds.contains(&number));
        let mut round = Round::of(&mut dice, run.sink.faults().len(), broker_killed);
        if last_fault.is_some_and(|last_fault| number <= last_fault + run.sink.rest()) {
            round.fault = None;
        } else if round.fault.is_some() {
            last_fault = Some(number);
        }
        ingest = run.round(&round, ingest).with_context(|| format!("round {number}"))?;
        let fault = round.fault.map_or_else(String::new, |(fault, length, _)| {
            format!(", destination {} for {length:.1?}", run.sink.faults()[fault])
        });
        let (counts, ledger) = (&run.ledger.counts, &run.ledger);
        println!(
            "round {number:>3}: {} after {:.1?}{fault}; {} acknowledged, {} sent again, {} events, {} arrived, {} repeats",
            round.kill,
            round.calm,
            counts.acknowledged,
            counts.sent_again,
            ledger.events(),
            ledger.received.kept(),
            run.ledger.received.repeats,
        );
        if number % REPLAY_EVERY == 0 {
            run.replay(REPLAY_SOME)?;
        }
    }
    run.finish(ingest)?;
    let counts = &run.ledger.counts;
    println!(
        "{} rounds in {:.0?}: {} lines acknowledged ({} of them refused), {} sent again after kills; {} events, all \
         arrived, with {} repeats; {} pulls, one event each",
        plan.rounds,
        started.elapsed(),
        counts.acknowledged,
        counts.refused,
        counts.sent_again,
        run.ledger.events(),
        run.ledger.received.repeats,
        run.ledger.model.whole_pulls(),
    );
    Ok(())
}

impl Run<'_> {
    /// Has everything run, and an ingest that begins with what was not acknowledged.
    fn ingest(&mut self, first: VecDeque<Arrival>, load: Load) -> Result<IngestProcess> {
        self.service.start(self.wearlab)?;
        IngestProcess::start(self.wearlab, first, load, self.rate)
    }

    /// Waits until the service and the destination work. Until then, and where the destination is behind, less arrives.
    fn await_all(&mut self, ingest: &IngestProcess) -> Result<()> {
        ingest.slow(true);
        self.reads.ready(TIMEOUT)?;
        self.sink.back()?;
        self.check(ingest)?;
        // What was received last may be later than what was read of the log.
        let behind = self.ledger.events().saturating_sub(self.ledger.received.kept());
        ingest.slow(behind > BEHIND);
        Ok(())
    }

    fn round(&mut self, round: &Round, ingest: IngestProcess) -> Result<IngestProcess> {
        if round.up {
            self.await_all(&ingest)?;
        }
        std::thread::sleep(round.calm);
        if let Some((fault, length, _)) = round.fault {
            self.sink.fail(fault)?;
            std::thread::sleep(length);
        }
        if let Some((_, _, false)) = round.fault {
            self.sink.heal()?;
            self.await_all(&ingest)?;
        }
        if let Some(status) = self.service.ended()? {
            bail!("the service ended by itself: {status}");
        }
        let ingest_first = round.kill == Kill::BothTurned;
        if round.kill.service() && !ingest_first {
            self.service.kill()?;
        }
        if !round.kill.ingest() {
            self.sink.heal()?;
            self.service.start(self.wearlab)?;
            self.check(&ingest)?;
            return Ok(ingest);
        }
        let ended = ingest.kill()?;
        if ingest_first {
            self.service.kill()?;
        }
        self.sink.heal()?;
        self.account(&ended)?;
        self.ingest(ended.unacknowledged, ended.load)
    }

    /// Compares the log with what is known of an ingest that runs, and takes what was received.
    fn check(&mut self, ingest: &IngestProcess) -> Result<()> {
        self.ledger.acknowledged(&ingest.acknowledged());
        let log = self.new_events()?;
        self.ledger.logged(log, &ingest.beyond())?;
        self.take()
    }

    /// The same for one that ended.
    fn account(&mut self, ended: &Ended) -> Result<()> {
        self.ledger.acknowledged(&ended.acknowledged);
        let log = self.new_events()?;
        let unacknowledged: Vec<_> = ended.unacknowledged.iter().copied().collect();
        self.ledger.logged(log, &unacknowledged)?;
        self.take()?;
        self.ledger.ended(&ended.refused, &ended.unacknowledged)
    }

    fn new_events(&self) -> Result<Vec<Logged>> {
        let mut events = Vec::new();
        self.wearlab.each_event(self.ledger.last_number(), |event| {
            events.push(event);
            Ok(())
        })?;
        Ok(events)
    }

    fn take(&mut self) -> Result<()> {
        let received = self.sink.take()?;
        self.ledger.received.note(received)
    }

    /// Has what failed sent again at once, as an operator does whom the schedule is too slow.
    fn replay(&self, at_most: usize) -> Result<usize> {
        // What is in order needs nobody: once the destination is back, everything goes out within seconds.
        if self.sink.ordered() {
            return Ok(0);
        }
        let mut undelivered = self.wearlab.undelivered()?;
        undelivered.truncate(at_most);
        for event_id in &undelivered {
            self.wearlab.replay(event_id)?;
        }
        Ok(undelivered.len())
    }

    /// Lets everything that is under way come to its end, and compares.
    fn finish(&mut self, ingest: IngestProcess) -> Result<()> {
        let ended = ingest.finish()?;
        self.account(&ended)?;
        // It fails where lines were bad, and reads on.
        let code = i32::from(!ended.refused.is_empty());
        let status = ended.status;
        ensure!(
            status.code() == Some(code),
            "the ingest ended with {status} after its input did"
        );
        let left = ended.unacknowledged.len();
        ensure!(left == 0, "{left} lines were never acknowledged");
        let (mut arrived, mut since, mut asked, mut replayed) = (0, Instant::now(), Instant::now(), 0);
        while let Some(missing) = self.ledger.missing() {
            let waited = since.elapsed();
            if waited > TIMEOUT {
                bail!("{missing:?} did not come, and nothing else for {TIMEOUT:?}");
            }
            if waited > WAIT && asked.elapsed() > WAIT {
                replayed += self.replay(usize::MAX)?;
                asked = Instant::now();
            }
            std::thread::sleep(Duration::from_millis(200));
            self.take()?;
            if self.ledger.received.kept() > arrived {
                arrived = self.ledger.received.kept();
                since = Instant::now();
            }
        }
        if replayed > 0 {
            println!("{replayed} events waited for a later attempt, and were replayed");
        }
        self.ledger.settle(self.sink.ordered())?;
        self.drain()?;
        self.sink.finish()?;
        self.reads.ready(TIMEOUT)?;
        self.reads.compare(&self.ledger.model)
    }

    /// Waits until the service knows that nothing is left to send. Nothing may be parked.
    fn drain(&mut self) -> Result<()> {
        let (since, mut asked) = (Instant::now(), Instant::now());
        loop {
            // A connection that waited long may be closed.
            let backlog = self.reads.backlog().unwrap_or_default();
            ensure!(
                backlog.is_none_or(|(_, parked)| parked == 0),
                "events are parked: {backlog:?}"
            );
            if backlog == Some((0, 0)) && self.wearlab.undelivered()?.is_empty() {
                return self.take();
            }
            ensure!(
                since.elapsed() < TIMEOUT,
                "all were received, and the service has a backlog: {backlog:?}"
            );
            if asked.elapsed() > WAIT {
                self.replay(usize::MAX)?;
                asked = Instant::now();
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }
}
