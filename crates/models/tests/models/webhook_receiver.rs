//! Example of a receiver: events that it accepts, once, and requests that it rejects.

#[expect(dead_code, reason = "the example's `main` is not run here")]
#[path = "../../examples/webhook_receiver.rs"]
mod example;

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use example::receiver;
use tower::ServiceExt;
use wearlab_models::webhook::{SigningSecret, Verifier};

const HYPNOGRAM: &str = r#"{"event_type":"daily.timeseries.hypnogram.created","user_id":"5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11",
    "event_id":"evt_1","data":{"data":[],"source":{"slug":"stridewell"}}}"#;

fn secret() -> SigningSecret {
    SigningSecret::from_bytes(&[7; 32]).expect("a secret")
}

/// A receiver that records its events, and fails as often as scripted.
fn writing_down(failures: usize) -> (Router, Arc<Mutex<Vec<String>>>) {
    let written = Arc::new(Mutex::new(Vec::new()));
    let (list, left) = (written.clone(), Mutex::new(failures));
    let action = move |upgraded: &wearlab_models::consume::Upgraded| {
        let mut left = left.lock().expect("a number");
        if *left > 0 {
            *left -= 1;
            return Err("not now".to_owned());
        }
        let event_type = upgraded.event.event_type().to_owned();
        list.lock().expect("a list").push(event_type);
        Ok(())
    };
    (receiver(Verifier::new(secret()), Box::new(action)), written)
}

async fn post(routes: &Router, id: &str, by: &SigningSecret, body: &str) -> StatusCode {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .expect("a time")
        .as_secs();
    let request = Request::post("/events")
        .header("webhook-id", id)
        .header("webhook-timestamp", now)
        .header("webhook-signature", by.sign(id, now, body.as_bytes()))
        .body(Body::from(body.to_owned()))
        .expect("a request");
    routes.clone().oneshot(request).await.expect("a response").status()
}

#[tokio::test]
async fn an_event_is_acted_on_once_in_its_current_form() {
    let (routes, written) = writing_down(0);
    for _ in 0..3 {
        assert_eq!(post(&routes, "evt_1", &secret(), HYPNOGRAM).await, StatusCode::OK);
    }
    let other = HYPNOGRAM.replace("evt_1", "evt_2");
    assert_eq!(post(&routes, "evt_2", &secret(), &other).await, StatusCode::OK);
    assert_eq!(*written.lock().expect("a list"), ["daily.data.sleep_cycle.created"; 2]);
}

#[tokio::test]
async fn what_failed_is_acted_on_when_it_comes_again() {
    let (routes, written) = writing_down(1);
    let status = post(&routes, "evt_1", &secret(), HYPNOGRAM).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(post(&routes, "evt_1", &secret(), HYPNOGRAM).await, StatusCode::OK);
    assert_eq!(written.lock().expect("a list").len(), 1);
}

#[tokio::test]
async fn what_others_send_is_refused() {
    let (routes, written) = writing_down(0);
    let other = SigningSecret::from_bytes(&[8; 32]).expect("a secret");
    assert_eq!(post(&routes, "evt_1", &other, HYPNOGRAM).await, StatusCode::BAD_REQUEST);
    assert_eq!(post(&routes, "evt_1", &secret(), "{}").await, StatusCode::BAD_REQUEST);
    assert!(written.lock().expect("a list").is_empty());
}
