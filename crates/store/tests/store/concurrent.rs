//! Concurrent writers that see the writes of each other immediately.

use chrono::DateTime;
use wearlab_store::KeyRecord;

use crate::place::open;
use crate::world::{World, user};

#[tokio::test]
async fn a_second_store_sees_each_write_at_once() {
    let world = World::new().await;
    let other = open(world.directory.path()).await;
    for number in 0..20_u128 {
        let (from, to) = if number % 2 == 0 {
            (&world.store, &other)
        } else {
            (&other, &world.store)
        };
        let key = format!("key {number}");
        from.write(|write| {
            write.put_key(&KeyRecord::of_team(world.team.uuid(), key.as_str()))?;
            write.put_user(world.team, &user(world.team, number, "2024-01-01T00:00:00Z"))
        })
        .await
        .expect("writes");
        assert_eq!(to.team_of_key(&key).await.expect("reads"), Some(world.team));
        let page = to.team(world.team).users(0, 1).await.expect("reads");
        assert_eq!(u128::try_from(page.total), Ok(number + 1));
        let listed = to.keys().await.expect("reads");
        let id = &listed.last().expect("a key").id;
        assert!(
            to.write(|write| write.revoke_key(id, DateTime::UNIX_EPOCH))
                .await
                .expect("writes")
        );
        let revoked = listed.last().and_then(|key| key.record.hash).expect("a hash");
        let own = from.keys().await.expect("reads");
        let own = own
            .iter()
            .find(|key| key.record.hash == Some(revoked))
            .expect("the key");
        assert_eq!(own.record.revoked_on, Some(DateTime::UNIX_EPOCH.into()));
    }
}

#[test]
fn all_of_many_writers_get_through() {
    const WRITERS: u128 = 6;
    const EACH: u128 = 40;
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime")
    };
    let world = runtime().block_on(World::new());
    let other = runtime().block_on(open(world.directory.path()));
    let team = world.team;
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = if writer % 2 == 0 { &world.store } else { &other };
            scope.spawn(move || {
                for number in 0..EACH {
                    let user = user(team, number * WRITERS + writer, "2024-01-01T00:00:00Z");
                    runtime()
                        .block_on(store.write(|write| write.put_user(team, &user)))
                        .expect("writes");
                    runtime().block_on(store.team(team).users(0, 10)).expect("reads");
                }
            });
        }
    });
    let expected: Vec<u128> = (0..WRITERS * EACH).collect();
    for store in [&world.store, &other] {
        let page = runtime().block_on(store.team(team).users(0, 1_000)).expect("reads");
        let found: Vec<u128> = crate::world::all(&page.users)
            .iter()
            .map(|user| user.user_id.as_u128())
            .collect();
        assert_eq!(found, expected);
    }
}
