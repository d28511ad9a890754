//! Hostile servers, which violate the protocol, and forbidden hosts. They need no nats-server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use wearlab_delivery::egress::Policy;
use wearlab_delivery::nats::{Settings, Subject};
use wearlab_delivery::{Destination, Outcome};

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
    talk_on(&mut BufReader::new(stream), first, then).await
}

/// Sends bytes at first, and others when a message comes.
async fn talk_on(stream: &mut BufReader<TcpStream>, first: &str, then: &str) -> std::io::Result<()> {
    log_in(stream, first).await?;
    let mut line = String::new();
    while stream.read_line(&mut line).await? > 0 {
        if line.starts_with("HPUB") {
            return stream.write_all(then.as_bytes()).await;
        }
        line.clear();
    }
    Ok(())
}

/// Acknowledges a message as a stream does.
async fn acknowledge(stream: &mut BufReader<TcpStream>) -> std::io::Result<()> {
    let mut line = String::new();
    while !line.starts_with("HPUB") {
        line.clear();
        stream.read_line(&mut line).await?;
    }
    let reply = line.split(' ').nth(2).expect("an inbox");
    let response = r#"{"stream":"EVENTS","seq":1}"#;
    let response = format!("MSG {reply} 0 {}\r\n{response}\r\n", response.len());
    stream.write_all(response.as_bytes()).await
}

/// Sends bytes, and responds to the login.
async fn log_in(stream: &mut BufReader<TcpStream>, first: &str) -> std::io::Result<()> {
    stream.write_all(first.as_bytes()).await?;
    let mut line = String::new();
    while !line.ends_with("PING\r\n") {
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
    }
    stream.write_all(b"PONG\r\n").await
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
        ("hunter2\r\n".to_owned(), ""),
        ("INFO {\"max_payload\":\"hunter2\"}\r\n".to_owned(), ""),
        ("-ERR 'hunter2'\r\n".to_owned(), ""),
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
async fn a_server_that_repeats_the_login_is_not_quoted() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (mut read, mut write) = stream.split();
            write.write_all(info("").as_bytes()).await.expect("writes");
            let _ = tokio::io::copy(&mut read, &mut write).await;
        }
    });
    let destination = subject(&format!("nats://u:hunter2@127.0.0.1:{port}"), &json!({}));
    let outcomes = destination.deliver(&interleaved(3, 1)).await;
    assert_eq!(
        down(&outcomes),
        "the peer does not speak NATS: fix the host and port in nats.url"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_sends_without_end_is_cut_off() {
    let declared = "MSG x 0 1000000000\r\n";
    let (no_nats, too_much) = (
        "the peer does not speak NATS",
        "the server sent more than acknowledgements need",
    );
    for (first, then, part) in [
        (declared.to_owned(), None, no_nats),
        (info(""), Some(declared), too_much),
        (info(""), Some("MSG x"), too_much),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let sent = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.expect("a connection");
            let mut stream = BufReader::new(stream);
            let _ = match then {
                Some(then) => talk_on(&mut stream, &first, then).await,
                None => stream.write_all(first.as_bytes()).await,
            };
            let (bytes, mut sent) = (vec![b'x'; 1 << 16], 0);
            while stream.write_all(&bytes).await.is_ok() {
                sent += bytes.len();
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            sent
        });
        let destination = subject(&format!("nats://127.0.0.1:{port}"), &json!({}));
        let outcomes = destination.deliver(&[message(1, "evt-1")]).await;
        assert!(down(&outcomes).starts_with(part), "{outcomes:?}");
        let sent = tokio::time::timeout(Duration::from_secs(5), sent).await;
        let sent = sent.expect("the connection ends").expect("no panic");
        assert!(sent < 100_000_000, "{sent} bytes were read");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_breaks_is_made_again_by_the_next_call_alone() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let number = counted.fetch_add(1, Ordering::Relaxed);
            let mut stream = BufReader::new(stream);
            let _ = log_in(&mut stream, &info("")).await;
            // The first one ends when a message is acknowledged, and the others at once.
            if number == 0 {
                let _ = acknowledge(&mut stream).await;
                // What is not read yet would be lost with the connection.
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
        }
    });
    let destination = subject(&format!("nats://127.0.0.1:{port}"), &json!({}));
    let outcomes = destination.deliver(&[message(1, "evt-1")]).await;
    assert_eq!(outcomes, [Outcome::Delivered]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(connections.load(Ordering::Relaxed), 1);
    // The next call makes one.
    let outcomes = destination.deliver(&[message(1, "evt-2")]).await;
    assert_eq!(down(&outcomes), "the connection to the server broke");
    assert_eq!(connections.load(Ordering::Relaxed), 2);
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
