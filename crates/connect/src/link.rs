//! Task after a link: learns the provider's id of the user, and creates the other tasks of the connection.

use chrono::{DateTime, Days, Utc};
use uuid::Uuid;
use wearlab_store::{HISTORY_TASKS, NewPullTask, PullHistory, RECENT_TASKS};

use crate::provider::{Collection, Profile};
use crate::task::{HISTORY_PRIORITY, RECENT_PRIORITY};

/// Returns the tasks of a new connection: for each collection, the last days first and then the history.
///
/// The history ends tomorrow, since a user may be ahead of UTC. It has the last days, too: its event has all values.
pub(crate) fn tasks(
    profile: &Profile,
    history_days: u32,
    linked: DateTime<Utc>,
    now: DateTime<Utc>,
    fresh_id: fn() -> Uuid,
) -> Vec<NewPullTask> {
    let recent = profile.collections.iter().map(|collection| NewPullTask {
        name: format!("{RECENT_TASKS}{}", collection.name),
        priority: RECENT_PRIORITY,
        due: now,
        state: "{}".to_owned(),
    });
    let history = profile.collections.iter().filter_map(|collection| {
        let state = collection
            .has_history
            .then(|| history(collection, history_days, (linked, now), fresh_id()))?;
        Some(NewPullTask {
            name: format!("{HISTORY_TASKS}{}", collection.name),
            priority: HISTORY_PRIORITY,
            due: now,
            state: serde_json::to_string(&state).ok()?,
        })
    });
    recent.chain(history).collect()
}

/// Returns the pull of the days before the link, and of those until tomorrow.
fn history(
    collection: &Collection,
    days: u32,
    (linked, now): (DateTime<Utc>, DateTime<Utc>),
    pull: Uuid,
) -> PullHistory {
    let end = now.date_naive() + Days::new(1);
    let since = u32::try_from((end - linked.date_naive()).num_days()).unwrap_or(1);
    let days = days.saturating_add(since).saturating_add(1);
    PullHistory {
        pull,
        end,
        days,
        window_days: collection.window_days,
        next: 1,
        resources: collection.resources.to_vec(),
        scheduled_at: Some(now),
    }
}
