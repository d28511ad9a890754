//! Outcomes of the responses of the service.

use std::time::{Duration, Instant};

use wearlab_delivery::cloud_pubsub::{Settings, Topic};
use wearlab_delivery::{Destination, Message, Outcome};

use super::service::Service;
use super::{all_delivered, block, down, message, number, rounds, settings, topic};

fn named(service: &Service, kind: &str, ordered: bool) -> Topic {
    topic(&service.address(), &format!("t{}-{kind}", number()), ordered)
}

#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn codes_are_distinguished() {
    let service = Service::start();
    // The code, the number of attempts, and its text in the reason.
    for (code, attempts, says) in [
        (5, 1, "no such topic: create it"),
        (7, 1, "the account may not publish to the topic: "),
        (16, 1, "the credentials were rejected: create a new key"),
        (9, 1, "the topic cannot be published to (FAILED_PRECONDITION)"),
        (12, 1, "the peer is not Pub/Sub: check the endpoint"),
        (8, 3, "throttled (RESOURCE_EXHAUSTED)"),
        (14, 3, "the service is unavailable (UNAVAILABLE)"),
        (4, 3, "no response within 20s"),
    ] {
        let topic = named(&service, &format!("code-{code}"), true);
        let outcomes = topic.deliver(&[message(Some(1), "1"), message(Some(1), "2")]).await;
        let reason = down(&outcomes[0]).as_str();
        assert!(reason.starts_with(says), "{code}: {reason}");
        assert_eq!(outcomes[1], Outcome::Held);
        assert_eq!(service.requests(attempts).len(), attempts, "{code}");
    }
    for (code, name, attempts) in [
        (1, "CANCELLED", 1),
        (2, "UNKNOWN", 3),
        (10, "ABORTED", 3),
        (13, "INTERNAL", 3),
        (15, "DATA_LOSS", 1),
    ] {
        for ordered in [true, false] {
            let topic = named(&service, &format!("code-{code}"), ordered);
            let outcomes = topic.deliver(&[message(Some(1), "1"), message(Some(1), "2")]).await;
            let Outcome::Retry {
                reason,
                not_before: None,
            } = &outcomes[0]
            else {
                panic!("{code}: {outcomes:?}")
            };
            assert_eq!(reason.as_str(), format!("Pub/Sub responded {name}"));
            let second = if ordered { &Outcome::Held } else { &outcomes[0] };
            assert_eq!(outcomes[1], *second);
            assert_eq!(service.requests(attempts).len(), attempts, "{code}");
        }
    }
}

#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn messages_that_it_does_not_take_are_found_among_the_others() {
    let service = Service::start();
    let bad = |message: Message| Message {
        event_type: "bad".to_owned(),
        ..message
    };
    for ordered in [true, false] {
        let topic = named(&service, "picky", ordered);
        let messages: Vec<_> = (0..100)
            .map(|place| {
                let message = message(Some(place % 3), &place.to_string());
                if matches!(place, 7 | 8 | 99) {
                    bad(message)
                } else {
                    message
                }
            })
            .collect();
        let outcomes = topic.deliver(&messages).await;
        for (place, outcome) in outcomes.iter().enumerate() {
            match place {
                7 | 8 | 99 => assert!(
                    matches!(outcome, Outcome::Refused { reason } if reason.as_str().contains("schema")),
                    "{outcome:?}"
                ),
                _ => assert_eq!(*outcome, Outcome::Delivered, "{place}"),
            }
        }
        let requests = service.requests(1);
        let taken: Vec<_> = requests.iter().filter(|request| request.taken).collect();
        // Halves of the failed ones, not one by one.
        assert!(requests.len() < 60, "{}", requests.len());
        for user in 0..3 {
            let of_user = |id: &&String| id.parse::<usize>().expect("a number") % 3 == user;
            let ids: Vec<_> = taken.iter().flat_map(|request| &request.ids).filter(of_user).collect();
            let expected: Vec<_> = (0..100)
                .filter(|place| place % 3 == user && ![7, 8, 99].contains(place))
                .collect();
            assert_eq!(
                ids,
                expected
                    .iter()
                    .map(usize::to_string)
                    .collect::<Vec<_>>()
                    .iter()
                    .collect::<Vec<_>>()
            );
        }
    }
}

