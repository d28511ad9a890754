//! Destinations that do not have everything.

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_models::{Secret, Uuid};
use wearlab_store::{Advance, EventFilter, Progress, Reachability, SigningSecret, Store, StoreError, WebhookEndpoint};

use crate::put_event;

/// Events of a team that its webhook does not have.
pub struct Behind {
    /// The id of the webhook.
    pub webhook_id: String,
    /// The ids of three events: the first waits, the second is held, the third is parked.
    pub event_ids: Vec<String>,
}

/// When the first of the events is due: later than tests run.
pub fn due() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(100 * 365)
}

/// Gives a team two destinations and three new events about a user: a webhook that is down and has none of them, and a
/// broker that has all.
pub async fn put(store: &Store, team_id: Uuid, user_id: Uuid) -> Behind {
    let now = Utc::now();
    let webhook = WebhookEndpoint {
        webhook_id: format!("wh_{}", team_id.simple()),
        team_id,
        url: "https://app.example.com/hook".to_owned(),
        event_type_prefixes: Vec::new(),
        secrets: vec![SigningSecret {
            secret: Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
            until: None,
        }],
        created_on: now,
        disabled: None,
    };
    let webhook_id = webhook.webhook_id.clone();
    let destinations = store.write(|write| {
        let team = write.team(team_id)?.ok_or(StoreError::Missing { what: "team" })?;
        write.put_webhook(&webhook)?;
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
            ordered: false,
            reachability: Some(reachability),
        };
        write.advance(hook, &of(results, down), now)?;
        write.advance(broker, &of(Vec::new(), Reachability::Up), now)
    });
    advanced.await.expect("destinations that came as far");
    Behind {
        webhook_id,
        event_ids: events.into_iter().map(|event| event.event_id).collect(),
    }
}
