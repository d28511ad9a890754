//! Requests of notices to the tasks of the last days.

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_store::{AccountConnection, RECENT_TASKS, StoreError, Transaction};

use crate::connector::Connector;
use crate::recent;
use crate::span::Span;
use crate::task::Recent;

/// Pause before a notice is followed by a pull: providers send several together, and some before the data can be read.
pub(crate) const PAUSE: TimeDelta = TimeDelta::seconds(5);

/// Makes the task of the last days of a collection due, with the days of a notice.
pub(crate) fn request(
    write: &Transaction<'_>,
    connector: &Connector,
    connection: &AccountConnection,
    (name, days): (&str, Option<Span>),
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let (task, due) = (format!("{RECENT_TASKS}{name}"), now + PAUSE);
    let collections = connector.provider.profile().collections;
    let collection = collections.iter().find(|collection| collection.name == name);
    if let (Some(collection), Some(days)) = (collection, days)
        && let Some(state) = write.pull_task_state(connection, &task)?
    {
        let what = "state of a pull";
        let state = serde_json::from_str(&state).map_err(|_| StoreError::Document { what })?;
        if let Some(widened) = recent::widened(collection, connector.history_days(), &state, days, now) {
            let state = serde_json::to_string(&widened).map_err(|_| StoreError::Document { what })?;
            return write.replace_pull_task_state(connection, &task, &state, due);
        }
    }
    write.request_pull_task(connection, &task, due)
}

/// Notes a document in the task of the last days of its collection, which looks up its day.
pub(crate) fn look_up(
    write: &Transaction<'_>,
    connection: &AccountConnection,
    (name, provider_id): (&str, &str),
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let task = format!("{RECENT_TASKS}{name}");
    let Some(state) = write.pull_task_state(connection, &task)? else {
        return Ok(());
    };
    let what = "state of a pull";
    let mut state: Recent = serde_json::from_str(&state).map_err(|_| StoreError::Document { what })?;
    if !recent::add_document(&mut state, provider_id) {
        tracing::warn!(
            provider = connection.provider,
            task,
            "a document of a notice is not looked up, since there are too many: the last days are read alone"
        );
        return Ok(());
    }
    let state = serde_json::to_string(&state).map_err(|_| StoreError::Document { what })?;
    write.replace_pull_task_state(connection, &task, &state, now + PAUSE)
}
