//! Faults, kills and changes of data at random. In the end, a store has what another one pulls without them.

use std::collections::BTreeMap;
use std::iter::repeat_n;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use chrono::{Days, NaiveDate, TimeDelta};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use tokio::net::TcpListener;
use wearlab_connect::Provider;
use wearlab_providers::simulated::faults::{Fault, Faults};
use wearlab_providers::simulated::simulation::Simulation;

use crate::log::Log;
use crate::permits::{Permits, Permitted};
use crate::values::check_same;
use crate::world::{CLIENT_SECRET, World, advance, now, set_now, start};

const ROUNDS: usize = 30;
/// Begin of each token of a simulation: `{"id":"`, encoded.
const TOKEN: &str = "eyJpZCI6I";

/// Simulation of a provider, and changes of its data.
pub(crate) struct Simulated<D, E> {
    pub(crate) provider: fn() -> Box<dyn Provider>,
    /// Creates a simulation without data.
    pub(crate) simulation: fn() -> Simulation<D, E>,
    pub(crate) router: fn(&Simulation<D, E>) -> Router,
    pub(crate) token_path: &'static str,
    /// Number of seeds: few where pulls have many requests.
    pub(crate) seeds: u64,
    /// Days before the link with data.
    pub(crate) days: u32,
    pub(crate) add_day: fn(&mut D, NaiveDate),
    /// Corrects a value of the last days, from a day on.
    pub(crate) correct: fn(&mut D, NaiveDate, i64),
}

/// Prints the seed of a test that fails.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {0}: TEST_SEED={0} repeats it", self.0);
        }
    }
}

/// Returns the seed of `TEST_SEED`, or the usual number of seeds.
fn seeds(usual: u64) -> Vec<u64> {
    match std::env::var("TEST_SEED") {
        Ok(text) => vec![text.parse().expect("TEST_SEED is a whole number")],
        Err(_) => (0..usual).collect(),
    }
}

/// Pulls with faults of some seeds, and compares what the stores have with what they have without faults.
pub(crate) async fn data_arrive_whatever_fails<D, E>(simulated: Simulated<D, E>)
where
    D: Send + 'static,
    E: Send + Sync + 'static,
{
    for seed in seeds(simulated.seeds) {
        let seed = Seed(seed);
        let log = Log::capture();
        set_now(start());
        let mut run = Run::new(&simulated, SmallRng::seed_from_u64(seed.0)).await;
        run.disturb().await;
        run.finish().await;
        run.check().await;
        tracing::info!("the end");
        let log = log.text();
        assert!(log.contains("the end"), "the log is captured");
        for secret in [TOKEN, CLIENT_SECRET] {
            let line = log.lines().find(|line| line.contains(secret));
            assert_eq!(line, None, "a secret is in the log");
        }
    }
}

/// Run of one seed.
struct Run<'a, D, E> {
    simulated: &'a Simulated<D, E>,
    simulation: Simulation<D, E>,
    /// Faults of all requests, also of those for tokens.
    faults: Faults,
    permits: Permits,
    url: String,
    world: World,
    random: SmallRng,
    /// Day whose data come next.
    next_day: NaiveDate,
    links: usize,
    /// True if the access token has ended, and nothing refreshes it.
    is_ended: Arc<AtomicBool>,
}

