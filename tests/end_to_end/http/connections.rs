//! Slow headers, pauses, callers who take nothing, and too many connections.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use wearlab::config::http::{HttpSettings, Limits, Timeouts};

use super::odd::Served;
use super::{connect, hear};

const REQUEST: &str = "GET /v2/user/ HTTP/1.1\r\nhost: h\r\nx-service-api-key: k\r\n\r\n";

async fn served(header: u64, idle: u64) -> Served {
    Served::start(HttpSettings {
        timeouts: Timeouts {
            header: Duration::from_millis(header),
            idle: Duration::from_millis(idle),
            ..Timeouts::default()
        },
        ..HttpSettings::default()
    })
    .await
}

/// Reads one answer, which is small.
async fn answer(stream: &mut tokio::net::TcpStream) -> String {
    let mut heard = vec![0; 4096];
    let count = stream.read(&mut heard).await.expect("an answer");
    String::from_utf8_lossy(&heard[..count]).into_owned()
}

#[tokio::test]
async fn a_header_that_comes_slowly_is_cut_however_it_is_spread() {
    let served = served(400, 60_000).await;
    // Nothing, then a byte at a time, then a second request that never ends.
    let begun = Instant::now();
    assert_eq!(hear(&mut connect(&served.url).await).await, "");
    assert!(begun.elapsed() >= Duration::from_millis(390));

    let begun = Instant::now();
    let mut stream = connect(&served.url).await;
    for byte in REQUEST.as_bytes().chunks(1) {
        if stream.write_all(byte).await.is_err() || begun.elapsed() > Duration::from_secs(15) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let elapsed = begun.elapsed();
    assert!(
        (Duration::from_millis(390)..Duration::from_secs(15)).contains(&elapsed),
        "{elapsed:?}"
    );

    let mut stream = connect(&served.url).await;
    stream.write_all(REQUEST.as_bytes()).await.expect("said");
    assert!(answer(&mut stream).await.starts_with("HTTP/1.1 200"));
    tokio::time::sleep(Duration::from_millis(800)).await;
    // The pause was no header: the connection is still good.
    stream.write_all(b"GET /v2").await.expect("said");
    let begun = Instant::now();
    assert_eq!(hear(&mut stream).await, "");
    assert!(begun.elapsed() >= Duration::from_millis(390));
}

#[tokio::test]
async fn a_pause_between_requests_ends_the_connection() {
    let served = served(60_000, 2000).await;
    let mut stream = connect(&served.url).await;
    for _ in 0..2 {
        stream.write_all(REQUEST.as_bytes()).await.expect("said");
        assert!(answer(&mut stream).await.starts_with("HTTP/1.1 200"));
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(hear(&mut stream).await, "");
}

#[tokio::test]
async fn an_answer_that_nobody_takes_is_given_up() {
    let served = served(60_000, 500).await;
    let mut stream = connect(&served.url).await;
    // Far more answers than the system keeps for the caller.
    let document = "GET /openapi.json HTTP/1.1\r\nhost: h\r\n\r\n".repeat(1000);
    let said = async {
        let _ = stream.write_all(document.as_bytes()).await;
    };
    let _ = tokio::time::timeout(Duration::from_millis(300), said).await;
    let begun = Instant::now();
    loop {
        let metrics = super::send("GET", &format!("{}/metrics", served.url), &[]).await;
        let text = String::from_utf8_lossy(&metrics.body).into_owned();
        // The one that asks is the one that is left.
        if text.lines().any(|line| line == "wearlab_http_connections 1") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(15), "{text}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn connections_beyond_the_bound_wait_for_a_place() {
    let served = Served::start(HttpSettings {
        management_listen: Some(HttpSettings::default().listen),
        limits: Limits {
            connections: 2,
            ..Limits::default()
        },
        ..HttpSettings::default()
    })
    .await;
    let (first, _second) = (connect(&served.url).await, connect(&served.url).await);
    let mut third = connect(&served.url).await;
    third.write_all(REQUEST.as_bytes()).await.expect("said");
    let early = tokio::time::timeout(Duration::from_millis(500), answer(&mut third)).await;
    assert!(early.is_err(), "two places are two");
    let probe = super::send("GET", &format!("{}/livez", served.management_url), &[]).await;
    assert_eq!(probe.status, 200, "the management side has places of its own");
    drop(first);
    let heard = tokio::time::timeout(super::PATIENCE, answer(&mut third)).await;
    assert!(heard.expect("a place").starts_with("HTTP/1.1 200"));
}
