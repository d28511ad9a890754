//! Progress of the pull of a history: the state of its task.

use chrono::{DateTime, Days, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_models::ResourceName;

use crate::PullTask;
use crate::pull_task::PullKind;

/// Progress of the pull of a history. It is read in windows of days, newest first, each a chunk of the historical pull of
/// each resource. The store finds the id of the pull at the beginning of the JSON.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct PullHistory {
    /// Id of the pull, the same for all its resources.
    pub pull: Uuid,
    /// Last day.
    pub end: NaiveDate,
    /// Number of days.
    pub days: u32,
    /// Days of a window, at least 1.
    pub window_days: u32,
    /// Next window, from 1.
    pub next: u32,
    /// Resources that are pulled. Empty if an earlier version created the task.
    #[serde(default)]
    pub resources: Vec<ResourceName>,
    /// Time of its creation, unless an earlier version created the task.
    #[serde(default)]
    pub scheduled_at: Option<DateTime<Utc>>,
}

impl PullHistory {
    /// Returns the number of windows.
    pub fn windows(&self) -> u32 {
        self.days.div_ceil(self.window_days.max(1))
    }

    /// Returns the number of windows that are pulled.
    pub fn windows_done(&self) -> u32 {
        self.next.saturating_sub(1).min(self.windows())
    }

    /// Returns the first and the last day of the next window.
    pub fn window(&self) -> [NaiveDate; 2] {
        let before = self.next.saturating_sub(1).saturating_mul(self.window_days);
        let length = self.window_days.min(self.days.saturating_sub(before)).max(1);
        let last = self.end - Days::new(u64::from(before));
        [last - Days::new(u64::from(length - 1)), last]
    }
}

impl PullTask {
    /// Returns the progress of a task that pulls a history. None for other tasks, and for a state of another form.
    pub fn history(&self) -> Option<PullHistory> {
        match PullKind::of(&self.name) {
            Some(PullKind::History(_)) => serde_json::from_str(&self.state).ok(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use serde_json::json;
    use uuid::Uuid;

    use super::PullHistory;

    #[test]
    fn windows_cover_the_history_once() {
        let day = |text: &str| text.parse::<NaiveDate>().expect("a day");
        // The state of a task that an earlier version created.
        let state = json!({"pull": Uuid::nil(), "end": "2026-03-11", "days": 70, "window_days": 30, "next": 1});
        let mut history: PullHistory = serde_json::from_value(state).expect("a state");
        assert_eq!((history.resources.len(), history.scheduled_at), (0, None));
        let mut windows = Vec::new();
        while history.next <= history.windows() {
            windows.push(history.window());
            assert_eq!(history.windows_done(), history.next - 1);
            history.next += 1;
        }
        assert_eq!(
            windows,
            [
                [day("2026-02-10"), day("2026-03-11")],
                [day("2026-01-11"), day("2026-02-09")],
                [day("2026-01-01"), day("2026-01-10")],
            ]
        );
        assert_eq!(history.windows_done(), 3);
    }
}
