//! Partitions of the log by day: creation and pruning.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;
use wearlab_store::{
    Advance, DestinationId, EventFilter, EventRetention, Ingested, Ingestion, Progress, Store, StoreError, TeamId,
    ValidArrival,
};

use crate::arriving::{AT, NO_FORMS, USER, arrival, at, day, ingestion};
use crate::server::{Schema, populated, wait};
use crate::world::{connection, user};

const NOW: &str = "2026-06-10T12:00:00Z";

/// Creates a store with a user.
fn with_user(schema: &Schema) -> (Store, TeamId) {
    let store = schema.store();
    let team = populated(&store);
    (store, team)
}

fn ingest(store: &Store, arrival: &ValidArrival, now: DateTime<Utc>) -> Result<Ingested, StoreError> {
    let ingestion = Ingestion {
        now,
        ..ingestion(NO_FORMS)
    };
    wait(store.write(|write| write.attempt(|write| write.ingest(arrival, &ingestion))))
}

/// Returns the numbers of all events.
fn log(store: &Store) -> Vec<i64> {
    let log = wait(store.events(&EventFilter::default(), usize::MAX)).expect("reads");
    log.iter().map(|event| event.number).collect()
}

/// Writes one event on each of the days before [`NOW`], the oldest first.
fn days(store: &Store, count: i64) -> Vec<i64> {
    for ago in (0..count).rev() {
        let arrival = day(&format!("2026-05-{:02}", count - ago), 1);
        let taken = ingest(store, &arrival, at(NOW) - TimeDelta::days(ago));
        assert_eq!(taken.expect("is taken"), Ingested::Taken);
    }
    log(store)
}

/// Returns the names of the partitions.
fn parts(schema: &Schema) -> Vec<String> {
    schema.raw().texts(
        "SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
            WHERE inhparent = 'events'::regclass ORDER BY relname",
    )
}

/// Prunes, with limits in days before an hour after [`NOW`].
fn prune(store: &Store, delivered: i64, undelivered: i64) -> usize {
    let now = at(NOW) + TimeDelta::hours(1);
    let retention = EventRetention {
        now,
        delivered: now - TimeDelta::days(delivered),
        undelivered: now - TimeDelta::days(undelivered),
    };
    wait(store.write(|write| write.prune(&retention, 0, 1000)))
        .expect("prunes")
        .deleted
}

fn destination(store: &Store, team: TeamId) -> DestinationId {
    wait(store.write(|write| write.destination(team, "rabbitmq", None))).expect("writes")
}

