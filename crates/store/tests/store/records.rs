//! Export and import of records.

use serde_json::{Value, json};
use wearlab_store::{Record, Store, StoreError};

use crate::pipelines::pipeline;
use crate::place::open;
use crate::world::{World, connection, device, exported, put_team, user};

fn team(number: u128) -> uuid::Uuid {
    uuid::Uuid::from_u128(number)
}

/// Returns records of every kind, each after the ones that it refers to.
pub(crate) fn records() -> Vec<Record> {
    let at = "2024-03-04T05:06:07.089+05:30";
    let marker = |id: i64, unit: Value| {
        json!({"id": id, "name": "Glucose", "slug": "g", "description": "", "lab_id": 1, "provider_id": "P",
            "type": "biomarker", "unit": unit, "price": "N/A", "expected_results": []})
    };
    let user = |team: u128, id: u128, at: &str| {
        json!({"user": {
            "user_id": uuid::Uuid::from_u128(id), "team_id": self::team(team), "client_user_id": format!("c-{id}"),
            "created_on": at, "connected_sources": [],
            "fallback_time_zone": {"id": "Asia/Tokyo", "source_slug": "manual", "updated_at": at},
            "fallback_birth_date": {"value": "1990-02-03", "source_slug": "manual", "updated_at": at},
        }})
    };
    let connection = |team: u128, id: u128, slug: &str, at: &str| {
        json!({"connection": {"team_id": self::team(team), "user_id": uuid::Uuid::from_u128(id),
            "provider": connection(slug, at)}})
    };
    let device =
        |team: u128, user: u128, id: u128| json!({"device": {"team_id": self::team(team), "device": device(user, id)}});
    let supported = |slug: &str| json!({"name": slug, "slug": slug, "description": "\u{e9}\n\"", "logo": null});
    let lines = [
        json!({"organisation": {"org_id": "org_b"}}),
        json!({"organisation": {"org_id": "org_a"}}),
        json!({"team": {"team_id": team(12), "org_id": "org_b", "environment": "sandbox", "region": "us"}}),
        json!({"team": {"team_id": team(11), "org_id": "org_a", "environment": "production", "region": "eu"}}),
        json!({"key": {"team_id": team(11), "name": "ours", "created_on": at, "key": "wl_team_one"}}),
        json!({"key": {"team_id": team(11), "created_on": "2024-03-04T05:06:07+14:00", "revoked_on": at,
            "hash": "0f".repeat(32)}}),
        json!({"key": {"org_id": "org_a", "revoked_on": at, "key": "wl_mgmt_two"}}),
        json!({"key": {"org_id": "org_b", "name": "", "key": "wl_mgmt_three"}}),
        json!({"provider": {"source_type": "new", "supported": supported("z")}}),
        json!({"provider": {"source_type": "device", "supported": supported("a"),
            "link": {"name": "A", "slug": "a", "description": "", "id": 4}}}),
        json!({"cancellation_reason": {"id": "2", "name": "A", "is_refundable": true}}),
        json!({"cancellation_reason": {"id": "1", "name": "B", "is_refundable": false}}),
        json!({"lab_test": {"lab_test_id": "t2", "name": "Two",
            "markers": [marker(3, Value::Null), marker(-1, json!("mg"))], "details": crate::lab_tests::details("two")}}),
        json!({"lab_test": {"lab_test_id": "t1", "name": "One", "markers": [marker(3, Value::Null)]}}),
        json!({"lab_test": {"lab_test_id": "t0", "name": "None", "markers": []}}),
        json!({"lab_account": {"team_id": team(12), "lab_account_id": team(5),
            "visible": {"t2": [3, -1], "t0": [], "t1": [3]}}}),
        json!({"lab_account": {"team_id": team(11), "lab_account_id": team(5), "visible": {}}}),
        json!({"pipeline": pipeline(team(12))}),
        json!({"pipeline": pipeline(team(11))}),
        user(12, 7, at),
        user(11, 9, "2024-01-01T00:00:00Z"),
        user(11, 8, "2024-01-01T00:00:00-01:00"),
        user(11, 7, "2024-01-01T00:00:00Z"),
        device(11, 7, 2),
        connection(11, 7, "young", "2024-02-02T00:00:00Z"),
        connection(11, 7, "old", "2024-02-02T00:30:00+01:00"),
        connection(12, 7, "young", at),
        device(11, 7, 1),
        device(11, 8, 3),
        crate::orders::line(team(11), 7, 2, true),
        crate::orders::line(team(11), 7, 1, false),
    ];
    let records = lines.map(|line| serde_json::from_value(line).expect("a record"));
    records.into()
}

pub(crate) async fn put(store: &Store, records: &[Record]) -> Result<(), StoreError> {
    store
        .write(|write| records.iter().try_for_each(|record| write.put(record)))
        .await
}

#[tokio::test]
async fn everything_comes_out_and_goes_in_again() {
    let world = World::new().await;
    let records = records();
    put(&world.store, &records).await.expect("writes");
    let lines = exported(&world.store).await;
    // The world already has two organisations and three teams.
    assert_eq!(lines.len(), records.len() + 5);
    let kinds: std::collections::BTreeSet<&str> = records.iter().map(Record::kind).collect();
    assert_eq!(kinds.len(), 12, "a record of each kind");
    for (record, line) in records
        .iter()
        .map(|record| (record, serde_json::to_value(record).expect("JSON")))
    {
        assert_eq!(
            line.as_object().expect("an object").keys().collect::<Vec<_>>(),
            [record.kind()]
        );
    }

    let directory = tempfile::tempdir().expect("a directory");
    let copy = open(directory.path()).await;
    let read: Vec<Record> = lines
        .iter()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect();
    put(&copy, &read).await.expect("writes");
    assert_eq!(exported(&copy).await, lines);
    // One record in each write, and all of them twice.
    for record in &read {
        put(&copy, std::slice::from_ref(record)).await.expect("writes");
        assert_eq!(exported(&copy).await, lines, "{}", record.kind());
    }
}

