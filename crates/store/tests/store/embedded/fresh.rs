//! Document cache: cached users are never older than the last write.

use std::time::Duration;

use uuid::Uuid;
use wearlab_models::{Encoded, Environment, Region, User, UserList};
use wearlab_store::{Store, TeamId, TeamRecord};

use crate::world::user;

const USER: Uuid = Uuid::from_u128(7);

/// Returns the same user with another `client_user_id`.
fn named(team: TeamId, name: &str) -> User {
    let mut named = user(team, 7, "2024-01-01T00:00:00Z");
    named.client_user_id = name.to_owned();
    named
}

async fn name(store: &Store, team: TeamId) -> Option<String> {
    let found: Option<Encoded<User>> = store.team(team).user(USER).await.expect("reads");
    let decoded = found.map(|found| serde_json::from_slice::<User>(found.as_bytes()).expect("a user"));
    decoded.map(|user| user.client_user_id)
}

async fn put(store: &Store, team: TeamId, name: &str) {
    let user = named(team, name);
    store.write(|write| write.put_user(team, &user)).await.expect("writes");
}

async fn two_teams(store: &Store) -> [TeamId; 2] {
    let written = store.write(|write| {
        write.put_organisation("org_one")?;
        let team = |number| {
            write.put_team(&TeamRecord {
                team_id: Uuid::from_u128(number),
                org_id: "org_one".to_owned(),
                environment: Environment::Sandbox,
                region: Region::Eu,
            })
        };
        Ok([team(1)?, team(2)?])
    });
    written.await.expect("writes")
}

/// Returns the `client_user_id` of each user on the first page.
async fn names(store: &Store, team: TeamId) -> Vec<String> {
    let list = store.team(team).user_list(0, 10).await.expect("reads");
    let list: UserList = serde_json::from_slice(list.as_bytes()).expect("a list");
    assert_eq!(usize::try_from(list.total), Ok(list.users.len()));
    list.users.into_iter().map(|user| user.client_user_id).collect()
}

#[tokio::test]
async fn a_user_is_read_as_it_was_written_last() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).expect("opens");
    let [team, other] = two_teams(&store).await;
    assert_eq!(name(&store, team).await, None);
    for number in 0..100 {
        let written = format!("number {number}");
        put(&store, team, &written).await;
        for _ in 0..2 {
            assert_eq!(name(&store, team).await.as_ref(), Some(&written));
            assert_eq!(names(&store, team).await, [written.as_str()]);
        }
        assert!(names(&store, other).await.is_empty());
        assert_eq!(name(&store, other).await, None);
    }
    let deleted = store.write(|write| write.delete_user(team, USER)).await;
    assert!(deleted.expect("deletes"));
    assert_eq!(name(&store, team).await, None);
    assert!(names(&store, team).await.is_empty());
}

/// Opens two stores on one directory, which are two processes for the engine.
#[tokio::test]
async fn what_another_process_writes_is_read_after_a_millisecond() {
    let directory = tempfile::tempdir().expect("a directory");
    let [one, other] = [(); 2].map(|()| Store::open(directory.path()).expect("opens"));
    let [team, _] = two_teams(&one).await;
    for number in 0..20 {
        let written = format!("number {number}");
        put(&other, team, &written).await;
        tokio::time::sleep(Duration::from_millis(2)).await;
        for _ in 0..2 {
            assert_eq!(name(&one, team).await.as_ref(), Some(&written));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn while_threads_read_no_read_goes_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).expect("opens");
    let [team, _] = two_teams(&store).await;
    put(&store, team, "000").await;
    let reading: Vec<_> = (0..3)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut last = String::new();
                while last != "099" {
                    let read = name(&store, team).await.expect("is there");
                    assert!(read >= last, "{read} after {last}");
                    last = read;
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for number in 1..100 {
        let written = format!("{number:03}");
        put(&store, team, &written).await;
        assert_eq!(name(&store, team).await, Some(written));
    }
    for task in reading {
        task.await.expect("no read went back");
    }
}
