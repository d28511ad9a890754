//! Comparison of the expected events, the log and the received events.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use anyhow::{Context, Result, bail, ensure};

use crate::arrival::{Arrival, Kind};
use crate::model::{Expected, Fate, Model};
use crate::received::Comings;
use crate::world::FICKLE;
use wearlab_tests::process::Logged;

/// Ledger of a run: expected, logged and received events.
pub(crate) struct Ledger {
    pub(crate) model: Model,
    /// Expected events of the log, in order.
    expected: Vec<Expected>,
    /// Logged events. They may include events of unacknowledged arrivals.
    log: Vec<Logged>,
    /// Number of logged events that match the expected ones.
    matched: usize,
    pub(crate) received: Comings,
    pub(crate) counts: Counts,
    lines: Lines,
}

/// Counts for the summary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) acknowledged: u64,
    pub(crate) sent_again: u64,
    pub(crate) refused: u64,
}

/// Acknowledged lines of the running ingest, counted from 1.
#[derive(Default)]
struct Lines {
    last: u64,
    /// Lines that must be refused.
    bad: BTreeSet<u64>,
    /// Lines that may be refused: their connection may have ended before they were sent again.
    doubtful: BTreeSet<u64>,
}

impl Ledger {
    pub(crate) fn new(users: impl IntoIterator<Item = usize>) -> Self {
        Self {
            model: Model::new(users),
            expected: Vec::new(),
            log: Vec::new(),
            matched: 0,
            received: Comings::default(),
            counts: Counts::default(),
            lines: Lines::default(),
        }
    }

    /// Returns the number of the last logged event.
    pub(crate) fn last_number(&self) -> i64 {
        self.log.last().map_or(0, |event| event.number)
    }

    /// Returns the number of logged events.
    pub(crate) fn events(&self) -> usize {
        self.log.len()
    }

    /// Records acknowledged arrivals, in this order: their effects are durable.
    pub(crate) fn acknowledged(&mut self, arrivals: &[Arrival]) {
        for arrival in arrivals {
            self.counts.acknowledged += 1;
            self.lines.last += 1;
            let fate = self.model.apply(arrival);
            match arrival.kind {
                Kind::Bad(_) => _ = self.lines.bad.insert(self.lines.last),
                Kind::Failed { .. } | Kind::Day { provider: FICKLE, .. } => {
                    _ = self.lines.doubtful.insert(self.lines.last)
                }
                _ => {}
            }
            if let Fate::Taken(events) = fate {
                self.expected.extend(events);
            }
        }
    }

    /// Records new events of the log. `beyond` are arrivals that may have been taken without a received
    /// acknowledgement.
    pub(crate) fn logged(&mut self, more: Vec<Logged>, beyond: &[Arrival]) -> Result<()> {
        for event in more {
            let last = self.last_number();
            ensure!(event.number > last, "{event:?} follows number {last} in the log");
            self.log.push(event);
        }
        if let Some(lost) = self.expected.get(self.log.len()) {
            bail!("an arrival was acknowledged, and its event is not in the log: {lost:?}");
        }
        let mut ahead = self.model.clone();
        let beyond = beyond.iter().flat_map(|arrival| match ahead.apply(arrival) {
            Fate::Taken(events) => events,
            Fate::Refused => Vec::new(),
        });
        let mut expected = self.expected[self.matched..].iter().cloned().chain(beyond);
        for event in &self.log[self.matched..] {
            let expected = expected.next();
            let expected = expected.with_context(|| format!("no arrival caused {event:?}"))?;
            ensure!(
                expected.event_type == event.event_type,
                "{event:?} is in the log in place of {expected:?}"
            );
        }
        self.matched = self.expected.len();
        Ok(())
    }

    /// Records the end of an ingest, after all its events were read from the log. `refused` are the lines that it
    /// reported, and `unacknowledged` are the arrivals that will be sent again.
    pub(crate) fn ended(&mut self, refused: &BTreeMap<u64, String>, unacknowledged: &VecDeque<Arrival>) -> Result<()> {
        let lines = std::mem::take(&mut self.lines);
        if let Some(line) = lines.bad.iter().find(|line| !refused.contains_key(line)) {
            bail!("line {line} is bad and was not reported");
        }
        // The state of lines after the last acknowledged one is unknown.
        for (line, why) in refused.range(..=lines.last) {
            let may = lines.bad.contains(line) || lines.doubtful.contains(line);
            ensure!(may, "line {line} is good and was refused: {why}");
            self.counts.refused += 1;
        }
        self.counts.sent_again += unacknowledged.len() as u64;
        // An arrival that was taken without an acknowledgement is detected by its events. One without events can be
        // sent again without a difference.
        for arrival in unacknowledged {
            if self.expected.len() == self.log.len() {
                break;
            }
            if let Fate::Taken(events) = self.model.apply(arrival) {
                self.expected.extend(events);
            }
        }
        self.matched = self.expected.len();
        Ok(())
    }

    /// Returns the first event of the log that the destination has not received, if there is one.
    pub(crate) fn missing(&self) -> Option<&Logged> {
        self.log
            .iter()
            .find(|event| self.received.get(&event.event_id).is_none())
    }

    /// Compares everything at the end.
    pub(crate) fn settle(&self, ordered: bool) -> Result<()> {
        let (there, wanted) = (self.log.len(), self.expected.len());
        ensure!(there == wanted, "the log has {there} events in place of {wanted}");
        let mut ids = HashSet::new();
        let mut places = HashMap::new();
        for (event, expected) in self.log.iter().zip(&self.expected) {
            let id = event.event_id.as_str();
            ensure!(ids.insert(id), "{id} is in the log twice");
            let received = self
                .received
                .get(id)
                .with_context(|| format!("{event:?} did not come"))?;
            received.compare(expected).with_context(|| id.to_owned())?;
            let last = places.insert(expected.user, received.place);
            ensure!(
                !ordered || last.is_none_or(|last| last < received.place),
                "{id} was received before an earlier event of its user"
            );
        }
        self.received.compare(|id| ids.contains(id))?;
        let completed = (self.log.iter()).filter(|event| event.event_type.starts_with("historical."));
        let (completed, whole) = (completed.count(), self.model.whole_pulls());
        ensure!(completed == whole, "{completed} events of pulls in place of {whole}");
        Ok(())
    }
}

#[cfg(test)]
mod tests;
