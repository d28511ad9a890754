//! Random operations.

use chrono::{DateTime, TimeDelta, Utc};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::Secret;
use wearlab_store::{
    Actor, DeprecatedForms, IdempotencyOutcome, IdempotentRequest, Ingestion, SigningSecret, StoreError, TeamId,
    Transaction, ValidArrival, WebhookEndpoint,
};

use super::pair::{Side, fresh_id};
use super::records::{key, record, team, user};
use super::texts::{anything, one_of, text, time, words};
use crate::arriving::at;
use crate::random::{Step, USERS, draw};
use crate::server::{elsewhere, wait};

/// Ids of webhooks.
pub(super) const WEBHOOKS: [&str; 3] = ["wh_1", "wh_\u{e9}", ""];

/// An operation.
pub(super) struct Op {
    pub(super) kind: String,
    pub(super) run: Run,
    /// The arrival that it ingests, if it ingests one.
    pub(super) arrival: Option<ValidArrival>,
}

/// Runs an operation, and returns its outcome.
type Run = Box<dyn Fn(&mut Transaction<'_>, &Side) -> Result<String, StoreError> + Send + Sync>;

fn new_op(
    kind: impl Into<String>,
    run: impl Fn(&mut Transaction<'_>, &Side) -> Result<String, StoreError> + Send + Sync + 'static,
) -> Op {
    Op {
        kind: kind.into(),
        run: Box::new(run),
        arrival: None,
    }
}

pub(super) fn known(write: &mut Transaction<'_>, team: Uuid) -> Result<TeamId, StoreError> {
    write.team(team)?.ok_or(StoreError::Missing { what: "team" })
}

pub(super) fn op(rng: &mut ChaCha8Rng, first: TeamId, now: DateTime<Utc>, forms: DeprecatedForms) -> Op {
    match rng.random_range(0..100) {
        0..35 => {
            let record = record(rng);
            new_op(format!("record {}", record.kind()), move |write, _| {
                write.put(&record).map(|()| "done".to_owned())
            })
        }
        35..80 => step(rng, first, now, forms),
        80..83 => {
            let (name, value) = (text(rng), words(rng).replace('\0', ""));
            new_op("meta", move |write, _| {
                let before = write.put_meta_if_absent(&name, &value)?;
                write.put_meta(&name, &value)?;
                Ok(format!("{before:?}"))
            })
        }
        83..86 => {
            let (team, token, expires) = (team(rng), key(rng), at(time(rng)));
            new_op("token", move |write, _| {
                let team = known(write, team)?;
                write.put_link_token(team, &token, expires).map(|()| "done".to_owned())
            })
        }
        86 => {
            let expired_at = at(time(rng));
            new_op("tokens", move |write, _| {
                Ok(write.delete_link_tokens(expired_at)?.to_string())
            })
        }
        87 => new_op("revoke", move |write, side| {
            let keys = elsewhere(|| wait(side.store.keys())).expect("reads");
            let Some(key) = keys.first() else {
                return Ok("none".to_owned());
            };
            write.revoke_key(&key.id, now).map(|found| found.to_string())
        }),
        88..91 => {
            let webhook = webhook(rng);
            new_op("webhook", move |write, _| {
                write.put_webhook(&webhook)?;
                let team = known(write, webhook.team_id)?;
                write.destination(team, "webhook", Some(&webhook.webhook_id))?;
                Ok("done".to_owned())
            })
        }
        91 => {
            let id = one_of(rng, &WEBHOOKS);
            new_op("unhook", move |write, _| {
                write.delete_webhook(id).map(|found| found.to_string())
            })
        }
        92 | 93 => {
            let (team, user) = (team(rng), user(rng));
            new_op("forget", move |write, _| {
                let team = known(write, team)?;
                write.delete_user(team, user).map(|found| found.to_string())
            })
        }
        _ => {
            let (team, kind) = (team(rng), one_of(rng, &["rabbitmq", "cloud_pubsub", "azure_amqp"]));
            new_op("destination", move |write, _| {
                let team = known(write, team)?;
                write.destination(team, kind, None).map(|_| "done".to_owned())
            })
        }
    }
}

/// Returns a side effect of a write over HTTP.
pub(super) fn http_write(rng: &mut ChaCha8Rng, team: TeamId, now: DateTime<Utc>) -> Op {
    match rng.random_range(0..2) {
        0 => audit(rng, team, now),
        _ => repeatable(rng),
    }
}

fn audit(rng: &mut ChaCha8Rng, team: TeamId, now: DateTime<Utc>) -> Op {
    let operation = words(rng).replace('\0', "");
    let subject = (rng.random_range(0..2) == 0).then(|| operation.clone());
    let actor = Actor {
        key_id: "key".to_owned(),
        request_id: "request".to_owned(),
    };
    new_op("audit", move |write, _| {
        let organisation = write.put_organisation("org_a")?;
        write.audit_organisation(&organisation, &actor, now, &operation, subject.as_deref())?;
        write.audit(team, &actor, now, &operation, subject.as_deref())?;
        Ok("done".to_owned())
    })
}

fn repeatable(rng: &mut ChaCha8Rng) -> Op {
    let key = key(rng);
    let (body, response) = (one_of(rng, &["{}", "[]"]), words(rng));
    // Times of another clock, so that only some keys are expired.
    let now = DateTime::UNIX_EPOCH + TimeDelta::hours(rng.random_range(0..80));
    new_op("repeatable", move |write, _| {
        let request = IdempotentRequest::new("credential", &key, "create_user", body.as_bytes());
        let deleted = match response.len() % 3 {
            0 => write.delete_idempotency_keys(now)?,
            _ => 0,
        };
        Ok(match write.repeat(&request, now)? {
            IdempotencyOutcome::First => {
                write.keep_response(&request, &response, None, now)?;
                format!("first {deleted}")
            }
            IdempotencyOutcome::Again(response) => format!("again {response}"),
            IdempotencyOutcome::Other => "other".to_owned(),
            IdempotencyOutcome::Deleted => "deleted".to_owned(),
        })
    })
}

fn webhook(rng: &mut ChaCha8Rng) -> WebhookEndpoint {
    WebhookEndpoint {
        webhook_id: one_of(rng, &WEBHOOKS).to_owned(),
        team_id: team(rng),
        url: format!("https://hooks.example/{}", words(rng)),
        event_type_prefixes: vec![text(rng)],
        secrets: vec![SigningSecret {
            secret: Secret::new(words(rng)),
            until: None,
        }],
        created_on: DateTime::UNIX_EPOCH,
        disabled: None,
    }
}

/// Returns an arrival, or another operation between arrivals.
fn step(rng: &mut ChaCha8Rng, team: TeamId, now: DateTime<Utc>, forms: DeprecatedForms) -> Op {
    let ingestion = Ingestion { now, fresh_id, forms };
    if rng.random_range(0..4) == 0 {
        let arrival = awkward(rng);
        let taken = arrival.clone();
        return Op {
            arrival: Some(arrival),
            ..new_op("awkward", move |write, _| {
                write.ingest(&taken, &ingestion).map(|taken| format!("{taken:?}"))
            })
        };
    }
    let step = draw(rng, team, now);
    let kind = step.kind();
    let arrival = match &step {
        Step::Arrival(arrival) => Some((**arrival).clone()),
        _ => None,
    };
    let taken = new_op(kind, move |write, _| match &step {
        Step::Arrival(arrival) => write.ingest(arrival, &ingestion).map(|taken| format!("{taken:?}")),
        Step::Import(user, connection) => write
            .put_connection(team, *user, connection)
            .map(|()| "done".to_owned()),
        Step::User(user) => write.put_user(team, user).map(|()| "done".to_owned()),
        Step::Forget(user) => write.delete_user(team, *user).map(|found| found.to_string()),
        Step::DropPulls(since) => write.delete_unfinished_pulls(*since).map(|count| count.to_string()),
    });
    Op { arrival, ..taken }
}

/// Returns data with texts of edge cases, and other arrivals that the store may refuse.
fn awkward(rng: &mut ChaCha8Rng) -> ValidArrival {
    loop {
        if let Ok(arrival) = serde_json::from_value(json!({ "data": any_data(rng) })) {
            return arrival;
        }
    }
}

/// Returns a value of no resource, or one with the required fields of some resources.
fn awkward_value(rng: &mut ChaCha8Rng) -> Value {
    let mut value = json!({words(rng): anything(rng), "value": anything(rng)});
    match rng.random_range(0..3) {
        0 => {
            value["value"] = json!(rng.random_range(-1_000..1_000));
            value["timestamp"] = json!(one_of(rng, &["2026-05-01T10:00:00+02:00", "2026-05-01T23:59:59.999Z"]));
            value["type"] = json!(text(rng));
        }
        1 => {
            value["session_start"] = json!("2026-05-01T22:00:00Z");
            value["session_end"] = json!("2026-05-02T06:00:00Z");
            value["hypnogram"] = json!([]);
        }
        _ => {}
    }
    value
}

/// Returns data that may contradict themselves.
fn any_data(rng: &mut ChaCha8Rng) -> Value {
    let mut fields = json!({
        "team_id": Uuid::from_u128(1), "user_id": Uuid::from_u128(rng.random_range(1..=USERS)), "provider": one_of(rng, &["stridewell", "pulsely"]),
        "resource": one_of(rng, &["steps", "sleep_cycle", "of_no-list", "Caf-9"]), "date": one_of(rng, &["2026-05-01", "0001-01-01", "9999-12-31"]),
        "data": [awkward_value(rng)],
        "source": {"type": text(rng), "app_id": text(rng)},
    });
    match rng.random_range(0..4) {
        0 => fields["raw"] = json!({words(rng): anything(rng)}),
        1 => {
            let (chunk, chunks) = (rng.random_range(0..4), rng.random_range(0..3));
            fields["pull"] = json!({"id": text(rng), "chunk": chunk, "chunks": chunks});
        }
        _ => {}
    }
    if rng.random_range(0..3) == 0 {
        fields["arrival_id"] = json!(text(rng));
    }
    fields
}
