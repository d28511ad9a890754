//! Reads the event log, and sends each destination what is for it.
//!
//! Every destination has a task, a cursor and retries of its own, so that none waits for another. What is delivered, and
//! what is not, is written down after each batch: a crash before that sends the batch again, with the same event ids.
//!
//! Where several processes share a store, each works for a part of the destinations, under leases. Where one is gone, its
//! part goes to the others once its leases are over.

mod check;
mod filter;
mod health;
mod held;
mod kinds;
mod notes;
mod observer;
mod part;
mod routes;
mod shape;
#[cfg(test)]
mod tests;
mod verdict;
mod worker;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval};
use wearlab_models::Uuid;
use wearlab_store::{Backlog, Changes, Store, StoreError, Transaction};

pub use self::check::{CheckedLane, check};
use self::held::RENEW;
pub use self::kinds::Kinds;
use self::notes::Notes;
pub use self::observer::{DeliveryObserver, Lane, Sent};
use self::part::Part;
use crate::webhook::schedule;

/// How often the list of destinations is made anew though nothing changed it: secrets run out.
const LOOK: Duration = Duration::from_secs(30);

/// How often it is measured how far destinations are behind.
const MEASURE: Duration = Duration::from_secs(10);

/// The longest pause before a destination or an event is tried again.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// How long to wait after the store failed.
const STORE_PAUSE: Duration = Duration::from_secs(2);

/// How deliveries are made.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DispatchSettings {
    /// How long a webhook waits after so many attempts that failed; nothing to give up. The schedule of Standard Webhooks
    /// by default.
    pub schedule: fn(failed: u32, random: f64) -> Option<Duration>,
    /// How old an event of any other kind may become before it is tried no more. Seven days by default.
    pub give_up_after: Duration,
    /// How long a destination that is down, or an event that failed, waits first; longer each time. A second by default.
    pub first_pause: Duration,
    /// How often the log is looked at for new events. 200 ms by default.
    pub poll: Duration,
    /// While so many events of a destination wait to be tried again, no new ones are begun with. 1,000 by default.
    pub window: usize,
}

impl Default for DispatchSettings {
    fn default() -> Self {
        Self {
            schedule,
            give_up_after: Duration::from_secs(7 * 24 * 3600),
            first_pause: Duration::from_secs(1),
            poll: Duration::from_millis(200),
            window: 1000,
        }
    }
}

/// Sends the events of a store's log to where they are for.
pub struct Dispatcher {
    shared: Arc<Shared>,
    part: Part,
    seen: Changes,
}

/// What all workers use.
struct Shared {
    store: Store,
    settings: DispatchSettings,
    observer: Arc<dyn DeliveryObserver>,
    now: fn() -> DateTime<Utc>,
    random: fn() -> f64,
    notes: Notes,
}

impl Dispatcher {
    /// A dispatcher that sends to `kinds` of destinations and tells `observer` how it goes. `holder` names it among all
    /// that share the store, `now` is the clock, `random` gives numbers from 0 to 1.
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
            notes: Notes::default(),
        };
        let shared = Arc::new(shared);
        Self {
            part: Part::new(Arc::clone(&shared), kinds, holder),
            shared,
            seen: Changes::default(),
        }
    }

    /// Delivers until `stop` is ready. What is under way then is cut, and sent again by the next run.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        let mut poll = interval(self.shared.settings.poll);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut look = Look {
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
            match self.follow(&mut look).await {
                Ok(()) if failing => {
                    failing = false;
                    tracing::info!("events are looked for again");
                }
                Ok(()) => {}
                Err(error) => {
                    // Said once: a database may be away for long.
                    if !failing {
                        tracing::error!(error = &error as &dyn std::error::Error, "cannot look for events");
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
        self.part.end().await;
        if let Some(measuring) = measuring {
            let _ = measuring.await;
        }
    }

    /// Looks for what changed, and wakes those whom it concerns.
    async fn follow(&mut self, look: &mut Look) -> Result<(), StoreError> {
        let (store, now) = (&self.shared.store, Instant::now());
        // First, whatever takes its time: they run out.
        if store.is_shared() && now >= look.at_leases {
            self.part.share(now).await?;
            look.at_leases = now + RENEW;
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
        let placed = self.part.take_places(&mut look.at_routes).await?;
        let changed = changes.routes != self.seen.routes || now >= look.at_routes;
        if changed {
            self.part.place_again();
        }
        if changed || placed {
            self.part.look().await?;
            self.part.share(Instant::now()).await?;
            look.at_routes = now + LOOK;
        }
        self.part.keep_workers().await;
        self.part.wake(|lane| replays || new_teams.contains(&lane.team_id));
        self.seen = changes;
        Ok(())
    }

    /// Measures how far the destinations are behind, beside everything else: much that waits takes time to count.
    fn measure(&self) -> JoinHandle<()> {
        let known: Vec<_> = (self.part.lanes()).map(|(lane, id)| (lane.clone(), id)).collect();
        let (shared, runtime) = (Arc::clone(&self.shared), tokio::runtime::Handle::current());
        tokio::task::spawn_blocking(move || {
            let mut behind: BTreeMap<_, Backlog> = BTreeMap::new();
            for (lane, id) in known {
                let Ok(backlog) = runtime.block_on(shared.store.backlog(id)) else {
                    // It is said elsewhere that the store fails.
                    return;
                };
                let sum = behind.entry((lane.team_id, lane.kind)).or_default();
                sum.waiting += backlog.waiting;
                sum.parked += backlog.parked;
                sum.oldest = [sum.oldest, backlog.oldest].into_iter().flatten().min();
            }
            shared.observer.behind(&behind, (shared.now)());
        })
    }
}

/// When to look again.
struct Look {
    at_routes: Instant,
    at_leases: Instant,
}

impl Shared {
    /// Writes on a thread that may wait for the disk.
    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = self.store.clone();
        let runtime = tokio::runtime::Handle::current();
        let written = tokio::task::spawn_blocking(move || runtime.block_on(store.write(work)));
        written.await.map_err(|error| StoreError::Engine(error.into()))?
    }
}
