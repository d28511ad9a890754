//! Notices of a provider: verified, and followed by pulls.

use std::sync::Arc;
use std::time::Duration;

use chrono::{Days, NaiveDate, TimeDelta};
use tokio::sync::Notify;
use wearlab_connect::{Puller, Refusal};
use wearlab_models::{ConnectionStatus, Secret};

use crate::history;
use crate::provider::{Event, Fault, SLUG};
use crate::world::{CLIENT_SECRET, EARLIER_PATH_SECRET, OTHER, World, advance, now, path_secret};

/// Creates a world whose data have arrived.
async fn settled() -> (World, Puller) {
    let world = World::new().await;
    history(&world);
    let puller = world.puller();
    world.settle(&puller).await;
    world.ringlet.calls();
    (world, puller)
}

fn changed(days: Option<(NaiveDate, NaiveDate)>) -> Event {
    let user = "user-7".to_owned();
    Event::Changed { user, days }
}

fn today() -> NaiveDate {
    now().date_naive()
}

/// Waits for the pause after a notice.
async fn settle_soon(world: &World, puller: &Puller) {
    advance(TimeDelta::seconds(6));
    world.settle(puller).await;
}

#[tokio::test]
async fn new_data_arrive_long_before_the_next_round() {
    let (world, puller) = settled().await;
    world.ringlet.set(today(), 77, 61);
    for _ in 0..3 {
        assert_eq!(world.notify(&[changed(None)]).await, (204, vec!["accepted"]));
        advance(TimeDelta::seconds(1));
    }
    world.settle(&puller).await;
    assert_eq!(world.ringlet.calls(), [], "others of the synchronisation follow");
    settle_soon(&world, &puller).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
    assert_eq!(world.ringlet.calls().len(), 2, "notices are put together");
    let before = world.event_types().await.len();
    assert_eq!(world.notify(&[changed(None)]).await.0, 204);
    settle_soon(&world, &puller).await;
    assert_eq!(world.event_types().await.len(), before, "a repeat has no event");
}

#[tokio::test]
async fn a_notice_that_is_not_stored_in_time_is_not_stored_later() {
    let (world, puller) = settled().await;
    let release = world.lock();
    let notified = tokio::time::timeout(Duration::from_secs(20), world.notify(&[changed(None)])).await;
    assert_eq!(notified, Ok((503, vec!["unavailable"])));
    drop(release);
    settle_soon(&world, &puller).await;
    assert_eq!(world.ringlet.calls(), [], "the provider repeats it");
    assert_eq!(world.notify(&[changed(None)]).await, (204, vec!["accepted"]));
    settle_soon(&world, &puller).await;
    assert_eq!(world.ringlet.calls().len(), 2);
}

#[tokio::test]
async fn requests_of_others_are_refused() {
    let (world, puller) = settled().await;
    world.ringlet.set(today(), 77, 61);
    let body = serde_json::to_string(&[changed(None)]).expect("JSON");
    let path = path_secret();
    for (path, secret, age, expected) in [
        ("", CLIENT_SECRET, 0, (404, "wrong_address")),
        (&path[1..], CLIENT_SECRET, 0, (404, "wrong_address")),
        (&path, "guessed", 0, (401, "forged")),
        (&path, CLIENT_SECRET, 301, (401, "forged")),
        (&path, CLIENT_SECRET, -301, (401, "forged")),
    ] {
        let sent = now() - TimeDelta::seconds(age);
        let (status, outcomes) = world.request(path, secret, sent, &body).await;
        assert_eq!((status, outcomes), (expected.0, vec![expected.1]));
    }
    settle_soon(&world, &puller).await;
    assert_eq!(world.ringlet.calls(), []);
}

/// The provider may have the URL of before for as long as a subscription lasts.
#[tokio::test]
async fn the_address_of_an_earlier_secret_key_is_received() {
    let (world, _) = settled().await;
    let body = serde_json::to_string(&[changed(None)]).expect("JSON");
    let received = world.request(EARLIER_PATH_SECRET, CLIENT_SECRET, now(), &body).await;
    assert_eq!(received, (204, vec!["accepted"]));
}

#[tokio::test]
async fn notices_that_cannot_be_read_are_acknowledged_and_counted() {
    let (world, puller) = settled().await;
    let body = r#"[{"event":"moved"},{"event":"changed","user":"user-7","days":null},7]"#;
    let received = world.request(&path_secret(), CLIENT_SECRET, now(), body).await;
    assert_eq!(received, (204, vec!["accepted", "unreadable", "unreadable"]));
    settle_soon(&world, &puller).await;
    assert_eq!(world.ringlet.calls().len(), 2);
}