#[tokio::test]
async fn records_come_in_their_order() {
    let world = World::new().await;
    put(&world.store, &records()).await.expect("writes");
    let mut users = Vec::new();
    let mut kinds = Vec::new();
    let each = |record: Record| {
        kinds.push(record.kind());
        match record {
            Record::User(user) => users.push(format!("user {} {}", user.team_id.as_u128(), user.user_id.as_u128())),
            Record::Connection(of) => users.push(format!("connection {}", of.provider.slug)),
            Record::Device(of) => users.push(format!("device {}", of.device.id.as_u128())),
            _ => {}
        }
        Ok::<_, StoreError>(())
    };
    world.store.export(each).await.expect("exports");
    let expected = [
        "user 11 7",
        "connection old",
        "connection young",
        "device 1",
        "device 2",
        "user 11 9",
        "user 11 8",
        "device 3",
        "user 12 7",
        "connection young",
    ];
    assert_eq!(users, expected);
    kinds.dedup();
    let before_users = [
        "organisation",
        "team",
        "key",
        "provider",
        "cancellation_reason",
        "lab_test",
        "lab_account",
        "pipeline",
    ];
    assert_eq!(kinds[..before_users.len()], before_users);
}

#[tokio::test]
async fn an_export_ends_with_the_first_error_of_its_reader() {
    #[derive(Debug, PartialEq)]
    enum Stop {
        Here,
        Store,
    }
    impl From<StoreError> for Stop {
        fn from(_: StoreError) -> Self {
            Self::Store
        }
    }
    let world = World::new().await;
    put(&world.store, &records()).await.expect("writes");
    let before = exported(&world.store).await;
    for wanted in [1, 3, before.len()] {
        let mut seen = 0;
        let each = |_| {
            seen += 1;
            if seen == wanted { Err(Stop::Here) } else { Ok(()) }
        };
        assert_eq!(world.store.export(each).await, Err(Stop::Here));
        assert_eq!(seen, wanted);
    }
    assert_eq!(exported(&world.store).await, before, "the reader is usable again");
}

#[tokio::test]
async fn an_export_is_of_one_moment() {
    let world = World::new().await;
    let at = "2024-01-01T00:00:00Z";
    let put = |id: u128| {
        let store = &world.store;
        let team = world.team;
        async move {
            store
                .write(|write| write.put_user(team, &user(team, id, at)))
                .await
                .expect("writes")
        }
    };
    for id in 0..10 {
        put(id).await;
    }
    let other = open(world.directory.path()).await;
    let before = exported(&world.store).await;
    let mut lines = Vec::new();
    let each = |record: Record| {
        // Between any two records, another process adds a user and deletes one.
        let number = u128::try_from(lines.len()).expect("fits");
        let (come, gone) = (user(world.team, 100 + number, at), uuid::Uuid::from_u128(number));
        let elsewhere = || {
            let write = other.write(|write| {
                write.put_user(world.team, &come)?;
                write.delete_user(world.team, gone)
            });
            let runtime = tokio::runtime::Builder::new_current_thread().build();
            runtime.expect("a runtime").block_on(write).expect("writes");
        };
        std::thread::scope(|scope| scope.spawn(elsewhere).join()).expect("no panic");
        lines.push(serde_json::to_string(&record).expect("JSON"));
        Ok::<_, StoreError>(())
    };
    world.store.export(each).await.expect("exports");
    assert_eq!(lines, before);
    assert_ne!(exported(&world.store).await, before);
}

#[tokio::test]
async fn a_record_names_what_it_lacks() {
    let world = World::new().await;
    let nobody = 99;
    let lacking = [
        (
            json!({"team": {"team_id": team(50), "org_id": "none", "environment": "sandbox", "region": "us"}}),
            "organisation",
        ),
        (json!({"key": {"team_id": team(nobody), "key": "k"}}), "team"),
        (json!({"key": {"org_id": "none", "key": "k"}}), "organisation"),
        (
            json!({"lab_account": {"team_id": team(nobody), "lab_account_id": team(5), "visible": {}}}),
            "team",
        ),
        (
            json!({"lab_account": {"team_id": team(1), "lab_account_id": team(5), "visible": {"none": []}}}),
            "lab test",
        ),
        (json!({"pipeline": pipeline(team(nobody))}), "team"),
        (json!({"user": user(world.team, 1, "2024-01-01T00:00:00Z")}), ""),
        (json!({"device": {"team_id": team(1), "device": device(77, 1)}}), "user"),
        (
            json!({"device": {"team_id": team(nobody), "device": device(1, 1)}}),
            "team",
        ),
        (
            json!({"connection": {"team_id": team(1), "user_id": team(77), "provider": connection("a", "2024-01-01T00:00:00Z")}}),
            "user",
        ),
    ];
    for (line, missing) in lacking {
        let record: Record = serde_json::from_value(line).expect("a record");
        match world.store.write(|write| write.put(&record)).await {
            Ok(()) => assert_eq!(missing, ""),
            Err(StoreError::Missing { what }) => assert_eq!(what, missing, "{}", record.kind()),
            Err(other) => panic!("{}: {other:?}", record.kind()),
        }
    }
    let known = world.write(|write| put_team(write, 1, &world.ours)).await;
    assert_eq!(known, world.team);
}
