//! Background task that pulls the data of linked users.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::{FutureExt, StreamExt, stream};
use wearlab_delivery::backoff;
use wearlab_delivery::egress;
use wearlab_ingest::Ingestion;
use wearlab_linking::{Access, Linker};
use wearlab_store::{LeasedPullTask, NewPullTask, PullTaskUpdate, StoreError};

use crate::arrivals::{self, Arrivals};
use crate::connector::Connector;
use crate::pace::Pace;
use crate::provider::Session;
use crate::provision::provision;
use crate::refusal::Refusal;
use crate::task::{History, Work};
use crate::{link, recent, task};

/// Interval between two searches for due tasks.
const INTERVAL: Duration = Duration::from_secs(1);
/// Interval between two checks that the providers can be linked.
const PROVISION_INTERVAL: Duration = Duration::from_secs(60);
/// Maximum pause after failures of the store.
const MAX_STORE_PAUSE: Duration = Duration::from_secs(60);
/// Maximum tasks at a time.
const MAX_CONCURRENT: usize = 32;
/// Duration of a lease, and the interval of its renewals: a task of a killed process is taken over when it ends.
const LEASE: TimeDelta = TimeDelta::minutes(2);
const RENEWAL_INTERVAL: Duration = Duration::from_secs(30);
/// Maximum time of a task.
const TASK_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// First and maximum pause after failures of a provider.
const FIRST_PAUSE: Duration = Duration::from_secs(10);
const MAX_PAUSE: Duration = Duration::from_secs(60 * 60);
/// Pause of a task that the user or the operator must make possible.
const UNAVAILABLE_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);
/// Timeout of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Pulls the data of linked users of some providers. If several run on one store, one of them has a task.
pub struct Puller {
    linker: Linker,
    connectors: BTreeMap<&'static str, (Connector, Pace)>,
    http: reqwest::Client,
}

/// Result of a task: what to write with its next state.
struct Step {
    arrivals: Arrivals,
    new_tasks: Vec<NewPullTask>,
    /// The provider's own id of the user.
    account: Option<String>,
    update: PullTaskUpdate,
}

