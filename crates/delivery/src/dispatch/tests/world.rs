//! A store with one team of a few users.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::Notify;
use wearlab_models::Uuid;
use wearlab_store::{
    Backlog, DeprecatedForms, DestinationId, EventFilter, Ingestion, Lease, LoggedEvent, Record, Store, ValidArrival,
};

use crate::Destination;
use crate::dispatch::lease::LeaseGuard;
use crate::dispatch::progress::ProgressWriter;
use crate::dispatch::routes::Route;
use crate::dispatch::shared::Shared;
use crate::dispatch::worker::Worker;
use crate::dispatch::{DestinationKey, DispatchSettings};

pub(super) struct World {
    pub(super) store: Store,
    pub(super) id: DestinationId,
    /// Writer shared by all workers, as in a process.
    progress: Arc<ProgressWriter>,
    _directory: Option<TempDir>,
}

fn team() -> Uuid {
    Uuid::from_u128(1)
}

fn user(number: u64) -> Uuid {
    Uuid::from_u128(100 + u128::from(number))
}

impl World {
    pub(super) async fn new(users: u64) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path()).expect("a store");
        Self {
            _directory: Some(directory),
            ..Self::on(store, users).await
        }
    }

    /// Fills a new store.
    pub(super) async fn on(store: Store, users: u64) -> Self {
        let mut records = vec![
            json!({"organisation": {"org_id": "o"}}),
            json!({"team": {"team_id": team(), "org_id": "o", "environment": "sandbox", "region": "eu"}}),
        ];
        for number in 0..users {
            records.push(json!({"user": {
                "user_id": user(number), "team_id": team(), "client_user_id": format!("client-{number}"),
                "created_on": "2026-01-01T00:00:00Z", "connected_sources": [],
                "fallback_time_zone": {"id": "UTC", "source_slug": "manual", "updated_at": "2026-01-01T00:00:00Z"},
            }}));
            records.push(
                json!({"connection": {"team_id": team(), "user_id": user(number), "provider": {
                    "name": "Stridewell", "slug": "stridewell", "logo": "https://logos.example/s.svg",
                    "status": "connected", "created_on": "2026-01-02T00:00:00Z", "resource_availability": {},
                }}}),
            );
        }
        let records: Vec<Record> = serde_json::from_value(records.into()).expect("records");
        let id = store.write(|write| {
            records.iter().try_for_each(|record| write.put(record))?;
            let team = write.team(team())?.expect("the team");
            write.destination(team, "fake", None)
        });
        Self {
            id: id.await.expect("writes"),
            store,
            progress: Arc::default(),
            _directory: None,
        }
    }

    /// Ingests data of a user, another value each time.
    pub(super) async fn walk(&self, number: u64, value: u64) {
        let arrival = json!({"data": {
            "team_id": team(), "user_id": user(number), "provider": "stridewell", "resource": "steps",
            "date": "2026-01-02", "data": [{"timestamp": "2026-01-02T10:00:00Z", "value": value}],
        }});
        let arrival: ValidArrival = serde_json::from_value(arrival).expect("an arrival");
        let ingestion = Ingestion {
            now: Utc::now(),
            fresh_id: Uuid::now_v7,
            forms: DeprecatedForms::default(),
        };
        let taken = self.store.write(|write| write.ingest(&arrival, &ingestion)).await;
        taken.expect("ingests");
    }

    pub(super) fn worker(&self, destination: impl Destination + 'static, settings: DispatchSettings) -> Worker {
        self.worker_at(destination, settings, Utc::now)
    }

    pub(super) fn worker_at(
        &self,
        destination: impl Destination + 'static,
        settings: DispatchSettings,
        now: fn() -> DateTime<Utc>,
    ) -> Worker {
        let shared = Shared {
            store: self.store.clone(),
            settings,
            observer: Arc::new(()),
            now,
            random: || 0.5,
            progress: Arc::clone(&self.progress),
        };
        let key = DestinationKey {
            team_id: team(),
            kind: "fake".to_owned(),
            webhook_id: None,
        };
        Worker {
            shared: Arc::new(shared),
            route: Route {
                key,
                pipeline: None,
                endpoint: None,
                preferred: true,
            },
            destination: Box::new(destination),
            lease: Arc::new(LeaseGuard::new(
                Lease {
                    destination: self.id,
                    holder: Uuid::nil(),
                    term: 0,
                },
                None,
            )),
            wake: Arc::new(Notify::new()),
        }
    }

    pub(super) async fn backlog(&self) -> Backlog {
        self.store.backlog(self.id).await.expect("reads")
    }

    pub(super) async fn log(&self) -> Vec<LoggedEvent> {
        self.store
            .events(&EventFilter::default(), 100_000)
            .await
            .expect("reads")
    }
}

/// Settings with pauses that no test waits for.
pub(super) fn impatient() -> DispatchSettings {
    DispatchSettings {
        first_pause: Duration::from_millis(1),
        poll: Duration::from_millis(2),
        window: 20,
        ..DispatchSettings::default()
    }
}

/// A clock that is eight days ahead.
pub(super) fn next_week() -> DateTime<Utc> {
    Utc::now() + TimeDelta::days(8)
}
