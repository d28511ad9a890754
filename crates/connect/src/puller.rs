//! Background task that pulls the data of linked users.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tokio_util::sync::CancellationToken;
use wearlab_delivery::backoff;
use wearlab_delivery::egress;
use wearlab_ingest::Ingestion;
use wearlab_linking::{Access, Linker};
use wearlab_models::{ConnectedProvider, ConnectionStatus};
use wearlab_store::{LeasedPullTask, NewPullTask, PullTaskUpdate, StoreError, Transaction, ValidArrival};

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
/// Pause of a task that the user or the operator must make possible, and the maximum of those that a provider requests.
const LONG_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);
/// Timeout of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Error of creating a [`Puller`].
#[derive(Debug, thiserror::Error)]
pub enum PullerError {
    /// The certificates of the system cannot be read.
    #[error("create the HTTP client of connectors")]
    Client(#[from] reqwest::Error),
    /// A URL of the settings is not allowed.
    #[error("invalid setting connectors.{slug}.base_url: {reason}")]
    Url {
        /// Slug of the provider.
        slug: &'static str,
        /// The reason.
        reason: String,
    },
}

/// Pulls the data of linked users of some providers. If several run on one store, one of them has a task.
pub struct Puller {
    linker: Linker,
    connectors: BTreeMap<&'static str, Running>,
    http: reqwest::Client,
}

/// Connector with its limits.
struct Running {
    connector: Connector,
    pace: Arc<Pace>,
    /// Time before which the provider wants no request of the client.
    paused_until: Mutex<Option<DateTime<Utc>>>,
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
    /// If the certificates of the system cannot be read, or the URL of an API is not allowed.
    pub fn new(linker: Linker, connectors: Vec<Connector>) -> Result<Self, PullerError> {
        let http = egress::client(linker.linking.policy(), &[])?
            .timeout(REQUEST_TIMEOUT)
            .build()?;
        let mut running = BTreeMap::new();
        for connector in connectors {
            let profile = connector.provider.profile();
            let slug = profile.slug;
            if let Some(url) = &connector.settings.base_url {
                let checked = linker.linking.check_url(url);
                checked.map_err(|reason| PullerError::Url { slug, reason })?;
            }
            let connector = Running {
                connector,
                pace: Arc::new(Pace::new(profile.quotas)),
                paused_until: Mutex::default(),
            };
            running.insert(slug, connector);
        }
        Ok(Self {
            linker,
            connectors: running,
            http,
        })
    }

    /// Pulls until `stop` is ready, and then gives the tasks in progress back to the queue.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        let stopping = CancellationToken::new();
        let mut working = FuturesUnordered::new();
        let (mut failures, mut provisioned, mut next) = (0, None::<Instant>, tokio::time::Instant::now());
        loop {
            tokio::select! {
                () = &mut stop => break,
                Some(done) = working.next() => self.count_failure(&mut failures, done),
                () = tokio::time::sleep_until(next) => {
                    // Organisations may be added while the service runs.
                    if provisioned.is_none_or(|at| at.elapsed() > PROVISION_INTERVAL) {
                        self.provision().await;
                        provisioned = Some(Instant::now());
                    }
                    let leased = self.lease(MAX_CONCURRENT - working.len()).await;
                    let mut pause = INTERVAL;
                    match leased {
                        Ok(leased) => {
                            for task in leased {
                                working.push(self.work_until(task, stopping.clone()));
                            }
                        }
                        Err(error) => {
                            self.count_failure(&mut failures, Err(error));
                            pause = backoff(INTERVAL, MAX_STORE_PAUSE, failures, rand::random()).max(INTERVAL);
                        }
                    }
                    next = tokio::time::Instant::now() + pause;
                    continue;
                }
            }
            // A task has ended: there is room for another one.
            if failures == 0 {
                next = tokio::time::Instant::now();
            }
        }
        stopping.cancel();
        while working.next().await.is_some() {}
    }

    /// Counts failures of the store in a row.
    fn count_failure(&self, failures: &mut u32, done: Result<(), StoreError>) {
        match done {
            Ok(()) => *failures = 0,
            Err(error) => {
                // Logged once for each outage: other parts of the service report errors of the store, too.
                if *failures == 0 {
                    tracing::warn!(error = &error as &dyn std::error::Error, "cannot pull from providers");
                }
                *failures = failures.saturating_add(1);
            }
        }
    }