impl<'a, D: Send + 'static, E: Send + Sync + 'static> Run<'a, D, E> {
    /// Creates a store with a user who linked the provider.
    async fn new(simulated: &'a Simulated<D, E>, random: SmallRng) -> Self {
        let simulation = (simulated.simulation)();
        let (faults, permits) = (Faults::default(), Permits::default());
        let router = permits.layer(faults.layer((simulated.router)(&simulation)));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a listener");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let mut run = Self {
            world: world(simulated, &permits, &url, simulated.days + 5).await,
            simulated,
            simulation,
            faults,
            permits,
            url,
            random,
            next_day: start().date_naive() - Days::new(simulated.days.into()),
            links: 0,
            is_ended: Arc::default(),
        };
        run.add_days(1);
        run.link().await;
        run
    }

    /// Adds the data of the days that have none, up to some days ago.
    fn add_days(&mut self, days_ago: u64) {
        let last = now().date_naive() - Days::new(days_ago);
        while self.next_day <= last {
            let day = self.next_day;
            self.simulation.with_data(|data| (self.simulated.add_day)(data, day));
            self.next_day = day + Days::new(1);
        }
    }

    /// Returns an action that corrects a value of the last days.
    fn correction(&mut self) -> impl FnOnce() + Send + 'static {
        let (simulation, correct) = (self.simulation.clone(), self.simulated.correct);
        let (day, number) = (now().date_naive() - Days::new(2), self.random.random_range(60..300));
        move || simulation.with_data(|data| correct(data, day, number))
    }

    async fn link(&mut self) {
        self.is_ended.store(false, Ordering::Relaxed);
        self.links += 1;
        link(&self.world, &self.simulation).await;
    }

    /// Links again if the connection no longer works.
    async fn link_if_broken(&mut self) -> bool {
        let is_broken = self.is_ended.load(Ordering::Relaxed) || self.world.is_broken().await;
        if is_broken {
            self.link().await;
        }
        is_broken
    }

    /// Draws faults of the next requests, and changes between them.
    fn draw(&mut self) {
        self.faults.clear();
        for _ in 0..self.random.random_range(0..6) {
            let before = self.random.random_range(0..6);
            let fault = fault(&mut self.random);
            self.faults.push(repeat_n(Fault::None, before).chain([fault]));
        }
        let requests = self.random.random_range(0..8);
        if self.random.random_bool(0.2) {
            let correction = self.correction();
            self.faults.before(requests, correction);
        }
        if self.random.random_bool(0.1) {
            let (grants, is_ended) = (self.simulation.grants().clone(), self.is_ended.clone());
            let has_refresh = grants.issue_refreshable(&self.world.scopes()).1.is_some();
            self.faults.before(requests, move || {
                grants.expire_access_tokens();
                is_ended.fetch_or(!has_refresh, Ordering::Relaxed);
            });
        }
        if self.random.random_bool(0.3) {
            self.correction()();
        }
        if self.random.random_bool(0.02) {
            self.simulation.grants().revoke_all();
            self.is_ended.store(true, Ordering::Relaxed);
        }
    }

    /// Pulls with faults, by two processes that are killed now and then.
    async fn disturb(&mut self) {
        let mut pullers = [self.world.puller(), self.world.puller()];
        for _ in 0..ROUNDS {
            self.draw();
            let number = self.random.random_range(0..2);
            match self.random.random_range(0..3) {
                0 => {
                    let killed = std::mem::replace(&mut pullers[number], self.world.puller());
                    self.faults.push(repeat_n(Fault::Slow(Duration::from_millis(5)), 5));
                    let after = Duration::from_millis(self.random.random_range(0..40));
                    self.world.kill(killed, after).await;
                }
                1 => drop(pullers[number].pull_due().await.expect("a store")),
                _ => {
                    let [first, second] = &pullers;
                    let (first, second) = tokio::join!(first.pull_due(), second.pull_due());
                    first.and(second).expect("a store");
                }
            }
            let days_ago = self.random.random_range(0..2);
            self.add_days(days_ago);
            if self.random.random_bool(0.5) {
                self.link_if_broken().await;
            }
            advance(TimeDelta::minutes(self.random.random_range(0..60)));
        }
        self.faults.clear();
        self.add_days(0);
    }

    /// Pulls without faults, after pauses longer than any of a task.
    async fn finish(&mut self) {
        let puller = self.world.puller();
        for hours in [37, 25] {
            advance(TimeDelta::hours(hours));
            self.world.settle(&puller).await;
            if self.link_if_broken().await {
                self.world.settle(&puller).await;
            }
        }
    }

    /// Compares the store with one that pulls the same data without a fault.
    async fn check(&self) {
        let events = self.world.historical_events().await;
        let is_each_once = events.values().all(|count| (1..=self.links).contains(count));
        assert!(is_each_once, "{events:?} of {} links", self.links);
        let other = world(self.simulated, &self.permits, &self.url, self.simulated.days + 8).await;
        link(&other, &self.simulation).await;
        other.settle(&other.puller()).await;
        let expected: BTreeMap<_, _> = other.history_resources().map(|name| (name, 1)).collect();
        assert_eq!(other.historical_events().await, expected);
        assert!(events.keys().eq(expected.keys()), "{events:?}");
        let values = other.values().await;
        assert!(!values.is_empty());
        check_same(&self.world.values().await, &values);
        self.permits.check();
    }
}

async fn world<D, E>(simulated: &Simulated<D, E>, permits: &Permits, url: &str, history_days: u32) -> World {
    let provider = Permitted {
        provider: (simulated.provider)(),
        permits: permits.clone(),
    };
    World::new(Arc::new(provider), url, simulated.token_path, history_days).await
}

async fn link<D, E>(world: &World, simulation: &Simulation<D, E>) {
    let (access_token, refresh_token) = simulation.grants().issue_refreshable(&world.scopes());
    world.link(access_token, refresh_token).await;
}

fn fault(random: &mut SmallRng) -> Fault {
    let seconds = Duration::from_secs(random.random_range(1..1_800));
    match random.random_range(0..8) {
        0 => Fault::Status(429),
        1 => Fault::TooManyRequests(seconds),
        2 => Fault::Status(500),
        3 => Fault::Status(503),
        4 => Fault::Unavailable(seconds),
        5 => Fault::Slow(Duration::from_millis(20)),
        6 => Fault::Truncated,
        _ => Fault::Malformed,
    }
}
