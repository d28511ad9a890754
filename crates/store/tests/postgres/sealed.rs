//! Encryption of documents in tables.

use chrono::DateTime;
use serde_json::json;
use uuid::Uuid;
use wearlab_models::{Pipeline, Secret};
use wearlab_store::{Record, SecretKey, SigningSecret, Store, StoreError, TeamId, WebhookEndpoint};

use crate::arriving::{AT, USER};
use crate::server::{Schema, wait};
use crate::world::{put_team, user};

fn keys(numbers: &[u8]) -> Vec<SecretKey> {
    numbers.iter().map(|number| [*number; 32].into()).collect()
}

fn open(schema: &Schema, numbers: &[u8]) -> Result<Store, StoreError> {
    wait(Store::connect(&schema.settings(), &keys(numbers)))
}

fn pipeline(team: TeamId) -> Pipeline {
    let pipeline = json!({
        "team_id": team.uuid(),
        "preferences": {"preferred": "rabbitmq", "enabled": ["rabbitmq"]},
        "push_historical_data": true,
        "provider_raw_data": false,
        "rabbitmq": {"uri": "amqps://user:secret-word@broker.example/", "exchange": "events"},
        "event_type_prefixes": [],
    });
    serde_json::from_value(pipeline).expect("a pipeline")
}

fn webhook(team: TeamId) -> WebhookEndpoint {
    WebhookEndpoint {
        webhook_id: "wh_1".to_owned(),
        team_id: team.uuid(),
        url: "https://hooks.example/secret-address".to_owned(),
        event_type_prefixes: Vec::new(),
        secrets: vec![SigningSecret {
            secret: Secret::new("whsec_secret-signing"),
            until: None,
        }],
        created_on: DateTime::UNIX_EPOCH,
        disabled: None,
    }
}

/// Returns an order with a result, each with a secret.
fn order(team: TeamId) -> Record {
    let event = json!({"id": 1, "created_at": AT, "status": "received.testkit.ordered"});
    let order = json!({
        "id": Uuid::from_u128(9), "user_id": Uuid::from_u128(USER), "team_id": team.uuid(), "notes": "secret-notes",
        "lab_test": {
            "id": "t", "slug": "t", "name": "T", "sample_type": "serum", "method": "testkit", "price": 20.5,
            "is_active": true, "status": "active",
        },
        "details": {"type": "testkit", "data": {}}, "created_at": AT, "updated_at": AT, "has_abn": false,
        "events": [event], "status": "received", "last_event": event,
    });
    let result = json!({"name": "secret-name", "result": "5", "type": "numeric"});
    let results = json!({
        "metadata": {"date_reported": AT, "specimen_number": "1"}, "results": [{"date_reported": AT, "result": result}],
    });
    serde_json::from_value(json!({"order": {"order": order, "results": results}})).expect("a record")
}

fn put(store: &Store) -> TeamId {
    let team = wait(store.write(|write| {
        let organisation = write.put_organisation("org")?;
        let team = put_team(write, 1, &organisation)?;
        write.put_pipeline(team, &pipeline(team))?;
        write.put_webhook(&webhook(team))?;
        write.put_user(team, &user(team, USER, AT))?;
        write.put(&order(team))?;
        Ok(team)
    }));
    team.expect("writes")
}

fn assert_read(store: &Store, team: TeamId) {
    assert_eq!(wait(store.pipeline(team.uuid())).expect("reads"), Some(pipeline(team)));
    assert_eq!(wait(store.webhooks()).expect("reads"), [webhook(team)]);
    let person = wait(store.team(team).user_export(Uuid::from_u128(USER))).expect("reads");
    assert_eq!(person.expect("the user")[1..], [order(team)]);
}

/// Returns the number of rows that show a secret, and the encrypted documents.
fn shown(schema: &Schema) -> (usize, Vec<String>) {
    let raw = schema.raw();
    let rows = raw.dump();
    let sealed = "SELECT document FROM pipelines WHERE document LIKE 'sealed:1:%' UNION ALL
        SELECT document FROM webhooks WHERE document LIKE 'sealed:1:%' UNION ALL
        SELECT document FROM orders WHERE document LIKE 'sealed:1:%' UNION ALL
        SELECT document FROM order_results WHERE document LIKE 'sealed:1:%'";
    (
        rows.iter().filter(|row| row.contains("secret-")).count(),
        raw.texts(sealed),
    )
}

#[test]
#[ignore = "needs PostgreSQL"]
fn secrets_are_sealed_with_the_first_key_and_open_with_any() {
    let schema = Schema::new();
    let store = open(&schema, &[]).expect("a store");
    let team = put(&store);
    assert_eq!(shown(&schema), (4, Vec::new()), "without a key");

    let store = open(&schema, &[1]).expect("seals what is there");
    assert_read(&store, team);
    let (plain, first) = shown(&schema);
    assert_eq!((plain, first.len()), (0, 4));
    put(&store);
    assert_eq!(shown(&schema), (0, first.clone()), "the same again");

    // Two processes rotate the key at the same time.
    std::thread::scope(|scope| {
        let stores = [(); 2].map(|()| scope.spawn(|| open(&schema, &[2, 1])));
        for store in stores {
            assert_read(&store.join().expect("no panic").expect("a store"), team);
        }
    });
    let (plain, second) = shown(&schema);
    assert_eq!((plain, second.len()), (0, 4));
    assert!(second.iter().all(|document| !first.contains(document)));
    assert_read(&open(&schema, &[2]).expect("a store"), team);
    for wrong in [&[][..], &[1], &[3]] {
        let refused = open(&schema, wrong);
        assert!(matches!(refused, Err(StoreError::Sealed)), "{refused:?}");
    }
    assert_eq!(shown(&schema), (0, second));
}
