//! Pulls of a connector: all that the provider has arrives once, whatever fails.

mod concurrency;
mod notices;
mod provider;
mod subscriptions;
mod untrusted;
mod world;

use std::sync::Arc;
use std::time::Duration;

use chrono::{Days, NaiveDate, TimeDelta};
use futures_util::FutureExt;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use tokio::sync::oneshot;
use wearlab_connect::Refusal;
use wearlab_store::PullTask;

use provider::{Event, Fault, HISTORY_DAYS};
use world::{World, advance, now};

fn history(world: &World) {
    let last = now().date_naive();
    for (number, day) in last.iter_days().rev().take(HISTORY_DAYS as usize).enumerate() {
        world.ringlet.set(day, 5_000 + number as i64, 60 + number as i64 % 9);
    }
}

fn historical(types: &[String]) -> Vec<&str> {
    let mut found: Vec<_> = types
        .iter()
        .map(String::as_str)
        .filter(|name| name.starts_with("historical."))
        .collect();
    found.sort_unstable();
    found
}

const HISTORICAL: [&str; 3] = [
    "historical.data.activity.created",
    "historical.data.heartrate.created",
    "historical.data.hrv.created",
];

#[tokio::test]
async fn a_linked_user_gets_the_history_and_one_event_of_each_resource() {
    let world = World::new().await;
    history(&world);
    world.settle(&world.puller()).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
    assert_eq!(historical(&world.event_types().await), HISTORICAL);
    assert_eq!(world.open_tasks().await, ["recent:activity", "recent:heart"]);
    let calls = world.ringlet.calls();
    // Today comes before last year.
    assert!(
        calls[0].1.last > now().date_naive() && calls[1].1.last > now().date_naive(),
        "{calls:?}"
    );
}

#[tokio::test]
async fn later_days_and_corrections_arrive_at_the_pace_of_the_collection() {
    let world = World::new().await;
    history(&world);
    let puller = world.puller();
    world.settle(&puller).await;
    let before = world.event_types().await.len();
    world.settle(&puller).await;
    assert_eq!(world.event_types().await.len(), before, "nothing is due");

    advance(TimeDelta::hours(13));
    let today = now().date_naive();
    world.ringlet.set(today, 77, 61);
    world.ringlet.set(today - Days::new(3), 78, 61);
    world.settle(&puller).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
    let types = world.event_types().await;
    let new: Vec<_> = types[before..]
        .iter()
        .filter(|name| name.contains("activity"))
        .collect();
    assert_eq!(new, ["daily.data.activity.updated", "daily.data.activity.created"]);
}

#[tokio::test]
async fn a_limit_of_the_provider_is_obeyed() {
    let world = World::new().await;
    let puller = world.puller();
    world
        .ringlet
        .fail([Fault::Refused(Refusal::Limited(Duration::from_secs(1800)))]);
    world.settle(&puller).await;
    assert_eq!(world.open_tasks().await, ["link"]);
    advance(TimeDelta::minutes(29));
    world.settle(&puller).await;
    assert_eq!(world.open_tasks().await, ["link"], "it is too early");
    advance(TimeDelta::minutes(10));
    world.settle(&puller).await;
    assert_eq!(world.open_tasks().await, ["recent:activity", "recent:heart"]);
}

#[tokio::test]
async fn a_value_that_the_store_refuses_is_left_out_alone() {
    let world = World::new().await;
    history(&world);
    let today = now().date_naive();
    world.ringlet.reverse(today);
    world.ringlet.reverse(today - Days::new(20));
    world.settle(&world.puller()).await;
    assert_eq!(world.open_tasks().await, ["recent:activity", "recent:heart"]);
    assert_eq!(historical(&world.event_types().await), HISTORICAL);
    assert_eq!(
        world.heart_rates().await,
        world.ringlet.steps().len(),
        "the others of the day and of the window"
    );
}

#[tokio::test]
async fn days_of_a_long_pause_are_read_later() {
    let world = World::new().await;
    history(&world);
    let puller = world.puller();
    world.settle(&puller).await;
    for _ in 0..100 {
        advance(TimeDelta::days(1));
        world.ringlet.set(now().date_naive(), 42, 60);
    }
    world.settle(&puller).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
}

#[tokio::test]
async fn a_new_link_pulls_everything_again() {
    let world = World::new().await;
    history(&world);
    let puller = world.puller();
    world.settle(&puller).await;
    world.ringlet.calls();
    world.link().await;
    world.settle(&puller).await;
    assert_eq!(
        world.ringlet.calls().len(),
        2 + 3 + 8,
        "recent days, and the windows of both histories"
    );
}

