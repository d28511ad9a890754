//! The part of the destinations that this process works for: all of them, unless others share the store.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use wearlab_models::Uuid;
use wearlab_store::{DestinationId, StoreError, Transaction};

use super::held::{Held, SPAN};
use super::routes::{Route, routes};
use super::worker::Worker;
use super::{Kinds, Lane, Shared};

/// Destinations with their places in the store.
type Places = Vec<(Lane, (DestinationId, Route))>;

/// What this process works for.
pub(super) struct Part {
    shared: Arc<Shared>,
    kinds: Kinds,
    /// What names this process among those that share the store.
    holder: Uuid,
    /// Everything that somebody works for.
    routes: HashMap<Lane, (DestinationId, Route)>,
    /// The write that gives new destinations their places. It may have to wait for others that write, and leases do not
    /// wait for it.
    placing: Option<JoinHandle<Result<Places, StoreError>>>,
    /// What there was such a write for since something changed: what got no place then, gets none now.
    placed: HashSet<Lane>,
    /// What this process may work for.
    held: HashMap<DestinationId, Arc<Held>>,
    running: HashMap<Lane, Running>,
}

/// A destination that is worked for, and what it was made of.
struct Running {
    route: Route,
    held: Arc<Held>,
    wake: Arc<Notify>,
    /// None where the route can be no destination.
    task: Option<JoinHandle<()>>,
}

impl Part {
    pub(super) fn new(shared: Arc<Shared>, kinds: Kinds, holder: Uuid) -> Self {
        Self {
            shared,
            kinds,
            holder,
            routes: HashMap::new(),
            placing: None,
            placed: HashSet::new(),
            held: HashMap::new(),
            running: HashMap::new(),
        }
    }

    /// Lists what events are for, and gives what is new there a place in the store.
    pub(super) async fn look(&mut self) -> Result<(), StoreError> {
        let store = &self.shared.store;
        let (pipelines, webhooks) = (store.all_pipelines().await?, store.webhooks().await?);
        let routes = routes(pipelines, webhooks, &self.kinds, (self.shared.now)());
        let known: HashMap<_, _> = (self.routes.drain()).map(|(lane, (id, _))| (lane, id)).collect();
        let (old, new): (Vec<_>, Vec<_>) = routes.into_iter().partition(|route| known.contains_key(&route.lane));
        self.routes = (old.into_iter())
            .filter_map(|route| Some((route.lane.clone(), (*known.get(&route.lane)?, route))))
            .collect();
        let new: Vec<_> = (new.into_iter())
            .filter(|route| !self.placed.contains(&route.lane))
            .collect();
        if !new.is_empty() && self.placing.is_none() {
            self.placed.extend(new.iter().map(|route| route.lane.clone()));
            let shared = Arc::clone(&self.shared);
            let placing = async move { shared.write(|write| Ok(place(write, new))).await };
            self.placing = Some(tokio::spawn(placing));
        }
        Ok(())
    }

    /// What has no place may get one: something changed.
    pub(super) fn place_again(&mut self) {
        self.placed.clear();
    }

    /// Takes the places that were made meanwhile, and says whether there was a write for them: routes may have changed
    /// since it was begun. `at_routes` is when to look again unless that works at once.
    pub(super) async fn take_places(&mut self, at_routes: &mut Instant) -> Result<bool, StoreError> {
        let Some(placing) = self.placing.take_if(|placing| placing.is_finished()) else {
            return Ok(false);
        };
        *at_routes = Instant::now();
        let places = placing.await.map_err(|error| StoreError::Engine(error.into()))??;
        self.routes.extend(places);
        Ok(true)
    }

    /// Asks for leases, and keeps those that this process has.
    pub(super) async fn share(&mut self, now: Instant) -> Result<(), StoreError> {
        let store = &self.shared.store;
        let wanted: Vec<_> = self.routes.values().map(|(id, _)| *id).collect();
        let share = store.share(self.holder, &wanted, SPAN).await?;
        let until = store.is_shared().then_some(now + SPAN);
        let mut before = std::mem::take(&mut self.held);
        for lease in share.leases {
            let held = match before.remove(&lease.destination) {
                Some(held) if held.lease == lease => {
                    held.renew(until);
                    held
                }
                _ => Arc::new(Held::new(lease, until)),
            };
            self.held.insert(lease.destination, held);
        }
        if share.surplus > 0 {
            let surplus: Vec<_> = self.held.values().map(|held| held.lease).take(share.surplus).collect();
            for lease in &surplus {
                self.held.remove(&lease.destination);
            }
            // Ended before others may begin.
            self.end_others().await;
            self.shared.store.release(&surplus).await?;
        }
        Ok(())
    }

