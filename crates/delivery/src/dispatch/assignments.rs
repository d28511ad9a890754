//! The destinations of this process: all of them, unless other processes share the store.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use wearlab_models::Uuid;
use wearlab_store::{DestinationId, StoreError, Transaction};

use super::lease::{LeaseGuard, SPAN};
use super::observer::DestinationKey;
use super::routes::{Route, routes};
use super::shared::Shared;
use super::worker::Worker;
use crate::kinds::Kinds;

/// Destinations with their ids in the store.
type Registered = Vec<(DestinationKey, (DestinationId, Route))>;

/// The destinations of this process.
pub(super) struct Assignments {
    shared: Arc<Shared>,
    kinds: Kinds,
    /// The name of this process among those that share the store.
    holder: Uuid,
    /// The destinations of all processes.
    routes: HashMap<DestinationKey, (DestinationId, Route)>,
    /// The write that registers new destinations. It may wait for other writers, and leases do not wait for it.
    registering: Option<JoinHandle<Result<Registered, StoreError>>>,
    /// Keys with a failed registration since the last change: another attempt would fail, too.
    tried: HashSet<DestinationKey>,
    /// The leases of this process.
    guards: HashMap<DestinationId, Arc<LeaseGuard>>,
    running: HashMap<DestinationKey, Running>,
}

/// A destination of this process, with its route.
struct Running {
    route: Route,
    guard: Arc<LeaseGuard>,
    wake: Arc<Notify>,
    /// Worker. None if the route is invalid.
    task: Option<JoinHandle<()>>,
}

impl Assignments {
    pub(super) fn new(shared: Arc<Shared>, kinds: Kinds, holder: Uuid) -> Self {
        Self {
            shared,
            kinds,
            holder,
            routes: HashMap::new(),
            registering: None,
            tried: HashSet::new(),
            guards: HashMap::new(),
            running: HashMap::new(),
        }
    }

    /// Reads the destinations, and registers new ones in the store.
    pub(super) async fn refresh(&mut self) -> Result<(), StoreError> {
        let store = &self.shared.store;
        let (pipelines, webhooks) = (store.all_pipelines().await?, store.webhooks().await?);
        let routes = routes(
            pipelines,
            webhooks,
            self.kinds.has_svix(),
            self.kinds.only_webhooks,
            (self.shared.now)(),
        );
        let known: HashMap<_, _> = (self.routes.drain()).map(|(key, (id, _))| (key, id)).collect();
        let (old, new): (Vec<_>, Vec<_>) = routes.into_iter().partition(|route| known.contains_key(&route.key));
        self.routes = (old.into_iter())
            .filter_map(|route| Some((route.key.clone(), (*known.get(&route.key)?, route))))
            .collect();
        let new: Vec<_> = (new.into_iter())
            .filter(|route| !self.tried.contains(&route.key))
            .collect();
        if !new.is_empty() && self.registering.is_none() {
            self.tried.extend(new.iter().map(|route| route.key.clone()));
            let shared = Arc::clone(&self.shared);
            let registering = async move { shared.write(|write| Ok(register(write, new))).await };
            self.registering = Some(tokio::spawn(registering));
        }
        Ok(())
    }

    /// Allows another registration of everything after a change.
    pub(super) fn retry_registration(&mut self) {
        self.tried.clear();
    }

    /// Adds the destinations that were registered meanwhile. Returns whether there was a write: routes may have changed
    /// since it began. On failure, `at_routes` is set to the time of the next refresh.
    pub(super) async fn add_registered(&mut self, at_routes: &mut Instant) -> Result<bool, StoreError> {
        let Some(registering) = self.registering.take_if(|registering| registering.is_finished()) else {
            return Ok(false);
        };
        *at_routes = Instant::now();
        let registered = registering.await.map_err(|error| StoreError::Engine(error.into()))??;
        self.routes.extend(registered);
        Ok(true)
    }

