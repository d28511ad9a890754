//! Hostile peers, which violate the protocol. They need no installed software.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{deliver, message, namespace, reason};

fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
    let size = u32::try_from(body.len() + 8).expect("a size").to_be_bytes();
    [&size[..], &[2, kind, 0, 0], body].concat()
}

fn list(items: &[&[u8]]) -> Vec<u8> {
    let body = items.concat();
    let size = u32::try_from(body.len() + 4).expect("a size").to_be_bytes();
    let count = u32::try_from(items.len()).expect("a count").to_be_bytes();
    [&[0xD0][..], &size, &count, &body].concat()
}

fn performative(code: u8, items: &[&[u8]]) -> Vec<u8> {
    [&[0, 0x53, code][..], &list(items)].concat()
}

/// A map whose only value is nested in a number of levels: described values, which are the shortest, or lists.
fn nested(levels: usize, lists: bool) -> Vec<u8> {
    let value = if lists {
        (0..levels).fold(vec![0x40], |inner, _| list(&[&inner]))
    } else {
        [[0x00, 0x44].repeat(levels), vec![0x40]].concat()
    };
    let body = [b"\xA3\x01a", &value[..]].concat();
    let size = u32::try_from(body.len() + 4).expect("a size").to_be_bytes();
    [&[0xD1][..], &size, &[0, 0, 0, 2], &body].concat()
}

/// The namespace's side of a connection, until it is open.
async fn open(listener: &TcpListener) -> TcpStream {
    let (mut stream, _) = listener.accept().await.expect("a connection");
    let mut buffer = [0; 4096];
    stream.read_exact(&mut buffer[..8]).await.expect("a header of SASL");
    let mechanisms = frame(1, &performative(0x40, &[b"\xA3\x09ANONYMOUS"]));
    let begun = [&b"AMQP\x03\x01\x00\x00"[..], &mechanisms].concat();
    stream.write_all(&begun).await.expect("it reads");
    assert!(stream.read(&mut buffer).await.expect("the choice") > 0);
    let outcome = frame(1, &performative(0x44, &[b"\x50\x00"]));
    stream.write_all(&outcome).await.expect("it reads");
    stream.read_exact(&mut buffer[..8]).await.expect("a header");
    stream.write_all(b"AMQP\x00\x01\x00\x00").await.expect("it reads");
    assert!(stream.read(&mut buffer).await.expect("open") > 0);
    let items: [&[u8]; 4] = [b"\xA1\x01x", b"\x40", b"\x70\x00\x01\x00\x00", b"\x60\xFF\xFF"];
    stream
        .write_all(&frame(0, &performative(0x10, &items)))
        .await
        .expect("it reads");
    stream
}

/// Frames that a namespace sends after a performative of ours.
async fn after_open(then: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let peer = tokio::spawn(async move {
        let mut stream = open(&listener).await;
        let _ = stream.read(&mut [0; 4096]).await;
        let _ = stream.write_all(&then).await;
        // Until it is closed, which must not take long.
        let mut rest = Vec::new();
        let rest = stream.read_to_end(&mut rest);
        let _ = tokio::time::timeout(Duration::from_secs(5), rest).await;
    });
    let endpoint = format!(
        "Endpoint=sb://127.0.0.1:{port}/;SharedAccessKeyName=k;SharedAccessKey=a2V5;UseDevelopmentEmulator=true"
    );
    let outcomes = deliver(&namespace(&endpoint, json!({})), &[message(1, 0)]).await;
    peer.await.expect("no panic");
    reason(&outcomes[0], "Down")
}

#[tokio::test(flavor = "multi_thread")]
async fn deep_values_end_the_connection_and_nothing_else() {
    for (levels, lists) in [
        (250, false),
        (5_000, false),
        (30_000, false),
        (250, true),
        (7_000, true),
    ] {
        let deep = nested(levels, lists);
        let begin: [&[u8]; 8] = [
            b"\x60\x00\x00",
            b"\x43",
            b"\x52\xFF",
            b"\x52\xFF",
            b"\x52\xFF",
            b"\x40",
            b"\x40",
            &deep,
        ];
        let begin = frame(0, &performative(0x11, &begin));
        assert_eq!(
            after_open(begin).await,
            "the namespace did not open a session",
            "{levels} levels"
        );
        let error = [&b"\x00\x53\x1D"[..], &list(&[b"\xA3\x06amqp:x", b"\xA1\x01d", &deep])].concat();
        let close = frame(0, &performative(0x18, &[&error]));
        assert_eq!(
            after_open(close).await,
            "the namespace did not open a session",
            "{levels} levels"
        );
    }
}

#[tokio::test]
async fn a_response_of_blob_storage_is_read_up_to_a_bound() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let peer = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let _ = stream.read(&mut [0; 4096]).await;
        let head = "HTTP/1.1 403 Forbidden\r\ncontent-type: application/xml\r\ntransfer-encoding: chunked\r\n\r\n";
        let first = "<Error><Code>AuthenticationFailed</Code>";
        let first = format!("{head}{:x}\r\n{first}\r\n", first.len());
        stream.write_all(first.as_bytes()).await.expect("it reads");
        let chunk = format!("1000\r\n{}\r\n", "x".repeat(4096));
        let mut sent = 0;
        while sent < 64 << 20 && stream.write_all(chunk.as_bytes()).await.is_ok() {
            sent += 4096;
        }
        sent
    });
    let storage = format!("AccountName=a;AccountKey=a2V5;BlobEndpoint=http://127.0.0.1:{port}/a");
    let matchers = json!([{ "event_type_regex": ".",
        "blob_storage": { "connection_string": storage, "container_name": "events" } }]);
    let endpoint = "Endpoint=sb://127.0.0.1:9/;SharedAccessKeyName=k;SharedAccessKey=a2V5;UseDevelopmentEmulator=true";
    let outcomes = deliver(
        &namespace(endpoint, json!({ "event_hub_matchers": matchers })),
        &[message(1, 0)],
    )
    .await;
    let reason = reason(&outcomes[0], "Retry");
    assert!(
        reason.contains("rejected the credentials for container events (AuthenticationFailed)"),
        "{reason}"
    );
    let sent = peer.await.expect("no panic");
    assert!(sent < 32 << 20, "{sent} bytes were taken");
}