    /// Sets up the providers for linking.
    async fn provision(&self) {
        let connectors = self.connectors.values().map(|running| &running.connector);
        let provisioned = AssertUnwindSafe(provision(&self.linker.store, connectors));
        match provisioned.catch_unwind().await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(
                error = &error as &dyn std::error::Error,
                "providers of connectors cannot be set up for linking"
            ),
            Err(_) => tracing::error!("setting up the providers of connectors panicked"),
        }
    }

    /// Works on the tasks that are due now, as many as run at a time. Returns their number.
    ///
    /// # Errors
    ///
    /// If the store fails. Tasks that are not written are repeated when their lease ends.
    pub async fn pull_due(&self) -> Result<usize, StoreError> {
        let leased = self.lease(MAX_CONCURRENT).await?;
        let count = leased.len();
        let mut working: FuturesUnordered<_> = leased.iter().map(|task| self.work(task)).collect();
        let mut outcome = Ok(count);
        while let Some(done) = working.next().await {
            if let Err(error) = done {
                outcome = Err(error);
            }
        }
        outcome
    }

    /// Leases due tasks of the providers that take requests.
    async fn lease(&self, limit: usize) -> Result<Vec<LeasedPullTask>, StoreError> {
        let now = self.now();
        let ready = self.connectors.iter().filter(|(_, running)| !running.is_paused(now));
        let slugs: Vec<_> = ready.map(|(slug, _)| *slug).collect();
        let store = &self.linker.store;
        // A read: an idle service takes no lock.
        let due = store.next_pull_task_due(&slugs).await?;
        if limit == 0 || due.is_none_or(|due| due > now) {
            return Ok(Vec::new());
        }
        let leased =
            store.write(|write| write.lease_pull_tasks(&slugs, now, now + LEASE, limit, wearlab_clock::fresh_id));
        leased.await
    }

    fn now(&self) -> DateTime<Utc> {
        (self.linker.now)()
    }

    /// Works on a task until the process stops, and then makes the task due now, for another process.
    async fn work_until(&self, task: LeasedPullTask, stopping: CancellationToken) -> Result<(), StoreError> {
        tokio::select! {
            done = self.work(&task) => done,
            () = stopping.cancelled() => {
                let update = PullTaskUpdate {
                    due: Some(self.now()),
                    state: task.state.clone(),
                    failures: task.failures,
                    reason: None,
                };
                self.update(&task, &update).await
            }
        }
    }

    /// Works on a task, and writes its result. A failure of this task alone is no error.
    async fn work(&self, task: &LeasedPullTask) -> Result<(), StoreError> {
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
            let pulled = tokio::time::timeout(TASK_TIMEOUT, step).await;
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
            match self
                .linker
                .store
                .write(|write| write.renew_pull_task(task, until))
                .await
            {
                Ok(true) => {}
                Ok(false) => return Err(Unfinished::Lost),
                // The lease lasts longer than the interval: the next renewal may be in time.
                Err(error) if error.is_transient() => {}
                Err(error) => return Err(Unfinished::Store(error)),
            }
        }
    }

    /// Returns the access to a user's data, with a valid token.
    async fn session(&self, task: &LeasedPullTask, running: &Running) -> Result<Result<Session, Refusal>, StoreError> {
        let store = &self.linker.store;
        let settings = store.provider_settings(&task.organisation, &task.provider).await?;
        if !settings.is_some_and(|settings| settings.is_provisioned) {
            return Ok(Err(Refusal::OwnClient));
        }
        let connections = store.team(task.team).connections(task.user_id).await?;
        let mut connections = connections.iter().flatten();
        let is_paused = connections.any(|connection| {
            let connection: Option<ConnectedProvider> = serde_json::from_slice(connection.as_bytes()).ok();
            connection.is_some_and(|one| one.slug == task.provider && one.status == ConnectionStatus::Paused)
        });
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
                let days = connector.settings.history_days.unwrap_or(profile.history_days);
                let days = days.min(profile.history_days);
                Ok(Step {
                    account: account.provider_user_id,
                    new_tasks: link::tasks(profile, days, task.created_on, self.now(), wearlab_clock::fresh_id),
                    ..Step::next(None, task.state.clone())
                })
            }
            Work::Recent(collection, state) => {
                let span = recent::span(collection, *state, self.now());
                let readings = provider.pull(session, collection, span).await?;
                let (state, due) = recent::next(collection, span, self.now(), rand::random());
                Ok(Step {
                    arrivals: arrivals::by_day(task, profile, readings),
                    ..Step::next(Some(due), encoded(&state)?)
                })
            }
            Work::History(collection, history) => {
                let span = history.span();
                let readings = provider.pull(session, collection, span).await?;
                let next = History {
                    next: history.next + 1,
                    ..history.clone()
                };
                let due = (next.next <= next.windows).then(|| self.now());
                Ok(Step {
                    arrivals: arrivals::chunks(task, profile, collection, history, span, readings),
                    ..Step::next(due, encoded(&next)?)
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
            Ok(()) | Err(Unfinished::Lost | Unfinished::Store(StoreError::Missing { .. })) => Ok(()),
            Err(Unfinished::Store(error)) => Err(error),
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
        let update = PullTaskUpdate {
            due: Some(later(self.now(), pause)),
            state: task.state.clone(),
            failures,
            reason: Some(refusal.code().to_owned()),
        };
        self.update(task, &update).await
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

impl Running {
    fn is_paused(&self, now: DateTime<Utc>) -> bool {
        let until = *self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| until > now)
    }

    fn pause_until(&self, time: DateTime<Utc>) {
        let mut until = self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        *until = Some(until.map_or(time, |known| known.max(time)));
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

fn later(now: DateTime<Utc>, pause: Duration) -> DateTime<Utc> {
    let pause = TimeDelta::from_std(pause).unwrap_or(TimeDelta::days(1));
    now.checked_add_signed(pause).unwrap_or(now)
}

fn encoded(state: &impl serde::Serialize) -> Result<String, Refusal> {
    serde_json::to_string(state).map_err(|error| Refusal::Failed(error.to_string()))
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
