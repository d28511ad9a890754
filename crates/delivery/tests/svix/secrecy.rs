//! Secrecy of tokens, payloads, and texts of servers in logs and errors.

use axum::response::IntoResponse;
use serde_json::json;
use wearlab_delivery::Destination;
use wearlab_delivery::svix::Application;

use crate::log::Log;
use crate::peer::{Fate, Peer, respond};
use crate::{application, block, message, settings, team, with_token};

#[tokio::test]
async fn nothing_shows_the_token_or_the_payload() {
    let log = Log::capture();

    let mut shown = String::new();
    for status in [202, 301, 400, 401, 404, 409, 413, 422, 429, 500, 503] {
        // The server repeats everything, in every place that is read.
        let peer = Peer::with(move |request| {
            let token = request.header("authorization").unwrap_or_default().to_owned();
            let said = json!({
                "code": token, "detail": [{"loc": ["body", "7031982645 schön"], "msg": token, "type": "7031982645"}],
                "eventId": "7031982645", "uid": request.body.to_vec(),
            });
            match request.makes_message() || request.method == "GET" {
                true => Fate::Answered(([("x-echo", token)], respond(status, &said)).into_response()),
                false => Fate::Usual,
            }
        })
        .await;
        let settings = settings(&peer.url);
        let application = application(&settings);
        let outcomes = application.deliver(&[message("evt_1"), message("evt 2")]).await;
        let checked = application.check(&message("evt_3")).await;
        shown += &format!(
            "{outcomes:?} {checked:?} {application:?} {settings:?} {:?}",
            message("evt_1")
        );
    }
    for url in [
        "http://127.0.0.1:1",
        "http://nowhere.invalid",
        "https://127.0.0.1:1/hunter3",
    ] {
        let settings = settings(url);
        let outcomes = application(&settings).deliver(&[message("evt_1")]).await;
        shown += &format!("{outcomes:?} {settings:?}");
    }
    for settings in [
        settings("http://user:hunter3@10.0.0.1/"),
        settings("hunter3"),
        with_token("http://127.0.0.1:1", "testsk_hunter2 7031982645"),
    ] {
        let error = Application::new(team(), &block(), &settings).expect_err("unusable");
        shown += &format!("{error} {error:?} {settings:?}");
    }
    let logged = log.end();
    shown += &logged;

    for hidden in ["hunter2", "hunter3", "testsk", "schön", "7031982645"] {
        assert!(!shown.contains(hidden), "{hidden} shows in {shown}");
    }
}
