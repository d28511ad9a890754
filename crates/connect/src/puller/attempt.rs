//! Attempt of a task: an access token, the call of the provider, and the next attempt where it is refused.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, field};
use wearlab_delivery::backoff;
use wearlab_linking::Access;
use wearlab_models::ConnectionStatus;
use wearlab_store::{LeasedPullTask, PullHistory, PullTaskUpdate, StoreError};

use super::documents;
use super::step::{Step, Unfinished};
use super::timeouts::in_time;
use super::{LEASE, Puller, Running};
use crate::connector::Connector;
use crate::provider::Session;
use crate::refusal::Refusal;
use crate::span::Span;
use crate::task::Work;
use crate::{arrivals, link, recent, task};

/// Interval of the renewals of a lease.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(30);
/// First and maximum pause after failures of a provider.
const FIRST_PAUSE: Duration = Duration::from_secs(10);
const MAX_PAUSE: Duration = Duration::from_secs(60 * 60);
/// Pause of a task that the user or the operator must make possible, and the maximum of those that a provider requests.
const LONG_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

impl Puller {
    /// Works on a task until the process stops, and then makes the task due now, for another process.
    pub(super) async fn work_until(&self, task: LeasedPullTask, stopping: CancellationToken) -> Result<(), StoreError> {
        tokio::select! {
            done = self.work(&task) => done,
            () = stopping.cancelled() => {
                let now = self.now();
                self.linker.store.write(|write| write.release_pull_task(&task, now)).await
            }
        }
    }

    /// Works on a task, and writes its result. A failure of this task alone is no error.
    pub(super) async fn work(&self, task: &LeasedPullTask) -> Result<(), StoreError> {
        let span = tracing::info_span!(
            parent: None,
            "pull",
            provider = task.provider,
            task = task.name,
            outcome = field::Empty
        );
        self.work_in_span(task).instrument(span).await
    }

    async fn work_in_span(&self, task: &LeasedPullTask) -> Result<(), StoreError> {
        match AssertUnwindSafe(self.attempt(task)).catch_unwind().await {
            Ok(Err(error)) if !error.is_transient() && !error.ends_writes() => {
                tracing::error!(
                    provider = task.provider,
                    task = task.name,
                    error = &error as &dyn std::error::Error,
                    "cannot store what a provider returned"
                );
                self.refused(task, &Refusal::Failed("the store refuses the values".to_owned()))
                    .await
            }
            Ok(done) => done,
            Err(_) => {
                self.refused(task, &Refusal::Failed("the connector panicked".to_owned()))
                    .await
            }
        }
    }

