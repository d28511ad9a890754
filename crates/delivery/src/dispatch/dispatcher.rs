//! The loop that follows the log and the pipelines, and wakes the workers.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval};
use wearlab_models::Uuid;
use wearlab_store::{Backlog, Changes, Store, StoreError};

use super::assignments::Assignments;
use super::lease::RENEW;
use super::observer::DeliveryObserver;
use super::settings::DispatchSettings;
use super::shared::{STORE_PAUSE, Shared};
use crate::kinds::Kinds;

/// Interval of refreshes of destinations without a change: secrets expire.
const REFRESH: Duration = Duration::from_secs(30);

/// Interval of measurements of backlogs.
const MEASURE: Duration = Duration::from_secs(10);

/// Delivers the events of a store's log.
pub struct Dispatcher {
    shared: Arc<Shared>,
    assignments: Assignments,
    seen: Changes,
}

impl Dispatcher {
    /// A dispatcher that sends to `kinds` of destinations and reports to `observer`. `holder` names it among the
    /// processes that share the store, `now` is the clock, `random` gives numbers from 0 to 1.
    pub fn new(
        store: Store,
        holder: Uuid,
        kinds: Kinds,
        settings: DispatchSettings,
        observer: Arc<dyn DeliveryObserver>,
        now: fn() -> DateTime<Utc>,
        random: fn() -> f64,
    ) -> Self {
        let shared = Shared {
            store,
            settings,
            observer,
            now,
            random,
            progress: Arc::default(),
        };
        let shared = Arc::new(shared);
        Self {
            assignments: Assignments::new(Arc::clone(&shared), kinds, holder),
            shared,
            seen: Changes::default(),
        }
    }

    /// Delivers until `stop` is ready. Messages in flight at that time are sent again by the next run.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        let mut poll = interval(self.shared.settings.poll);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut next = Next {
            at_routes: Instant::now(),
            at_leases: Instant::now(),
        };
        let mut failing = false;
        let mut measuring = None;
        let mut measure = Instant::now();
        loop {
            tokio::select! {
                () = &mut stop => break,
                _ = poll.tick() => {}
            }
            match self.follow(&mut next).await {
                Ok(()) if failing => {
                    failing = false;
                    tracing::info!("reading events again");
                }
                Ok(()) => {}
                Err(error) => {
                    // Once: a database may be away for long.
                    if !failing {
                        tracing::error!(error = &error as &dyn std::error::Error, "failed to read events");
                    }
                    failing = true;
                    poll.reset_after(STORE_PAUSE);
                }
            }
            let measured = measuring.as_ref().is_none_or(JoinHandle::is_finished);
            if measured && Instant::now() >= measure {
                measure = Instant::now() + MEASURE;
                measuring = Some(self.measure());
            }
        }
        self.assignments.stop().await;
        if let Some(measuring) = measuring {
            let _ = measuring.await;
        }
    }

    /// Finds changes, and wakes the affected workers.
    async fn follow(&mut self, next: &mut Next) -> Result<(), StoreError> {
        let (store, now) = (&self.shared.store, Instant::now());
        // First: they expire, and the rest may take long.
        if store.is_shared() && now >= next.at_leases {
            self.assignments.balance(now).await?;
            next.at_leases = now + RENEW;
        }
        let changes = store.changes().await?;
        let new_teams: HashSet<_> = match changes.last_event > self.seen.last_event {
            true => store
                .teams_with_events(self.seen.last_event)
                .await?
                .into_iter()
                .collect(),
            false => HashSet::new(),
        };
        let replays = changes.replays != self.seen.replays;
        let registered = self.assignments.add_registered(&mut next.at_routes).await?;
        let changed = changes.routes != self.seen.routes || now >= next.at_routes;
        if changed {
            self.assignments.retry_registration();
        }
        if changed || registered {
            self.assignments.refresh().await?;
            self.assignments.balance(Instant::now()).await?;
            next.at_routes = now + REFRESH;
        }
        self.assignments.start_workers().await;
        self.assignments.wake(|key| replays || new_teams.contains(&key.team_id));
        self.seen = changes;
        Ok(())
    }

    /// Measures the backlogs, in the background: long ones take time to count.
    fn measure(&self) -> JoinHandle<()> {
        let known: Vec<_> = (self.assignments.keys()).map(|(key, id)| (key.clone(), id)).collect();
        let (shared, runtime) = (Arc::clone(&self.shared), tokio::runtime::Handle::current());
        tokio::task::spawn_blocking(move || {
            let mut backlogs: BTreeMap<_, Backlog> = BTreeMap::new();
            for (key, id) in known {
                let Ok(backlog) = runtime.block_on(shared.store.backlog(id)) else {
                    // Reported elsewhere.
                    return;
                };
                let sum = backlogs.entry((key.team_id, key.kind)).or_default();
                sum.waiting += backlog.waiting;
                sum.parked += backlog.parked;
                sum.oldest = [sum.oldest, backlog.oldest].into_iter().flatten().min();
            }
            shared.observer.backlogs(&backlogs, (shared.now)());
        })
    }
}

/// Times of the next refresh of routes, and of the next renewal of leases.
struct Next {
    at_routes: Instant,
    at_leases: Instant,
}
