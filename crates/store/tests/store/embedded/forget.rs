//! Deletion of users: no traces of them stay in the files.

use crate::world::{World, connection, device, traces, user};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;
use uuid::Uuid;
use wearlab_models::DateTime;
use wearlab_store::{Store, TeamId, Transaction};

/// A user with two connections and two devices, whose ids are all random.
#[derive(Clone)]
struct Person {
    team: TeamId,
    id: u128,
    devices: [u128; 2],
    at: DateTime,
    /// Makes documents long, so that some have overflow pages.
    long: usize,
}

impl Person {
    fn draw(rng: &mut ChaCha8Rng, team: TeamId) -> Self {
        let seconds = rng.random_range(0..1_000_000_000_i64);
        Self {
            team,
            id: rng.random(),
            devices: rng.random(),
            at: chrono::DateTime::from_timestamp_secs(seconds).expect("a time").into(),
            long: if rng.random_range(0..20) == 0 { 6_000 } else { 0 },
        }
    }

    fn put(&self, write: &mut Transaction<'_>) {
        let at = self.at.to_rfc3339();
        let mut person = user(self.team, self.id, &at);
        person.client_user_id = self.client_user_id();
        write.put_user(self.team, &person).expect("writes");
        for slug in ["one", "two"] {
            let mut connection = connection(slug, &at);
            connection.logo.push_str(&"x".repeat(self.long));
            write
                .put_connection(self.team, Uuid::from_u128(self.id), &connection)
                .expect("writes");
        }
        for id in self.devices {
            let mut device = device(self.id, id);
            device.device_id = Some(format!("serial-{id:x}"));
            write.put_device(self.team, &device).expect("writes");
        }
    }

    fn client_user_id(&self) -> String {
        format!("client-{:x}", self.id)
    }

    /// Returns all identifiers of this user, as bytes and as text.
    fn texts(&self) -> Vec<Vec<u8>> {
        let ids = [self.id, self.devices[0], self.devices[1]].map(Uuid::from_u128);
        let bytes = ids.iter().map(|id| id.as_bytes().to_vec());
        let texts = ids.iter().map(|id| id.to_string().into_bytes());
        let serials = self.devices.map(|id| format!("serial-{id:x}").into_bytes());
        let all = bytes.chain(texts).chain(serials);
        all.chain([self.client_user_id().into_bytes()]).collect()
    }
}

/// Panics if the files have traces of these users.
fn assert_forgotten(directory: &Path, people: &[Person]) {
    let texts: Vec<_> = people.iter().flat_map(Person::texts).collect();
    let found = traces(directory, &texts);
    let first = found.first().map(|(path, text)| (path, String::from_utf8_lossy(text)));
    assert!(found.is_empty(), "{} traces, the first is {first:?}", found.len());
}

async fn populate(world: &World, rng: &mut ChaCha8Rng, count: usize) -> Vec<Person> {
    let people: Vec<_> = (0..count).map(|_| Person::draw(rng, world.team)).collect();
    for people in people.chunks(100) {
        world
            .write(|write| {
                people.iter().for_each(|person| person.put(write));
                Ok(())
            })
            .await;
    }
    people
}