    async fn attempt(&self, task: &LeasedPullTask) -> Result<(), StoreError> {
        let Some(running) = self.connectors.get(task.provider.as_str()) else {
            return Ok(());
        };
        let profile = running.connector.provider.profile();
        let Some(work) = task::work(task, profile)? else {
            // A collection of an earlier version.
            return self.finish(task, Step::next(None, task.state.clone())).await;
        };
        let pulled = self.renewing(task, async {
            let session = match self.session(task, running).await? {
                Ok(session) => session,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let step = self.step(task, &running.connector, &session, &work);
            Ok(in_time(&session, step).await)
        });
        let step = match pulled.await {
            Ok(step) => step,
            Err(Unfinished::Lost) => return Ok(()),
            Err(Unfinished::Store(error)) => return Err(error),
        };
        match step {
            Ok(step) => self.finish(task, step).await,
            Err(refusal) => self.refused(task, &refusal).await,
        }
    }

    /// Renews the lease of a task while its work goes on.
    async fn renewing<T>(
        &self,
        task: &LeasedPullTask,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, Unfinished> {
        let renewal = async {
            loop {
                tokio::time::sleep(RENEWAL_INTERVAL).await;
                let until = self.now() + LEASE;
                let renewed = self.linker.store.write(|write| write.renew_pull_task(task, until));
                match renewed.await {
                    Ok(true) => {}
                    Ok(false) => return Unfinished::Lost,
                    // The lease lasts longer than the interval: the next renewal may be in time.
                    Err(error) if error.is_transient() => {}
                    Err(error) => return Unfinished::Store(error),
                }
            }
        };
        // Both are polled: the work may wait for the store, too.
        tokio::select! {
            done = work => done.map_err(Unfinished::Store),
            unfinished = renewal => Err(unfinished),
        }
    }

    /// Returns the access to a user's data, with a valid token.
    async fn session(&self, task: &LeasedPullTask, running: &Running) -> Result<Result<Session, Refusal>, StoreError> {
        let store = &self.linker.store;
        let settings = store.provider_settings(&task.organisation, &task.provider).await?;
        if !settings.is_some_and(|settings| settings.is_provisioned) {
            return Ok(Err(Refusal::OwnClient));
        }
        let connection = store.team(task.team).connection(task.user_id, &task.provider).await?;
        let is_paused = connection.is_some_and(|connection| connection.status == ConnectionStatus::Paused);
        if is_paused {
            return Ok(Err(Refusal::Paused));
        }
        let access = self.linker.access(task.team, task.user_id, &task.provider, ()).await?;
        Ok(match access {
            Access::Tokens(tokens, _) => Ok(Session {
                http: self.http.clone(),
                base_url: running.connector.settings.base_url.clone(),
                access_token: tokens.access_token,
                pace: running.pace.clone(),
                requests: AtomicU64::new(0),
            }),
            Access::LinkAgain | Access::None => Err(Refusal::Unauthorized),
            Access::UserAction => Err(Refusal::Forbidden),
            Access::Later => Err(Refusal::Later(None)),
        })
    }

    /// Calls the provider.
    async fn step(
        &self,
        task: &LeasedPullTask,
        connector: &Connector,
        session: &Session,
        work: &Work,
    ) -> Result<Step, Refusal> {
        let (provider, profile) = (&connector.provider, connector.provider.profile());
        match work {
            Work::Link => {
                let account = provider.account(session).await?;
                let days = connector.history_days();
                Ok(Step {
                    account: account.provider_user_id,
                    new_tasks: link::tasks(profile, days, task.created_on, self.now(), wearlab_clock::fresh_id),
                    ..Step::next(None, task.state.clone())
                })
            }
            Work::Recent(collection, state) if !state.documents.is_empty() => {
                let days = documents::days(connector, session, collection, &state.documents).await?;
                let state = recent::located(collection, connector.history_days(), state, days, self.now());
                Ok(Step::next(Some(self.now()), encoded(&state)?))
            }
            Work::Recent(collection, state) => {
                let span = recent::span(collection, state, self.now());
                let readings = provider.pull(session, collection, span).await?;
                let (state, due) = recent::next(collection, state, span, self.now(), rand::random());
                Ok(Step {
                    arrivals: arrivals::by_day(task, profile, readings),
                    ..Step::next(Some(due), encoded(&state)?)
                })
            }
            Work::History(collection, history) => {
                let [first, last] = history.window();
                let span = Span { first, last };
                let readings = provider.pull(session, collection, span).await?;
                let next = PullHistory {
                    next: history.next + 1,
                    ..history.clone()
                };
                let due = (next.next <= next.windows()).then(|| self.now());
                Ok(Step {
                    arrivals: arrivals::chunks(task, profile, collection, history, span, readings),
                    ..Step::next(due, encoded(&next)?)
                })
            }
        }
    }

    /// Schedules the next attempt of a task without data.
    async fn refused(&self, task: &LeasedPullTask, refusal: &Refusal) -> Result<(), StoreError> {
        let failures = task.failures.saturating_add(1);
        let usual = backoff(FIRST_PAUSE, MAX_PAUSE, failures, rand::random());
        let pause = match refusal {
            Refusal::Limited(after) => {
                let after = (*after).min(LONG_PAUSE);
                if let Some(running) = self.connectors.get(task.provider.as_str()) {
                    running.pause_until(later(self.now(), after));
                }
                after + usual / 2
            }
            Refusal::Later(Some(after)) => (*after).min(LONG_PAUSE) + usual / 2,
            Refusal::Later(None) | Refusal::Failed(_) | Refusal::NotFound => usual,
            Refusal::Paused => MAX_PAUSE,
            Refusal::Unauthorized if task.failures < 3 => usual,
            Refusal::Unauthorized | Refusal::Forbidden | Refusal::OwnClient => LONG_PAUSE,
        };
        let (provider, name) = (&task.provider, &task.name);
        match refusal {
            Refusal::Failed(reason) => {
                tracing::error!(provider, task = name, reason, "cannot pull from a provider");
            }
            _ => tracing::debug!(provider, task = name, reason = refusal.code(), "a pull is repeated"),
        }
        self.observe(task, refusal.code());
        let update = PullTaskUpdate {
            due: Some(later(self.now(), pause)),
            state: self.state_after(task, refusal),
            failures,
            reason: Some(refusal.code().to_owned()),
        };
        self.update(task, &update).await
    }

    /// Returns the state of a task after a refusal: days of notices that are refused each time are left out.
    fn state_after(&self, task: &LeasedPullTask, refusal: &Refusal) -> String {
        let running = self.connectors.get(task.provider.as_str());
        if let Some(running) = running
            && matches!(refusal, Refusal::Failed(_) | Refusal::NotFound)
            && let Ok(Some(Work::Recent(collection, state))) = task::work(task, running.connector.provider.profile())
            && let Some((state, left_out)) = recent::refused(collection, &state, self.now())
            && let Ok(state) = encoded(&state)
        {
            if let Some(days) = left_out {
                tracing::warn!(
                    provider = task.provider,
                    task = task.name,
                    first = %days.first,
                    last = %days.last,
                    reason = refusal.code(),
                    "days of a notice are not read: the provider refuses them"
                );
            }
            return state;
        }
        task.state.clone()
    }

    async fn update(&self, task: &LeasedPullTask, update: &PullTaskUpdate) -> Result<(), StoreError> {
        let now = self.now();
        let updated = self
            .linker
            .store
            .write(|write| write.finish_pull_task(task, update, now));
        updated.await.map(drop)
    }
}

fn later(now: DateTime<Utc>, pause: Duration) -> DateTime<Utc> {
    let pause = TimeDelta::from_std(pause).unwrap_or(TimeDelta::days(1));
    now.checked_add_signed(pause).unwrap_or(now)
}

fn encoded(state: &impl serde::Serialize) -> Result<String, Refusal> {
    serde_json::to_string(state).map_err(|error| Refusal::Failed(error.to_string()))
}