#[test]
#[ignore = "needs PostgreSQL"]
fn days_go_as_a_whole_once_all_have_them_or_they_are_too_old() {
    let schema = Schema::new();
    let (store, team) = with_user(&schema);
    let queue = destination(&store, team);
    let numbers = days(&store, 10);
    let all = parts(&schema);
    assert_eq!(all.len(), 10);
    assert_eq!(prune(&store, 2, 30), 0, "nobody has any");
    // Seven events were processed, and the third is parked.
    let parked = Progress::Parked {
        attempts: 1,
        reason: "refused".to_owned(),
    };
    let advance = Advance {
        results: vec![(numbers[2], parked)],
        cursor: numbers[6],
        ordered: true,
        ..Advance::default()
    };
    wait(store.write(|write| write.advance(queue, &advance, at(NOW)))).expect("writes");
    assert_eq!(prune(&store, 5, 30), 4, "the third is wanted, the sixth is young");
    assert_eq!(log(&store), [&numbers[2..3], &numbers[5..]].concat());
    // The day of the limit is pruned by rows, and its partition stays.
    assert_eq!(parts(&schema), [&all[2..3], &all[4..]].concat());
    assert_eq!(prune(&store, 1, 30), 2, "those after the seventh were not read");
    assert_eq!(log(&store), [&numbers[2..3], &numbers[7..]].concat());
    assert_eq!(prune(&store, 1, 2), 2, "too old for anything");
    assert_eq!(log(&store), numbers[8..]);
    assert!(
        wait(store.undelivered(10)).expect("reads").is_empty(),
        "nothing is left of what was parked"
    );
    assert_eq!(wait(store.backlog(queue)).expect("reads").waiting, 2);
    // Numbers are not used again.
    ingest(&store, &day("2026-05-30", 1), at(NOW)).expect("is taken");
    assert!(log(&store).last() > numbers.last());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn events_and_deliveries_go_with_their_user() {
    let schema = Schema::new();
    let (store, team) = with_user(&schema);
    let queue = destination(&store, team);
    let numbers = days(&store, 3);
    let other = user(team, USER + 1, AT);
    let made = wait(store.write(|write| {
        write.put_user(team, &other)?;
        write.put_connection(team, other.user_id, &connection("stridewell", AT))
    }));
    made.expect("writes");
    let of_other = arrival("data", json!({ "user_id": other.user_id }));
    ingest(&store, &of_other, at(NOW)).expect("is taken");
    let results = log(&store).into_iter().map(|number| (number, Progress::Held)).collect();
    let advance = Advance {
        results,
        cursor: numbers[2],
        ordered: false,
        ..Advance::default()
    };
    wait(store.write(|write| write.advance(queue, &advance, at(NOW)))).expect("writes");
    assert_eq!(schema.raw().number("SELECT count(*) FROM deliveries"), 4);
    assert!(wait(store.forget(team, Uuid::from_u128(USER))).expect("forgets"));
    assert_eq!(log(&store).len(), 1, "of another user");
    assert_eq!(schema.raw().number("SELECT count(*) FROM deliveries"), 1);
    let id = Uuid::from_u128(USER).simple().to_string();
    let left: Vec<_> = schema
        .raw()
        .dump()
        .into_iter()
        .filter(|row| row.contains(&id))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_day_that_was_taken_back_is_made_again() {
    let schema = Schema::new();
    let (store, _) = with_user(&schema);
    // Refused after its event was written, because the id is too long to look up.
    let id: String = (0..4000_u32)
        .map(|n| char::from_u32(0x4e00 + n * 7919 % 20_000).expect("a letter"))
        .collect();
    let refused = arrival("data", json!({"date": "2026-05-01", "arrival_id": id}));
    let ingestion = Ingestion {
        now: at(NOW),
        ..ingestion(NO_FORMS)
    };
    let taken = wait(store.write(|write| {
        let failed = write.attempt(|write| write.ingest(&refused, &ingestion));
        assert!(matches!(failed, Err(StoreError::Conflict { .. })), "{failed:?}");
        write.attempt(|write| write.ingest(&day("2026-05-02", 2), &ingestion))
    }));
    assert_eq!(taken.expect("is taken"), Ingested::Taken);
    // Also if the write did nothing else.
    let other = at(NOW) + TimeDelta::days(1);
    assert!(ingest(&store, &refused, other).is_err());
    assert_eq!(
        ingest(&store, &day("2026-05-03", 3), other).expect("is taken"),
        Ingested::Taken
    );
    assert_eq!(log(&store).len(), 2);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_day_that_another_process_dropped_is_made_again() {
    let schema = Schema::new();
    let (store, _) = with_user(&schema);
    let other = schema.store();
    let old = at(NOW) - TimeDelta::days(9);
    ingest(&other, &day("2026-05-01", 1), old).expect("is taken");
    assert_eq!(prune(&store, 1, 1), 1);
    assert!(parts(&schema).is_empty());
    // The clock of the other process goes back.
    let failed = ingest(&other, &day("2026-05-02", 2), old);
    assert!(matches!(failed, Err(StoreError::Busy)), "{failed:?}");
    assert_eq!(
        ingest(&other, &day("2026-05-02", 2), old).expect("is taken"),
        Ingested::Taken
    );
}

#[test]
#[ignore = "needs PostgreSQL"]
fn whoever_reads_the_log_for_long_holds_up_nobody() {
    let schema = Schema::new();
    let (store, team) = with_user(&schema);
    let numbers = days(&store, 5);
    // A long reader, such as a copy of the database, reads from one snapshot.
    let copy = schema.raw();
    copy.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    copy.rows("SELECT number FROM events");
    copy.rows("SELECT id FROM users");
    let tomorrow = at(NOW) + TimeDelta::days(1);
    assert_eq!(
        ingest(&store, &day("2026-05-20", 1), tomorrow).expect("a new day"),
        Ingested::Taken
    );
    let started = std::time::Instant::now();
    // Days that cannot be dropped are pruned by rows.
    assert_eq!(prune(&store, 2, 2), 3);
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
    assert_eq!(parts(&schema).len(), 6);
    assert_eq!(wait(store.team(team).users(0, 10)).expect("reads").total, 1);
    assert_eq!(
        copy.rows("SELECT number FROM events").len(),
        numbers.len(),
        "as of one moment"
    );
    copy.run("COMMIT");
    assert_eq!(prune(&store, 2, 2), 0);
    assert_eq!(parts(&schema).len(), 4, "the empty days are gone");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn times_far_away_have_days_of_their_own() {
    let schema = Schema::new();
    let (store, _) = with_user(&schema);
    let times = [
        "0001-01-01T00:00:00Z",
        "1677-09-21T00:12:43.145224192Z",
        "1969-12-31T23:59:59.999999999Z",
        "1970-01-01T00:00:00Z",
        "2262-04-11T23:47:16.854775806Z",
    ];
    for (number, time) in (1..).zip(times) {
        let taken = ingest(&store, &day(&format!("2026-05-0{number}"), number), at(time));
        assert_eq!(taken.expect("is taken"), Ingested::Taken, "{time}");
    }
    assert_eq!(log(&store).len(), times.len());
    assert_eq!(parts(&schema).len(), 4);
    // A later time is clamped to the last one that a column can hold.
    let beyond = ingest(&store, &day("2026-05-09", 9), at("9999-12-31T00:00:00Z"));
    assert!(beyond.is_ok(), "{beyond:?}");
}