#[tokio::test]
async fn who_is_forgotten_is_in_no_file() {
    let world = World::new().await;
    let directory = world.directory.path();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let people = populate(&world, &mut rng, 30).await;
    let (gone, others) = people.split_at(1);
    let texts = gone[0].texts();
    assert!(!traces(directory, &texts).is_empty(), "what is looked for is there");

    // Other processes use the store meanwhile, and hold connections open.
    let other = Store::open(directory).expect("opens beside the first");
    other.team(world.team).users(0, 100).await.expect("reads");
    let id = Uuid::from_u128(gone[0].id);
    assert!(
        !world.store.forget(world.sister, id).await.expect("forgets"),
        "of another team"
    );
    assert!(world.store.team(world.team).user(id).await.expect("reads").is_some());
    assert!(world.store.forget(world.team, id).await.expect("forgets"));
    assert_forgotten(directory, gone);
    assert!(
        !world.store.forget(world.team, id).await.expect("forgets"),
        "is forgotten already"
    );

    for store in [&world.store, &other] {
        let team = store.team(world.team);
        assert!(team.user(id).await.expect("reads").is_none());
        assert!(team.devices(id).await.expect("reads").is_none());
        assert!(team.connections(id).await.expect("reads").is_none());
        assert_eq!(team.users(0, 1).await.expect("reads").total, 29);
    }
    for person in others {
        let kept = world.user(world.team, person.id).await.expect("another user");
        assert_eq!(kept.client_user_id, person.client_user_id());
        assert_eq!(kept.connected_sources.len(), 2);
        let devices = other.team(world.team).devices(Uuid::from_u128(person.id)).await;
        assert_eq!(devices.expect("reads").map(|devices| devices.len()), Some(2));
    }
}

#[tokio::test]
async fn a_user_of_another_team_with_the_same_ids_stays() {
    let world = World::new().await;
    let ours = Person::draw(&mut ChaCha8Rng::seed_from_u64(2), world.team);
    let theirs = Person {
        team: world.stranger,
        ..ours.clone()
    };
    world
        .write(|write| {
            ours.put(write);
            theirs.put(write);
            Ok(())
        })
        .await;
    let id = Uuid::from_u128(ours.id);
    assert!(world.store.forget(world.team, id).await.expect("forgets"));
    assert_eq!(world.user(world.team, ours.id).await, None);
    let kept = world.user(world.stranger, ours.id).await.expect("the other user");
    assert_eq!(kept.connected_sources.len(), 2);
    let devices = world.store.team(world.stranger).devices(id).await.expect("reads");
    assert_eq!(devices.map(|devices| devices.len()), Some(2));
}

/// Users in random order are moved from page to page, with the entries of each index.
#[tokio::test]
async fn many_who_are_forgotten_leave_no_copies() {
    let world = World::new().await;
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let people = populate(&world, &mut rng, 2_500).await;
    // The first and the last users by age, which may begin a block, and many between them.
    let mut sorted = people.clone();
    sorted.sort_by_key(|person| (person.at, person.id));
    let (gone, kept): (Vec<_>, Vec<_>) = (0..).zip(sorted).partition(|(at, _)| at % 3 == 0 || *at > 2_400);
    let gone: Vec<_> = gone.into_iter().map(|(_, person)| person).collect();
    world
        .write(|write| {
            for person in &gone {
                assert!(write.delete_user(world.team, Uuid::from_u128(person.id))?);
            }
            Ok(())
        })
        .await;
    world.store.scrub().await.expect("scrubs");
    assert_forgotten(world.directory.path(), &gone);
    let total = world.store.team(world.team).users(0, 1).await.expect("reads").total;
    assert_eq!(usize::try_from(total), Ok(kept.len()));
}

#[tokio::test]
async fn a_reader_that_stays_is_named_and_forgetting_again_helps() {
    let world = World::new().await;
    let person = Person::draw(&mut ChaCha8Rng::seed_from_u64(4), world.team);
    world
        .write(|write| {
            person.put(write);
            Ok(())
        })
        .await;
    let id = Uuid::from_u128(person.id);
    let raw = wearlab_checksum_vfs::open(
        world.directory.path().join("wearlab.db"),
        rusqlite::OpenFlags::default(),
    )
    .expect("a database");
    raw.execute_batch("BEGIN; SELECT * FROM users").expect("reads");
    let error = world
        .store
        .forget(world.team, id)
        .await
        .expect_err("somebody reads what was");
    assert!(matches!(error, wearlab_store::StoreError::Busy), "{error:?}");
    assert_eq!(world.user(world.team, person.id).await, None);
    raw.execute_batch("COMMIT").expect("reads no more");
    assert!(!world.store.forget(world.team, id).await.expect("forgets"));
    assert_forgotten(world.directory.path(), &[person]);
}