impl Step {
    fn next(due: Option<DateTime<Utc>>, state: String) -> Self {
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

impl Puller {
    /// Creates the puller of some connectors.
    ///
    /// # Errors
    ///
    /// If the certificates of the system cannot be read.
    pub fn new(linker: Linker, connectors: Vec<Connector>) -> reqwest::Result<Self> {
        let http = egress::client(linker.linking.policy(), &[])?
            .timeout(REQUEST_TIMEOUT)
            .build()?;
        let connectors = connectors.into_iter().map(|connector| {
            let profile = connector.provider.profile();
            (profile.slug, (connector, Pace::new(profile.quotas)))
        });
        Ok(Self {
            linker,
            connectors: connectors.collect(),
            http,
        })
    }

    /// Pulls until `stop` is ready, and then completes the tasks in progress.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        let mut failures = 0;
        let mut provisioned: Option<Instant> = None;
        loop {
            // Organisations may be added while the service runs.
            if provisioned.is_none_or(|at| at.elapsed() > PROVISION_INTERVAL) {
                self.provision().await;
                provisioned = Some(Instant::now());
            }
            match AssertUnwindSafe(self.pull_due()).catch_unwind().await {
                Ok(Ok(0)) => failures = 0,
                Ok(Ok(_)) => {
                    failures = 0;
                    if (&mut stop).now_or_never().is_some() {
                        return;
                    }
                    continue;
                }
                Ok(Err(error)) => {
                    // Logged once for each outage: other parts of the service report errors of the store, too.
                    if failures == 0 {
                        tracing::warn!(error = &error as &dyn std::error::Error, "cannot pull from providers");
                    }
                    failures += 1;
                }
                Err(_) => tracing::error!("pulling from providers panicked"),
            }
            let pause = match failures {
                0 => INTERVAL,
                _ => backoff(INTERVAL, MAX_STORE_PAUSE, failures, rand::random()).max(INTERVAL),
            };
            tokio::select! {
                () = &mut stop => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Sets up the providers for linking.
    async fn provision(&self) {
        let connectors = self.connectors.values().map(|(connector, _)| connector);
        if let Err(error) = provision(&self.linker.store, connectors).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "providers of connectors cannot be set up for linking"
            );
        }
    }

    /// Works on the tasks that are due now. Returns their number.
    ///
    /// # Errors
    ///
    /// If the store fails. Tasks that are not written are repeated when their lease ends.
    pub async fn pull_due(&self) -> Result<usize, StoreError> {
        let slugs: Vec<_> = self.connectors.keys().copied().collect();
        let now = self.now();
        let leased = self
            .linker
            .store
            .write(|write| write.lease_pull_tasks(&slugs, now, now + LEASE, MAX_CONCURRENT, wearlab_clock::fresh_id));
        let leased = leased.await?;
        let count = leased.len();
        let worked = stream::iter(leased)
            .map(|task| async move { self.work(&task).await })
            .buffer_unordered(MAX_CONCURRENT);
        let worked: Vec<_> = worked.collect().await;
        worked.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(count)
    }

    fn now(&self) -> DateTime<Utc> {
        (self.linker.now)()
    }

    /// Works on a task, and writes its result.
    async fn work(&self, task: &LeasedPullTask) -> Result<(), StoreError> {
        let Some((connector, pace)) = self.connectors.get(task.provider.as_str()) else {
            return Ok(());
        };
        let profile = connector.provider.profile();
        let Some(work) = task::work(task, profile)? else {
            // A collection of an earlier version.
            return self.finish(task, Step::next(None, task.state.clone())).await;
        };
        let pulled = self.renewing(task, async {
            pace.wait().await;
            let session = match self.session(task, connector).await? {
                Ok(session) => session,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let pulled = tokio::time::timeout(TASK_TIMEOUT, self.step(task, connector, &session, &work)).await;
            Ok(pulled.unwrap_or(Err(Refusal::Later(None))))
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
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done.map_err(Unfinished::Store),
                () = tokio::time::sleep(RENEWAL_INTERVAL) => {}
            }
            let until = self.now() + LEASE;
            if !self
                .linker
                .store
                .write(|write| write.renew_pull_task(task, until))
                .await?
            {
                return Err(Unfinished::Lost);
            }
        }
    }

    /// Returns the access to a user's data, with a valid token.
    async fn session(
        &self,
        task: &LeasedPullTask,
        connector: &Connector,
    ) -> Result<Result<Session, Refusal>, StoreError> {
        let access = self.linker.access(task.team, task.user_id, &task.provider, ()).await?;
        Ok(match access {
            Access::Tokens(tokens, _) => Ok(Session {
                http: self.http.clone(),
                base_url: connector.settings.base_url.clone(),
                access_token: tokens.access_token,
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
                let days = connector
                    .settings
                    .history_days
                    .unwrap_or(profile.history_days)
                    .min(profile.history_days);
                Ok(Step {
                    account: account.provider_user_id,
                    new_tasks: link::tasks(profile, days, task.created_on, self.now(), wearlab_clock::fresh_id),
                    ..Step::next(None, task.state.clone())
                })
            }
            Work::Recent(collection) => {
                let span = recent::span(collection, self.now());
                let readings = provider.pull(session, collection, span).await?;
                let due = recent::next(collection, self.now(), rand::random());
                Ok(Step {
                    arrivals: arrivals::by_day(task, profile, readings),
                    ..Step::next(Some(due), task.state.clone())
                })
            }
            Work::History(collection, history) => {
                let span = history.span(collection);
                let mut readings = provider.pull(session, collection, span).await?;
                // Each value belongs to one chunk.
                readings.retain(|reading| (span.first..=span.last).contains(&reading.day));
                let next = History {
                    next: history.next + 1,
                    ..history.clone()
                };
                let due = (next.next <= next.windows).then(|| self.now());
                let state = serde_json::to_string(&next).map_err(|error| Refusal::Failed(error.to_string()))?;
                Ok(Step {
                    arrivals: arrivals::chunks(task, profile, collection, history, span, readings),
                    ..Step::next(due, state)
                })
            }
        }
    }

    /// Writes the values of a task, their events and its next state together. Nothing is written if another process has the
    /// task now, or the connection is gone.
    async fn finish(&self, task: &LeasedPullTask, step: Step) -> Result<(), StoreError> {
        let now = self.now();
        let ingestion = Ingestion {
            now,
            fresh_id: wearlab_clock::fresh_id,
            forms: self.linker.forms,
        };
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
                write.ingest(arrival, &ingestion)?;
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
            Ok(()) | Err(Unfinished::Lost | Unfinished::Store(StoreError::Missing { .. })) => Ok(()),
            Err(Unfinished::Store(error)) => Err(error),
        }
    }

    /// Schedules the next attempt of a task without data.
    async fn refused(&self, task: &LeasedPullTask, refusal: &Refusal) -> Result<(), StoreError> {
        let failures = task.failures.saturating_add(1);
        let usual = backoff(FIRST_PAUSE, MAX_PAUSE, failures, rand::random());
        let pause = match refusal {
            Refusal::Later(Some(after)) => *after + usual / 2,
            Refusal::Later(None) | Refusal::Failed(_) | Refusal::NotFound => usual,
            Refusal::Unauthorized if task.failures < 3 => usual,
            Refusal::Unauthorized | Refusal::Forbidden => UNAVAILABLE_PAUSE,
        };
        match refusal {
            Refusal::Failed(reason) => {
                tracing::error!(
                    provider = task.provider,
                    task = task.name,
                    reason,
                    "cannot pull from a provider"
                );
            }
            _ => tracing::debug!(
                provider = task.provider,
                task = task.name,
                reason = refusal.code(),
                "a pull is repeated"
            ),
        }
        let update = PullTaskUpdate {
            due: Some(self.now() + TimeDelta::from_std(pause).unwrap_or(TimeDelta::days(1))),
            state: task.state.clone(),
            failures,
            reason: Some(refusal.code().to_owned()),
        };
        let now = self.now();
        self.linker
            .store
            .write(|write| write.finish_pull_task(task, &update, now))
            .await
            .map(drop)
    }
}

/// Reason why the result of a task is not written.
enum Unfinished {
    /// Another process has the task, or the connection is gone.
    Lost,
    Store(StoreError),
}

impl From<StoreError> for Unfinished {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
