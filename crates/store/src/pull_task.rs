//! Tasks of connectors: what they pull from providers for the connections of users.

use std::fmt;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{OrganisationId, TeamId};

/// Name of the first task of a connection, which creates the others.
pub const LINK_TASK: &str = "link";

/// Beginning of the names of tasks that read the last days.
pub const RECENT_TASKS: &str = "recent:";

/// Beginning of the names of tasks that read the history, whose state is a [`PullHistory`](crate::PullHistory).
pub const HISTORY_TASKS: &str = "history:";

/// Kind of a task, with the name of its collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullKind<'n> {
    /// The first task of a connection.
    Link,
    /// Reads the last days.
    Recent(&'n str),
    /// Reads the history.
    History(&'n str),
}

impl<'n> PullKind<'n> {
    /// Returns the kind of a task by its name. None for one of another version.
    pub fn of(name: &'n str) -> Option<Self> {
        if name == LINK_TASK {
            return Some(Self::Link);
        }
        let recent = name.strip_prefix(RECENT_TASKS).map(Self::Recent);
        recent.or_else(|| name.strip_prefix(HISTORY_TASKS).map(Self::History))
    }
}

/// Codes of failures after which the provider named the time of the next attempt: requests do not make it earlier.
pub const PROVIDER_DELAYS: [&str; 2] = ["rate_limited", "retry_after"];

/// A new task of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPullTask {
    /// Name of the task, unique in its connection, of 1 to 100 characters.
    pub name: String,
    /// Priority. 0 goes first.
    pub priority: u8,
    /// Time from which the task is due.
    pub due: DateTime<Utc>,
    /// JSON of the connector, without secrets and health data.
    pub state: String,
}

/// A task that this process has until its lease ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeasedPullTask {
    /// The organisation of the team.
    pub organisation: OrganisationId,
    /// The team.
    pub team: TeamId,
    /// The user.
    pub user_id: Uuid,
    /// The slug of the provider.
    pub provider: String,
    /// Creation time of the connection.
    pub created_on: DateTime<Utc>,
    /// Name of the task.
    pub name: String,
    /// JSON of the connector.
    pub state: String,
    /// Number of failed attempts in a row.
    pub failures: u32,
    pub(crate) id: i64,
    pub(crate) connection: i64,
    pub(crate) lease: PullLease,
}

/// A connection of an account at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountConnection {
    /// The organisation of the team.
    pub organisation: OrganisationId,
    /// The team.
    pub team: TeamId,
    /// The user.
    pub user_id: Uuid,
    /// The slug of the provider.
    pub provider: String,
    /// Creation time of the connection.
    pub created_on: DateTime<Utc>,
    pub(crate) id: i64,
}

/// Fencing token of a lease: another process that takes over has another one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PullLease(pub(crate) [u8; 16]);

impl fmt::Debug for PullLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PullLease(..)")
    }
}

/// Result of an attempt of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullTaskUpdate {
    /// Time of the next attempt. None if there is nothing more to do.
    pub due: Option<DateTime<Utc>>,
    /// JSON of the connector, without secrets and health data.
    pub state: String,
    /// Number of failed attempts in a row.
    pub failures: u32,
    /// Code of the failure, if the attempt failed.
    pub reason: Option<String>,
}

/// A task of a connection, to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullTask {
    /// The slug of the provider.
    pub provider: String,
    /// Name of the task.
    pub name: String,
    /// Time from which the task is due. None if there is nothing more to do, or if a process has the task and it was not
    /// requested again meanwhile.
    pub due: Option<DateTime<Utc>>,
    /// End of the lease, if a process has the task. One in the past was not released: its process has ended.
    pub leased_until: Option<DateTime<Utc>>,
    /// Number of failed attempts in a row.
    pub failures: u32,
    /// Code of the last failure, if the last attempt failed.
    pub reason: Option<String>,
    /// End of the last attempt.
    pub attempted_on: Option<DateTime<Utc>>,
    /// JSON of the connector.
    pub state: String,
}

/// Due tasks of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullBacklog {
    /// The slug of the provider.
    pub provider: String,
    /// Number of due tasks, counted up to 10,000 for each team and priority.
    pub due: u64,
    /// Time since which the first one is due.
    pub oldest: DateTime<Utc>,
}
