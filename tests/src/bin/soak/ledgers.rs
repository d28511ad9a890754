//! The ingests, and what is known of what each of them took: a ledger each, for the teams that it is about.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::{Context, Result, ensure};

use crate::ingest_process::{Ended, IngestProcess};
use crate::ledger::Ledger;
use crate::load::Load;
use crate::sink::{Received, Sink};
use crate::world::{team_of_id, users_of};
use wearlab_tests::process::{Logged, Wearlab};

/// How many ingests there are.
pub(crate) const FEEDS: usize = 3;

/// All of them.
pub(crate) struct Ledgers {
    feeds: Vec<IngestProcess>,
    pub(crate) ledgers: Vec<Ledger>,
    /// How far the log was read.
    last: i64,
    rate: f64,
}

/// The ingest that a team's data come by.
fn feed_of(team: usize) -> usize {
    team % FEEDS
}

impl Ledgers {
    /// Starts all ingests, with so many users of each of the teams.
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

    /// Returns whether less arrives than usual.
    pub(crate) fn slow(&self, slow: bool) {
        self.feeds.iter().for_each(|ingest| ingest.slow(slow));
    }

    /// How many events the log has, as far as it was read.
    pub(crate) fn events(&self) -> usize {
        self.ledgers.iter().map(Ledger::events).sum()
    }

    /// How many of them were received.
    pub(crate) fn kept(&self) -> usize {
        self.ledgers.iter().map(|ledger| ledger.received.kept()).sum()
    }

    /// Of so many arrivals it is known that they were taken.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.ledgers.iter().map(|ledger| ledger.counts.acknowledged).sum()
    }

    /// So many events were received again.
    pub(crate) fn repeats(&self) -> u64 {
        self.ledgers.iter().map(|ledger| ledger.received.repeats).sum()
    }

    /// Compares the log with what is known of the ingests, all of which run.
    pub(crate) fn check(&mut self, wearlab: &Wearlab) -> Result<()> {
        self.compare(wearlab, &BTreeMap::new())
    }

    /// Kills ingests, and starts them with what they had not acknowledged. Where their database was away, they may have
    /// ended by themselves.
    pub(crate) fn kill(
        &mut self,
        wearlab: &Wearlab,
        killed: impl IntoIterator<Item = usize>,
        away: bool,
    ) -> Result<()> {
        let mut ended = BTreeMap::new();
        // From the last, so that the places of the others stay as they are.
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

    /// Ends the input of all ingests, and compares what they did.
    pub(crate) fn finish(&mut self, wearlab: &Wearlab) -> Result<()> {
        let mut ended = BTreeMap::new();
        for (number, ingest) in self.feeds.drain(..).enumerate() {
            let end = ingest.finish()?;
            // It fails where lines were bad, and reads on.
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

    /// `ended` are those that run no more; the others are in their order.
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
        // Before it is asked what may be there beyond that.
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

    /// Takes what the destination received. `each` looks at it first.
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
