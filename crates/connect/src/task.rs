//! Tasks of a connection: their names and states.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_store::{LeasedPullTask, StoreError};

use crate::provider::{Collection, Profile};
use crate::span::Span;

/// Name of the task after a link.
pub(crate) const LINK: &str = "link";

/// Beginning of the names of tasks that read the last days.
pub(crate) const RECENT: &str = "recent:";

/// Beginning of the names of tasks that read the history.
pub(crate) const HISTORY: &str = "history:";

/// Priorities: data of today go before those of last year.
pub(crate) const RECENT_PRIORITY: u8 = 1;
pub(crate) const HISTORY_PRIORITY: u8 = 2;

/// Work of a task.
#[derive(Debug)]
pub(crate) enum Work {
    Link,
    Recent(&'static Collection, Recent),
    History(&'static Collection, History),
}

/// Progress of the pulls of the last days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Recent {
    /// Last day that was read.
    pub(crate) read_until: Option<NaiveDate>,
    /// First and last day that notices requested, before those that are read each time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) requested: Option<(NaiveDate, NaiveDate)>,
}

/// Progress of the pull of a history.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct History {
    /// Id of the pull, the same for all resources of the collection.
    pub(crate) pull: Uuid,
    /// Last day.
    pub(crate) end: NaiveDate,
    /// Number of days.
    pub(crate) days: u32,
    /// Days of a window.
    pub(crate) window_days: u32,
    /// Next window, from 1, newest first.
    pub(crate) next: u32,
}

impl History {
    /// Number of windows, each a chunk of the pull.
    pub(crate) fn windows(&self) -> u32 {
        self.days.div_ceil(self.window_days)
    }

    /// Days of the next window.
    pub(crate) fn span(&self) -> Span {
        let days = |days: u32| chrono::Days::new(u64::from(days));
        let before = (self.next - 1) * self.window_days;
        let last = self.end - days(before);
        let length = self.window_days.min(self.days.saturating_sub(before)).max(1);
        Span {
            first: last - days(length - 1),
            last,
        }
    }
}

/// Returns the work of a task. None if the connector has no such collection any more.
pub(crate) fn work(task: &LeasedPullTask, profile: &'static Profile) -> Result<Option<Work>, StoreError> {
    let collection = |name: &str| profile.collections.iter().find(|collection| collection.name == name);
    if task.name == LINK {
        return Ok(Some(Work::Link));
    }
    let unreadable = |_| StoreError::Document {
        what: "state of a pull",
    };
    if let Some(found) = task.name.strip_prefix(RECENT).and_then(collection) {
        let state = serde_json::from_str(&task.state).map_err(unreadable)?;
        return Ok(Some(Work::Recent(found, state)));
    }
    let Some(found) = task.name.strip_prefix(HISTORY).and_then(collection) else {
        return Ok(None);
    };
    let state = serde_json::from_str(&task.state).map_err(unreadable)?;
    Ok(Some(Work::History(found, state)))
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use uuid::Uuid;

    use super::History;

    #[test]
    fn windows_cover_the_history_once() {
        let day = |text: &str| text.parse::<NaiveDate>().expect("a day");
        let mut history = History {
            pull: Uuid::nil(),
            end: day("2026-03-11"),
            days: 70,
            window_days: 30,
            next: 1,
        };
        let mut spans = Vec::new();
        while history.next <= history.windows() {
            let span = history.span();
            spans.push((span.first, span.last));
            history.next += 1;
        }
        assert_eq!(
            spans,
            [
                (day("2026-02-10"), day("2026-03-11")),
                (day("2026-01-11"), day("2026-02-09")),
                (day("2026-01-01"), day("2026-01-10")),
            ]
        );
    }
}
