//! One historical pull: the chunks that are stored of it, and the task of a connector that goes on with it.

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use wearlab_models::{ConnectedProvider, ConnectionStatus, HistoricalPull, PullStatus, PullTimeline};

use crate::{PullHistory, PullTask};

/// The stored chunks of a pull of a resource.
#[derive(Clone, Debug)]
pub(super) struct StoredPull {
    pub(super) id: String,
    pub(super) is_complete: bool,
    /// Time of the last chunk.
    pub(super) touched: DateTime<Utc>,
    /// Time of the first chunk, unless an earlier version took it.
    pub(super) started: Option<DateTime<Utc>>,
    pub(super) first: Option<NaiveDate>,
    pub(super) last: Option<NaiveDate>,
    /// Number of days with data from the first to the last.
    pub(super) days_with_data: i64,
}

/// Task of a connector that pulls a history, and is not finished.
#[derive(Clone, Debug)]
pub(super) struct HistoryTask {
    pub(super) task: PullTask,
    pub(super) history: PullHistory,
}

impl HistoryTask {
    /// Returns the task, if it pulls a history and is not finished.
    pub(super) fn of(task: PullTask) -> Option<Self> {
        let history = task.history().filter(|_| task.is_open())?;
        Some(Self { task, history })
    }

    /// Returns why the last attempt gave no data, and when the next one is.
    fn error(&self) -> Option<String> {
        let error = self.task.error()?;
        Some(match self.task.due {
            Some(due) => {
                let due = due.to_rfc3339_opts(SecondsFormat::Secs, true);
                format!("{error} The next attempt is at {due}.")
            }
            None => error.to_owned(),
        })
    }
}

/// Status of a pull, with the time of its end and the reason of a failure.
type Outcome = (PullStatus, Option<DateTime<Utc>>, Option<String>);

/// Returns the historical pull of a resource from the chunks of its latest pull and the open task of a connector, of which at
/// least one is needed. A task whose pull has no chunk yet is a later pull than the stored one.
pub(super) fn historical_pull(
    stored: Option<&StoredPull>,
    task: Option<&HistoryTask>,
    connection: Option<&ConnectedProvider>,
) -> Option<HistoricalPull> {
    let is_of_task = |stored: &&StoredPull| task.is_none_or(|task| task.history.pull.to_string() == stored.id);
    let stored = stored.filter(is_of_task);
    let first_chunk = stored.map(|stored| stored.started.unwrap_or(stored.touched));
    let scheduled = match task {
        Some(HistoryTask { task, history }) => {
            let known = history.scheduled_at.or(first_chunk);
            known.or(task.due).or(task.leased_until)
        }
        None => first_chunk,
    };
    let scheduled = scheduled?;
    let since = stored.map_or(scheduled, |stored| stored.touched);
    let (status, ended, error) = match stored {
        Some(stored) if stored.is_complete => (PullStatus::Success, Some(stored.touched), None),
        _ => failure(connection, since)
            .or_else(|| refusal(task?))
            .unwrap_or(match stored {
                Some(_) => (PullStatus::InProgress, None, None),
                None => (PullStatus::Scheduled, None, None),
            }),
    };
    let timeline = PullTimeline::builder()
        .scheduled_at(scheduled.fixed_offset())
        .maybe_started_at(stored.and_then(|stored| stored.started).map(|at| at.fixed_offset()))
        .maybe_ended_at(ended.map(|at| at.fixed_offset()))
        .build();
    let days = stored.and_then(|stored| stored.first.zip(stored.last));
    let pull = HistoricalPull::builder()
        .status(status)
        .maybe_range_start(stored.and_then(|stored| stored.first))
        .maybe_range_end(stored.and_then(|stored| stored.last))
        .timeline(timeline)
        .maybe_days_with_data(days.and(stored).map(|stored| stored.days_with_data))
        .maybe_error_details(error)
        .release(env!("CARGO_PKG_VERSION").to_owned());
    Some(pull.build())
}

/// Returns the failure of the connection since a time.
fn failure(connection: Option<&ConnectedProvider>, since: DateTime<Utc>) -> Option<Outcome> {
    let connection = connection.filter(|connection| connection.status == ConnectionStatus::Error)?;
    let error = connection.error_details.as_ref()?;
    let at = error.errored_at.map(|at| at.to_utc());
    // Earlier failures do not affect it.
    at.is_none_or(|at| at >= since).then(|| {
        (
            PullStatus::Failure,
            Some(at.unwrap_or(since)),
            error.error_message.clone(),
        )
    })
}

