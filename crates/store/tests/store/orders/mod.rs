//! Orders of lab tests: reads of one, and their owners.

mod arrivals;
mod lists;
mod news;
mod records;

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_ingest::orders::{LabReport, ReportedResults};
use wearlab_models::Order;
use wearlab_store::{OrderRecord, Store, StoreError, TeamId, ValidArrival};

use crate::arriving::{AT, USER, arrival};
use crate::place::dump;
use crate::world::{World, decoded, user, value};

/// Texts of an order and its results that only their readers may see. They occur nowhere else.
pub(crate) const SECRETS: [&str; 29] = [
    "Evangeline",
    "Featherstone",
    "1987-03-14",
    "+15035550142",
    "patient@mail.example",
    "secret-race",
    "secret-ethnicity",
    "secret-orientation",
    "secret-identity",
    "secret-receiver",
    "12 Secret Street",
    "secret-apartment",
    "Secretville",
    "97201-0001",
    "secret-access",
    "Quackenbush",
    "1234567893",
    "secret-payer",
    "secret-member",
    "secret-group",
    "E11.65",
    "secret-clinical",
    "secret-answer",
    "secret-passthrough",
    "secret-lab",
    "secret-specimen",
    "secret-marker",
    "17.0625",
    "secret-note",
];

/// Returns an order of a user of the team. Fields of `more` replace or extend the default ones.
pub(crate) fn order(team: TeamId, user_id: u128, id: u128, more: Value) -> Order {
    order_of(team.uuid(), user_id, id, more)
}

fn order_of(team_id: Uuid, user_id: u128, id: u128, more: Value) -> Order {
    let event = json!({"id": 1, "created_at": AT, "status": "received.testkit.ordered"});
    let base = json!({
        "id": Uuid::from_u128(id), "user_id": Uuid::from_u128(user_id), "team_id": team_id,
        "patient_details": {
            "first_name": "Evangeline", "last_name": "Featherstone", "dob": "1987-03-14", "gender": "female",
            "phone_number": "+15035550142", "email": "patient@mail.example", "race": "secret-race",
            "ethnicity": "secret-ethnicity", "sexual_orientation": "secret-orientation",
            "gender_identity": "secret-identity",
        },
        "patient_address": {
            "receiver_name": "secret-receiver", "first_line": "12 Secret Street", "second_line": "secret-apartment",
            "city": "Secretville", "state": "OR", "zip": "97201-0001", "country": "US",
            "access_notes": "secret-access",
        },
        "lab_test": {
            "id": "t2", "slug": "two", "name": "Two", "sample_type": "serum", "method": "testkit", "price": 20.5,
            "is_active": true, "status": "active",
        },
        "details": {"type": "testkit", "data": {}}, "created_at": AT, "updated_at": AT, "has_abn": false,
        "events": [event], "status": "received", "last_event": event,
        "physician": {"first_name": "Ola", "last_name": "Quackenbush", "npi": "1234567893"},
        "health_insurance": {
            "payer_name": "secret-payer", "member_id": "secret-member", "group_id": "secret-group",
            "relationship": "other", "insured": {"first_name": "Evangeline", "last_name": "Featherstone"},
        },
        "icd_codes": ["E11.65"], "clinical_notes": "secret-clinical", "passthrough": "secret-passthrough",
        "aoe_answers": [{"marker_id": 3, "question_id": 1, "answer": "secret-answer"}],
    });
    value(base, more)
}

/// Returns a report of results of an order of the user, at a time of 3 May 2026.
pub(crate) fn report(order: u128, hour: u32, status: &str, results: &[(&str, &str)]) -> ValidArrival {
    let results: Vec<_> = (results.iter())
        .map(|(code, result)| {
            json!({
                "name": "secret-marker", "result": result, "type": "numeric", "loinc": code, "notes": "secret-note",
                "min_range_value": 3, "max_range_value": 6,
            })
        })
        .collect();
    let metadata = json!({
        "laboratory": "secret-lab", "date_reported": format!("2026-05-03T{hour:02}:00:00Z"),
        "specimen_number": "secret-specimen", "status": status,
    });
    arrival(
        "lab_result",
        json!({"order_id": Uuid::from_u128(order), "metadata": metadata, "results": results}),
    )
}

/// Returns the stored results of a first report.
pub(crate) fn results(report: &ValidArrival) -> ReportedResults {
    let fields = serde_json::to_value(report).expect("JSON")["lab_result"].clone();
    ReportedResults::of(&serde_json::from_value::<LabReport>(fields).expect("a report"))
}

/// Returns the exported line of an order, with or without results.
pub(crate) fn line(team: Uuid, user_id: u128, id: u128, with_results: bool) -> Value {
    let order = order_of(team, user_id, id, json!({}));
    let kept = with_results.then(|| results(&report(id, 10, "final", &[("1-1", "17.0625")])));
    let record = OrderRecord { order, results: kept };
    json!({ "order": record })
}

