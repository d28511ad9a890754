//! Slow headers, idle connections, clients that do not read, and too many connections.

use std::future::Future;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use wearlab::config::log::LogFormat;
use wearlab_http::settings::{HttpSettings, Limits, Timeouts};

use super::log::listen;
use super::odd::{KEY, Served};
use super::{connect, receive};

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

/// Reads one small response.
async fn response(stream: &mut TcpStream) -> String {
    let mut received = vec![0; 4096];
    let count = stream.read(&mut received).await.expect("a response");
    String::from_utf8_lossy(&received[..count]).into_owned()
}

#[tokio::test]
async fn a_header_that_comes_slowly_is_cut_however_it_is_spread() {
    let served = served(400, 60_000).await;
    // Nothing, then a byte at a time, then a second request that never ends.
    let begun = Instant::now();
    assert_eq!(receive(&mut connect(&served.url).await).await, "");
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
    assert!(response(&mut stream).await.starts_with("HTTP/1.1 200"));
    tokio::time::sleep(Duration::from_millis(800)).await;
    // The pause was between requests, so the connection is still open.
    stream.write_all(b"GET /v2").await.expect("said");
    let begun = Instant::now();
    assert_eq!(receive(&mut stream).await, "");
    assert!(begun.elapsed() >= Duration::from_millis(390));
}

