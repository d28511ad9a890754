//! Ingest processes, each with a ledger of its teams.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::{Context, Result, ensure};

use crate::ingest_process::{Ended, IngestProcess};
use crate::ledger::Ledger;
use crate::load::Load;
use crate::sink::{Received, Sink};
use crate::world::{team_of_id, users_of};
use wearlab_tests::process::{Logged, Wearlab};

/// Number of ingest processes.
pub(crate) const FEEDS: usize = 3;

/// All ingest processes with their ledgers.
pub(crate) struct Ledgers {
    feeds: Vec<IngestProcess>,
    pub(crate) ledgers: Vec<Ledger>,
    /// Position in the log.
    last: i64,
    rate: f64,
}

/// Returns the ingest process of a team.
fn feed_of(team: usize) -> usize {
    team % FEEDS
}

impl Ledgers {
    /// Starts all ingest processes, with `users` users in each team.
    pub(crate) fn open(wearlab: &Wearlab, teams: usize, users: usize, seed: u64, rate: f64) -> Result<Self> {
        let rate = rate / FEEDS as f64;
        let (mut feeds, mut ledgers) = (Vec::new(), Vec::new());
        for ingest in 0..FEEDS {
            let teams = (0..teams).filter(|team| feed_of(*team) == ingest);
            let users: Vec<_> = teams.flat_map(|team| users_of(team, users)).collect();
            ledgers.push(Ledger::new(users.iter().copied()));
            let load = Load::new(seed.wrapping_add(ingest as u64), users);
            feeds.push(IngestProcess::start(wearlab, VecDeque::new(), load, rate)?);
        }
        Ok(Self {
            feeds,
            ledgers,
            last: 0,
            rate,
        })
    }

    /// Reduces or restores the load.
    pub(crate) fn slow(&self, slow: bool) {
        self.feeds.iter().for_each(|ingest| ingest.slow(slow));
    }

    /// Returns the number of events read from the log.
    pub(crate) fn events(&self) -> usize {
        self.ledgers.iter().map(Ledger::events).sum()
    }

    /// Returns the number of received events.
    pub(crate) fn kept(&self) -> usize {
        self.ledgers.iter().map(|ledger| ledger.received.kept()).sum()
    }

    /// Returns the number of acknowledged arrivals.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.ledgers.iter().map(|ledger| ledger.counts.acknowledged).sum()
    }

    /// Returns the number of repeated deliveries.
    pub(crate) fn repeats(&self) -> u64 {
        self.ledgers.iter().map(|ledger| ledger.received.repeats).sum()
    }

    /// Compares the log with the ledgers, while all ingest processes run.
    pub(crate) fn check(&mut self, wearlab: &Wearlab) -> Result<()> {
        self.compare(wearlab, &BTreeMap::new())
    }

    /// Kills ingest processes, and restarts them with their unacknowledged arrivals. If their database was away, they
    /// may have ended by themselves.
    pub(crate) fn kill(
        &mut self,
        wearlab: &Wearlab,
        killed: impl IntoIterator<Item = usize>,
        away: bool,
    ) -> Result<()> {
        let mut ended = BTreeMap::new();
        // From the last one, so that the indices of the others stay the same.
        for number in killed.into_iter().collect::<BTreeSet<_>>().into_iter().rev() {
            let ingest = self.feeds.remove(number);
            let end = if away { ingest.give_up() } else { ingest.kill() };
            ended.insert(number, end.with_context(|| format!("ingest {}", number + 1))?);
        }
        self.compare(wearlab, &ended)?;
        for (number, end) in ended {
            let ingest = IngestProcess::start(wearlab, end.unacknowledged, end.load, self.rate)?;
            self.feeds.insert(number, ingest);
        }
        Ok(())
    }

    /// Closes the input of all ingest processes, and compares the results.
    pub(crate) fn finish(&mut self, wearlab: &Wearlab) -> Result<()> {
        let mut ended = BTreeMap::new();
        for (number, ingest) in self.feeds.drain(..).enumerate() {
            let end = ingest.finish()?;
            // It reports failure if lines were refused, and continues to read.
            let code = i32::from(!end.refused.is_empty());
            ensure!(
                end.status.code() == Some(code),
                "an ingest ended with {} after its input did",
                end.status
            );
            let left = end.unacknowledged.len();
            ensure!(left == 0, "{left} lines were never acknowledged");
            ended.insert(number, end);
        }
        self.compare(wearlab, &ended)
    }

    /// `ended` are the processes that have ended. The others are in order.
    fn compare(&mut self, wearlab: &Wearlab, ended: &BTreeMap<usize, Ended>) -> Result<()> {
        let running = (0..self.ledgers.len()).filter(|number| !ended.contains_key(number));
        let running: BTreeMap<_, _> = running.zip(&self.feeds).collect();
        for (number, ledger) in self.ledgers.iter_mut().enumerate() {
            match (ended.get(&number), running.get(&number)) {
                (Some(end), _) => ledger.acknowledged(&end.acknowledged),
                (None, Some(ingest)) => ledger.acknowledged(&ingest.acknowledged()),
                (None, None) => {}
            }
        }
        // Read before the arrivals beyond the acknowledged ones are collected.
        let mut log: BTreeMap<usize, Vec<Logged>> = BTreeMap::new();
        wearlab.each_event(self.last, |event| {
            let team = team_of_id(&event.team).with_context(|| format!("{event:?} is of no team of ours"))?;
            ensure!(
                event.number > self.last,
                "{event:?} follows number {} in the log",
                self.last
            );
            self.last = event.number;
            log.entry(feed_of(team)).or_default().push(event);
            Ok(())
        })?;
        for (number, ledger) in self.ledgers.iter_mut().enumerate() {
            let log = log.remove(&number).unwrap_or_default();
            match (ended.get(&number), running.get(&number)) {
                (Some(end), _) => {
                    let unacknowledged: Vec<_> = end.unacknowledged.iter().copied().collect();
                    ledger.logged(log, &unacknowledged)?;
                    ledger.ended(&end.refused, &end.unacknowledged)?;
                }
                (None, Some(ingest)) => ledger.logged(log, &ingest.beyond())?,
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// Records the received events. `each` is called with each of them first.
    pub(crate) fn take(&mut self, sink: &mut dyn Sink, mut each: impl FnMut(&Received)) -> Result<()> {
        let mut received: BTreeMap<usize, Vec<Received>> = BTreeMap::new();
        for event in sink.take()? {
            each(&event);
            received.entry(feed_of(event.team)).or_default().push(event);
        }
        for (number, received) in received {
            self.ledgers[number].received.note(received)?;
        }
        Ok(())
    }
}
