//! Responses of endpoints, and missing ones.

use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use wearlab_delivery::Outcome;
use wearlab_delivery::webhook::Settings;

use super::receiver::{Receiver, raw, says, status};
use super::{deliver, loopback, now, retried};

fn impatient() -> Settings {
    Settings {
        timeout: Duration::from_millis(300),
        ..loopback()
    }
}

#[tokio::test]
async fn statuses() {
    for code in [200, 201, 202, 204] {
        let receiver = Receiver::start(move |_| async move { status(code) }).await;
        assert_eq!(deliver(loopback(), &receiver.url).await, Outcome::Delivered, "{code}");
    }
    for code in [301, 304, 400, 401, 404, 429, 500, 502, 503] {
        let receiver = Receiver::start(move |_| async move { status(code) }).await;
        let reason = retried(deliver(loopback(), &receiver.url).await);
        assert!(reason.contains(&code.to_string()), "{reason}");
        assert_eq!(receiver.received().len(), 1, "nothing is tried twice");
    }
    let receiver = Receiver::start(|_| async { status(410) }).await;
    assert_eq!(deliver(loopback(), &receiver.url).await, Outcome::Gone);
}

#[tokio::test]
async fn retry_after_of_a_busy_endpoint() {
    for (code, value, seconds) in [
        (429, "120", 120),
        (503, "Fri, 15 Jan 2027 08:01:00 GMT", 60),
        (429, "999999999", 86_400),
    ] {
        let receiver = Receiver::start(move |_| async move { (status(code), [("retry-after", value)]) }).await;
        let Outcome::Retry { not_before, .. } = deliver(loopback(), &receiver.url).await else {
            panic!("{code} {value}")
        };
        let wait = not_before.map(|at| (at - now()).num_seconds());
        assert_eq!(wait, Some(seconds), "{code} {value}");
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let target = Receiver::start(|_| async { status(200) }).await;
    for code in [301, 302, 303, 307, 308] {
        let to = target.url.clone();
        let receiver = Receiver::start(move |_| {
            let to = to.clone();
            async move { (status(code), [("location", to)]) }
        })
        .await;
        let reason = retried(deliver(loopback(), &receiver.url).await);
        assert!(reason.contains("redirects are not followed"), "{reason}");
    }
    assert_eq!(target.connections(), 0);
}

#[tokio::test]
async fn an_endpoint_that_hangs_costs_the_timeout_and_no_more() {
    let silent = says("").await;
    let half = says("HTTP/1.1 200 OK\r\nx-half: ").await;
    // Each byte arrives in time; nevertheless, the whole takes too long.
    let drips = raw(|mut stream| async move {
        stream.write_all(b"HTTP/1.1 200 OK\r\nx-drip: ").await?;
        loop {
            stream.write_all(b".").await?;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    for url in [silent, half, drips] {
        let began = Instant::now();
        let reason = retried(deliver(impatient(), &url).await);
        assert_eq!(reason, "no response within 300ms");
        assert!(began.elapsed() >= Duration::from_millis(300));
        assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    }
}

#[tokio::test]
async fn a_body_without_end_is_not_read() {
    let (sent, mut ended) = tokio::sync::mpsc::unbounded_channel();
    let endless = raw(move |mut stream| {
        let sent = sent.clone();
        async move {
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n")
                .await?;
            let mut length = 0;
            while stream.write_all(&[b'x'; 8192]).await.is_ok() {
                length += 8192;
            }
            let _ = sent.send(length);
            Ok(())
        }
    })
    .await;
    assert_eq!(deliver(loopback(), &endless).await, Outcome::Delivered);
    let length = ended.recv().await.expect("the connection was closed");
    // The bytes in the system's buffers are sent, even without a reader.
    assert!(length < 20 << 20, "{length} bytes went out");
}

#[tokio::test]
async fn a_body_changes_nothing_about_the_status() {
    let chunks = raw(|mut stream| async move {
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
            .await?;
        loop {
            stream.write_all(b"3\r\nabc\r\n").await?;
        }
    })
    .await;
    let hanging = says("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc").await;
    let broken = says("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n").await;
    for url in [chunks, hanging, broken] {
        let began = Instant::now();
        assert_eq!(deliver(loopback(), &url).await, Outcome::Delivered);
        assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    }
}

#[tokio::test]
async fn no_connection_and_no_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let closed = format!("http://{}/", listener.local_addr().expect("an address"));
    drop(listener);
    let reason = retried(deliver(loopback(), &closed).await);
    assert!(reason.starts_with("no connection: "), "{reason}");

    let reason = retried(deliver(loopback(), "http://nowhere.invalid/").await);
    assert!(reason.starts_with("no connection: "), "{reason}");

    let hangs_up = raw(|stream| async move {
        drop(stream);
        Ok(())
    })
    .await;
    let reason = retried(deliver(loopback(), &hangs_up).await);
    assert!(reason.starts_with("no response: "), "{reason}");

    let no_http = says("220 mail.example.com ESMTP\r\n").await;
    let reason = retried(deliver(loopback(), &no_http).await);
    assert!(
        reason.starts_with("no response: ") && !reason.contains("ESMTP"),
        "{reason}"
    );
}

#[tokio::test]
async fn headers_beyond_all_bounds() {
    let endless = raw(|mut stream| async move {
        stream.write_all(b"HTTP/1.1 200 OK\r\nx-long: ").await?;
        loop {
            stream.write_all(&[b'x'; 8192]).await?;
        }
    })
    .await;
    let many = says(format!("HTTP/1.1 200 OK\r\n{}\r\n", "x-many: 1\r\n".repeat(1000))).await;
    for url in [endless, many] {
        let reason = retried(deliver(loopback(), &url).await);
        assert!(reason.starts_with("no response: "), "{reason}");
    }
}
