//! A store with one team, whose user walks.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use wearlab_delivery::webhook::{Sender, Settings};
use wearlab_delivery::{DeliveryObserver, DispatchSettings, Dispatcher, Kinds};
use wearlab_models::{Secret, Uuid};
use wearlab_store::{
    DeprecatedForms, DestinationId, EventFilter, Ingestion, Record, SigningSecret, Store, ValidArrival, WebhookEndpoint,
};

pub(crate) const SECRET: &str = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

pub(crate) struct World {
    pub(crate) store: Store,
    _directory: TempDir,
}

/// A running dispatcher, stopped on drop.
pub(crate) struct Running {
    _stop: oneshot::Sender<()>,
    _task: JoinHandle<()>,
}

pub(crate) fn team() -> Uuid {
    Uuid::from_u128(1)
}

fn user() -> Uuid {
    Uuid::from_u128(7)
}

impl World {
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path()).expect("a store");
        let records = json!([
            {"organisation": {"org_id": "o"}},
            {"team": {"team_id": team(), "org_id": "o", "environment": "sandbox", "region": "eu"}},
            {"user": {
                "user_id": user(), "team_id": team(), "client_user_id": "client-7", "created_on": "2026-01-01T00:00:00Z",
                "connected_sources": [],
                "fallback_time_zone": {"id": "UTC", "source_slug": "manual", "updated_at": "2026-01-01T00:00:00Z"},
            }},
            {"connection": {"team_id": team(), "user_id": user(), "provider": {
                "name": "Stridewell", "slug": "stridewell", "logo": "https://logos.example/s.svg", "status": "connected",
                "created_on": "2026-01-02T00:00:00Z", "resource_availability": {},
            }}},
        ]);
        let records: Vec<Record> = serde_json::from_value(records).expect("records");
        let written = store.write(|write| records.iter().try_for_each(|record| write.put(record)));
        written.await.expect("writes");
        Self {
            store,
            _directory: directory,
        }
    }

    pub(crate) async fn put(&self, record: serde_json::Value) {
        let record: Record = serde_json::from_value(record).expect("a record");
        self.store.write(|write| write.put(&record)).await.expect("writes");
    }

    /// Ingests data of a day of January, with more fields in place of or beside the usual ones.
    pub(crate) async fn walk(&self, day: u32, more: serde_json::Value) {
        let mut data = json!({
            "team_id": team(), "user_id": user(), "provider": "stridewell", "resource": "steps",
            "date": format!("2026-01-{day:02}"), "data": [{"timestamp": format!("2026-01-{day:02}T10:00:00Z"), "value": day}],
        });
        data.as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().unwrap_or_default());
        let arrival: ValidArrival = serde_json::from_value(json!({ "data": data })).expect("an arrival");
        let ingestion = Ingestion {
            now: Utc::now(),
            fresh_id: Uuid::now_v7,
            forms: DeprecatedForms::default(),
        };
        self.store
            .write(|write| write.ingest(&arrival, &ingestion))
            .await
            .expect("ingests");
    }

    /// Adds an endpoint, which gets events from now on.
    pub(crate) async fn endpoint(&self, id: &str, url: &str, prefixes: &[&str]) -> DestinationId {
        let endpoint = WebhookEndpoint {
            webhook_id: id.to_owned(),
            team_id: team(),
            url: url.to_owned(),
            event_type_prefixes: prefixes.iter().map(|prefix| (*prefix).to_owned()).collect(),
            secrets: vec![SigningSecret {
                secret: Secret::from(SECRET),
                until: None,
            }],
            created_on: DateTime::UNIX_EPOCH,
            disabled: None,
        };
        let put = self.store.write(|write| {
            write.put_webhook(&endpoint)?;
            let team = write.team(team())?.expect("the team");
            write.destination(team, "webhook", Some(id))
        });
        put.await.expect("writes")
    }

    /// Starts a dispatcher with six immediate retries.
    pub(crate) fn dispatch(&self) -> Running {
        let schedule = |failed, _| (failed < 6).then_some(Duration::from_millis(50));
        self.dispatch_with(schedule, Arc::new(()))
    }

    /// Starts a dispatcher with a schedule of retries, which reports its work to an observer.
    pub(crate) fn dispatch_with(
        &self,
        schedule: fn(u32, f64) -> Option<Duration>,
        observer: Arc<dyn DeliveryObserver>,
    ) -> Running {
        let settings = Settings {
            allow_http: true,
            allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
            timeout: Duration::from_secs(2),
            ..Settings::default()
        };
        let sender = Sender::new(settings, Utc::now).expect("a sender");
        let mut settings = DispatchSettings::default();
        settings.schedule = schedule;
        settings.poll = Duration::from_millis(10);
        let dispatcher = Dispatcher::new(
            self.store.clone(),
            Uuid::now_v7(),
            Kinds::new(sender),
            settings,
            observer,
            Utc::now,
            || 0.5,
        );
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(dispatcher.run(async move {
            let _ = stopped.await;
        }));
        Running {
            _stop: stop,
            _task: task,
        }
    }

    /// The ids of all events, in the order of the log.
    pub(crate) async fn ids(&self) -> Vec<String> {
        let events = self.store.events(&EventFilter::default(), 10_000).await.expect("reads");
        events.into_iter().map(|event| event.event_id).collect()
    }
}

/// Waits until a condition holds, or fails.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..1000 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{what}: not within 20 seconds");
}