/// Returns the outcome of the last attempt of a task, if it gave no data.
fn refusal(task: &HistoryTask) -> Option<Outcome> {
    let status = task.task.refusal()?;
    let status = match status {
        PullStatus::Scheduled if task.history.windows_done() > 0 => PullStatus::InProgress,
        status => status,
    };
    let ended = task.task.attempted_on.filter(|_| status == PullStatus::Failure);
    Some((status, ended, task.error()))
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};
    use serde_json::{Value, json};
    use uuid::Uuid;
    use wearlab_models::ConnectedProvider;

    use super::{HistoryTask, StoredPull, historical_pull};
    use crate::PullTask;

    const PULL: Uuid = Uuid::from_u128(1);

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
    }

    fn stored(id: &str, is_complete: bool) -> StoredPull {
        let day = |text: &str| Some(text.parse().expect("a day"));
        StoredPull {
            id: id.to_owned(),
            is_complete,
            touched: at(5),
            started: Some(at(2)),
            first: day("1969-12-01"),
            last: day("1970-01-01"),
            days_with_data: 20,
        }
    }

    /// A task of which a window is pulled, if it has a chunk.
    fn task(reason: Option<&str>, has_chunk: bool) -> HistoryTask {
        let state = json!({"pull": PULL, "end": "1970-01-02", "days": 60, "window_days": 30, "next": 1 + u8::from(has_chunk),
            "resources": ["sleep"], "scheduled_at": at(1)});
        HistoryTask::of(PullTask {
            provider: "stridewell".to_owned(),
            name: "history:sleep".to_owned(),
            due: Some(at(9)),
            leased_until: None,
            failures: u32::from(reason.is_some()),
            reason: reason.map(str::to_owned),
            attempted_on: reason.map(|_| at(6)),
            state: state.to_string(),
        })
        .expect("an open task")
    }

    fn connection(status: &str, errored_at: i64) -> ConnectedProvider {
        let details = json!({"error_message": "The grant is gone.", "errored_at": at(errored_at)});
        serde_json::from_value(
            json!({"name": "Stridewell", "slug": "stridewell", "logo": "https://logo.example.com",
            "status": status, "created_on": at(0), "resource_availability": {}, "error_details": details}),
        )
        .expect("a connection")
    }

    /// The status, the times and the error of a pull.
    fn shown(stored: Option<&StoredPull>, task: Option<&HistoryTask>, connection: &ConnectedProvider) -> Value {
        let pull = json!(historical_pull(stored, task, Some(connection)).expect("a pull"));
        let minute = |name: &str| {
            let time = pull["timeline"][name].as_str()?.parse::<DateTime<Utc>>();
            Some((time.expect("a time") - DateTime::UNIX_EPOCH).num_minutes())
        };
        let times = ["scheduled_at", "started_at", "ended_at"].map(minute);
        json!([pull["status"], times, pull["error_details"]])
    }

    #[test]
    fn a_pull_follows_its_task_and_its_chunks() {
        let (fine, failed) = (connection("connected", 0), connection("error", 7));
        let failed_before = connection("error", 3);
        let (own, other) = (stored(&PULL.to_string(), false), stored("of a sender", true));
        let whole = stored(&PULL.to_string(), true);
        let later = |error: &str| format!("{error} The next attempt is at 1970-01-01T00:09:00Z.");
        let (limited, revoked, paused) = (
            later("The provider limits requests."),
            later("The provider does not accept the access token: the user may have to link it again."),
            later("The connection is paused."),
        );
        for (stored, task, connection, expected) in [
            (
                None,
                Some(task(None, false)),
                &fine,
                json!(["scheduled", [1, null, null], null]),
            ),
            // A pull that a sender completed before is an earlier one.
            (
                Some(&other),
                Some(task(None, false)),
                &fine,
                json!(["scheduled", [1, null, null], null]),
            ),
            (Some(&other), None, &fine, json!(["success", [2, 2, 5], null])),
            (
                Some(&own),
                Some(task(None, true)),
                &fine,
                json!(["in_progress", [1, 2, null], null]),
            ),
            (
                None,
                Some(task(Some("rate_limited"), false)),
                &fine,
                json!(["retrying", [1, null, null], limited]),
            ),
            (
                Some(&own),
                Some(task(Some("rate_limited"), true)),
                &fine,
                json!(["retrying", [1, 2, null], limited]),
            ),
            (
                Some(&own),
                Some(task(Some("unauthorized"), true)),
                &fine,
                json!(["failure", [1, 2, 6], revoked]),
            ),
            (
                None,
                Some(task(Some("paused"), false)),
                &fine,
                json!(["scheduled", [1, null, null], paused]),
            ),
            (
                Some(&own),
                Some(task(Some("paused"), true)),
                &fine,
                json!(["in_progress", [1, 2, null], paused]),
            ),
            (
                Some(&own),
                Some(task(None, true)),
                &failed,
                json!(["failure", [1, 2, 7], "The grant is gone."]),
            ),
            (
                None,
                Some(task(None, false)),
                &failed,
                json!(["failure", [1, null, 7], "The grant is gone."]),
            ),
            (
                Some(&own),
                Some(task(None, true)),
                &failed_before,
                json!(["in_progress", [1, 2, null], null]),
            ),
            // Another resource of the collection may have its last chunk, and the task not be finished.
            (
                Some(&whole),
                Some(task(Some("rate_limited"), true)),
                &failed,
                json!(["success", [1, 2, 5], null]),
            ),
            (
                Some(&own),
                None,
                &failed,
                json!(["failure", [2, 2, 7], "The grant is gone."]),
            ),
        ] {
            assert_eq!(shown(stored, task.as_ref(), connection), expected);
        }
        assert_eq!(historical_pull(None, None, Some(&fine)), None);
    }
}