#[tokio::test]
async fn a_killed_process_loses_nothing_and_repeats_no_event() {
    let world = World::new().await;
    history(&world);
    let first = world.puller();
    world.settle_some(&first, 2).await;
    world
        .ringlet
        .fail([Fault::Hangs, Fault::Hangs, Fault::Hangs, Fault::Hangs]);
    world.kill(&first, Duration::from_millis(50)).await;
    world.ringlet.fail([]);
    let second = world.puller();
    world.settle(&second).await;
    assert_ne!(
        world.open_tasks().await,
        ["recent:activity", "recent:heart"],
        "leases of the first are in force"
    );
    advance(TimeDelta::minutes(11));
    world.settle(&second).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
    assert_eq!(historical(&world.event_types().await), HISTORICAL);
}

#[tokio::test]
async fn a_task_that_a_stop_interrupts_keeps_its_last_failure() {
    let world = World::new().await;
    let puller = world.puller();
    world
        .ringlet
        .fail([Fault::Refused(Refusal::Failed("unknown".to_owned())), Fault::Hangs]);
    world.settle(&puller).await;
    let failed = world.task("link").await;
    assert_eq!((failed.failures, failed.reason.as_deref()), (1, Some("failed")));
    advance(TimeDelta::minutes(1));
    let (stop, stopped) = oneshot::channel::<()>();
    let pulling = tokio::spawn(Arc::new(puller).run(stopped.map(drop)));
    while world.ringlet.has_faults() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stop.send(()).expect("it pulls");
    pulling.await.expect("it stops");
    let due = Some(now());
    assert_eq!(world.task("link").await, PullTask { due, ..failed });
}

/// Faults, kills and corrections at random; in the end, the store has what the provider has.
#[tokio::test]
async fn all_data_arrive_once_whatever_fails() {
    for seed in 0..6 {
        let mut random = SmallRng::seed_from_u64(seed);
        let world = World::new().await;
        history(&world);
        let mut pullers = [world.puller(), world.puller()];
        for _ in 0..40 {
            let faults: Vec<_> = (0..random.random_range(0..4)).map(|_| fault(&mut random)).collect();
            let hangs = faults.iter().any(|fault| matches!(fault, Fault::Hangs));
            world.ringlet.fail(faults);
            let number = random.random_range(0..pullers.len());
            if hangs {
                world.kill(&pullers[number], Duration::from_millis(20)).await;
                pullers[number] = world.puller();
            } else {
                pullers[number].pull_due().await.expect("a store");
            }
            if random.random_bool(0.3) {
                let day = now().date_naive() - Days::new(random.random_range(0..3));
                world.ringlet.set(day, random.random_range(0..20_000), 70);
            }
            // Only a notice tells of a change of earlier days. It may be repeated.
            if random.random_bool(0.3) {
                let day = now().date_naive() - Days::new(random.random_range(0..60));
                world.ringlet.set(day, random.random_range(0..20_000), 70);
                for _ in 0..random.random_range(1..3) {
                    notify(&world, "user-7", Some((day, day))).await;
                }
            }
            // Others tell of nothing new, or of somebody else.
            if random.random_bool(0.3) {
                let user = ["user-7", "somebody"][random.random_range(0..2)];
                notify(&world, user, None).await;
            }
            advance(TimeDelta::seconds(random.random_range(0..3600)));
        }
        world.ringlet.fail([]);
        // Longer than any pause.
        advance(TimeDelta::hours(37));
        world.settle(&pullers[0]).await;
        advance(TimeDelta::hours(2));
        world.settle(&pullers[1]).await;
        let expected: Vec<(NaiveDate, i64)> = world.ringlet.steps().into_iter().collect();
        let found: Vec<_> = world.steps().await.into_iter().collect();
        assert_eq!(found, expected, "seed {seed}");
        assert_eq!(historical(&world.event_types().await), HISTORICAL, "seed {seed}");
    }
}

async fn notify(world: &World, user: &str, days: Option<(NaiveDate, NaiveDate)>) {
    let user = user.to_owned();
    let (status, _) = world.notify(&[Event::Changed { user, days }]).await;
    assert_eq!(status, 204);
}

fn fault(random: &mut SmallRng) -> Fault {
    match random.random_range(0..7) {
        0 => Fault::Refused(Refusal::Later(None)),
        1 => Fault::Refused(Refusal::Limited(Duration::from_secs(random.random_range(1..3600)))),
        2 => Fault::Refused(Refusal::Failed("the response cannot be read".to_owned())),
        3 => Fault::Refused(Refusal::Unauthorized),
        4 => Fault::Hangs,
        _ => Fault::None,
    }
}