#[tokio::test]
async fn a_notice_that_the_store_refuses_holds_up_no_other() {
    let (world, puller) = settled().await;
    let damage = world.store.write(|write| {
        let of = write.connections_of_account(SLUG, "user-7")?.remove(0);
        let due = now() + TimeDelta::days(9);
        write.replace_pull_task_state(&of, "recent:activity", "7", due)
    });
    damage.await.expect("a state that cannot be read");
    let day = today() - Days::new(40);
    let deleted = |day| Event::Deleted {
        user: "user-7".to_owned(),
        day,
    };
    // The third one is of a document that is not stored.
    let notices = [
        deleted(day),
        changed(Some((day, day))),
        deleted(today() + Days::new(9)),
        changed(None),
    ];
    let outcomes = vec!["failed", "failed", "accepted", "accepted"];
    for _ in 0..2 {
        assert_eq!(world.notify(&notices).await, (204, outcomes.clone()));
    }
    assert_eq!(
        world.steps().await,
        world.ringlet.steps(),
        "the refused deletion leaves no part"
    );
    advance(TimeDelta::seconds(6));
    world.settle_some(&puller, 1).await;
    let calls = world.ringlet.calls();
    assert!(calls.iter().any(|(name, _)| *name == "heart"), "{calls:?}");
}

#[tokio::test]
async fn without_a_client_secret_nothing_is_received() {
    let world = World::new().await;
    let body = serde_json::to_string(&[changed(None)]).expect("JSON");
    for secret in [None, Some(Secret::from(""))] {
        let mut connector = world.connector();
        connector.settings.client_secret = secret;
        let received = world.request_of(connector, &path_secret(), "", now(), &body).await;
        assert_eq!(received, (404, vec![]));
    }
}

/// A notice that is repeated after a 503 is counted once.
#[tokio::test]
async fn unreadable_notices_are_counted_once_the_others_are_stored() {
    let world = World::new().await;
    let body = r#"[{"event":"moved"},{"event":"changed","user":"user-7","days":null}]"#;
    let locked = world.lock();
    let received = world.request(&path_secret(), CLIENT_SECRET, now(), body).await;
    assert_eq!(received, (503, vec!["unavailable"]));
    drop(locked);
    let received = world.request(&path_secret(), CLIENT_SECRET, now(), body).await;
    assert_eq!(received, (204, vec!["unknown_user", "unreadable"]));
}

/// The task after a link reads everything that was there before it knew the account.
#[tokio::test]
async fn a_notice_before_the_account_is_known_loses_nothing() {
    let world = World::new().await;
    history(&world);
    assert_eq!(world.notify(&[changed(None)]).await, (204, vec!["unknown_user"]));
    let puller = world.puller();
    // The account is read, and not written yet.
    let response = Arc::new(Notify::new());
    world.ringlet.fail([Fault::Late(response.clone())]);
    let notice = async {
        tokio::task::yield_now().await;
        world.ringlet.set(today(), 77, 61);
        assert_eq!(world.notify(&[changed(None)]).await, (204, vec!["unknown_user"]));
        response.notify_one();
    };
    let (pulled, ()) = tokio::join!(puller.pull_due(), notice);
    assert_eq!(pulled.expect("a store"), 1);
    world.settle(&puller).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
}

#[tokio::test]
async fn all_connections_of_an_account_are_pulled() {
    let (world, puller) = settled().await;
    world.link_another().await;
    world.settle(&puller).await;
    world.ringlet.set(today(), 77, 61);
    assert_eq!(world.notify(&[changed(None)]).await, (204, vec!["accepted"]));
    settle_soon(&world, &puller).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
    assert_eq!(world.steps_of(OTHER).await, world.ringlet.steps());
}

#[tokio::test]
async fn earlier_days_of_a_notice_are_read_too() {
    let (world, puller) = settled().await;
    let day = today() - Days::new(40);
    world.ringlet.set(day, 77, 61);
    // Out of order, and days that were not there before the link.
    for (first, last) in [
        (today(), today()),
        (day, day),
        (today() - Days::new(900), today() - Days::new(800)),
    ] {
        assert_eq!(world.notify(&[changed(Some((first, last)))]).await.0, 204);
    }
    settle_soon(&world, &puller).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
    let calls = world.ringlet.calls();
    let activity: Vec<_> = calls.iter().filter(|(name, _)| *name == "activity").collect();
    assert_eq!((activity[0].1.first, activity[0].1.last), (day, day));
    assert_eq!(activity.len(), 2, "those, and the last ones: {calls:?}");
}

