//! Several events in one call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use wearlab_delivery::webhook::Settings;
use wearlab_delivery::{Destination, Message, Outcome};

use super::receiver::{Receiver, status};
use super::{loopback, message, now, webhook};

fn messages(count: usize) -> Vec<Message> {
    (0..count).map(|number| message(&format!("evt_{number}"))).collect()
}

fn in_flight(in_flight: usize) -> Settings {
    Settings {
        in_flight,
        ..loopback()
    }
}

#[tokio::test]
async fn outcomes_stand_in_the_order_of_the_messages() {
    // The later ones get the first responses; every third one fails.
    let receiver = Receiver::start(|request| async move {
        let number: u64 = request.header("webhook-id").expect("an id")[4..]
            .parse()
            .expect("a number");
        tokio::time::sleep(Duration::from_millis(10 * (12 - number))).await;
        status(if number.is_multiple_of(3) { 500 } else { 200 })
    })
    .await;
    let outcomes = webhook(in_flight(12), &receiver.url).deliver(&messages(12)).await;
    let delivered: Vec<_> = outcomes.iter().map(|outcome| *outcome == Outcome::Delivered).collect();
    assert_eq!(delivered, (0..12).map(|number| number % 3 != 0).collect::<Vec<_>>());
    assert!(webhook(loopback(), &receiver.url).deliver(&[]).await.is_empty());
}

#[tokio::test]
async fn as_many_are_under_way_as_the_setting_says() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let receiver = Receiver::start(move |_| {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        async move {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(20)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            status(200)
        }
    })
    .await;
    let outcomes = webhook(in_flight(3), &receiver.url).deliver(&messages(12)).await;
    assert_eq!(outcomes, vec![Outcome::Delivered; 12]);
    assert_eq!(seen.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn connections_are_used_again() {
    let receiver = Receiver::start(|_| async { (status(200), "thank you") }).await;
    let webhook = webhook(in_flight(1), &receiver.url);
    for _ in 0..3 {
        webhook.deliver(&messages(10)).await;
    }
    assert_eq!(receiver.received().len(), 30);
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn a_pause_is_kept_for_the_rest() {
    let receiver = Receiver::start(|_| async { (status(429), [("retry-after", "30")]) }).await;
    let outcomes = webhook(in_flight(1), &receiver.url).deliver(&messages(3)).await;
    let until = now() + TimeDelta::seconds(30);
    assert!(
        matches!(&outcomes[0], Outcome::Retry { not_before: Some(at), .. } if *at == until),
        "{outcomes:?}"
    );
    assert_eq!(outcomes[1..], vec![Outcome::Deferred { not_before: until }; 2]);
    assert_eq!(receiver.received().len(), 1);
}

#[tokio::test]
async fn an_endpoint_that_is_gone_gets_no_more() {
    let receiver = Receiver::start(|_| async { status(410) }).await;
    let outcomes = webhook(in_flight(1), &receiver.url).deliver(&messages(3)).await;
    assert_eq!(outcomes, vec![Outcome::Gone; 3]);
    assert_eq!(receiver.received().len(), 1);
}