#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn an_answer_that_lacks_ids_is_no_acknowledgement() {
    let service = Service::start();
    let topic = named(&service, "short", true);
    let outcomes = topic.deliver(&rounds(1, 2)).await;
    assert!(
        matches!(&outcomes[0], Outcome::Retry { reason, .. } if reason.as_str() == "no message id in the response"),
        "{outcomes:?}"
    );
    assert_eq!(outcomes[1], Outcome::Held);
}

#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn passing_faults_pass_within_the_call() {
    let service = Service::start();
    let topic = named(&service, "flaky-2", true);
    assert!(all_delivered(&topic.deliver(&rounds(1, 5)).await));
    let taken: Vec<_> = service.requests(3).iter().map(|request| request.taken).collect();
    assert_eq!(taken, [false, false, true]);
}

#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn late_answers_are_bounded_and_the_next_call_goes_on() {
    let service = Service::start();
    let settings = Settings {
        timeout: Duration::from_secs(1),
        ..settings(&service.address())
    };
    let topic = Topic::new(&block(&format!("t{}-late-64", number()), true), settings).expect("a topic");
    let messages = rounds(300, 2);
    let began = Instant::now();
    let outcomes = topic.deliver(&messages).await;
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    assert!(!outcomes.contains(&Outcome::Delivered));
    // Messages that were not in flight yet were not sent.
    assert_eq!(service.requests(64).len(), 64);
    assert!(all_delivered(&topic.deliver(&messages).await));
    let requests = service.requests(300);
    assert!(requests.iter().all(|request| request.taken && request.ids.len() == 2));
    assert_eq!(requests.len(), 300);
}

#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn what_is_just_short_enough_is_sent_alone() {
    let service = Service::start();
    let topic = named(&service, "fine", true);
    let mut messages = rounds(1, 9);
    for message in &mut messages[1..8] {
        message.payload = vec![b'x'; 9_999_000].into();
    }
    assert!(all_delivered(&topic.deliver(&messages).await));
    let requests = service.requests(9);
    assert!(requests.iter().all(|request| request.taken && request.ids.len() == 1));
    let ids: Vec<_> = requests.into_iter().flat_map(|request| request.ids).collect();
    assert_eq!(
        ids,
        messages.into_iter().map(|message| message.event_id).collect::<Vec<_>>()
    );
}

#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn users_leave_nothing_behind() {
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let service = Service::start();
    let topic = named(&service, "fine", true);
    assert!(all_delivered(&topic.deliver(&rounds(1, 1)).await));
    tokio::time::sleep(Duration::from_millis(200)).await;
    let before = tasks();
    assert!(all_delivered(&topic.deliver(&rounds(500, 2)).await));
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(tasks() <= before, "{} tasks, before {before}", tasks());
}

#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn requests_hold_many_messages() {
    let service = Service::start();
    let messages = rounds(4, 250);
    for (ordered, requests) in [(true, 4), (false, 10)] {
        let topic = named(&service, "fine", ordered);
        let began = Instant::now();
        assert!(all_delivered(&topic.deliver(&messages).await));
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
        let seen = service.requests(requests);
        assert_eq!(seen.len(), requests);
        for request in &seen {
            assert_eq!(request.ids.len(), 1000 / requests);
            let mut keys = request.keys.clone();
            keys.dedup();
            assert_eq!(keys.len(), 1);
            assert_eq!(keys[0].is_empty(), !ordered);
        }
    }
    let mut about_nobody = rounds(1, 150);
    about_nobody.iter_mut().for_each(|message| message.user_id = None);
    let topic = named(&service, "fine", true);
    assert!(all_delivered(&topic.deliver(&about_nobody).await));
    assert_eq!(service.requests(2).len(), 2);
    assert!(topic.deliver(&[]).await.is_empty());
}