#[tokio::test]
async fn earlier_days_that_the_provider_refuses_do_not_hold_up_the_last_ones() {
    let (world, puller) = settled().await;
    let (first, last) = (today() - Days::new(45), today() - Days::new(20));
    assert_eq!(world.notify(&[changed(Some((first, last)))]).await.0, 204);
    world.ringlet.set(today(), 77, 61);
    let refusal = |number| match number % 3 {
        0 => Refusal::NotFound,
        _ => Refusal::Failed("the period is too old".to_owned()),
    };
    // Five for each of two collections.
    world.ringlet.fail((0..10).map(refusal).map(Fault::Refused));
    let mut refused = Vec::new();
    while refused.len() < 10 {
        advance(TimeDelta::minutes(10));
        world.settle_some(&puller, 1).await;
        refused.extend(world.ringlet.calls());
    }
    assert!(refused.iter().all(|(_, span)| span.first == first), "{refused:?}");
    advance(TimeDelta::minutes(10));
    world.settle(&puller).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
    // The window of heart rate is shorter: what follows the refused days is read.
    let read = world.ringlet.calls();
    let next = |name: &str| read.iter().find(|(of, _)| *of == name).expect("a call").1.first;
    assert_eq!(next("heart"), first + Days::new(10), "{read:?}");
    assert_eq!(next("activity"), today() - Days::new(7), "{read:?}");
}

#[tokio::test]
async fn a_notice_of_days_that_a_pull_reads_is_followed_by_another_one() {
    let (world, puller) = settled().await;
    let day = today() - Days::new(40);
    let notice = [changed(Some((day, day)))];
    assert_eq!(world.notify(&notice).await.0, 204);
    pull_meanwhile(&world, &puller, async {
        world.ringlet.set(day, 77, 61);
        assert_eq!(world.notify(&notice).await.0, 204);
    })
    .await;
    settle_soon(&world, &puller).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
}

/// The notice does not have the day, but the store has it.
#[tokio::test]
async fn a_correction_of_an_old_document_is_read() {
    let (world, puller) = settled().await;
    let day = today() - Days::new(40);
    let corrected = |day| Event::Corrected {
        user: "user-7".to_owned(),
        day,
    };
    world.ringlet.set(day, 77, 61);
    for day in [today(), day, today() - Days::new(500)] {
        assert_eq!(world.notify(&[corrected(day)]).await, (204, vec!["accepted"]));
    }
    settle_soon(&world, &puller).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
    let calls = world.ringlet.calls();
    assert_eq!(
        (calls[0].1.first, calls[0].1.last),
        (day - Days::new(1), day + Days::new(1))
    );
    assert_eq!(calls.len(), 2, "{calls:?}");
}

/// Pulls while the response of the next one waits for what `meanwhile` does.
/// Creates a world whose provider has other documents of two old days than the store.
async fn with_old_documents() -> (World, Puller, [NaiveDate; 2]) {
    let (world, puller) = settled().await;
    let days = [40, 20].map(|days| today() - Days::new(days));
    for day in days {
        world.ringlet.remove(day);
        let user = "user-7".to_owned();
        assert_eq!(world.notify(&[Event::Deleted { user, day }]).await.0, 204);
    }
    settle_soon(&world, &puller).await;
    days.iter().for_each(|day| world.ringlet.set(*day, 77, 61));
    assert_ne!(world.steps().await, world.ringlet.steps());
    world.ringlet.calls();
    (world, puller, days)
}

fn recorded(day: NaiveDate) -> Event {
    let user = "user-7".to_owned();
    Event::Recorded { user, day }
}

#[tokio::test]
async fn a_new_document_of_an_old_day_is_looked_up() {
    let (world, puller, [first, second]) = with_old_documents().await;
    let gone = recorded(today() - Days::new(500));
    let notices = [recorded(first), recorded(second), gone, recorded(first)];
    assert_eq!(world.notify(&notices).await, (204, vec!["accepted"; 4]));
    settle_soon(&world, &puller).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
    let spans: Vec<_> = world.ringlet.calls().into_iter().map(|(_, span)| span).collect();
    assert!(spans[0].contains(first) && spans[0].contains(second), "{spans:?}");
    assert!(spans.last().is_some_and(|span| span.contains(today())), "{spans:?}");
    assert_eq!(spans.len(), 2, "{spans:?}");
}

#[tokio::test]
async fn a_document_whose_day_cannot_be_read_does_not_hold_up_the_last_days() {
    let (world, puller, [first, second]) = with_old_documents().await;
    world.ringlet.set(today(), 88, 62);
    // The provider does not respond, and then it refuses the first one.
    let refused = [Refusal::Later(None), Refusal::Failed("it is broken".to_owned())];
    world.ringlet.fail(refused.map(Fault::Refused));
    assert_eq!(world.notify(&[recorded(first), recorded(second)]).await.0, 204);
    settle_soon(&world, &puller).await;
    for _ in 0..3 {
        advance(TimeDelta::seconds(30));
        world.settle(&puller).await;
    }
    let mut expected = world.ringlet.steps();
    expected.remove(&first);
    assert_eq!(world.steps().await, expected);
}

