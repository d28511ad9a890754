//! Tests of traces, in a build that has them: each request is a span that reaches a collector.
#![cfg(feature = "otel")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use chrono::Utc;
use tokio::sync::oneshot;
use wearlab::config::log::LogSettings;
use wearlab::log;
use wearlab::serve::Server;
use wearlab_http::settings::HttpSettings;
use wearlab_sample::SampleOptions;
use wearlab_service::{Service, Settings};
use wearlab_store::Store;

/// Receives one message like a collector, and returns its path and body.
fn collect(listener: &TcpListener) -> (String, Vec<u8>) {
    let (mut stream, _) = listener.accept().expect("a connection");
    let mut reader = BufReader::new(stream.try_clone().expect("a clone"));
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).expect("a line");
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        match line.to_lowercase().split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse().expect("a number"),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        .expect("said");
    (first, body)
}

#[tokio::test]
async fn a_request_reaches_the_collector_as_a_span_without_its_key() {
    let collector = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let endpoint = format!("http://{}/v1/traces", collector.local_addr().expect("an address"));
    let collected = thread::spawn(move || collect(&collector));

    let settings = LogSettings {
        filter: "off".to_owned(),
        otlp_endpoint: Some(endpoint),
        ..LogSettings::default()
    };
    let (dispatch, log) = log::to(&settings, std::io::sink).expect("a log");
    let guard = tracing::dispatcher::set_default(&dispatch);

    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).expect("a store");
    let sample = wearlab_sample::fill(&store, &SampleOptions { seed: 1, users: 5 })
        .await
        .expect("a sample");
    let service = Service::new(store, Settings::default(), Utc::now, [7; 32])
        .await
        .expect("a service");
    let server = Server::bind(HttpSettings {
        listen: ([127, 0, 0, 1], 0).into(),
        ..HttpSettings::default()
    });
    let server = server.await.expect("a free port");
    let address = server.address().expect("an address");
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(server.run(Arc::new(service), async {
        let _ = stopped.await;
    }));
    let request = reqwest::Client::new().get(format!("http://{address}/v2/user/{}", sample.user_id));
    let response = request
        .header("x-service-api-key", &sample.team_api_key)
        .send()
        .await
        .expect("a response");
    assert_eq!(response.status(), 200);
    drop(stop);
    running.await.expect("it ends");
    drop(guard);
    tokio::task::spawn_blocking(move || drop(log))
        .await
        .expect("the last traces are sent");

    let (first, body) = collected.join().expect("a message");
    assert!(first.starts_with("POST /v1/traces "), "{first}");
    let text = String::from_utf8_lossy(&body);
    for part in ["wearlab", "request_id", "get_user", "/v2/user/{user_id}", "status"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for hidden in [sample.team_api_key.as_str(), &sample.user_id.to_string()] {
        assert!(!text.contains(hidden), "{text}");
    }
}
