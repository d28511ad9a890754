//! Whether a destination works.

use std::time::Duration;

use wearlab_store::Reachability;

use super::LONGEST_PAUSE;
use super::worker::Worker;
use crate::{Reason, backoff};

/// Whether a destination works, which is said when it changes.
#[derive(Default)]
pub(super) struct Health {
    failures: u32,
    reason: Option<Reason>,
    /// Whether the store says that it works. At first nobody knows: another process may have worked for it.
    noted_up: bool,
}

impl Health {
    /// Events go out. Returns what is to be written down, if anything is.
    pub(super) fn is_up(&mut self, worker: &Worker) -> Option<Reachability> {
        let lane = &worker.route.lane;
        if self.reason.take().is_some() {
            tracing::info!(team_id = %lane.team_id, kind = lane.kind, webhook_id = lane.webhook_id, "events are delivered again");
        }
        self.failures = 0;
        worker.shared.observer.up(lane, true);
        let noted = std::mem::replace(&mut self.noted_up, true);
        (!noted).then_some(Reachability::Up)
    }

    /// Events do not go out.
    pub(super) fn is_down(&mut self, worker: &Worker, reason: Reason) {
        let lane = &worker.route.lane;
        if self.reason.as_ref() != Some(&reason) {
            tracing::error!(team_id = %lane.team_id, kind = lane.kind, webhook_id = lane.webhook_id, %reason, "events cannot be delivered");
        }
        self.reason = Some(reason);
        self.noted_up = false;
        self.failures = self.failures.saturating_add(1);
        worker.shared.observer.up(lane, false);
    }

    /// How long to wait before anything is sent again.
    pub(super) fn pause(&self, worker: &Worker) -> Duration {
        let shared = &worker.shared;
        backoff(
            shared.settings.first_pause,
            LONGEST_PAUSE,
            self.failures,
            (shared.random)(),
        )
    }
}
