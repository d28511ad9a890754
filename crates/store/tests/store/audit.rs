//! The audit log.

use chrono::{DateTime, TimeDelta};
use uuid::Uuid;
use wearlab_store::{Actor, AuditEntry, AuditLogPosition, KeyHash, KeyRecord, OrganisationId, Store, StoreError};

use crate::place::open;
use crate::world::{World, user};

const AT: &str = "2026-06-01T12:00:00Z";

pub(crate) fn actor(request: &str) -> Actor {
    Actor {
        key_id: KeyHash::of("a key").id(),
        request_id: request.to_owned(),
    }
}

async fn log(store: &Store, organisation: &OrganisationId) -> Vec<AuditEntry> {
    store.audit_log(organisation, 0, 100).await.expect("reads")
}

fn requests(log: &[AuditEntry]) -> Vec<&str> {
    log.iter().map(|entry| entry.request_id.as_str()).collect()
}

#[tokio::test]
async fn an_organisation_reads_its_own_writes_oldest_first() {
    let world = World::new().await;
    // The log is in the order of writing, whatever the clock shows.
    let now = DateTime::UNIX_EPOCH + TimeDelta::nanoseconds(1_000_000_007);
    world
        .write(|write| {
            write.audit(world.team, &actor("one"), now, "create_user", Some("7"))?;
            write.audit(world.stranger, &actor("theirs"), now, "create_user", None)?;
            write.audit_organisation(&world.ours, &actor("two"), now - TimeDelta::days(1), "create_key", None)?;
            write.audit_organisation(&world.theirs, &actor("theirs, too"), now, "create_key", None)
        })
        .await;
    world
        .write(|write| write.audit(world.sister, &actor("three"), now, "delete_user", Some("8")))
        .await;

    let ours = log(&world.store, &world.ours).await;
    assert_eq!(requests(&ours), ["one", "two", "three"]);
    assert!(ours.is_sorted_by(|one, next| one.number < next.number));
    let first = AuditEntry {
        number: ours[0].number,
        team_id: Some(world.team.uuid()),
        written_on: now,
        key_id: KeyHash::of("a key").id(),
        request_id: "one".to_owned(),
        operation: "create_user".to_owned(),
        subject: Some("7".to_owned()),
    };
    assert_eq!(ours[0], first);
    assert_eq!((ours[1].team_id, &ours[1].subject), (None, &None));
    assert_eq!(ours[1].written_on, now - TimeDelta::days(1));
    assert_eq!(ours[2].team_id, Some(world.sister.uuid()));
    assert_eq!(
        requests(&log(&world.store, &world.theirs).await),
        ["theirs", "theirs, too"]
    );

    for (after, limit, expected) in [
        (0, 2, &ours[..2]),
        (ours[0].number, 1, &ours[1..2]),
        (ours[1].number, 100, &ours[2..]),
        (ours[2].number, 100, &[]),
        (0, 0, &[]),
        (0, -1, &[]),
        (i64::MAX, i64::MAX, &[]),
    ] {
        let page = world.store.audit_log(&world.ours, after, limit).await.expect("reads");
        assert_eq!(page, expected, "{limit} after {after}");
    }
}

#[tokio::test]
async fn the_log_is_read_back_from_its_end() {
    let world = World::new().await;
    let now = AT.parse().expect("a time");
    world
        .write(|write| {
            for (team, request) in [(world.team, "one"), (world.sister, "two"), (world.stranger, "theirs")] {
                write.audit(team, &actor(request), now, "create_user", None)?;
            }
            write.audit(world.team, &actor("three"), now, "create_user", None)
        })
        .await;
    let all = log(&world.store, &world.ours).await;
    let back = async |before, limit| {
        let found = world
            .store
            .audit_log_back(&world.ours, before, limit)
            .await
            .expect("reads");
        found.into_iter().map(|entry| entry.request_id).collect::<Vec<_>>()
    };
    assert_eq!(back(i64::MAX, 100).await, ["three", "two", "one"]);
    assert_eq!(back(i64::MAX, 2).await, ["three", "two"]);
    assert_eq!(back(all[1].number, 100).await, ["one"]);
    assert!(back(all[0].number, 100).await.is_empty() && back(i64::MAX, -1).await.is_empty());

    let team = world.team.uuid();
    let of_team = async |from, limit| {
        let found = world
            .store
            .team_audit_log(&world.ours, team, from, limit)
            .await
            .expect("reads");
        (requests(&found.0).join(" "), found.1)
    };
    let first = AuditLogPosition::Before(i64::MAX);
    assert_eq!(of_team(first, 1).await, ("three".to_owned(), all[2].number));
    assert_eq!(of_team(first, 9).await, ("three one".to_owned(), all[0].number));
    let second = AuditLogPosition::Before(all[2].number);
    assert_eq!(of_team(second, 9).await, ("one".to_owned(), all[0].number));
    assert_eq!(of_team(AuditLogPosition::After(0), 9).await.0, "one three");
}

#[tokio::test]
async fn what_is_rolled_back_is_not_in_the_log() {
    let world = World::new().await;
    let now = AT.parse().expect("a time");
    let audit = |request: &'static str| {
        let team = world.team;
        world
            .store
            .write(move |write| write.audit(team, &actor(request), now, "create_user", None))
    };
    audit("one").await.expect("writes");
    let failed: Result<(), _> = world
        .store
        .write(|write| {
            write.audit(world.team, &actor("failed"), now, "create_user", None)?;
            Err(StoreError::Busy)
        })
        .await;
    assert!(failed.is_err());
    audit("two").await.expect("writes");
    assert_eq!(requests(&log(&world.store, &world.ours).await), ["one", "two"]);
}

#[tokio::test]
async fn entries_outlive_what_they_are_about() {
    let world = World::new().await;
    let now = AT.parse().expect("a time");
    let id = Uuid::from_u128(7);
    let subject = id.to_string();
    world
        .write(|write| {
            write.put_user(world.team, &user(world.team, 7, AT))?;
            write.audit(world.team, &actor("one"), now, "create_user", Some(&subject))
        })
        .await;
    world.store.forget(world.team, id).await.expect("forgets");
    let other = open(world.directory.path()).await;
    let log = log(&other, &world.ours).await;
    assert_eq!(log.first().and_then(|entry| entry.subject.as_deref()), Some(&*subject));
}

#[tokio::test]
async fn the_id_of_a_key_is_that_of_the_list() {
    let world = World::new().await;
    world
        .write(|write| write.put_key(&KeyRecord::of_team(world.team.uuid(), "a key")))
        .await;
    let keys = world.store.keys().await.expect("reads");
    assert_eq!(keys[0].id, KeyHash::of("a key").id());
    assert_eq!(keys[0].id.len(), 16);
}
