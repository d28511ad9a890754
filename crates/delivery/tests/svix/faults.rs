//! Responses of faulty servers.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use serde_json::json;
use wearlab_delivery::svix::Application;
use wearlab_delivery::{Destination, Message, Outcome};
use wearlab_models::Uuid;

use crate::model::LARGEST;
use crate::peer::{Fate, Peer, Request, respond};
use crate::{application, block, deliver, down, message, messages, now, refused, retried, settings, with_token};

/// A server with a scripted response to messages, and no other responses.
async fn messages_are(response: impl Fn() -> Response + Send + Sync + 'static) -> Peer {
    Peer::with(move |request| match request.makes_message() {
        true => Fate::Answered(response()),
        false => Fate::Usual,
    })
    .await
}

async fn all_is(response: impl Fn() -> Response + Send + Sync + 'static) -> Peer {
    Peer::with(move |_| Fate::Answered(response())).await
}

#[tokio::test]
async fn statuses_of_a_message() {
    for status in [200, 201, 202, 204] {
        let peer = messages_are(move || respond(status, &json!({}))).await;
        assert_eq!(
            deliver(&settings(&peer.url), message("evt_1")).await,
            Outcome::Delivered
        );
    }
    for status in [400, 413, 422] {
        let peer = messages_are(move || respond(status, &json!({"code": "7031982645", "detail": "hunter2"}))).await;
        let reason = refused(deliver(&settings(&peer.url), message("evt_1")).await);
        assert!(reason.contains(&status.to_string()), "{reason}");
    }
    for status in [408, 423, 425, 500] {
        let peer = messages_are(move || respond(status, &json!({}))).await;
        let reason = retried(deliver(&settings(&peer.url), message("evt_1")).await);
        assert!(reason.contains(&status.to_string()), "{reason}");
        assert_eq!(peer.sent().len(), 1, "nothing is tried twice");
    }
    for status in [302, 401, 402, 403, 404, 405, 410, 429, 501, 502, 503, 504] {
        let peer = messages_are(move || respond(status, &json!({}))).await;
        let mut settings = settings(&peer.url);
        settings.in_flight = 1;
        let outcomes = application(&settings).deliver(&messages(3)).await;
        let reason = down(outcomes[0].clone());
        assert!(reason.contains(&status.to_string()), "{reason}");
        assert_eq!(outcomes, vec![outcomes[0].clone(); 3]);
        assert_eq!(peer.sent().len(), 1, "it is the same for all");
    }
}

#[tokio::test]
async fn a_message_that_is_not_taken_holds_up_no_other() {
    let peer = Peer::start().await;
    let odd = [
        Message {
            event_type: "daily.data.größe.created".to_owned(),
            ..message("evt_1")
        },
        message("evt 2"),
        message(""),
        message(".."),
        Message {
            payload: "[1]".into(),
            ..message("evt_5")
        },
        Message {
            payload: format!("{{\"a\":\"{}\"}}", "x".repeat(LARGEST)).into(),
            ..message("evt_6")
        },
        Message {
            payload: "7031982645 schön".into(),
            ..message("evt_7")
        },
        message("evt_8"),
    ];
    let outcomes = application(&settings(&peer.url)).deliver(&odd).await;
    for (index, says) in [
        (0, "its eventType"),
        (1, "its eventId"),
        (2, "its eventId"),
        (4, "its payload"),
        (5, "larger"),
        (6, "not JSON"),
    ] {
        let reason = refused(outcomes[index].clone());
        assert!(reason.contains(says), "{index}: {reason}");
    }
    assert_eq!(outcomes[3], Outcome::Delivered, "odd, but Svix takes it");
    assert_eq!(outcomes[7], Outcome::Delivered);
    // A message whose id changes the URL of its lookup does not count as delivered.
    let reason = retried(deliver(&settings(&peer.url), odd[3].clone()).await);
    assert!(reason.contains("409"), "{reason}");
}

#[tokio::test]
async fn a_repeat_is_delivered_and_a_strangers_id_is_not() {
    let peer = Peer::start().await;
    let settings = settings(&peer.url);
    assert_eq!(deliver(&settings, message("evt_1")).await, Outcome::Delivered);
    assert_eq!(deliver(&settings, message("evt_1")).await, Outcome::Delivered, "409");
    let looked = peer.requests().pop().expect("a request");
    assert_eq!(looked.method, "GET");
    assert!(looked.uri.path().ends_with("/msg/evt_1"), "{}", looked.uri);
    assert_eq!(peer.store(|store| store.messages.len()), 1);

    let other = Application::new(Uuid::from_u128(9), &block(), &settings).expect("an application");
    let [outcome] = <[_; 1]>::try_from(other.deliver(&[message("evt_1")]).await).expect("one");
    let reason = retried(outcome);
    assert!(reason.contains("another application"), "{reason}");
}

