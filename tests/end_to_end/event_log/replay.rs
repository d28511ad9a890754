//! Replays of events to running receivers: by selections, and to a single destination.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use chrono::Utc;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use wearlab_client::Error;
use wearlab_delivery::webhook::{Sender, Settings};
use wearlab_delivery::{DispatchSettings, Dispatcher, Kinds};
use wearlab_models::{DeliveryAttemptOutcome, ReplaySelection, Uuid};
use wearlab_tests::{Running, values};

use super::walk;

/// Webhook receiver, which responds with a status.
struct Receiver {
    webhook_id: &'static str,
    status: Arc<AtomicU16>,
    ids: Arc<Mutex<Vec<String>>>,
}

impl Receiver {
    /// Starts a receiver as an endpoint of the sample's team.
    async fn start(running: &Running, webhook_id: &'static str, code: u16) -> Self {
        let (status, ids) = (Arc::new(AtomicU16::new(code)), Arc::<Mutex<Vec<String>>>::default());
        let (current, seen) = (Arc::clone(&status), Arc::clone(&ids));
        let router = Router::new().fallback(async move |headers: HeaderMap| {
            let code = StatusCode::from_u16(current.load(Ordering::Relaxed)).expect("a status");
            if code.is_success() {
                let id = headers["webhook-id"].to_str().expect("an id").to_owned();
                seen.lock().expect("no panic").push(id);
            }
            code
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let mut webhook = values::webhook(running.sample.team_id, webhook_id);
        webhook.url = format!("http://{}/hook", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let put = running.store.write(|write| {
            write.put_webhook(&webhook)?;
            let team = write.team(webhook.team_id)?.expect("the team");
            write.destination(team, "webhook", Some(webhook_id))
        });
        put.await.expect("an endpoint");
        Self {
            webhook_id,
            status,
            ids,
        }
    }

    /// Returns the ids of the received events.
    fn ids(&self) -> Vec<String> {
        let mut ids = self.ids.lock().expect("no panic").clone();
        ids.sort();
        ids
    }

    /// Waits until it has received `count` events since it was last emptied.
    async fn takes(&self, count: usize) -> Vec<String> {
        for _ in 0..1000 {
            if self.ids().len() >= count {
                let ids = self.ids();
                self.ids.lock().expect("no panic").clear();
                assert_eq!(ids.len(), count, "{}", self.webhook_id);
                return ids;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{}: {} of {count}", self.webhook_id, self.ids().len());
    }
}

/// Delivers to the webhooks of the sample's team, each event once.
async fn deliver(running: &Running) -> oneshot::Sender<()> {
    let team = running
        .store
        .team_of_key(&running.sample.team_api_key)
        .await
        .expect("reads")
        .expect("a team");
    let pipeline = json!({"team_id": running.sample.team_id,
        "preferences": {"preferred": "svix", "enabled": ["svix"]}, "push_historical_data": false,
        "provider_raw_data": false, "svix": {"regional": false}, "event_type_prefixes": []});
    let pipeline = serde_json::from_value(pipeline).expect("a pipeline");
    let put = running.store.write(|write| write.put_pipeline(team, &pipeline));
    put.await.expect("a pipeline");
    let sender = Settings {
        allow_http: true,
        allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
        ..Settings::default()
    };
    let mut kinds = Kinds::new(Sender::new(sender, Utc::now).expect("a sender"));
    kinds.only_webhooks = true;
    let mut settings = DispatchSettings::default();
    settings.schedule = |_, _| None;
    settings.poll = Duration::from_millis(10);
    let (stop, stopped) = oneshot::channel();
    let dispatcher = Dispatcher::new(
        running.store.clone(),
        Uuid::now_v7(),
        kinds,
        settings,
        Arc::new(()),
        Utc::now,
        || 0.5,
    );
    tokio::spawn(dispatcher.run(async {
        let _ = stopped.await;
    }));
    stop
}

#[tokio::test]
async fn selections_and_single_events_are_sent_again_to_whom_they_are_for() {
    let running = Running::start(5).await;
    let (client, org) = (running.client(), running.sample.org_id.as_str());
    let good = Receiver::start(&running, "wh_good", 200).await;
    let bad = Receiver::start(&running, "wh_bad", 503).await;
    let _delivering = deliver(&running).await;
    for value in 1..=3 {
        walk(&running.store, &running, value).await;
    }
    let ids = good.takes(3).await;
    let parked = async || {
        let listed = client
            .list_undelivered(org)
            .state("parked")
            .send()
            .await
            .expect("a list");
        let listed = listed.into_inner().undelivered;
        listed
            .iter()
            .filter(|of| of.webhook_id.as_deref() == Some("wh_bad"))
            .count()
    };
    for _ in 0..1000 {
        if parked().await == 3 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(parked().await, 3);

    // The outcome of each attempt.
    let mut attempts = Vec::new();
    for _ in 0..1000 {
        let listed = client.list_event_attempts(org, &ids[0]).send().await.expect("a list");
        attempts = listed.into_inner().attempts;
        // Outcomes are saved a little later.
        if attempts.len() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let of = |id: &str| {
        let mut of = attempts
            .iter()
            .filter(|attempt| attempt.webhook_id.as_deref() == Some(id));
        let found = of.next().expect("an attempt");
        let status = found.response.as_ref().map(|response| response.status);
        (found.outcome.clone(), status)
    };
    assert_eq!(of("wh_good"), (DeliveryAttemptOutcome::Delivered, Some(200)));
    assert_eq!(of("wh_bad"), (DeliveryAttemptOutcome::Undelivered, Some(503)));

    // Parked events of one endpoint, in two parts.
    bad.status.store(200, Ordering::Relaxed);
    let selection = |next: Option<String>| {
        ReplaySelection::builder()
            .parked(true)
            .webhook_id("wh_bad")
            .limit(2)
            .maybe_next_cursor(next)
            .build()
    };
    let first = client
        .replay_events(org, selection(None))
        .send()
        .await
        .expect("a part")
        .into_inner();
    assert_eq!(first.deliveries, 2);
    let cursor = first.next_cursor.expect("there is more");
    let other = ReplaySelection::builder()
        .parked(true)
        .next_cursor(cursor.as_str())
        .build();
    let refused = client.replay_events(org, other).send().await;
    assert!(
        matches!(refused, Err(Error::Invalid(_))),
        "a cursor of another selection"
    );
    let second = client
        .replay_events(org, selection(Some(cursor)))
        .send()
        .await
        .expect("a part")
        .into_inner();
    assert_eq!((second.deliveries, second.next_cursor), (1, None));
    assert_eq!(bad.takes(3).await, ids);

    // One event to one endpoint. A repeated request must name the same endpoint.
    let replay = || {
        client
            .replay_event(org, &ids[1])
            .webhook_id("wh_good")
            .idempotency_key("once")
    };
    for _ in 0..2 {
        assert_eq!(replay().send().await.expect("a replay").destinations, 1);
    }
    let other = client
        .replay_event(org, &ids[1])
        .kind("webhook")
        .idempotency_key("once");
    assert!(matches!(other.send().await, Err(Error::Invalid(_))));
    assert_eq!(good.takes(1).await, [ids[1].clone()]);
    let nowhere = client.replay_event(org, &ids[1]).kind("rabbitmq").send().await;
    assert_eq!(nowhere.expect("a replay").destinations, 0);

    // All events of a type, to any destination.
    let selection = ReplaySelection::builder().event_type("daily.").kind("webhook").build();
    let mut next = None;
    let mut deliveries = 0;
    loop {
        let mut part = selection.clone();
        part.next_cursor = next;
        let replayed = client
            .replay_events(org, part)
            .send()
            .await
            .expect("a part")
            .into_inner();
        deliveries += replayed.deliveries;
        next = replayed.next_cursor;
        if next.is_none() {
            break;
        }
    }
    // The team of the sample has another endpoint.
    let listed = client
        .list_destinations(org)
        .team_id(running.sample.team_id)
        .send()
        .await
        .expect("a list");
    let endpoints = listed.destinations.iter().filter(|of| of.kind == "webhook").count();
    assert_eq!(deliveries, 3 * i64::try_from(endpoints).expect("fits"));
    assert_eq!((good.takes(3).await, bad.takes(3).await), (ids.clone(), ids));
}

#[tokio::test]
async fn a_replay_needs_a_condition_and_stays_within_the_organisation() {
    let running = Running::start(5).await;
    let (client, sample) = (running.client(), &running.sample);
    let other = &sample.other_organisation;
    let behind = wearlab_tests::undelivered::put(&running.store, other.team.team_id, other.team.user_id).await;
    let replay = async |selection: ReplaySelection| client.replay_events(&sample.org_id, selection).send().await;
    let refused = replay(ReplaySelection::builder().limit(5).build()).await;
    let refused = refused.expect_err("no condition").to_string();
    assert!(refused.contains("/body"), "{refused}");
    let of_team = replay(ReplaySelection::builder().team_id(other.team.team_id).build()).await;
    assert!(matches!(of_team, Err(Error::NotFound(_))));
    let of_user = replay(ReplaySelection::builder().user_id(other.team.user_id).build()).await;
    assert!(matches!(of_user, Err(Error::NotFound(_))));
    for selection in [
        ReplaySelection::builder().parked(true).build(),
        ReplaySelection::builder()
            .webhook_id(behind.webhook_id.as_str())
            .build(),
    ] {
        assert_eq!(replay(selection).await.expect("a part").deliveries, 0);
    }
    assert!(
        running.store.undelivered(10).await.expect("a list")[2]
            .reason
            .contains("503")
    );
}
