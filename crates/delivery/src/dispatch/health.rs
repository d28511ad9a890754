//! Health of destinations.

use std::time::Duration;

use chrono::{DateTime, Utc};
use wearlab_store::Reachability;

use super::observer::DestinationKey;
use super::shared::{LONGEST_PAUSE, Shared};
use crate::{Reason, backoff};

/// Health of a destination, which is logged when it changes.
#[derive(Default)]
pub(super) struct Health {
    failures: u32,
    reason: Option<Reason>,
    /// True if the store has it as up. False at first: another process may have delivered to it.
    saved_up: bool,
}

impl Health {
    /// Records that the destination is up. Returns the change to save, if there is one.
    pub(super) fn set_up(&mut self, shared: &Shared, key: &DestinationKey) -> Option<Reachability> {
        if self.reason.take().is_some() {
            let DestinationKey {
                team_id,
                kind,
                webhook_id,
            } = key;
            tracing::info!(%team_id, kind, webhook_id, "destination is up again");
        }
        self.failures = 0;
        shared.observer.up(key, true);
        let saved = std::mem::replace(&mut self.saved_up, true);
        (!saved).then_some(Reachability::Up)
    }

    /// Records that the destination is down. Returns the change to save.
    pub(super) fn set_down(
        &mut self,
        shared: &Shared,
        key: &DestinationKey,
        reason: Reason,
        next_attempt: DateTime<Utc>,
    ) -> Reachability {
        if self.reason.as_ref() != Some(&reason) {
            let DestinationKey {
                team_id,
                kind,
                webhook_id,
            } = key;
            tracing::error!(%team_id, kind, webhook_id, %reason, "destination is down");
        }
        let down = Reachability::Down {
            reason: reason.as_str().to_owned(),
            next_attempt,
        };
        self.reason = Some(reason);
        self.saved_up = false;
        shared.observer.up(key, false);
        down
    }

    /// Returns the pause after another failure.
    pub(super) fn next_backoff(&mut self, shared: &Shared) -> Duration {
        self.failures = self.failures.saturating_add(1);
        backoff(
            shared.settings.first_pause,
            LONGEST_PAUSE,
            self.failures,
            (shared.random)(),
        )
    }
}
