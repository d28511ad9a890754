//! Time until other services send the events of a service that is killed or paused.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::sink::Received;

/// Time limit of a takeover: the lease expires, and others look for expired leases.
const MAX_TAKEOVER: Duration = Duration::from_secs(10);
/// Time in which events in flight may still arrive. No takeover is as fast.
const UNDER_WAY: Duration = Duration::from_secs(1);

/// All measurements.
#[derive(Default)]
pub(crate) struct Takeovers {
    waiting: Vec<Waiting>,
    times: Vec<Duration>,
}

/// Team without a service.
struct Waiting {
    team: usize,
    since: Instant,
}

impl Takeovers {
    /// Starts the measurement of teams that lost their service.
    pub(crate) fn begin(&mut self, teams: BTreeSet<usize>) {
        let since = Instant::now();
        self.waiting
            .extend(teams.into_iter().map(|team| Waiting { team, since }));
    }

    /// Discards running measurements, because another fault affects them.
    pub(crate) fn disturb(&mut self) {
        self.waiting.clear();
    }

    /// Records a received event.
    pub(crate) fn note(&mut self, event: &Received) {
        let times = &mut self.times;
        self.waiting.retain(|waiting| {
            let took = event.at.saturating_duration_since(waiting.since);
            let over = waiting.team == event.team && took > UNDER_WAY;
            times.extend(over.then_some(took));
            !over
        });
    }

    /// Returns whether all teams have a service again. Fails after the time limit.
    pub(crate) fn are_over(&self) -> Result<bool> {
        for Waiting { team, since } in &self.waiting {
            let waited = since.elapsed();
            ensure!(waited < MAX_TAKEOVER, "team {team} has no service for {waited:.1?}");
        }
        Ok(self.waiting.is_empty())
    }

    /// Returns the summary: the number of takeovers, and the median and the maximum of their times.
    pub(crate) fn summary(&self) -> String {
        let mut times = self.times.clone();
        times.sort_unstable();
        match (times.get(times.len() / 2), times.last()) {
            (Some(median), Some(most)) => {
                let count = times.len();
                format!("{count} teams taken over, after {median:.1?} at the median and {most:.1?} at most")
            }
            _ => "no team taken over".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{MAX_TAKEOVER, Takeovers, UNDER_WAY};
    use crate::sink::Received;

    fn received(team: usize, after: Duration) -> Received {
        Received {
            team,
            event_id: "a".to_owned(),
            event_type: "daily.data.steps.created".to_owned(),
            payload: Vec::new(),
            at: Instant::now() + after,
            kept: true,
        }
    }

    #[test]
    fn what_comes_later_than_what_was_under_way_ends_it() {
        let mut takeovers = Takeovers::default();
        takeovers.begin([1, 2].into());
        let later = UNDER_WAY * 2;
        for (team, after, over) in [
            (1, UNDER_WAY / 2, false),
            (3, later, false),
            (1, later, false),
            (2, later, true),
        ] {
            takeovers.note(&received(team, after));
            assert_eq!(takeovers.are_over().expect("in time"), over);
        }
        assert_eq!(takeovers.times.len(), 2);
    }

    #[test]
    fn it_may_not_take_long() {
        let mut takeovers = Takeovers::default();
        takeovers.begin([1].into());
        takeovers.waiting[0].since -= MAX_TAKEOVER;
        takeovers.are_over().expect_err("too long");
        takeovers.disturb();
        assert!(takeovers.are_over().expect("nothing follows"));
    }
}
