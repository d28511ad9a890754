//! Servers that cannot be reached, hang, or end in the middle.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wearlab_delivery::{Destination, Message, Outcome};

use crate::peer::{Fate, Peer};
use crate::proxy::Proxy;
use crate::{application, deliver, down, impatient, message, messages, settings};

/// A server that begins its response with `beginning`, and continues with a full stop every 20 ms.
async fn drips(beginning: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 4096]).await;
                let mut says = beginning;
                while stream.write_all(says.as_bytes()).await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    says = if beginning.is_empty() { "" } else { "." };
                }
            });
        }
    });
    url
}

#[tokio::test]
async fn a_server_that_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let closed = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    for url in [closed.as_str(), "http://nowhere.invalid"] {
        let outcomes = application(&settings(url)).deliver(&messages(3)).await;
        let reason = down(outcomes[0].clone());
        assert!(reason.starts_with("no connection: "), "{reason}");
        assert_eq!(outcomes, vec![outcomes[0].clone(); 3]);
    }
}

#[tokio::test]
async fn a_server_that_never_answers_costs_one_time_out() {
    for url in [drips("").await, drips("HTTP/1.1 200 OK\r\nx-drip: ").await] {
        let began = Instant::now();
        let outcomes = application(&impatient(&url)).deliver(&messages(100)).await;
        assert_eq!(down(outcomes[99].clone()), "no response within 1s");
        assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    }
    // It creates the application, and hangs then.
    let peer = Peer::with(|request| match request.makes_message() {
        true => Fate::Lost,
        false => Fate::Usual,
    })
    .await;
    let began = Instant::now();
    let outcomes = application(&impatient(&peer.url)).deliver(&messages(100)).await;
    for outcome in outcomes {
        assert_eq!(down(outcome), "no response within 1s");
    }
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    assert_eq!(peer.sent().len(), 8, "what was under way");
}

#[tokio::test]
async fn a_message_whose_answer_is_lost_is_there_once() {
    let lose = AtomicBool::new(true);
    let peer = Peer::with(
        move |request| match request.makes_message() && lose.swap(false, Ordering::SeqCst) {
            true => Fate::Lost,
            false => Fate::Usual,
        },
    )
    .await;
    let outcomes = application(&impatient(&peer.url)).deliver(&[message("evt_1")]).await;
    assert_eq!(down(outcomes[0].clone()), "no response within 1s");
    let outcomes = application(&settings(&peer.url)).deliver(&[message("evt_1")]).await;
    assert_eq!(outcomes, [Outcome::Delivered]);
    assert_eq!(peer.store(|store| store.messages.len()), 1);
}

/// Sends until everything is delivered, and fails if a delivered message is missing.
async fn deliver_all(application: &impl Destination, peer: &Peer, messages: Vec<Message>) -> usize {
    let mut left = messages;
    for round in 0..200 {
        let outcomes = application.deliver(&left).await;
        let there: HashSet<_> = peer.store(|store| store.messages.iter().map(|it| it.event_id.clone()).collect());
        let mut again = Vec::new();
        for (message, outcome) in left.into_iter().zip(outcomes) {
            match outcome {
                Outcome::Delivered => assert!(there.contains(&Some(message.event_id)), "reported, and not there"),
                Outcome::Retry { .. } | Outcome::Down { .. } => again.push(message),
                other => panic!("{other:?}"),
            }
        }
        left = again;
        if left.is_empty() {
            return round;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{} are left", left.len());
}

#[tokio::test]
async fn connections_that_are_cut_in_the_middle_lose_nothing() {
    let peer = Peer::start().await;
    let proxy = Proxy::before(&peer.url).await;
    let application = application(&settings(&proxy.url));
    let cutting = async {
        let mut next = 20;
        loop {
            tokio::time::sleep(Duration::from_millis(1)).await;
            if peer.store(|store| store.messages.len()) >= next {
                proxy.cut();
                next += 40;
            }
        }
    };
    let rounds = tokio::select! {
        rounds = deliver_all(&application, &peer, messages(400)) => rounds,
        () = cutting => unreachable!("it does not end"),
    };
    assert!(rounds > 0, "nothing was cut");
    assert_eq!(peer.store(|store| store.messages.len()), 400, "each once");
}

#[tokio::test]
async fn a_server_that_is_stopped_and_started_is_found_again() {
    let peer = Peer::start().await;
    let mut proxy = Proxy::before(&peer.url).await;
    let application = application(&settings(&proxy.url));
    let all = messages(300);
    let (first, rest) = all.split_at(100);
    assert_eq!(application.deliver(first).await, vec![Outcome::Delivered; 100]);

    let stopping = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        proxy.stop().await;
    };
    let (outcomes, ()) = tokio::join!(application.deliver(rest), stopping);
    let delivered = outcomes
        .iter()
        .filter(|outcome| **outcome == Outcome::Delivered)
        .count();
    assert!(delivered < 200, "it was stopped in the middle");
    let outcomes = application.deliver(&rest[..3]).await;
    assert!(down(outcomes[2].clone()).starts_with("no connection: "));

    proxy.start_again().await;
    deliver_all(&application, &peer, rest.to_vec()).await;
    assert_eq!(peer.store(|store| store.messages.len()), 300, "each once");
}

#[tokio::test]
async fn as_many_are_under_way_as_the_setting_says() {
    let peer = Peer::start().await;
    let mut settings = settings(&peer.url);
    settings.in_flight = 3;
    let application = application(&settings);
    assert_eq!(application.deliver(&messages(60)).await, vec![Outcome::Delivered; 60]);
    assert_eq!(peer.most_under_way(), 3);
    assert_eq!(peer.connections(), 3, "connections are used again");

    settings.in_flight = 0;
    assert_eq!(deliver(&settings, message("evt_none")).await, Outcome::Delivered);
}

#[tokio::test]
async fn nothing_is_left_of_what_is_dropped() {
    let peer = Peer::with(|request| match request.makes_message() {
        true => Fate::Lost,
        false => Fate::Usual,
    })
    .await;
    let proxy = Proxy::before(&peer.url).await;
    let settings = settings(&proxy.url);
    let dropped = application(&settings);
    let all = messages(20);
    let cut_short = tokio::time::timeout(Duration::from_millis(300), dropped.deliver(&all)).await;
    assert!(cut_short.is_err());
    assert!(proxy.open() > 0);
    drop(dropped);
    drop(settings);
    for _ in 0..200 {
        if proxy.open() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} connections are left", proxy.open());
}
