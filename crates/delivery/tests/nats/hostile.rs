//! Hostile servers, which violate the protocol, and forbidden hosts. They need no nats-server.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use wearlab_delivery::Destination;
use wearlab_delivery::egress::Policy;
use wearlab_delivery::nats::{Settings, Subject};

use super::{block, down, interleaved, local, message, settings, subject};

/// A server that accepts the connections of one call, and sends bytes at first, and others after the login.
async fn serve(first: String, then: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = talk(stream, &first, then).await;
        }
    });
    port
}

async fn talk(stream: TcpStream, first: &str, then: &str) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    stream.write_all(first.as_bytes()).await?;
    let mut line = String::new();
    while stream.read_line(&mut line).await? > 0 {
        if line.starts_with("PING") {
            stream.write_all(b"PONG\r\n").await?;
        }
        if line.starts_with("HPUB") {
            return stream.write_all(then.as_bytes()).await;
        }
        line.clear();
    }
    Ok(())
}

fn info(more: &str) -> String {
    format!(
        r#"INFO {{"server_id":"x","server_name":"x","version":"2.9.0","go":"go","host":"127.0.0.1","port":1,"headers":true,"max_payload":1000000,"proto":1,"client_id":1,"client_ip":"127.0.0.1"{more}}}{}"#,
        "\r\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_server_sends_ends_the_connection_and_nothing_else() {
    let overflow = "MSG _INBOX.x 1 18446744073709551615\r\n";
    for (first, then) in [
        ("HTTP/1.1 400 Bad Request\r\n\r\n".to_owned(), ""),
        ("INFO hunter2\r\n".to_owned(), ""),
        (overflow.to_owned(), ""),
        (info(""), overflow),
        (info(""), "HMSG _INBOX.x 1 9 18446744073709551615\r\n"),
        (info(""), "-ERR 'hunter2'\r\n"),
        (info(""), ""),
    ] {
        let port = serve(first, then).await;
        let destination = subject(&format!("nats://u:hunter2@127.0.0.1:{port}"), &json!({}));
        let outcomes = destination.deliver(&interleaved(3, 1)).await;
        assert!(!down(&outcomes).contains("hunter2"), "{outcomes:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_a_server_advertises_are_not_connected_to() {
    let advertised = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let at = advertised.local_addr().expect("an address");
    let (sender, mut connected) = oneshot::channel();
    tokio::spawn(async move {
        let _ = advertised.accept().await;
        let _ = sender.send(());
    });
    let port = serve(info(&format!(r#","connect_urls":["{at}"]"#)), "").await;
    let destination = subject(&format!("nats://127.0.0.1:{port}"), &json!({}));
    for _ in 0..3 {
        let outcomes = destination.deliver(&[message(1, "evt-1")]).await;
        assert_eq!(down(&outcomes), "the connection to the server broke");
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(connected.try_recv().is_err(), "a server that nobody has checked");
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_are_checked_when_a_connection_is_made() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let accepted = tokio::spawn(async move { listener.accept().await });
    let plain = Policy {
        allow_plaintext: false,
        ..local()
    };
    let public = Policy {
        allow_networks: Vec::new(),
        ..local()
    };
    for (policy, url, part) in [
        (&plain, format!("nats://127.0.0.1:{port}"), "egress.allow_plaintext"),
        (&public, format!("nats://127.0.0.1:{port}"), "egress.allow_networks"),
        (&public, format!("tls://localhost:{port}"), "egress.allow_networks"),
        (&public, format!("tls://127.1:{port}"), "egress.allow_networks"),
    ] {
        let settings = Settings {
            policy: policy.clone(),
            ..settings()
        };
        let destination = Subject::new(&block(&url, &json!({})), settings).expect("a subject");
        let outcomes = destination.deliver(&[message(1, "evt-1")]).await;
        assert!(down(&outcomes).contains(part), "{url}: {outcomes:?}");
    }
    assert!(!accepted.is_finished(), "nothing was connected to");
}