#[tokio::test]
async fn a_pause_between_requests_ends_the_connection() {
    let served = served(60_000, 2000).await;
    let mut stream = connect(&served.url).await;
    for _ in 0..2 {
        stream.write_all(REQUEST.as_bytes()).await.expect("said");
        assert!(response(&mut stream).await.starts_with("HTTP/1.1 200"));
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(receive(&mut stream).await, "");
}

#[tokio::test]
async fn an_answer_that_nobody_takes_is_given_up() {
    let served = served(60_000, 500).await;
    let mut stream = connect(&served.url).await;
    // Far more responses than the system buffers for the client.
    let document = "GET /openapi.json HTTP/1.1\r\nhost: h\r\n\r\n".repeat(1000);
    let message = async {
        let _ = stream.write_all(document.as_bytes()).await;
    };
    let _ = tokio::time::timeout(Duration::from_millis(300), message).await;
    let begun = Instant::now();
    loop {
        let metrics = super::send("GET", &format!("{}/metrics", served.url), &[]).await;
        let text = String::from_utf8_lossy(&metrics.body).into_owned();
        // Only the connection of this request is left.
        if text.lines().any(|line| line == "wearlab_http_connections 1") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(15), "{text}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Returns settings with this limit of connections, and timeouts that are never reached.
fn bounded(connections: usize) -> HttpSettings {
    let long = Duration::from_secs(120);
    HttpSettings {
        limits: Limits {
            connections,
            ..Limits::default()
        },
        timeouts: Timeouts {
            header: long,
            idle: long,
            body: long,
            ..Timeouts::default()
        },
        ..HttpSettings::default()
    }
}

/// Sends a complete or incomplete request, and leaves the connection open.
async fn left_open(url: &str, text: &str) -> TcpStream {
    let mut stream = connect(url).await;
    stream.write_all(text.as_bytes()).await.expect("sent");
    tokio::time::sleep(Duration::from_millis(100)).await;
    stream
}

async fn in_time<T>(ready: impl Future<Output = T>) -> T {
    tokio::time::timeout(super::TIMEOUT, ready).await.expect("in time")
}

#[tokio::test]
async fn the_longest_idle_connection_is_closed_for_a_new_one() {
    let (lines, _guard) = listen("warn", LogFormat::Text);
    let served = Served::start(bounded(4)).await;
    let url = &served.url;
    let with_body = REQUEST.replace("\r\n\r\n", "\r\ncontent-length: 5\r\n\r\nfour");
    let mut silent = left_open(url, "").await;
    let mut in_header = left_open(url, "GET /v2").await;
    let mut in_body = left_open(url, &with_body).await;
    let mut answered = left_open(url, REQUEST).await;
    assert!(in_time(response(&mut answered)).await.starts_with("HTTP/1.1 200"));
    // A connection that was active a moment ago is not closed.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let mut new = Vec::new();
    for idle in [&mut silent, &mut in_header, &mut in_body, &mut answered] {
        let mut stream = left_open(url, REQUEST).await;
        assert!(in_time(response(&mut stream)).await.starts_with("HTTP/1.1 200"));
        assert_eq!(receive(idle).await, "");
        new.push(stream);
    }
    for stream in &mut new {
        stream.write_all(REQUEST.as_bytes()).await.expect("sent");
        assert!(
            in_time(response(stream)).await.starts_with("HTTP/1.1 200"),
            "the new ones stay"
        );
    }
    let metrics = in_time(super::send("GET", &format!("{url}/metrics"), &[])).await;
    let text = String::from_utf8_lossy(&metrics.body).into_owned();
    assert!(text.contains("\nwearlab_http_connections_recycled_total 4\n"), "{text}");
    let text = lines.text();
    assert_eq!(
        text.matches("http.limits.connections").count(),
        1,
        "warned once: {text}"
    );
}

#[tokio::test]
async fn callers_with_a_key_are_served_while_others_hold_every_connection_with_probes() {
    const LIMIT: usize = 4;
    let served = Served::start(bounded(LIMIT)).await;
    let url = &served.url;
    let mut kept = left_open(url, REQUEST).await;
    assert!(in_time(response(&mut kept)).await.starts_with("HTTP/1.1 200"));
    let probing: Vec<_> = (0..LIMIT)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move {
                loop {
                    let mut stream = connect(&url).await;
                    // Until it is closed, it is never idle for a second.
                    while stream
                        .write_all(b"GET /livez HTTP/1.1\r\nhost: h\r\n\r\n")
                        .await
                        .is_ok()
                        && stream.read(&mut [0; 1024]).await.is_ok_and(|count| count > 0)
                    {
                        tokio::time::sleep(Duration::from_millis(500)).await;
                    }
                }
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    for _ in 0..20 {
        let response = in_time(super::send("GET", &format!("{url}/v2/user/"), &[KEY])).await;
        assert_eq!(response.status, 200);
    }
    kept.write_all(REQUEST.as_bytes()).await.expect("sent");
    assert!(
        in_time(response(&mut kept)).await.starts_with("HTTP/1.1 200"),
        "others are closed first, though this one was idle for longer"
    );
    for probing in probing {
        probing.abort();
    }
}

#[tokio::test]
async fn probes_are_answered_while_every_connection_is_busy() {
    let served = Served::start(bounded(2)).await;
    let slow = REQUEST.replace("/v2/user/", "/v2/user/?offset=5000");
    let (mut first, _second) = (left_open(&served.url, &slow).await, left_open(&served.url, &slow).await);
    for path in ["/livez", "/readyz", "/metrics"] {
        let probe = in_time(super::send("GET", &format!("{}{path}", served.url), &[])).await;
        assert_eq!(probe.status, 200, "{path}");
    }
    let refused = in_time(super::send("GET", &served.slow(0), &[KEY])).await;
    assert_eq!((refused.status, &*refused.problem()), (503, "service-unavailable"));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.header("connection"), Some("close"));
    assert!(
        in_time(response(&mut first)).await.starts_with("HTTP/1.1 200"),
        "it was not closed"
    );
}

#[tokio::test]
async fn connections_beyond_the_bound_wait_where_no_probe_is_answered() {
    let served = Served::start(HttpSettings {
        management_listen: Some(HttpSettings::default().listen),
        ..bounded(2)
    })
    .await;
    let slow = REQUEST.replace("/v2/user/", "/v2/user/?offset=3000");
    let (_first, _second) = (left_open(&served.url, &slow).await, left_open(&served.url, &slow).await);
    let mut third = left_open(&served.url, REQUEST).await;
    let early = tokio::time::timeout(Duration::from_millis(500), response(&mut third)).await;
    assert!(early.is_err(), "the bound is two");
    let probe = super::send("GET", &format!("{}/livez", served.management_url), &[]).await;
    assert_eq!(probe.status, 200, "the management listener has a bound of its own");
    assert!(in_time(response(&mut third)).await.starts_with("HTTP/1.1 200"));
}
