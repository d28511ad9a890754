//! Stores of earlier versions from `tests/versions`: each has the same rows, and all reads are compared after the
//! upgrade.
//!
//! A user was deleted, so that rows are not numbered from 1, nor in the order in which users are listed. Two teams have
//! a user, a device, an arrival and a pull with the same ids.

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_store::{Ingested, IntrospectionFilter, Record, Store, StoreError, TeamId, Transaction, ValidArrival};

use crate::arriving::{NO_FORMS, in_event, ingestion, log, sample, try_ingest};
use crate::world::{decoded, exported};

/// Export of the earlier version, with the scopes that its key got later.
pub(crate) const EXPORT: &str = include_str!("../versions/export.ndjson");

fn data(team: u128, user: u128, more: Value) -> ValidArrival {
    let mut fields = json!({
        "team_id": Uuid::from_u128(team), "user_id": Uuid::from_u128(user), "provider": "stridewell",
        "resource": "steps", "data": [sample(1)],
    });
    let (Some(fields), Value::Object(more)) = (fields.as_object_mut(), more) else {
        panic!("objects")
    };
    fields.extend(more);
    serde_json::from_value(json!({ "data": fields })).expect("an arrival")
}

/// Compares all reads, and ingests arrivals that refer to records of the earlier version.
pub(crate) async fn assert_up_to_date(store: &Store) {
    let expected: Vec<_> = EXPORT.lines().collect();
    assert_eq!(exported(store).await, expected);
    assert_reads(store, &expected).await;
    assert_introspected(store, &expected).await;
    let events = log(store).await;
    let of = |team: u128| {
        events
            .iter()
            .filter(|event| event.team_id == Uuid::from_u128(team))
            .count()
    };
    assert_eq!(
        (events.len(), of(1), of(2)),
        (6, 5, 1),
        "those of the user who was deleted are gone"
    );

    let (known, taken) = (Ingested::Duplicate, Ingested::Taken);
    let chunk = |id: &str, chunk: u32, chunks: u32| json!({"id": id, "chunk": chunk, "chunks": chunks});
    for (what, arrival, outcome) in [
        (
            "an id",
            data(1, 7, json!({"date": "2026-05-20", "arrival_id": "first"})),
            known,
        ),
        (
            "an id",
            data(2, 7, json!({"date": "2026-05-20", "arrival_id": "first"})),
            known,
        ),
        (
            "no id",
            data(1, 9, json!({"date": "2026-05-20", "arrival_id": "first"})),
            taken,
        ),
        ("other data", data(1, 7, json!({"date": "2026-05-01"})), taken),
        ("other data", data(2, 7, json!({"date": "2026-05-01"})), taken),
        (
            "a pull",
            data(1, 7, json!({"date": "2026-04-01", "pull": chunk("whole", 1, 2)})),
            known,
        ),
        (
            "a chunk",
            data(2, 7, json!({"date": "2026-04-01", "pull": chunk("part", 1, 2)})),
            known,
        ),
        (
            "a chunk",
            data(1, 7, json!({"date": "2026-04-02", "pull": chunk("part", 2, 3)})),
            known,
        ),
        (
            "the rest",
            data(2, 7, json!({"date": "2026-04-02", "pull": chunk("part", 2, 2)})),
            taken,
        ),
    ] {
        let found = try_ingest(store, &arrival, &ingestion(NO_FORMS)).await;
        assert_eq!(found.expect("is valid"), outcome, "{what}: {arrival:?}");
    }
    let pull = log(store).await.pop().expect("an event");
    let pull: Value = serde_json::from_slice(pull.payload.as_bytes()).expect("JSON");
    let values: Vec<_> = pull["data"]["data"].as_array().into_iter().flatten().collect();
    assert_eq!(values, [&json!({"value": 10}), &in_event(sample(1))], "{pull}");

    // The child rows of a user are deleted with the user, and no others.
    let lines = |user: &str| -> Vec<&str> { expected.iter().copied().filter(|line| line.contains(user)).collect() };
    let user = Uuid::from_u128(8);
    let [team, _] = teams(store, &records(&expected)).await;
    assert!(store.forget(team, user).await.expect("forgets"));
    let gone = lines(&user.to_string());
    assert_eq!(gone.len(), 2, "the user and a connection");
    let mut left = exported(store).await;
    left.retain(|line| !line.starts_with("{\"values\""));
    assert_eq!(left.len(), expected.len() - gone.len());
}