/// Creates a world with the user and two others.
pub(crate) async fn world() -> World {
    let world = World::new().await;
    world
        .write(|write| {
            for id in [USER, 8, 9] {
                write.put_user(world.team, &user(world.team, id, AT))?;
            }
            [world.sister, world.stranger]
                .iter()
                .try_for_each(|team| write.put_user(*team, &user(*team, USER, AT)))
        })
        .await;
    world
}

pub(crate) async fn read(store: &Store, team: TeamId, id: u128) -> Option<Order> {
    let found = store.team(team).order(Uuid::from_u128(id)).await.expect("reads");
    found.map(|order| decoded(&order))
}

pub(crate) async fn read_results(store: &Store, team: TeamId, id: u128) -> Option<ReportedResults> {
    let found = store.team(team).order_with_results(Uuid::from_u128(id)).await;
    found.expect("reads").expect("the order").1
}

#[tokio::test]
async fn an_order_is_read_as_it_was_put_by_its_team_alone() {
    let world = world().await;
    let ours = order(world.team, USER, 1, json!({"notes": "ours"}));
    let theirs = order(world.sister, USER, 1, json!({"notes": "theirs"}));
    let kept = results(&report(1, 10, "final", &[("1-1", "17.0625")]));
    world
        .write(|write| {
            write.put_order(world.team, &ours)?;
            write.put_order(world.sister, &theirs)?;
            assert_eq!(write.order(world.team, ours.id)?, Some(ours.clone()));
            assert_eq!(write.order_results(world.team, ours.id)?, None);
            write.put_order_results(world.team, ours.id, &kept)
        })
        .await;
    assert_eq!(read(&world.store, world.team, 1).await, Some(ours.clone()));
    assert_eq!(read(&world.store, world.sister, 1).await, Some(theirs));
    assert_eq!(read(&world.store, world.stranger, 1).await, None);
    assert_eq!(read(&world.store, world.team, 2).await, None);
    assert_eq!(read_results(&world.store, world.team, 1).await, Some(kept.clone()));
    assert_eq!(read_results(&world.store, world.sister, 1).await, None);
    let team = world.store.team(world.stranger);
    assert_eq!(team.order_with_results(ours.id).await.expect("reads"), None);
    let record = OrderRecord {
        order: ours,
        results: Some(kept),
    };
    let shown = format!("{record:?}");
    // A physician is not a patient.
    let patient = SECRETS
        .iter()
        .filter(|secret| !["Quackenbush", "1234567893"].contains(secret));
    for secret in patient {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}

#[tokio::test]
async fn putting_again_replaces_and_the_same_again_changes_nothing() {
    let world = world().await;
    let first = order(world.team, USER, 1, json!({}));
    let kept = results(&report(1, 10, "final", &[("1-1", "5")]));
    let put = async || {
        world
            .write(|write| {
                write.put_order(world.team, &first)?;
                write.put_order_results(world.team, first.id, &kept)
            })
            .await;
    };
    put().await;
    let before = dump(world.directory.path()).await;
    put().await;
    assert_eq!(dump(world.directory.path()).await, before);
    // The order moves to another user of the team, with the same results.
    let second = order(
        world.team,
        8,
        1,
        json!({"updated_at": "2026-06-01T00:00:00Z", "status": "failed"}),
    );
    world.write(|write| write.put_order(world.team, &second)).await;
    assert_eq!(read(&world.store, world.team, 1).await, Some(second));
    assert_eq!(read_results(&world.store, world.team, 1).await, Some(kept));
    for (user_id, orders) in [(USER, 0), (8, 1)] {
        let records = world.store.team(world.team).user_export(Uuid::from_u128(user_id)).await;
        let records = records.expect("reads").expect("the user");
        let found = records.iter().filter(|record| record.kind() == "order").count();
        assert_eq!(found, orders, "{user_id}");
    }
}

#[tokio::test]
async fn an_order_is_of_its_team_and_of_a_user_of_it() {
    let world = world().await;
    let put = async |team: TeamId, order: Order| world.store.write(|write| write.put_order(team, &order)).await;
    let other = put(world.team, order(world.sister, USER, 1, json!({}))).await;
    assert!(matches!(other, Err(StoreError::Conflict { .. })), "{other:?}");
    for (team, user_id) in [(world.team, 99), (world.sister, 8)] {
        let nobody = put(team, order(team, user_id, 1, json!({}))).await;
        assert!(matches!(nobody, Err(StoreError::Missing { .. })), "{nobody:?}");
    }
    let kept = results(&report(1, 10, "final", &[("1-1", "5")]));
    let none = world
        .store
        .write(|write| write.put_order_results(world.team, Uuid::from_u128(1), &kept))
        .await;
    assert!(matches!(none, Err(StoreError::Missing { what: "order" })), "{none:?}");
    assert_eq!(crate::place::count(world.directory.path(), "orders").await, 0);
    assert_eq!(crate::place::count(world.directory.path(), "order_results").await, 0);
}