async fn pull_meanwhile(world: &World, puller: &Puller, meanwhile: impl Future<Output = ()>) {
    advance(TimeDelta::hours(2));
    let response = Arc::new(Notify::new());
    world
        .ringlet
        .fail([Fault::Late(response.clone()), Fault::Late(response.clone())]);
    let meanwhile = async {
        while world.ringlet.calls().len() < 2 {
            tokio::task::yield_now().await;
        }
        meanwhile.await;
        response.notify_waiters();
    };
    let (pulled, ()) = tokio::join!(puller.pull_due(), meanwhile);
    assert_eq!(pulled.expect("a store"), 2);
    world.ringlet.fail([]);
}

#[tokio::test]
async fn a_notice_during_a_pull_is_followed_by_another_one() {
    for old in [0, 40] {
        let (world, puller) = settled().await;
        let day = today() - Days::new(old);
        pull_meanwhile(&world, &puller, async {
            world.ringlet.set(day, 77, 61);
            assert_eq!(world.notify(&[changed(Some((day, day)))]).await.0, 204);
        })
        .await;
        assert_ne!(world.steps().await, world.ringlet.steps(), "it began before");
        settle_soon(&world, &puller).await;
        assert_eq!(world.steps().await, world.ringlet.steps(), "{old} days ago");
    }
}

#[tokio::test]
async fn a_deleted_document_is_deleted_once() {
    let (world, puller) = settled().await;
    let day = today() - Days::new(50);
    let deleted = || Event::Deleted {
        user: "user-7".to_owned(),
        day,
    };
    world.ringlet.remove(day);
    for _ in 0..2 {
        assert_eq!(world.notify(&[deleted()]).await, (204, vec!["accepted"]));
    }
    assert_eq!(world.steps().await, world.ringlet.steps());
    let types = world.event_types().await;
    let events = types.iter().filter(|name| *name == "daily.data.activity.deleted");
    assert_eq!(events.count(), 1);
    settle_soon(&world, &puller).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
}

/// Providers send notices late, and repeat them.
#[tokio::test]
async fn an_old_document_that_was_recreated_before_the_notice_of_its_deletion_is_read_again() {
    let (world, puller) = settled().await;
    let day = today() - Days::new(50);
    for steps in [77, 78] {
        world.ringlet.set(day, steps, 61);
        let user = "user-7".to_owned();
        assert_eq!(world.notify(&[Event::Deleted { user, day }]).await.0, 204);
        assert!(!world.steps().await.contains_key(&day));
        settle_soon(&world, &puller).await;
        assert_eq!(world.steps().await, world.ringlet.steps());
    }
}

/// A pull has read the document, and is not written yet.
#[tokio::test]
async fn a_pull_in_progress_does_not_bring_a_deleted_document_back() {
    let (world, puller) = settled().await;
    let day = today();
    pull_meanwhile(&world, &puller, async {
        world.ringlet.remove(day);
        let user = "user-7".to_owned();
        assert_eq!(world.notify(&[Event::Deleted { user, day }]).await.0, 204);
    })
    .await;
    assert_eq!(world.steps().await, world.ringlet.steps());
    settle_soon(&world, &puller).await;
    assert_eq!(world.steps().await, world.ringlet.steps());
}

#[tokio::test]
async fn a_consent_that_the_user_ended_fails_the_connection_until_the_next_link() {
    let (world, _) = settled().await;
    let ended = || Event::Ended {
        user: "user-7".to_owned(),
        at: now(),
    };
    let event = ended();
    for _ in 0..2 {
        assert_eq!(world.notify(&[ended()]).await, (204, vec!["accepted"]));
    }
    assert_eq!(world.status().await, ConnectionStatus::Error);
    let types = world.event_types().await;
    let events = types.iter().filter(|name| *name == "provider.connection.error");
    assert_eq!(events.count(), 1, "{types:?}");

    advance(TimeDelta::hours(1));
    world.link().await;
    assert_eq!(world.notify(&[event]).await.0, 204);
    assert_eq!(
        world.status().await,
        ConnectionStatus::Connected,
        "it is an earlier consent"
    );
}

#[tokio::test]
async fn connections_of_another_client_are_left_alone() {
    let (world, puller) = settled().await;
    world.use_own_client().await;
    assert_eq!(world.notify(&[changed(None)]).await, (204, vec!["unknown_user"]));
    settle_soon(&world, &puller).await;
    assert_eq!(world.ringlet.calls(), []);
}
