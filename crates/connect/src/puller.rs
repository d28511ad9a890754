//! Background task that pulls the data of linked users: `attempt` works on one task, `step` writes its result,
//! `timeouts` ends it, and `subscriptions` keeps the subscriptions to notices.

mod attempt;
mod documents;
mod step;
mod subscriptions;
mod timeouts;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use wearlab_delivery::backoff;
use wearlab_delivery::egress;
use wearlab_linking::Linker;
use wearlab_store::{LeasedPullTask, StoreError};

use crate::connector::Connector;
use crate::observer::PullObserver;
use crate::pace::Pace;
use crate::provision::provision;
use crate::task;

/// Interval between two searches for due tasks.
const INTERVAL: Duration = Duration::from_secs(1);
/// Interval between two checks that the providers can be linked.
const PROVISION_INTERVAL: Duration = Duration::from_secs(60);
/// Interval between two counts of due tasks for the observer.
const COUNT_INTERVAL: Duration = Duration::from_secs(10);
/// Maximum pause after failures of the store.
const MAX_STORE_PAUSE: Duration = Duration::from_secs(60);
/// Duration of a lease: a task of a killed process is taken over when it ends.
const LEASE: TimeDelta = TimeDelta::minutes(2);
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
    observer: Option<Arc<dyn PullObserver>>,
}