    /// Ends the workers of destinations that are gone or have changed, or that this process has no more.
    async fn end_others(&mut self) {
        let (routes, held) = (&self.routes, &self.held);
        let stays = |lane: &Lane, running: &Running| {
            let route = routes.get(lane).is_some_and(|(_, route)| *route == running.route);
            let lease = held.get(&running.held.lease.destination);
            route && lease.is_some_and(|lease| Arc::ptr_eq(lease, &running.held)) && !running.is_over()
        };
        let others: Vec<_> = self.running.extract_if(|lane, running| !stays(lane, running)).collect();
        for (lane, mut running) in others {
            running.end().await;
            self.shared.observer.removed(&lane);
        }
    }

    /// Starts a worker for each destination that this process has and works for no more or not yet.
    pub(super) async fn keep_workers(&mut self) {
        self.end_others().await;
        let missing: Vec<_> = (self.routes.iter())
            .filter(|(lane, _)| !self.running.contains_key(lane))
            .filter_map(|(_, (id, route))| Some((route.clone(), Arc::clone(self.held.get(id)?))))
            .collect();
        for (route, held) in missing {
            self.running.insert(route.lane.clone(), self.start(route, held));
        }
    }

    fn start(&self, route: Route, held: Arc<Held>) -> Running {
        let wake = Arc::new(Notify::new());
        let task = match self.kinds.destination(&route, (self.shared.now)()) {
            Ok(destination) => {
                let worker = Worker {
                    shared: Arc::clone(&self.shared),
                    route: route.clone(),
                    destination,
                    held: Arc::clone(&held),
                    wake: Arc::clone(&wake),
                };
                Some(tokio::spawn(worker.run()))
            }
            Err(unusable) => {
                let Lane { team_id, kind, .. } = &route.lane;
                tracing::error!(%team_id, kind, reason = %unusable, "events cannot be delivered");
                self.shared.observer.up(&route.lane, false);
                None
            }
        };
        Running {
            route,
            held,
            wake,
            task,
        }
    }

    /// What is worked for here, and its place in the store.
    pub(super) fn lanes(&self) -> impl Iterator<Item = (&Lane, DestinationId)> {
        (self.running.iter()).map(|(lane, running)| (lane, running.held.lease.destination))
    }

    /// Wakes the workers of some lanes.
    pub(super) fn wake(&self, concerned: impl Fn(&Lane) -> bool) {
        for (lane, running) in &self.running {
            if concerned(lane) {
                running.wake.notify_one();
            }
        }
    }

    /// Ends all work, and leaves it to others.
    pub(super) async fn end(&mut self) {
        for running in self.running.values_mut() {
            running.end().await;
        }
        if self.shared.store.is_shared() {
            // Unless it works, others wait until the leases are over.
            let _ = self.shared.store.leave(self.holder).await;
        }
    }
}

/// Gives destinations their places in the store. What cannot have one, as where its team is just gone, is left out.
fn place(write: &mut Transaction<'_>, routes: Vec<Route>) -> Places {
    let place = |write: &mut Transaction<'_>, lane: &Lane| {
        let team = write.team(lane.team_id)?.ok_or(StoreError::Missing { what: "team" })?;
        write.destination(team, &lane.kind, lane.webhook_id.as_deref())
    };
    (routes.into_iter())
        .filter_map(|route| {
            let id = write.attempt(|write| place(write, &route.lane)).ok()?;
            Some((route.lane.clone(), (id, route)))
        })
        .collect()
}

impl Running {
    /// Cuts what is under way.
    async fn end(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
            let _ = task.await;
        }
    }

    /// Whether the worker ended by itself.
    fn is_over(&self) -> bool {
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