    /// Renews and acquires leases, and releases those that other processes should have.
    pub(super) async fn balance(&mut self, now: Instant) -> Result<(), StoreError> {
        let store = &self.shared.store;
        let wanted: Vec<_> = self.routes.values().map(|(id, _)| *id).collect();
        let share = store.share(self.holder, &wanted, SPAN).await?;
        let until = store.is_shared().then_some(now + SPAN);
        let mut before = std::mem::take(&mut self.guards);
        for lease in share.leases {
            let guard = match before.remove(&lease.destination) {
                Some(guard) if guard.lease == lease => {
                    guard.renew(until);
                    guard
                }
                _ => Arc::new(LeaseGuard::new(lease, until)),
            };
            self.guards.insert(lease.destination, guard);
        }
        if share.surplus > 0 {
            let surplus: Vec<_> = self
                .guards
                .values()
                .map(|guard| guard.lease)
                .take(share.surplus)
                .collect();
            for lease in &surplus {
                self.guards.remove(&lease.destination);
            }
            // Stopped before other processes may start.
            self.stop_others().await;
            self.shared.store.release(&surplus).await?;
        }
        Ok(())
    }

    /// Stops the workers of destinations that are gone, have changed, or belong to another process.
    async fn stop_others(&mut self) {
        let (routes, guards) = (&self.routes, &self.guards);
        let is_current = |key: &DestinationKey, running: &Running| {
            let route = routes.get(key).is_some_and(|(_, route)| *route == running.route);
            let lease = guards.get(&running.guard.lease.destination);
            route && lease.is_some_and(|lease| Arc::ptr_eq(lease, &running.guard)) && !running.is_finished()
        };
        let others: Vec<_> = self
            .running
            .extract_if(|key, running| !is_current(key, running))
            .collect();
        for (key, mut running) in others {
            running.stop().await;
            self.shared.observer.removed(&key);
        }
    }

    /// Starts a worker for each destination of this process that has none.
    pub(super) async fn start_workers(&mut self) {
        self.stop_others().await;
        let missing: Vec<_> = (self.routes.iter())
            .filter(|(key, _)| !self.running.contains_key(key))
            .filter_map(|(_, (id, route))| Some((route.clone(), Arc::clone(self.guards.get(id)?))))
            .collect();
        for (route, guard) in missing {
            self.running.insert(route.key.clone(), self.start(route, guard));
        }
    }

    fn start(&self, route: Route, guard: Arc<LeaseGuard>) -> Running {
        let wake = Arc::new(Notify::new());
        let task = match self.kinds.destination(&route, (self.shared.now)()) {
            Ok(destination) => {
                let worker = Worker {
                    shared: Arc::clone(&self.shared),
                    route: route.clone(),
                    destination,
                    lease: Arc::clone(&guard),
                    wake: Arc::clone(&wake),
                };
                Some(tokio::spawn(worker.run()))
            }
            Err(error) => {
                let DestinationKey { team_id, kind, .. } = &route.key;
                tracing::error!(%team_id, kind, reason = %error, "destination is misconfigured");
                self.shared.observer.up(&route.key, false);
                None
            }
        };
        Running {
            route,
            guard,
            wake,
            task,
        }
    }

    /// The destinations of this process, with their ids in the store.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&DestinationKey, DestinationId)> {
        (self.running.iter()).map(|(key, running)| (key, running.guard.lease.destination))
    }

    /// Wakes the workers of some destinations.
    pub(super) fn wake(&self, is_affected: impl Fn(&DestinationKey) -> bool) {
        for (key, running) in &self.running {
            if is_affected(key) {
                running.wake.notify_one();
            }
        }
    }

    /// Stops all workers, and releases all leases.
    pub(super) async fn stop(&mut self) {
        for running in self.running.values_mut() {
            running.stop().await;
        }
        if self.shared.store.is_shared() {
            // If that fails, other processes wait until the leases expire.
            let _ = self.shared.store.leave(self.holder).await;
        }
    }
}

/// Registers destinations in the store, except those whose team was just deleted.
fn register(write: &mut Transaction<'_>, routes: Vec<Route>) -> Registered {
    let register = |write: &mut Transaction<'_>, key: &DestinationKey| {
        let team = write.team(key.team_id)?.ok_or(StoreError::Missing { what: "team" })?;
        write.destination(team, &key.kind, key.webhook_id.as_deref())
    };
    (routes.into_iter())
        .filter_map(|route| {
            let id = write.attempt(|write| register(write, &route.key)).ok()?;
            Some((route.key.clone(), (id, route)))
        })
        .collect()
}

impl Running {
    /// Stops the worker; messages in flight are sent again later.
    async fn stop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
            let _ = task.await;
        }
    }

    /// Returns whether the worker ended by itself.
    fn is_finished(&self) -> bool {
        self.task.as_ref().is_some_and(JoinHandle::is_finished)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}
