//! Requests that a server gets.

use serde_json::json;
use wearlab_delivery::svix::Application;
use wearlab_delivery::{Destination, Message, Outcome};
use wearlab_models::{Event, Uuid};

use crate::events::of_every_type;
use crate::peer::{Peer, TOKEN};
use crate::{application, block, deliver, message, settings, team};

#[tokio::test]
async fn an_application_and_then_messages() {
    let peer = Peer::start().await;
    let application = application(&settings(&format!("{}/", peer.url)));
    assert_eq!(application.deliver(&[message("evt_1")]).await, [Outcome::Delivered]);
    let [made, sent] = &peer.requests()[..] else {
        panic!("two requests")
    };
    assert_eq!(made.method, "POST");
    assert_eq!(made.uri, "/api/v1/app?get_if_exists=true");
    assert_eq!(made.json(), json!({"name": team(), "uid": team()}));
    assert_eq!(sent.method, "POST");
    assert_eq!(
        sent.uri,
        format!("/api/v1/app/{}/msg?with_content=false", team()).as_str()
    );
    let expected = json!({
        "eventId": "evt_1",
        "eventType": "daily.data.steps.created",
        "payload": serde_json::from_slice::<serde_json::Value>(&message("").payload).expect("JSON"),
        "channels": [Uuid::from_u128(2)],
    });
    assert_eq!(sent.json(), expected, "and nothing else");
    for request in [made, sent] {
        assert_eq!(
            request.header("authorization"),
            Some(format!("Bearer {TOKEN}").as_str())
        );
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert!(
            request
                .header("user-agent")
                .is_some_and(|agent| agent.starts_with("wearlab/"))
        );
    }

    let more = ["evt_2", "evt_3", "evt_4"].map(message);
    assert_eq!(application.deliver(&more).await, vec![Outcome::Delivered; 3]);
    assert_eq!(peer.requests().len(), 5, "the application is made once");
    assert!(application.deliver(&[]).await.is_empty());
}

#[tokio::test]
async fn an_application_that_is_there_is_left_as_it_is() {
    let peer = Peer::start().await;
    let uid = team().to_string();
    let body = json!({"uid": uid, "name": "What the operator called it"}).to_string();
    peer.store(|store| store.make_application(&body.into(), &Default::default()).map(drop))
        .unwrap_or_else(|refusal| panic!("{}", refusal.body()));
    assert_eq!(
        deliver(&settings(&peer.url), message("evt_1")).await,
        Outcome::Delivered
    );
    peer.store(|store| {
        assert_eq!(store.applications.len(), 1);
        assert_eq!(store.applications[0]["name"], "What the operator called it");
        assert_eq!(store.messages[0].app_id, store.applications[0]["id"]);
    });
}

#[tokio::test]
async fn teams_have_applications_of_their_own_and_share_connections() {
    let peer = Peer::start().await;
    let settings = settings(&peer.url);
    for team in 1..=5 {
        let team_id = Uuid::from_u128(team);
        let application = Application::new(team_id, &block(), &settings).expect("an application");
        let outcomes = application.deliver(&[message(&format!("evt_{team}"))]).await;
        assert_eq!(outcomes, [Outcome::Delivered]);
    }
    peer.store(|store| {
        assert_eq!(store.applications.len(), 5);
        let of: Vec<_> = store.messages.iter().map(|stored| stored.app_id.as_str()).collect();
        let applications: Vec<_> = store
            .applications
            .iter()
            .map(|app| app["id"].as_str().expect("an id"))
            .collect();
        assert_eq!(of, applications);
    });
    assert_eq!(peer.connections(), 1);
}

#[tokio::test]
async fn every_type_arrives_byte_for_byte() {
    let peer = Peer::start().await;
    let messages = of_every_type().await;
    let application = application(&settings(&peer.url));
    assert_eq!(
        application.deliver(&messages).await,
        vec![Outcome::Delivered; messages.len()]
    );
    peer.store(|store| {
        assert_eq!(store.messages.len(), messages.len());
        for message in &messages {
            let stored = store
                .messages
                .iter()
                .find(|stored| stored.event_id.as_deref() == Some(&message.event_id));
            let stored = stored.expect("it arrived");
            assert_eq!(stored.payload.as_bytes(), message.payload);
            assert_eq!(stored.described["eventType"], message.event_type);
            assert_eq!(stored.described["channels"], json!([message.user_id]));
            let event: Event = serde_json::from_str(&stored.payload).expect("an event");
            assert_eq!(event.event_type(), message.event_type);
        }
    });
}

#[tokio::test]
async fn odd_payloads_arrive_byte_for_byte() {
    let peer = Peer::start().await;
    let payloads = [
        "{ \"b\": 1.0e2,\r\n\t\"a\" : 12345678901234567890123, \"a\": null }",
        r#"{"text":"Gr\u00f6\u00dfe \ud83e\udd80 \u0000 \/ 🦀","rawPayload":"x"}"#,
        "{}",
    ];
    let messages = payloads.iter().enumerate().map(|(number, payload)| Message {
        payload: (*payload).into(),
        user_id: None,
        ..message(&format!("evt_{number}"))
    });
    let messages: Vec<_> = messages.collect();
    let mut settings = settings(&peer.url);
    settings.in_flight = 1;
    assert_eq!(
        application(&settings).deliver(&messages).await,
        vec![Outcome::Delivered; 3]
    );
    peer.store(|store| {
        let arrived: Vec<_> = store.messages.iter().map(|stored| stored.payload.as_str()).collect();
        assert_eq!(arrived, payloads);
    });
    assert!(
        peer.sent()
            .iter()
            .all(|request| request.json().get("channels").is_none()),
        "no user, no channel"
    );
}

#[tokio::test]
async fn a_server_behind_a_path() {
    let peer = Peer::start().await;
    let error = deliver(&settings(&format!("{}/deep/er/", peer.url)), message("evt_1")).await;
    assert!(crate::down(error).contains("not a Svix server"));
    assert_eq!(peer.requests()[0].uri, "/deep/er/api/v1/app?get_if_exists=true");
}

#[tokio::test]
async fn check_sends_the_message_it_is_given() {
    let peer = Peer::start().await;
    let checked = application(&settings(&peer.url)).check(&message("evt_check")).await;
    let [checked] = &checked[..] else { panic!("one target") };
    assert_eq!(checked.outcome, Outcome::Delivered);
    assert_eq!(checked.target, format!("application {} at 127.0.0.1", team()));
    assert_eq!(peer.sent()[0].json()["eventId"], "evt_check");

    let checked = application(&crate::with_token(&peer.url, "testsk_other"))
        .check(&message("evt_check"))
        .await;
    let [checked] = <[_; 1]>::try_from(checked).expect("one target");
    assert!(crate::down(checked.outcome).contains("the token was rejected"));
}