/// Connector with its limits.
struct Running {
    connector: Connector,
    pace: Arc<Pace>,
    /// Places of tasks in progress: a slow provider takes none of others.
    places: Arc<Semaphore>,
    /// Time before which the provider wants no request of the client.
    paused_until: Mutex<Option<DateTime<Utc>>>,
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
            if connector.settings.notices == Some(true) && !linker.store.has_secret_key() {
                tracing::warn!(
                    provider = slug,
                    "the setting notices of a connector is ignored without secret_key_file: the address of notices has a \
                     secret that is derived from the key"
                );
            }
            let pace = match linker.store.is_shared() {
                true => Pace::shared(&linker.store, linker.now, slug, profile.quotas),
                false => Pace::new(profile.quotas),
            };
            let connector = Running {
                connector,
                pace: Arc::new(pace),
                places: Arc::new(Semaphore::new(profile.max_concurrent)),
                paused_until: Mutex::default(),
            };
            running.insert(slug, connector);
        }
        Ok(Self {
            linker,
            connectors: running,
            http,
            observer: None,
        })
    }

    /// Sets the observer.
    #[must_use]
    pub fn observed_by(self, observer: Arc<dyn PullObserver>) -> Self {
        Self {
            observer: Some(observer),
            ..self
        }
    }

    /// Removes the limits of requests, for simulated providers, which have none.
    #[must_use]
    pub fn without_quotas(mut self) -> Self {
        for running in self.connectors.values_mut() {
            running.pace = Arc::default();
        }
        self
    }

    /// Pulls until `stop` is ready, and then gives the tasks in progress back to the queue.
    pub async fn run(self: Arc<Self>, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        let stopping = CancellationToken::new();
        // Tasks of the runtime: a future that nobody polls for a while may have got the store's only permit to write.
        let (mut working, mut background) = (JoinSet::new(), JoinSet::new());
        let puller = Arc::clone(&self);
        background.spawn(async move { puller.keep_subscribed().await });
        let puller = Arc::clone(&self);
        background.spawn(async move { puller.keep_counted().await });
        let (mut failures, mut provisioned) = (0, None::<Instant>);
        let mut next = tokio::time::Instant::now();
        loop {
            tokio::select! {
                () = &mut stop => break,
                Some(done) = working.join_next() => {
                    self.count_failure(&mut failures, done.unwrap_or(Ok(())));
                    // There is room for another one.
                    if failures == 0 {
                        next = tokio::time::Instant::now();
                    }
                }
                () = tokio::time::sleep_until(next) => {
                    // Organisations may be added while the service runs.
                    if provisioned.is_none_or(|at| at.elapsed() > PROVISION_INTERVAL) {
                        self.provision_logged().await;
                        provisioned = Some(Instant::now());
                    }
                    let mut pause = INTERVAL;
                    match self.lease().await {
                        Ok(leased) => {
                            for (task, place) in leased {
                                let (puller, stopping) = (Arc::clone(&self), stopping.clone());
                                working.spawn(in_place(place, async move { puller.work_until(task, stopping).await }));
                            }
                        }
                        Err(error) => {
                            self.count_failure(&mut failures, Err(error));
                            pause = backoff(INTERVAL, MAX_STORE_PAUSE, failures, rand::random()).max(INTERVAL);
                        }
                    }
                    next = tokio::time::Instant::now() + pause;
                }
            }
        }
        stopping.cancel();
        while working.join_next().await.is_some() {}
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

    /// Reports the due tasks to the observer at intervals. A failure of the store is reported by the next lease.
    async fn keep_counted(&self) -> Infallible {
        let Some(observer) = &self.observer else {
            return pending().await;
        };
        let slugs: Vec<_> = self.connectors.keys().copied().collect();
        loop {
            let now = self.now();
            if let Ok(backlogs) = self.linker.store.pull_backlogs(&slugs, now).await {
                observer.backlogs(&backlogs, now);
            }
            tokio::time::sleep(COUNT_INTERVAL).await;
        }
    }

    /// Reports the outcome of an attempt to the observer and to the trace.
    fn observe(&self, leased: &LeasedPullTask, outcome: &'static str) {
        tracing::Span::current().record("outcome", outcome);
        if let Some(observer) = &self.observer {
            observer.attempted(&leased.provider, task::kind(&leased.name), outcome);
        }
    }

    /// Sets up the providers for linking, as [`run`](Self::run) does repeatedly.
    ///
    /// # Errors
    ///
    /// If the store fails, or has no secret key to encrypt the client secrets with.
    pub async fn provision(&self) -> Result<(), StoreError> {
        let connectors = self.connectors.values().map(|running| &running.connector);
        provision(&self.linker.store, connectors).await
    }

    async fn provision_logged(&self) {
        match AssertUnwindSafe(self.provision()).catch_unwind().await {
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
        let leased = self.lease().await?;
        let count = leased.len();
        let working = leased
            .into_iter()
            .map(|(task, place)| in_place(place, async move { self.work(&task).await }));
        let mut working: FuturesUnordered<_> = working.collect();
        let mut outcome = Ok(count);
        while let Some(done) = working.next().await {
            if let Err(error) = done {
                outcome = Err(error);
            }
        }
        outcome
    }

    /// Leases due tasks of the providers that take requests: of each, as many as it has free places.
    async fn lease(&self) -> Result<Vec<(LeasedPullTask, OwnedSemaphorePermit)>, StoreError> {
        let now = self.now();
        let ready = self.connectors.iter().filter(|(_, running)| !running.is_paused(now));
        let free = ready.map(|(slug, running)| (*slug, running.places.available_permits()));
        let free: Vec<_> = free.filter(|(_, places)| *places > 0).collect();
        let slugs: Vec<_> = free.iter().map(|(slug, _)| *slug).collect();
        let store = &self.linker.store;
        // A read: an idle service takes no lock.
        let due = store.next_pull_task_due(&slugs).await?;
        if due.is_none_or(|due| due > now) {
            return Ok(Vec::new());
        }
        let until = now + LEASE;
        let lease = store.write(|write| {
            let mut leased = Vec::new();
            for (slug, places) in &free {
                leased.extend(write.lease_pull_tasks(&[slug], now, until, *places, wearlab_clock::fresh_id)?);
            }
            Ok(leased)
        });
        let leased = lease.await?.into_iter().filter_map(|task| {
            let running = self.connectors.get(task.provider.as_str())?;
            // A task without a place is repeated when its lease ends.
            let place = Arc::clone(&running.places).try_acquire_owned().ok()?;
            Some((task, place))
        });
        Ok(leased.collect())
    }

    fn now(&self) -> DateTime<Utc> {
        (self.linker.now)()
    }
}

/// Works on a task, and then frees its place.
async fn in_place<T>(place: OwnedSemaphorePermit, work: impl Future<Output = T>) -> T {
    let done = work.await;
    drop(place);
    done
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
