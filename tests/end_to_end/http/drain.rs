//! Shutdown: requests in progress end, new ones are refused, and endless ones are cut.

use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use wearlab::config::log::LogFormat;
use wearlab_http::settings::{HttpSettings, Timeouts};

use super::log::listen;
use super::odd::{KEY, Served};
use super::{connect, receive, send};

async fn served(drain_delay: u64, drain: u64) -> Served {
    Served::start(HttpSettings {
        timeouts: Timeouts {
            drain_delay: Duration::from_millis(drain_delay),
            drain: Duration::from_millis(drain),
            ..Timeouts::default()
        },
        ..HttpSettings::default()
    })
    .await
}

#[tokio::test]
async fn an_answer_under_way_is_given_and_idle_connections_end_at_once() {
    let mut served = served(0, 20_000).await;
    let slow = served.slow(4000);
    let mut idle = connect(&served.url).await;
    let asked = tokio::spawn(async move { send("GET", &slow, &[KEY]).await });
    tokio::time::sleep(Duration::from_millis(800)).await;
    let begun = Instant::now();
    served.stop();
    assert_eq!(receive(&mut idle).await, "");
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "nobody waits for who says nothing"
    );
    assert!(
        wearlab_tests::http()
            .get(format!("{}/livez", served.url))
            .send()
            .await
            .is_err(),
        "no new connection"
    );
    let response = asked.await.expect("no panic");
    assert_eq!(response.status, 200);
    served.ended().await;
    assert!(
        begun.elapsed() < Duration::from_secs(15),
        "it does not wait for the limit"
    );
}

#[tokio::test]
async fn what_does_not_end_within_the_limit_is_cut_and_the_log_says_so() {
    let (lines, _guard) = listen("warn", LogFormat::Text);
    let mut served = served(0, 300).await;
    let mut stream = connect(&served.url).await;
    let request = "GET /v2/user/?offset=60000 HTTP/1.1\r\nhost: h\r\nx-service-api-key: k\r\n\r\n";
    stream.write_all(request.as_bytes()).await.expect("said");
    tokio::time::sleep(Duration::from_millis(200)).await;
    let begun = Instant::now();
    served.stop();
    served.ended().await;
    assert!((Duration::from_millis(290)..Duration::from_secs(10)).contains(&begun.elapsed()));
    assert_eq!(receive(&mut stream).await, "");
    let text = lines.text();
    assert!(
        text.contains("cut connections") && text.contains("connections=1"),
        "{text}"
    );
}

#[tokio::test]
async fn readiness_ends_before_the_service_does() {
    let mut served = served(3000, 1000).await;
    let ready = format!("{}/readyz", served.management_url);
    assert_eq!(send("GET", &ready, &[]).await.status, 200);
    served.stop();
    tokio::time::sleep(Duration::from_millis(800)).await;
    let response = send("GET", &ready, &[]).await;
    assert_eq!((response.status, &*response.problem()), (503, "service-unavailable"));
    assert_eq!(
        send("GET", &served.slow(0), &[KEY]).await.status,
        200,
        "requests are still taken"
    );
    served.ended().await;
}
