//! Observer of pulls, for metrics.

use chrono::{DateTime, Utc};
use wearlab_store::PullBacklog;

/// Observer of pulls.
pub trait PullObserver: Send + Sync {
    /// Called after an attempt of a task. `task` is its kind: `link`, `recent` or `history`; `outcome` is `pulled`, or the
    /// [code](crate::Refusal::code) of the refusal.
    fn attempted(&self, provider: &str, task: &'static str, outcome: &'static str);

    /// Called from time to time with the due tasks of all connectors, without connectors that have none.
    fn backlogs(&self, backlogs: &[PullBacklog], now: DateTime<Utc>);
}