/// Records that the earlier version did not have are missing: attempts, counts, and the days of pulls.
async fn assert_introspected(store: &Store, expected: &[&str]) {
    let [team, _] = teams(store, &records(expected)).await;
    let filter = IntrospectionFilter {
        user_id: Some(Uuid::from_u128(7)),
        provider: Some("stridewell"),
        ..IntrospectionFilter::default()
    };
    let store = store.team(team);
    let resources = store
        .introspected_resources(&filter, 1)
        .await
        .expect("reads")
        .expect("the user");
    let days = json!({"oldest_data": "2026-04-01", "newest_data": "2026-05-02"});
    assert_eq!(
        json!(resources.users[0].provider),
        json!({"stridewell": {"steps": days}})
    );
    let pulls = store
        .historical_pulls(&filter, 1)
        .await
        .expect("reads")
        .expect("the user");
    let of_provider = json!(pulls.users[0].provider["stridewell"]);
    assert_eq!(of_provider["not_pulled"], json!([]));
    let pull = &of_provider["pulled"]["steps"];
    let known: Vec<_> = pull.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    assert_eq!(known, ["status", "timeline", "release"]);
    // The time of its last chunk is recorded.
    let times: Vec<_> = pull["timeline"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(times, ["scheduled_at"]);
    assert_eq!(pull["status"], "in_progress");
}

fn records(lines: &[&str]) -> Vec<Record> {
    let records = lines.iter().map(|line| serde_json::from_str(line).expect("a record"));
    records.collect()
}

/// Returns the teams, which exist: putting them again changes nothing.
async fn teams(store: &Store, records: &[Record]) -> [TeamId; 2] {
    let put = |write: &mut Transaction<'_>| -> Result<Vec<TeamId>, StoreError> {
        let teams = records.iter().filter_map(|record| match record {
            Record::Team(team) => Some(write.put_team(team)),
            _ => None,
        });
        teams.collect()
    };
    let teams = store.write(put).await.expect("writes");
    teams.try_into().expect("two teams")
}

/// Compares reads of users, connections and devices with their export.
async fn assert_reads(store: &Store, expected: &[&str]) {
    let records = records(expected);
    let teams = teams(store, &records).await;
    let of_team = |id: Uuid| *teams.iter().find(|team| team.uuid() == id).expect("the team");
    let mut users = 0;
    for record in &records {
        let Record::User(user) = record else { continue };
        users += 1;
        let (team, id) = (user.team_id, user.user_id);
        let reader = store.team(of_team(team));
        assert_eq!(
            decoded(&reader.user(id).await.expect("reads").expect("the user")),
            *user
        );
        let connections: Vec<_> = records
            .iter()
            .filter_map(|record| match record {
                Record::Connection(of) if (of.team_id, of.user_id) == (team, id) => Some(of.provider.clone()),
                _ => None,
            })
            .collect();
        let found = reader.connections(id).await.expect("reads").expect("the user");
        assert_eq!(found.iter().map(decoded).collect::<Vec<_>>(), connections, "{id}");
        let devices: Vec<_> = records
            .iter()
            .filter_map(|record| match record {
                Record::Device(of) if (of.team_id, of.device.user_id) == (team, id) => Some(of.device.clone()),
                _ => None,
            })
            .collect();
        let found = reader.devices(id).await.expect("reads").expect("the user");
        assert_eq!(found.iter().map(decoded).collect::<Vec<_>>(), devices, "{id}");
    }
    assert_eq!(users, 4);
}
