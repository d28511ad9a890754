//! Reads the event log, and sends each destination what is for it.
//!
//! Every destination has a task, a cursor and retries of its own, so that none waits for another. What is delivered, and
//! what is not, is written down after each batch: a crash before that sends the batch again, with the same event ids.

mod filter;
mod shape;
mod worker;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::task::JoinHandle;
use wearlab_store::{Store, StoreError, WebhookEndpoint};

use crate::webhook::{Sender, schedule};

use self::worker::Worker;

/// How often the list of destinations is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// How deliveries are made.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DispatchSettings {
    /// How long to wait after so many attempts that failed; nothing to give up. The schedule of Standard Webhooks by
    /// default.
    pub schedule: fn(failed: u32, random: f64) -> Option<Duration>,
    /// How often the log is looked at for new events. 200 ms by default.
    pub poll: Duration,
    /// How many events are sent together at most. 50 by default.
    pub batch: usize,
    /// While so many events of a destination wait to be tried again, no new ones are begun with. 1,000 by default.
    pub window: usize,
}

impl Default for DispatchSettings {
    fn default() -> Self {
        Self {
            schedule,
            poll: Duration::from_millis(200),
            batch: 50,
            window: 1000,
        }
    }
}

/// Sends the events of a store's log to where they are for.
#[derive(Debug)]
pub struct Dispatcher {
    shared: Arc<Shared>,
    workers: HashMap<String, Running>,
}

/// What all workers use.
#[derive(Debug)]
struct Shared {
    store: Store,
    sender: Sender,
    settings: DispatchSettings,
    now: fn() -> DateTime<Utc>,
    random: fn() -> f64,
}

/// A worker, and the endpoint as it was when the worker began.
#[derive(Debug)]
struct Running {
    endpoint: WebhookEndpoint,
    task: JoinHandle<()>,
}

impl Dispatcher {
    /// A dispatcher that sends with `sender`. `now` is the clock, `random` gives numbers from 0 to 1.
    pub fn new(
        store: Store,
        sender: Sender,
        settings: DispatchSettings,
        now: fn() -> DateTime<Utc>,
        random: fn() -> f64,
    ) -> Self {
        let shared = Shared {
            store,
            sender,
            settings,
            now,
            random,
        };
        Self {
            shared: Arc::new(shared),
            workers: HashMap::new(),
        }
    }

    /// Delivers until `stop` is ready. What is under way then is cut, and sent again by the next run.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        loop {
            if let Err(error) = self.keep_workers().await {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "cannot read the list of webhooks"
                );
            }
            tokio::select! {
                () = &mut stop => return,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// Starts a worker for each endpoint that has none, and ends those of endpoints that are gone or have changed.
    async fn keep_workers(&mut self) -> Result<(), StoreError> {
        let mut endpoints: HashMap<_, _> = (self.shared.store.webhooks().await?.into_iter())
            .filter(|endpoint| endpoint.disabled.is_none())
            .map(|endpoint| (endpoint.webhook_id.clone(), endpoint))
            .collect();
        self.workers
            .retain(|id, running| endpoints.get(id) == Some(&running.endpoint) && !running.task.is_finished());
        for id in self.workers.keys() {
            endpoints.remove(id);
        }
        for (id, endpoint) in endpoints {
            let worker = Worker::new(Arc::clone(&self.shared), endpoint.clone());
            let task = tokio::spawn(worker.run());
            self.workers.insert(id, Running { endpoint, task });
        }
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}