#[tokio::test]
async fn looking_for_a_message_can_fail_too() {
    let looks = |request: &Request| request.method == "GET";
    for (status, is_down) in [(401, true), (403, true), (503, true), (500, false), (404, false)] {
        let peer = Peer::with(move |request| match (request.makes_message(), looks(request)) {
            (true, _) => Fate::Answered(respond(409, &json!({"code": "conflict", "detail": ""}))),
            (_, true) => Fate::Answered(respond(status, &json!({}))),
            _ => Fate::Usual,
        })
        .await;
        let outcome = deliver(&settings(&peer.url), message("evt_1")).await;
        match is_down {
            true => drop(down(outcome)),
            false => drop(retried(outcome)),
        }
    }
    // A server that accepts everything does not count as a Svix server.
    let peer = Peer::with(move |request| match (request.makes_message(), looks(request)) {
        (true, _) => Fate::Answered(respond(409, &json!({}))),
        (_, true) => Fate::Answered("welcome".into_response()),
        _ => Fate::Usual,
    })
    .await;
    retried(deliver(&settings(&peer.url), message("evt_1")).await);
}

#[tokio::test]
async fn pauses() {
    for (status, value, seconds) in [
        (429, "120", 120),
        (503, "Fri, 15 Jan 2027 08:01:00 GMT", 60),
        (429, "999999999", 86_400),
    ] {
        let until = now() + TimeDelta::seconds(seconds);
        let busy = move || ([("retry-after", value)], respond(status, &json!({}))).into_response();
        for (peer, requests) in [(messages_are(busy).await, 2), (all_is(busy).await, 1)] {
            let mut settings = settings(&peer.url);
            settings.in_flight = 1;
            let outcomes = application(&settings).deliver(&messages(3)).await;
            assert!(
                matches!(&outcomes[0], Outcome::Retry { not_before: Some(at), .. } if *at == until),
                "{outcomes:?}"
            );
            assert_eq!(outcomes[1..], vec![Outcome::Deferred { not_before: until }; 2]);
            assert_eq!(peer.requests().len(), requests);
        }
    }
}

#[tokio::test]
async fn a_token_that_is_refused() {
    let peer = Peer::start().await;
    let outcomes = application(&with_token(&peer.url, "testsk_other.eu"))
        .deliver(&messages(3))
        .await;
    let reason = down(outcomes[0].clone());
    assert!(reason.contains("the token was rejected"), "{reason}");
    assert_eq!(outcomes, vec![outcomes[0].clone(); 3]);
    assert_eq!(peer.requests().len(), 1, "one request says it for all");
}

#[tokio::test]
async fn the_token_goes_nowhere_else() {
    let target = Peer::start().await;
    for status in [301, 302, 303, 307, 308] {
        let to = target.url.clone();
        let peer = all_is(move || ([("location", to.clone())], respond(status, &json!({}))).into_response()).await;
        let reason = down(deliver(&settings(&peer.url), message("evt_1")).await);
        assert!(reason.contains("redirects are not followed"), "{reason}");
    }
    assert_eq!(target.connections(), 0);
}

#[tokio::test]
async fn what_is_no_svix_server() {
    for (status, body) in [
        (200, "<html>welcome</html>"),
        (200, "{}"),
        (201, r#"{"uid":"somebody","id":"app_1"}"#),
        (204, ""),
        (404, "nothing here"),
        (400, "this is for https"),
        (422, "{}"),
        (500, ""),
        (502, ""),
    ] {
        let peer = Peer::with(move |_| {
            let status = axum::http::StatusCode::from_u16(status).expect("a status");
            Fate::Answered((status, body).into_response())
        })
        .await;
        let outcomes = application(&settings(&peer.url)).deliver(&messages(3)).await;
        let reason = down(outcomes[0].clone());
        assert!(reason.contains(&status.to_string()), "{reason}");
        assert_eq!(outcomes, vec![outcomes[0].clone(); 3]);
        assert!(peer.sent().is_empty(), "no event goes there");
    }
}

#[tokio::test]
async fn an_application_that_was_deleted_is_made_anew() {
    let peer = Peer::start().await;
    let application = application(&settings(&peer.url));
    assert_eq!(application.deliver(&[message("evt_1")]).await, [Outcome::Delivered]);
    peer.store(|store| store.applications.clear());
    let [outcome] = <[_; 1]>::try_from(application.deliver(&[message("evt_2")]).await).expect("one");
    let reason = down(outcome);
    assert!(reason.contains("created again"), "{reason}");
    assert_eq!(application.deliver(&[message("evt_2")]).await, [Outcome::Delivered]);
    assert_eq!(peer.store(|store| store.applications.len()), 1);
}

#[tokio::test]
async fn outcomes_stand_in_the_order_of_the_messages() {
    let count = AtomicUsize::new(0);
    let peer = Peer::with(move |request| {
        let third = request.makes_message() && request.json()["eventId"].as_str().expect("an id").ends_with('3');
        count.fetch_add(1, Ordering::Relaxed);
        match third {
            true => Fate::Answered(respond(500, &json!({}))),
            false => Fate::Usual,
        }
    })
    .await;
    let outcomes = application(&settings(&peer.url)).deliver(&messages(40)).await;
    for (number, outcome) in outcomes.into_iter().enumerate() {
        match number % 10 {
            3 => drop(retried(outcome)),
            _ => assert_eq!(outcome, Outcome::Delivered, "{number}"),
        }
    }
}
