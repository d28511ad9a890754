//! Delivery of all events, in the order of each user, despite failures.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use wearlab_store::LoggedEvent;

use super::fake::{Arrived, Fake};
use super::seed::Seed;
use super::world::{World, impatient, next_week};

const USERS: u64 = 6;

#[tokio::test]
async fn whatever_fails_nothing_is_lost_and_users_keep_their_order() {
    for given in Seed::each(0..3) {
        let seed = given.number();
        let world = World::new(USERS).await;
        let arrived = Arrived::default();
        arrived.lock().seed(seed);
        arrived.lock().broken = true;
        // However little is sent before a worker is stopped, one is refused.
        world.walk(0, 0).await;
        let refused = world.log().await[0].event_id.clone();
        arrived.lock().refused.push(refused);
        let mut value = 0;
        for _ in 0..12 {
            let fake = Fake {
                arrived: arrived.clone(),
                batch: 7,
            };
            // Messages in flight when it is stopped may have arrived.
            let running = tokio::spawn(world.worker(fake, impatient()).run());
            for _ in 0..25 {
                value += 1;
                // One user has half of all events.
                let user = arrived.lock().next(2 * USERS).min(USERS - 1);
                world.walk(user, value).await;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
            running.abort();
            let _ = running.await;
        }
        arrived.lock().broken = false;
        let fake = Fake {
            arrived: arrived.clone(),
            batch: 7,
        };
        let running = tokio::spawn(world.worker(fake, impatient()).run());
        drained(&world).await;
        running.abort();
        let log = world.log().await;
        assert_eq!(log.len(), 301);
        check(&log, &arrived, seed);
        let parked = world.store.undelivered(1000).await.expect("reads");
        let parked: HashSet<_> = parked.into_iter().map(|event| event.event_id).collect();
        let refused: HashSet<_> = arrived.lock().refused.iter().cloned().collect();
        assert!(!parked.is_empty(), "seed {seed}");
        assert_eq!(parked, refused, "seed {seed}");
    }
}

fn check(log: &[LoggedEvent], arrived: &Arrived, seed: u64) {
    let inner = arrived.lock();
    let known: HashMap<_, _> = log.iter().map(|event| (event.event_id.as_str(), event)).collect();
    let mut last = HashMap::new();
    let mut seen = HashSet::new();
    for id in &inner.arrived {
        let event = known[id.as_str()];
        if seen.insert(id.as_str()) {
            let before = last.insert(event.user_id, event.number);
            assert!(
                before.is_none_or(|before| before < event.number),
                "seed {seed}: {id} came late"
            );
        }
    }
    let refused: HashSet<_> = inner.refused.iter().map(String::as_str).collect();
    for event in log {
        let id = event.event_id.as_str();
        assert!(seen.contains(id) || refused.contains(id), "seed {seed}: {id} is lost");
    }
}

async fn drained(world: &World) {
    for _ in 0..2000 {
        if world.backlog().await.waiting == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} events wait after 20 seconds", world.backlog().await.waiting);
}

#[tokio::test]
async fn while_a_destination_is_down_the_backlog_stays_in_the_log() {
    let world = World::new(USERS).await;
    for value in 0..200 {
        world.walk(value % USERS, value).await;
    }
    let running = tokio::spawn(world.worker(super::outcomes::Down, impatient()).run());
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(world.backlog().await.waiting, 200);
    let written_down = world.store.undelivered(1000).await.expect("reads");
    assert!(written_down.is_empty(), "{}", written_down.len());
    running.abort();
    let _ = running.await;
    let outage = async || {
        let mut destinations = world.store.destinations().await.expect("reads");
        assert_eq!(destinations.len(), 1);
        destinations.remove(0).outage
    };
    let down = outage().await.expect("an operator sees why");
    assert_eq!(down.reason, "down");
    assert!(down.next_attempt > down.since, "{down:?}");
    // Another process that succeeds, and has never seen it down.
    let fake = Fake {
        arrived: Arrived::default(),
        batch: 7,
    };
    let running = tokio::spawn(world.worker(fake, impatient()).run());
    drained(&world).await;
    running.abort();
    assert_eq!(outage().await, None);
}

#[tokio::test]
async fn what_is_too_old_for_a_destination_that_is_down_is_parked() {
    let world = World::new(USERS).await;
    for value in 0..30 {
        world.walk(value % USERS, value).await;
    }
    let running = tokio::spawn(world.worker_at(super::outcomes::Down, impatient(), next_week).run());
    for _ in 0..500 {
        if world.backlog().await.parked == 30 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    running.abort();
    let backlog = world.backlog().await;
    assert_eq!((backlog.waiting, backlog.parked), (0, 30));
}
