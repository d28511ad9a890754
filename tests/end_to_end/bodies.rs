//! Tests of endless and overlong bodies, with any status.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wearlab_client::{Client, ClientBuilder, Error, RetryPolicy};

/// Creates a client of a service that begins each response in the same way, and then sends chunks forever, with pauses.
async fn endless(head: &'static str, chunk: Vec<u8>, pause: Duration) -> ClientBuilder {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let chunk = chunk.clone();
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 4096]).await;
                let mut written = stream.write_all(head.as_bytes()).await;
                while written.is_ok() {
                    tokio::time::sleep(pause).await;
                    written = stream.write_all(&chunk).await;
                }
            });
        }
    });
    Client::builder().base_url(url).api_key("k")
}

const OK: &str = "HTTP/1.1 200 OK\r\nx-request-id: r1\r\n\r\n";
const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\nx-request-id: r1\r\n\r\n";

/// Returns the error of a call, which must end.
async fn fails(builder: ClientBuilder) -> Error {
    let client = builder.build().expect("a client");
    let call = tokio::time::timeout(Duration::from_secs(30), client.list_users().send());
    call.await.expect("it ends").expect_err("no response")
}

#[tokio::test]
async fn a_body_that_never_ends_is_cut_in_time() {
    let (short, pause) = (Duration::from_millis(400), Duration::from_millis(20));
    for head in [OK, BUSY] {
        let builder = endless(head, b" ".to_vec(), pause).await.timeout(short).deadline(short);
        let error = fails(builder.retry(RetryPolicy::default().retries(100))).await;
        match head {
            OK => assert!(matches!(error, Error::Timeout(_)), "{error:?}"),
            _ => assert!(matches!(error, Error::Server(_)), "the status is known: {error:?}"),
        }
        assert_eq!(error.request_id(), Some("r1"));
    }
}

#[tokio::test]
async fn a_body_that_is_too_long_is_not_read() {
    let chunk = vec![b' '; 64 * 1024];
    let limited = endless(OK, chunk.clone(), Duration::ZERO)
        .await
        .max_response_bytes(1_000_000);
    let error = fails(limited).await;
    assert!(matches!(&error, Error::TooLarge { limit: 1_000_000, .. }), "{error:?}");
    assert!(!error.is_retryable() && error.request_id() == Some("r1"));
    assert!(error.to_string().contains("max_response_bytes"), "{error}");
    // Without a setting there is a default limit, and a smaller one for problem documents.
    for head in [OK, BUSY] {
        let usual = endless(head, chunk.clone(), Duration::ZERO).await;
        let error = fails(usual.retry(RetryPolicy::none())).await;
        match head {
            OK => assert!(matches!(error, Error::TooLarge { limit: 67_108_864, .. }), "{error:?}"),
            _ => assert!(matches!(error, Error::Server(_)), "{error:?}"),
        }
    }
    // A body that is announced as too long is not read.
    let announced = "HTTP/1.1 200 OK\r\ncontent-length: 1000001\r\n\r\n";
    let builder = endless(announced, b" ".to_vec(), Duration::from_secs(3600)).await;
    let error = fails(builder.max_response_bytes(1_000_000)).await;
    assert!(matches!(error, Error::TooLarge { .. }), "{error:?}");
}

#[tokio::test]
async fn a_body_as_long_as_the_bound_is_read() {
    let body = r#"{"users": [], "total": 0, "offset": 0, "limit": 100}"#;
    let service = wearlab_tests::scripted::Scripted::start([wearlab_tests::scripted::Reply::new(200, body)]).await;
    let most = u64::try_from(body.len()).expect("a length");
    let limited = |most| service.builder().max_response_bytes(most).build().expect("a client");
    limited(most).list_users().send().await.expect("a page");
    let error = limited(most - 1)
        .list_users()
        .send()
        .await
        .expect_err("a byte too long");
    assert!(matches!(error, Error::TooLarge { .. }), "{error:?}");
}
