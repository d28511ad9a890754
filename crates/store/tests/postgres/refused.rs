//! Texts that PostgreSQL cannot store or look up: a clear error, and no write.

use std::fmt::Debug;

use chrono::DateTime;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::Secret;
use wearlab_store::{Record, SigningSecret, Store, StoreError, Transaction, WebhookEndpoint};

use crate::arriving::{AT, NO_FORMS, USER, arrival, ingestion};
use crate::server::{Schema, populated, wait};
use crate::world::connection;

/// Returns records with the text in each text column.
fn records(text: &str) -> Vec<Value> {
    let team = Uuid::from_u128(1);
    let mut person = json!(user_record(team));
    person["client_user_id"] = json!(text);
    let provider = |slug: &str, kind: &str| {
        let supported = json!({"name": "", "slug": slug, "description": "", "logo": null});
        json!({"provider": {"source_type": kind, "supported": supported}})
    };
    vec![
        json!({"organisation": {"org_id": text}}),
        json!({"key": {"team_id": team, "key": "k", "name": text}}),
        provider(text, "device"),
        provider("slug", text),
        json!({"cancellation_reason": {"id": text, "name": "", "is_refundable": true}}),
        json!({"cancellation_reason": {"id": "1", "name": text, "is_refundable": true}}),
        json!({"lab_test": {"lab_test_id": text, "name": "", "markers": []}}),
        json!({"lab_test": {"lab_test_id": "t", "name": text, "markers": []}}),
        json!({ "user": person }),
        json!({"connection": {"team_id": team, "user_id": Uuid::from_u128(USER), "provider": connection(text, AT)}}),
    ]
}

fn user_record(team: Uuid) -> Value {
    json!({"user_id": Uuid::from_u128(USER + 1), "team_id": team, "created_on": AT, "connected_sources": [],
        "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "", "updated_at": AT}})
}

/// Returns arrivals with the text in each text column.
fn arrivals(text: &str) -> Vec<Value> {
    let pull = json!({"id": text, "chunk": 1, "chunks": 2});
    vec![
        json!({ "arrival_id": text }),
        json!({ "pull": pull }),
        json!({"source": {"type": text}}),
        json!({ "resource": text }),
    ]
}

/// Panics unless a write is refused with a reason, and leaves nothing.
fn assert_refused<T: Debug + Send>(
    schema: &Schema,
    store: &Store,
    why: &str,
    work: impl Fn(&mut Transaction<'_>) -> Result<T, StoreError> + Send + Sync,
) {
    let before = schema.raw().dump();
    for each_alone in [true, false] {
        let mut within = None;
        let written = wait(store.write(|write| match each_alone {
            true => {
                within = Some(write.attempt(|write| work(write)).map(drop));
                Ok(())
            }
            false => work(write).map(drop),
        }));
        let refused = within.unwrap_or(written);
        assert!(
            matches!(&refused, Err(StoreError::Conflict { what }) if what.contains(why)),
            "{refused:?}"
        );
        assert_eq!(schema.raw().dump(), before);
    }
}

fn assert_all_refused(schema: &Schema, store: &Store, why: &str, records: Vec<Value>, arrivals: Vec<Value>) {
    for record in records {
        let record: Record = serde_json::from_value(record).expect("a record");
        assert_refused(schema, store, why, |write| write.put(&record));
    }
    for fields in arrivals {
        let arrival = arrival("data", fields);
        assert_refused(schema, store, why, |write| write.ingest(&arrival, &ingestion(NO_FORMS)));
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn the_character_nul_is_refused_in_columns_and_found_nowhere() {
    const NUL: &str = "nul\0";
    let schema = Schema::new();
    let store = schema.store();
    let team = populated(&store);
    // Text in a JSON document is escaped.
    let mut known = connection("stridewell", AT);
    known.name = NUL.to_owned();
    let written = wait(store.write(|write| write.put_connection(team, Uuid::from_u128(USER), &known)));
    written.expect("writes");
    let text = "NUL";
    // A source is stored as JSON text, and no resource has such a name.
    let arrivals = arrivals(NUL).into_iter().take(2).collect();
    assert_all_refused(&schema, &store, text, records(NUL), arrivals);
    assert_refused(&schema, &store, text, |write| write.put_meta(NUL, ""));
    assert_refused(&schema, &store, text, |write| write.put_meta("", NUL));
    assert_refused(&schema, &store, text, |write| write.destination(team, NUL, None));
    let webhook = WebhookEndpoint {
        webhook_id: NUL.to_owned(),
        team_id: team.uuid(),
        url: String::new(),
        event_type_prefixes: Vec::new(),
        secrets: vec![SigningSecret {
            secret: Secret::new(NUL),
            until: None,
        }],
        created_on: DateTime::UNIX_EPOCH,
        disabled: None,
    };
    assert_refused(&schema, &store, text, |write| write.put_webhook(&webhook));

    assert_eq!(wait(store.meta(NUL)).expect("reads"), None);
    assert!(wait(store.event(NUL)).expect("reads").is_none());
    assert!(wait(store.oauth_provider(NUL)).expect("reads").is_none());
    assert!(wait(store.providers(Some(NUL))).expect("reads").is_empty());
    for account in [None, Some(Uuid::from_u128(1))] {
        let markers = wait(store.team(team).markers(NUL, account, 1, 1));
        assert!(markers.expect("reads").is_none());
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn what_is_too_long_to_be_looked_up_is_refused() {
    // Random, so that compression cannot make it shorter.
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let long: String = (0..4000).map(|_| rng.random_range('a'..='z')).collect();
    let schema = Schema::new();
    let store = schema.store();
    let team = populated(&store);
    // Names are not looked up.
    let looked_up = |record: &Value| {
        let name = |kind: &str| &record[kind]["name"];
        ["key", "lab_test", "cancellation_reason"]
            .iter()
            .all(|kind| *name(kind) != json!(long))
            && record["provider"]["source_type"] != json!(long)
    };
    let records = records(&long).into_iter().filter(looked_up).collect();
    // The name of a resource is shorter.
    let arrivals = arrivals(&long).into_iter().take(3).collect();
    let why = "longer than PostgreSQL can look up";
    assert_all_refused(&schema, &store, why, records, arrivals);
    assert_eq!(wait(store.meta(&long)).expect("reads"), None);
    assert!(wait(store.oauth_provider(&long)).expect("reads").is_none());
    assert!(
        wait(store.team(team).markers(&long, None, 1, 1))
            .expect("reads")
            .is_none()
    );
}
