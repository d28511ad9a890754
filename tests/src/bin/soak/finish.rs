//! End of a run: waits for all work in progress, and compares the results.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::rounds::Run;

/// Time limit without progress.
const TIMEOUT: Duration = Duration::from_secs(180);
/// Time after which failed events are replayed.
const REPLAY_AFTER: Duration = Duration::from_secs(10);

impl Run<'_> {
    /// Waits for all work in progress, and compares the results.
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.await_all()?;
        self.ledgers.finish(self.wearlab)?;
        let (mut kept, mut since, mut asked) = (0, Instant::now(), Instant::now());
        while let Some(missing) = self.ledgers.ledgers.iter().find_map(|ledger| ledger.missing()) {
            if since.elapsed() > TIMEOUT {
                bail!("{missing:?} did not come, and nothing else for {TIMEOUT:?}");
            }
            if since.elapsed() > REPLAY_AFTER && asked.elapsed() > REPLAY_AFTER {
                self.replay()?;
                asked = Instant::now();
            }
            sleep(Duration::from_millis(200));
            self.take()?;
            if self.ledgers.kept() > kept {
                (kept, since) = (self.ledgers.kept(), Instant::now());
            }
        }
        for ledger in &self.ledgers.ledgers {
            ledger.settle(self.sink.ordered())?;
        }
        self.drain()?;
        self.sink.finish()?;
        for (number, reads) in self.cluster.reads() {
            for ledger in &self.ledgers.ledgers {
                reads
                    .compare(&ledger.model)
                    .with_context(|| format!("service {}", number + 1))?;
            }
        }
        self.cluster.check().map(drop)
    }

    /// Replays the failed events immediately, like an operator who does not wait for the retries.
    pub(crate) fn replay(&self) -> Result<()> {
        // An ordered sink needs no replay: once the destination is back, all events are sent within seconds.
        if !self.sink.ordered() {
            for event_id in self.wearlab.undelivered()? {
                self.wearlab.replay(&event_id)?;
            }
        }
        Ok(())
    }

    /// Waits until the services report an empty backlog. No event may be parked.
    fn drain(&mut self) -> Result<()> {
        let (since, mut asked) = (Instant::now(), Instant::now());
        loop {
            let backlogs = self
                .cluster
                .reads()
                .filter_map(|(_, reads)| reads.backlog().unwrap_or_default());
            let (waiting, parked) = backlogs.fold((0, 0), |sums, backlog| (sums.0 + backlog.0, sums.1 + backlog.1));
            ensure!(parked == 0, "{parked} events are parked");
            let undelivered = self.wearlab.undelivered()?;
            if waiting == 0 && undelivered.is_empty() {
                return self.take();
            }
            ensure!(
                since.elapsed() < TIMEOUT,
                "all were received, and {waiting} events wait to be sent, {} of them again",
                undelivered.len()
            );
            if asked.elapsed() > REPLAY_AFTER {
                self.replay()?;
                asked = Instant::now();
            }
            sleep(Duration::from_millis(500));
        }
    }

    /// Returns the summary of services that share a database.
    fn shared(&self) -> String {
        let most = |times: &[Duration]| times.iter().max().copied().unwrap_or_default();
        match self.database {
            None => String::new(),
            Some(_) => format!(
                "; {}; {} outages of the database, red after {:.1?} and green after {:.1?} at most",
                self.takeovers.summary(),
                self.red_after.len(),
                most(&self.red_after),
                most(&self.green_after),
            ),
        }
    }

    /// Returns the summary of the run.
    pub(crate) fn summary(&mut self) -> Result<String> {
        let seen = self.cluster.check()?;
        let (reads, longest) = (
            seen.iter().map(|seen| seen.reads).sum::<u64>(),
            seen.iter().map(|seen| seen.longest).max(),
        );
        let pulls: usize = self
            .ledgers
            .ledgers
            .iter()
            .map(|ledger| ledger.model.whole_pulls())
            .sum();
        Ok(format!(
            "{} lines acknowledged; {} events, all arrived, with {} repeats; {pulls} events of pulls; {reads} reads, all \
             answered, the slowest after {:.1?}; {}{}",
            self.ledgers.acknowledged(),
            self.ledgers.events(),
            self.ledgers.repeats(),
            longest.unwrap_or_default(),
            self.effects.summary(),
            self.shared(),
        ))
    }
}
