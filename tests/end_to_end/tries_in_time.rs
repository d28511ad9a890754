//! Time limits of calls: attempts, pauses, dropped calls, and failing connections.

use std::io;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wearlab_client::{Client, Error};
use wearlab_tests::scripted::{Reply, Scripted};

use crate::retries::{client, quick, users};

#[tokio::test]
async fn the_deadline_bounds_tries_and_pauses() {
    let service = Scripted::start([Reply::new(503, "").header("retry-after", 1)]).await;
    let policy = quick().retries(20);
    let client = service.builder().retry(policy).deadline(Duration::from_millis(1500));
    let client = client.build().expect("a client");
    let begun = Instant::now();
    let error = client.list_users().send().await.expect_err("no success");
    assert!(
        matches!(error, Error::Server(_)),
        "the last response is the error: {error:?}"
    );
    assert_eq!(service.count(), 2, "a second pause would end too late");
    assert!(
        (1000..2000).contains(&begun.elapsed().as_millis()),
        "and is not waited: {:?}",
        begun.elapsed()
    );

    let slow = users().after(Duration::from_secs(20));
    let service = Scripted::start([Reply::new(503, ""), slow]).await;
    let begun = Instant::now();
    let call = self::client(&service);
    let call = call.list_users().deadline(Duration::from_millis(400));
    let error = call.send().await.expect_err("too late");
    assert!(matches!(error, Error::Timeout(_)), "{error:?}");
    assert_eq!(service.count(), 2);
    assert!(
        (400..5000).contains(&begun.elapsed().as_millis()),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn a_try_that_times_out_is_the_last() {
    let service = Scripted::start([users().after(Duration::from_secs(20)), users()]).await;
    let client = client(&service);
    let call = client.list_users().timeout(Duration::from_millis(100));
    let error = call.send().await.expect_err("too late");
    assert!(matches!(error, Error::Timeout(_)), "{error:?}");
    assert!(!error.is_retryable());
    assert_eq!(service.count(), 1);
}

#[tokio::test]
async fn a_call_that_is_dropped_tries_no_more() {
    let service = Scripted::start([Reply::new(503, "").header("retry-after", 1), users()]).await;
    let client = client(&service);
    let call = client.list_users().send();
    let cancelled = tokio::time::timeout(Duration::from_millis(500), call).await;
    assert!(cancelled.is_err(), "it pauses");
    assert_eq!(service.count(), 1);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(service.count(), 1, "nobody waits for the second");
}

/// Accepts connections, and drops the given number of them after a request.
async fn drops(connections: usize, listener: TcpListener) -> io::Result<usize> {
    let response =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 2\r\n\r\n[]";
    for number in 1.. {
        let (mut stream, _) = listener.accept().await?;
        let read = stream.read(&mut [0; 4096]).await?;
        assert!(read > 0, "it was asked");
        if number > connections {
            stream.write_all(response.as_bytes()).await?;
            return Ok(number);
        }
    }
    Ok(0)
}

#[tokio::test]
async fn connections_that_fail_are_made_again() {
    for (dropped, fine) in [(0, true), (2, true), (3, false)] {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let service = tokio::spawn(drops(dropped, listener));
        let client = Client::builder().base_url(url).api_key("k").retry(quick());
        let response = client
            .build()
            .expect("a client")
            .list_cancellation_reasons()
            .send()
            .await;
        if fine {
            assert!(response.expect("a response").is_empty());
            let connections = service.await.expect("it ends").expect("no error");
            assert_eq!(connections, dropped + 1);
        } else {
            let error = response.expect_err("three were dropped");
            assert!(
                matches!(&error, Error::Transport(broken) if !broken.is_connect()),
                "{error:?}"
            );
            service.abort();
        }
    }
    let broken = users().header("x-request-id", "r-1").breaks();
    let service = Scripted::start([broken.clone(), users()]).await;
    client(&service).list_users().send().await.expect("the second answer");
    assert_eq!(service.count(), 2, "a response that breaks off is asked for again");

    let service = Scripted::start([broken]).await;
    let error = service.client().list_users().send().await.expect_err("it breaks off");
    assert!(matches!(error, Error::Transport(_)), "{error:?}");
    assert_eq!(error.request_id(), Some("r-1"), "the response had begun");
    assert!(error.to_string().contains("r-1"), "{error}");
}

#[tokio::test]
async fn nobody_at_the_address_is_reported_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let client = Client::builder().base_url(url).api_key("k").retry(quick());
    let error = client
        .build()
        .expect("a client")
        .list_users()
        .send()
        .await
        .expect_err("nobody");
    assert!(
        matches!(&error, Error::Transport(broken) if broken.is_connect()),
        "{error:?}"
    );
    assert!(error.is_retryable());
    assert_eq!(error.request_id(), None);
    assert!(std::error::Error::source(&error).is_some(), "the cause is kept");
}
