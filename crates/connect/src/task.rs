//! Tasks of a connection: their names and states.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use wearlab_store::{LeasedPullTask, PullHistory, PullKind, StoreError};

use crate::provider::{Collection, Profile};

/// Priorities: data of today go before those of last year.
pub(crate) const RECENT_PRIORITY: u8 = 1;
pub(crate) const HISTORY_PRIORITY: u8 = 2;

/// Work of a task.
#[derive(Debug)]
pub(crate) enum Work {
    Link,
    Recent(&'static Collection, Recent),
    History(&'static Collection, PullHistory),
}

/// Returns the kind of a task, for metrics and traces.
pub(crate) fn kind(name: &str) -> &'static str {
    match PullKind::of(name) {
        Some(PullKind::Recent(_)) => "recent",
        Some(PullKind::History(_)) => "history",
        Some(PullKind::Link) | None => "link",
    }
}

/// Progress of the pulls of the last days.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Recent {
    /// Last day that was read.
    pub(crate) read_until: Option<NaiveDate>,
    /// First and last day that notices requested, before those that are read each time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) requested: Option<(NaiveDate, NaiveDate)>,
    /// Number of times that the provider refused the first of these days.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) refusals: u32,
    /// Ids of documents of notices whose days are not known yet. They are looked up before anything is read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) documents: Vec<String>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Returns the work of a task. None if the connector has no such collection any more.
pub(crate) fn work(task: &LeasedPullTask, profile: &'static Profile) -> Result<Option<Work>, StoreError> {
    let collection = |name: &str| profile.collections.iter().find(|collection| collection.name == name);
    let unreadable = |_| StoreError::Document {
        what: "state of a pull",
    };
    let (recent, history) = match PullKind::of(&task.name) {
        Some(PullKind::Link) => return Ok(Some(Work::Link)),
        Some(PullKind::Recent(name)) => (collection(name), None),
        Some(PullKind::History(name)) => (None, collection(name)),
        None => (None, None),
    };
    if let Some(found) = recent {
        let state = serde_json::from_str(&task.state).map_err(unreadable)?;
        return Ok(Some(Work::Recent(found, state)));
    }
    let Some(found) = history else {
        return Ok(None);
    };
    let state = serde_json::from_str(&task.state).map_err(unreadable)?;
    Ok(Some(Work::History(found, state)))
}
