//! Retries of calls, their idempotency keys, and their headers.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use wearlab_kit_types::Uuid;

use crate::call::Call;
use crate::fixture::{ADD, Credential, Fixture, Server};
use crate::{Builder, Error, RetryPolicy};

type Request<'a> = super::Request<'a, Fixture>;

/// A service that is busy once, and then succeeds. It returns the key of each request.
fn service() -> (String, Receiver<Option<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (sender, keys) = channel();
    std::thread::spawn(move || {
        for status in ["503 Service Unavailable", "204 No Content"] {
            let (mut stream, _) = listener.accept().expect("a request");
            let lines = BufReader::new(&stream).lines().map(|line| line.expect("a line"));
            let head: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
            let key = |line: &String| line.strip_prefix("idempotency-key: ").map(str::to_owned);
            sender.send(head.iter().find_map(key)).expect("somebody listens");
            let response = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(response.as_bytes()).expect("a response");
        }
    });
    (url, keys)
}

/// Sends a POST, and returns the keys that the service received.
async fn post(add: impl Fn(Request<'_>) -> Request<'_>) -> (Result<(), Error>, Vec<Option<String>>) {
    let (url, keys) = service();
    let policy = RetryPolicy::default().first_pause(Duration::from_millis(1));
    let builder = Builder::default().address(Server::Base, url);
    let builder = builder.credential(Credential::ApiKey, "key").retry(policy);
    let transport = builder.build().expect("a transport");
    let request = add(Request::new(Call::new(&transport, &ADD)));
    let result = request.send_empty().await.map(drop);
    (result, keys.try_iter().collect())
}

#[tokio::test]
async fn a_post_is_sent_once() {
    let (result, keys) = post(|request| request).await;
    assert!(matches!(result, Err(Error::Server(_))), "{result:?}");
    assert_eq!(keys, [None]);
}

#[tokio::test]
async fn all_tries_of_a_post_with_a_key_have_the_same_one() {
    let (result, first) = post(|request| request.idempotency_key("Idempotency-Key", None::<String>)).await;
    result.expect("the second response");
    let [Some(key), Some(again)] = &first[..] else {
        panic!("{first:?}")
    };
    assert_eq!(key, again);
    let version = key.parse::<Uuid>().expect("a UUID").get_version_num();
    assert_eq!(version, 4);
    let (_, second) = post(|request| request.idempotency_key("Idempotency-Key", None::<String>)).await;
    assert_ne!(first, second, "each call has its own");
}

#[tokio::test]
async fn a_key_that_is_set_is_sent() {
    let (result, keys) = post(|request| request.idempotency_key("Idempotency-Key", Some("mine"))).await;
    result.expect("the second response");
    assert_eq!(keys, [Some("mine".to_owned()), Some("mine".to_owned())]);
}

#[tokio::test]
async fn a_header_of_the_call_replaces_that_of_the_body() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let head = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a request");
        let lines = BufReader::new(&stream).lines().map(|line| line.expect("a line"));
        let head: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
        let response = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
        stream.write_all(response.as_bytes()).expect("a response");
        head
    });
    let builder = Builder::default().address(Server::Base, url);
    let transport = builder
        .credential(Credential::ApiKey, "key")
        .build()
        .expect("a transport");
    let mut call = Call::new(&transport, &ADD);
    call.set_header("Content-Type", "image/jpeg");
    call.set_header("Accept", "image/webp");
    let request = Request::new(call)
        .accept("image/png")
        .upload("image/png", Some(vec![1_u8]));
    request.send_empty().await.expect("a response");
    let head = head.join().expect("no panic");
    let values = |name: &str| {
        head.iter()
            .filter_map(|line| line.strip_prefix(name))
            .collect::<Vec<_>>()
    };
    assert_eq!(values("content-type: "), ["image/jpeg"]);
    assert_eq!(values("accept: "), ["image/webp"]);
}
