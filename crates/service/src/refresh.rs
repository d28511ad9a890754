//! Refresh of a user: the pulls of the last days, now.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;
use wearlab_models::{ConnectedProvider, ConnectionStatus, RefreshedUser, Uuid};
use wearlab_server::operations::REFRESH_USER;
use wearlab_server::{ApiError, RefreshUserInput};
use wearlab_store::{PullKind, PullTask, TeamId};

use super::auth::Caller;
use super::console::decoded;
use super::write::{Subject, Write};
use super::{Service, no_team, no_user, store_error};

/// Interval between two reads of the tasks while a request waits.
const INTERVAL: Duration = Duration::from_millis(200);

/// Minimum interval between a successful pull and the next one by a refresh, in which a team would use up the requests that
/// the provider permits to the operator.
const MIN_INTERVAL: TimeDelta = TimeDelta::minutes(1);

/// Outcome of the pulls of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Pending,
    Pulled,
    Failed,
}

impl Service {
    /// Makes the pulls of the last days of a user due now, and waits for them.
    pub(super) async fn refresh_user(
        &self,
        caller: Caller<TeamId>,
        input: RefreshUserInput,
    ) -> Result<RefreshedUser, ApiError> {
        let until = Instant::now() + Duration::try_from_secs_f64(input.timeout).unwrap_or_default();
        let user_id = input.user_id;
        let content = (user_id, input.timeout);
        let write = Write::new(&REFRESH_USER, &caller).repeatable(input.idempotency_key.as_deref(), &content)?;
        let (team, now) = (caller.owner(), (self.now)());
        let organisation = self.store()?.organisation_of_team(team.uuid()).await;
        let organisation = organisation.map_err(store_error)?.ok_or_else(no_team)?;
        let tasks = self.store()?.pull_tasks(team, user_id).await.map_err(store_error)?;
        // Before the write: a request that is refused changes nothing.
        let place = match input.timeout > 0.0 {
            true => Some(self.waits.take(&organisation)?),
            false => None,
        };
        let hastened: BTreeMap<String, bool> = self
            .write(write, |transaction| {
                let connections = transaction.stored_connections(team, user_id)?.ok_or_else(no_user)?;
                let connections: Vec<ConnectedProvider> = decoded(&connections)?;
                let mut hastened = BTreeMap::new();
                for connection in connections {
                    let slug = connection.slug;
                    let is_paused = connection.status == ConnectionStatus::Paused;
                    if is_paused || !self.is_pulled(transaction, &organisation, &slug)? {
                        continue;
                    }
                    // One that has failed waits for the user.
                    let works = connection.status != ConnectionStatus::Error;
                    let has_tasks = match works {
                        true => transaction.hasten_pull_tasks(team, user_id, &slug, MIN_INTERVAL, now)?,
                        false => tasks.iter().any(|task| task.provider == slug),
                    };
                    if has_tasks {
                        hastened.insert(slug, works);
                    }
                }
                Ok(Subject::user(team, user_id).wrote(hastened))
            })
            .await?;
        let outcomes = hastened.into_iter().map(|(slug, works)| match works {
            true => (slug, Outcome::Pending),
            false => (slug, Outcome::Failed),
        });
        let outcomes = self.wait_for_pulls(team, user_id, outcomes.collect(), until).await?;
        drop(place);
        let of = |wanted: Outcome| {
            let found = outcomes.iter().filter(|(_, outcome)| **outcome == wanted);
            found.map(|(slug, _)| slug.clone()).collect::<Vec<_>>()
        };
        Ok(RefreshedUser::builder()
            .success(true)
            .user_id(user_id)
            .refreshed_sources(of(Outcome::Pulled))
            .in_progress_sources(of(Outcome::Pending))
            .failed_sources(of(Outcome::Failed))
            .build())
    }

    /// Waits until no outcome is pending, until a time, or until the service shuts down.
    async fn wait_for_pulls(
        &self,
        team: TeamId,
        user_id: Uuid,
        mut outcomes: BTreeMap<String, Outcome>,
        until: Instant,
    ) -> Result<BTreeMap<String, Outcome>, ApiError> {
        let store = self.store()?;
        let is_pending = |outcomes: &BTreeMap<String, Outcome>| outcomes.values().any(|one| *one == Outcome::Pending);
        if !is_pending(&outcomes) {
            return Ok(outcomes);
        }
        let waiting = async {
            loop {
                let tasks = store.pull_tasks(team, user_id).await.map_err(store_error)?;
                let now = (self.now)();
                for (slug, one) in &mut outcomes {
                    if *one == Outcome::Pending {
                        *one = outcome(&tasks, slug, now);
                    }
                }
                if !is_pending(&outcomes) || Instant::now() >= until || *self.stopping.borrow() {
                    return Ok(outcomes);
                }
                tokio::time::sleep_until(until.min(Instant::now() + INTERVAL)).await;
            }
        };
        wearlab_http::without_permit(waiting, async |outcomes| outcomes).await
    }
}

/// Returns the outcome of the pulls of a connection, apart from its history.
fn outcome(tasks: &[PullTask], slug: &str, now: DateTime<Utc>) -> Outcome {
    let is_pending = |task: &PullTask| {
        let is_due = task.due.is_some_and(|due| due <= now);
        is_due || task.leased_until.is_some()
    };
    let tasks = tasks.iter().filter(|task| {
        let is_recent = matches!(PullKind::of(&task.name), Some(PullKind::Link | PullKind::Recent(_)));
        task.provider == slug && is_recent
    });
    tasks.fold(Outcome::Pulled, |outcome, task| match outcome {
        Outcome::Pending => Outcome::Pending,
        _ if is_pending(task) => Outcome::Pending,
        _ if task.reason.is_some() => Outcome::Failed,
        outcome => outcome,
    })
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};
    use wearlab_store::PullTask;

    use super::{Outcome, outcome};

    fn task(name: &str, due: Option<i64>, leased_until: Option<i64>, reason: Option<&str>) -> PullTask {
        let at = |minutes| DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes);
        PullTask {
            provider: "stridewell".to_owned(),
            name: name.to_owned(),
            due: due.map(at),
            leased_until: leased_until.map(at),
            failures: u32::from(reason.is_some()),
            reason: reason.map(str::to_owned),
            attempted_on: reason.map(|_| at(0)),
            state: "{}".to_owned(),
        }
    }

    #[test]
    fn a_source_is_refreshed_when_all_its_last_days_are_pulled() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::minutes(5);
        let linked = task("link", None, None, None);
        let waits = task("recent:sleep", Some(60), None, None);
        for (other, expected) in [
            (task("recent:heart", Some(60), None, None), Outcome::Pulled),
            (task("recent:heart", Some(5), None, None), Outcome::Pending),
            (
                task("recent:heart", Some(5), None, Some("unauthorized")),
                Outcome::Pending,
            ),
            (task("recent:heart", None, Some(7), None), Outcome::Pending),
            (
                task("recent:heart", Some(6), None, Some("rate_limited")),
                Outcome::Failed,
            ),
            (task("history:heart", Some(5), None, Some("failed")), Outcome::Pulled),
        ] {
            for tasks in [
                [linked.clone(), waits.clone(), other.clone()],
                [other.clone(), linked.clone(), waits.clone()],
            ] {
                assert_eq!(outcome(&tasks, "stridewell", now), expected, "{tasks:?}");
            }
        }
    }
}
