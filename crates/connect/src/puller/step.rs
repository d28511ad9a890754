//! Results of tasks, and their writes.

use chrono::{DateTime, Utc};
use wearlab_ingest::Ingestion;
use wearlab_store::{LeasedPullTask, NewPullTask, PullTaskUpdate, StoreError, Transaction, ValidArrival};

use super::Puller;
use crate::arrivals::{self, Arrivals};

/// Result of a task: what to write with its next state.
pub(super) struct Step {
    pub(super) arrivals: Arrivals,
    pub(super) new_tasks: Vec<NewPullTask>,
    /// The provider's own id of the user.
    pub(super) account: Option<String>,
    pub(super) update: PullTaskUpdate,
}

impl Step {
    pub(super) fn next(due: Option<DateTime<Utc>>, state: String) -> Self {
        Self {
            arrivals: Arrivals::default(),
            new_tasks: Vec::new(),
            account: None,
            update: PullTaskUpdate {
                due,
                state,
                failures: 0,
                reason: None,
            },
        }
    }
}

/// Reason why the result of a task is not written.
pub(super) enum Unfinished {
    /// Another process has the task, or the connection is gone.
    Lost,
    Store(StoreError),
}

impl From<StoreError> for Unfinished {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Puller {
    /// Writes the values of a task, their events and its next state together. Nothing is written if another process has the
    /// task now, or the connection is gone.
    pub(super) async fn finish(&self, task: &LeasedPullTask, step: Step) -> Result<(), StoreError> {
        let now = self.now();
        let ingestion = self.linker.ingestion();
        for rejected in &step.arrivals.rejected {
            tracing::warn!(
                provider = task.provider,
                resource = rejected.resource.as_str(),
                reason = rejected.reason,
                "a value of a provider is not stored"
            );
        }
        let written = self.linker.store.try_write(|write| {
            for arrival in &step.arrivals.valid {
                ingest(write, arrival, &ingestion)?;
            }
            if let Some(account) = &step.account {
                write.put_provider_user(task.team, task.user_id, &task.provider, Some(account))?;
            }
            write.add_pull_tasks(task, &step.new_tasks)?;
            match write.finish_pull_task(task, &step.update, now)? {
                true => Ok(()),
                false => Err(Unfinished::Lost),
            }
        });
        match written.await {
            Ok(()) => {
                self.observe(task, "pulled");
                Ok(())
            }
            Err(Unfinished::Lost | Unfinished::Store(StoreError::Missing { .. })) => Ok(()),
            Err(Unfinished::Store(error)) => Err(error),
        }
    }
}

/// Takes an arrival. Where the store refuses it, its values are taken one by one, and those that it refuses are left out.
fn ingest(write: &mut Transaction<'_>, arrival: &ValidArrival, ingestion: &Ingestion) -> Result<(), StoreError> {
    match write.attempt(|write| write.ingest(arrival, ingestion)) {
        Err(StoreError::Refused { .. } | StoreError::Conflict { .. }) => {}
        taken => return taken.map(drop),
    }
    for single in arrivals::singles(arrival) {
        match write.attempt(|write| write.ingest(&single, ingestion)) {
            Ok(_) => {}
            Err(error @ (StoreError::Refused { .. } | StoreError::Conflict { .. })) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a value of a provider is not stored"
                );
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
