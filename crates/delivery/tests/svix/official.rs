//! Svix's own client for Python, with the small server, our requests, and our messages.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use wearlab_delivery::svix::{Application, Settings};
use wearlab_delivery::{Destination, Message, Outcome};
use wearlab_models::{Event, Uuid};

use crate::events::of_every_type;
use crate::peer::{Peer, TOKEN};
use crate::{application, block, deliver, message, settings, team, with_token};

/// Runs the client, and reads the lines of JSON that it prints.
async fn python(arguments: &[&str], token: &str, input: &str) -> Vec<Value> {
    let python = std::env::var("SVIX_PYTHON").expect("SVIX_PYTHON names a python that has svix");
    let mut process = Command::new(python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/svix_client.py"))
        .args(arguments)
        .env("SVIX_TOKEN", token)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the client starts");
    let mut stdin = process.stdin.take().expect("piped");
    stdin.write_all(input.as_bytes()).await.expect("it listens");
    drop(stdin);
    let output = process.wait_with_output().await.expect("it ends");
    assert!(output.status.success(), "{}", output.status);
    let printed = String::from_utf8(output.stdout).expect("text");
    printed
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[tokio::test]
#[ignore = "needs PyPI svix"]
async fn it_takes_the_small_server_for_svix() {
    let peer = Peer::start().await;
    let done = python(&["drive", &peer.url, &team().to_string()], TOKEN, "").await;
    assert_eq!(done, [json!({"event_id": "evt_python"})]);
    // The application and the message that it created are ours.
    assert_eq!(
        deliver(&settings(&peer.url), message("evt_python")).await,
        Outcome::Delivered
    );
    let last = peer.requests().pop().expect("a request");
    assert!(
        last.method == "GET" && last.uri.path().ends_with("/msg/evt_python"),
        "found, not made"
    );
}

#[tokio::test]
#[ignore = "needs PyPI svix"]
async fn it_reads_every_type_that_we_send() {
    let peer = Peer::start().await;
    reads_what_we_send(&settings(&peer.url), &peer.url).await;
}

/// The same with a real server, if one is configured.
#[tokio::test]
#[ignore = "needs PyPI svix and a Svix server"]
async fn a_real_server_takes_every_type() {
    let url = std::env::var("SVIX_SERVER").expect("SVIX_SERVER is the address of a Svix server");
    let token = std::env::var("SVIX_TOKEN").expect("SVIX_TOKEN is its token");
    reads_what_we_send(&with_token(&url, &token), &url).await;
}

async fn reads_what_we_send(settings: &Settings, url: &str) {
    let mut messages = of_every_type().await;
    messages.push(Message {
        event_id: format!("evt_{}", Uuid::now_v7()),
        user_id: None,
        ..messages[0].clone()
    });
    let team = Uuid::now_v7();
    let application = Application::new(team, &block(), settings).expect("an application");
    for _ in 0..2 {
        let outcomes = application.deliver(&messages).await;
        assert_eq!(
            outcomes,
            vec![Outcome::Delivered; messages.len()],
            "also when sent again"
        );
    }
    let read = python(&["read", url, &team.to_string()], settings.token.expose(), "").await;
    assert_eq!(read.len(), messages.len(), "each once");
    for message in &messages {
        let found = read.iter().find(|read| read["event_id"] == message.event_id.as_str());
        let found = found.expect("it arrived");
        assert_eq!(found["event_type"], message.event_type);
        assert_eq!(
            found["channels"],
            message.user_id.map_or(Value::Null, |user| json!([user]))
        );
        assert_eq!(found["tags"], Value::Null);
        let sent: Value = serde_json::from_slice(&message.payload).expect("JSON");
        assert_eq!(found["payload"], sent);
        let event: Event = serde_json::from_value(found["payload"].clone()).expect("an event");
        assert_eq!(event, serde_json::from_slice(&message.payload).expect("an event"));
    }
}

#[tokio::test]
#[ignore = "needs PyPI svix"]
async fn our_requests_are_what_its_models_describe() {
    let peer = Peer::start().await;
    let messages = of_every_type().await;
    application(&settings(&peer.url)).deliver(&messages).await;
    let ours: Vec<_> = (peer.requests().iter())
        .map(|request| match request.makes_message() {
            true => json!(["MessageIn", request.json()]),
            false => json!(["ApplicationIn", request.json()]),
        })
        .collect();
    assert_eq!(ours.len(), 1 + messages.len());
    let lines: String = ours.iter().map(|line| format!("{line}\n")).collect();
    // A field that the models lack would be missing in their output.
    assert_eq!(python(&["models"], TOKEN, &lines).await, ours);
}
