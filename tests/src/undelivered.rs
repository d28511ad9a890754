//! Destinations with undelivered events.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_models::{DeliveryKind, Secret, Uuid};
use wearlab_store::{
    Advance, AttemptOutcome, DeliveryAttempt, EventFilter, Progress, Reachability, SigningSecret, Store, StoreError,
    WebhookEndpoint,
};

use crate::put_event;

/// Events of a team that its webhook does not have.
pub struct Behind {
    /// Id of the webhook.
    pub webhook_id: String,
    /// Ids of three events: the first is waiting, the second is held, the third is parked.
    pub event_ids: Vec<String>,
}

/// Returns the due time of the first event: later than any test runs.
pub fn due() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(100 * 365)
}

/// Adds two destinations and three new events about a user to a team: a webhook that is down and has none of them, and
/// a broker that has all. Its pipeline, if it has one, enables both.
pub async fn put(store: &Store, team_id: Uuid, user_id: Uuid) -> Behind {
    let now = Utc::now();
    let webhook = webhook(format!("wh_{}", team_id.simple()), team_id);
    let webhook_id = webhook.webhook_id.clone();
    let destinations = store.write(|write| {
        let team = write.team(team_id)?.ok_or(StoreError::Missing { what: "team" })?;
        write.put_webhook(&webhook)?;
        if let Some(mut pipeline) = write.pipeline(team)? {
            pipeline.preferences.enabled.push(DeliveryKind::Svix);
            write.put_pipeline(team, &pipeline)?;
        }
        let hook = write.destination(team, "webhook", Some(&webhook_id))?;
        let broker = write.destination(team, "rabbitmq", None)?;
        for _ in 0..3 {
            put_event(write, team, user_id, Uuid::now_v7)?;
        }
        Ok((hook, broker))
    });
    let (hook, broker) = destinations.await.expect("destinations");
    let of_team = EventFilter {
        team_id: Some(team_id),
        ..EventFilter::default()
    };
    let events = store.last_events(&of_team, 3).await.expect("events");
    let reason = "responded with status 503".to_owned();
    let cursor = events[2].number;
    let results = vec![
        (
            events[0].number,
            Progress::Waiting {
                attempts: 2,
                due: due(),
                reason: reason.clone(),
            },
        ),
        (events[1].number, Progress::Held),
        (
            events[2].number,
            Progress::Parked {
                attempts: 8,
                reason: reason.clone(),
            },
        ),
    ];
    let down = Reachability::Down {
        reason,
        next_attempt: due(),
    };
    let advanced = store.write(|write| {
        let of = |results, reachability| Advance {
            results,
            cursor,
            reachability: Some(reachability),
            ..Advance::default()
        };
        let mut of_hook = of(results, down);
        of_hook.attempts = attempts(events[2].number, now);
        write.advance(hook, &of_hook, now)?;
        let mut of_broker = of(Vec::new(), Reachability::Up);
        of_broker.attempts = attempts(events[2].number, now).drain(..1).collect();
        write.advance(broker, &of_broker, now)
    });
    advanced.await.expect("destinations that came as far");
    Behind {
        webhook_id,
        event_ids: events.into_iter().map(|event| event.event_id).collect(),
    }
}

/// Returns attempts of each outcome, with and without a response.
fn attempts(number: i64, now: DateTime<Utc>) -> Vec<(i64, DeliveryAttempt)> {
    let failed = DeliveryAttempt {
        attempt: 7,
        attempted_on: now,
        duration: Duration::from_millis(12),
        outcome: AttemptOutcome::Failed,
        status: None,
        reason: Some("no response within 15s".to_owned()),
        content_type: None,
        content_length: None,
    };
    let parked = DeliveryAttempt {
        attempt: 8,
        outcome: AttemptOutcome::Undelivered,
        status: Some(503),
        reason: Some("responded with status 503".to_owned()),
        content_type: Some("text/plain".to_owned()),
        content_length: Some(11),
        ..failed.clone()
    };
    let without = DeliveryAttempt {
        outcome: AttemptOutcome::Delivered,
        reason: None,
        content_type: None,
        content_length: None,
        ..parked.clone()
    };
    [failed, parked, without].map(|attempt| (number, attempt)).into()
}

/// Adds a webhook endpoint that has received nothing yet, and returns its id.
pub async fn put_idle(store: &Store, team_id: Uuid) -> String {
    let webhook = webhook(format!("wh_idle_{}", team_id.simple()), team_id);
    let put = store.write(|write| {
        let team = write.team(team_id)?.ok_or(StoreError::Missing { what: "team" })?;
        write.put_webhook(&webhook)?;
        write.destination(team, "webhook", Some(&webhook.webhook_id)).map(drop)
    });
    put.await.expect("a destination");
    webhook.webhook_id
}

fn webhook(webhook_id: String, team_id: Uuid) -> WebhookEndpoint {
    WebhookEndpoint {
        webhook_id,
        team_id,
        url: "https://app.example.com/hook".to_owned(),
        event_type_prefixes: Vec::new(),
        secrets: vec![SigningSecret {
            secret: Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
            until: None,
        }],
        created_on: Utc::now(),
        disabled: None,
    }
}
