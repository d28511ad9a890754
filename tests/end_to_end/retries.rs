//! Calls are tried again where that may help, in time, and not otherwise. The service counts.

use std::io;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wearlab_client::{Client, Error, RetryPolicy};
use wearlab_models::{Environment, Region};
use wearlab_tests::scripted::{Reply, Scripted};

/// Short pauses, so that the tests are short, too.
fn quick() -> RetryPolicy {
    RetryPolicy::default().first_pause(Duration::from_millis(2))
}

fn client(service: &Scripted) -> Client {
    service.builder().retry(quick()).build().expect("a client")
}

fn users() -> Reply {
    Reply::new(200, r#"{"users": [], "total": 0, "offset": 0, "limit": 100}"#)
}

#[tokio::test]
async fn what_passes_is_waited_for() {
    for status in [429, 502, 503, 504] {
        let service = Scripted::start([Reply::new(status, ""), Reply::new(status, ""), users()]).await;
        let page = client(&service)
            .list_users()
            .limit(7)
            .send()
            .await
            .expect("the third answer");
        assert_eq!(page.total, 0);
        let asked = service.asked();
        assert_eq!(asked.len(), 3, "two retries, unless a setting says otherwise");
        for request in asked {
            assert_eq!(request.uri, "/v2/user/?limit=7");
            assert_eq!(request.headers["x-service-api-key"], "k");
        }
    }
}

#[tokio::test]
async fn it_ends_after_two_retries() {
    let service = Scripted::start([Reply::new(503, "")]).await;
    let error = client(&service).list_users().send().await.expect_err("no success");
    assert!(matches!(error, Error::Server(_)), "{error:?}");
    assert!(error.is_retryable());
    assert_eq!(service.count(), 3);
}

#[tokio::test]
async fn what_will_not_change_is_asked_once() {
    for status in [301, 400, 401, 404, 405, 408, 409, 418, 422, 500, 501, 505] {
        let service = Scripted::start([Reply::new(status, ""), users()]).await;
        let error = client(&service).list_users().send().await.expect_err("no success");
        assert!(!error.is_retryable(), "{status}");
        assert_eq!(error.status().map(|status| status.as_u16()), Some(status));
        assert_eq!(service.count(), 1, "{status}");
    }
    let service = Scripted::start([Reply::new(200, "{}"), users()]).await;
    let error = client(&service)
        .list_users()
        .send()
        .await
        .expect_err("no list of users");
    assert!(matches!(error, Error::Decoding { .. }));
    assert_eq!(service.count(), 1);
}

#[tokio::test]
async fn a_setting_turns_retries_off_and_a_call_has_its_own() {
    let service = Scripted::start([Reply::new(503, "")]).await;
    let (eager, still) = (client(&service), service.client());
    still.list_users().send().await.expect_err("no success");
    assert_eq!(service.count(), 1, "the client tries nothing twice");
    still
        .list_users()
        .retry(quick().retries(4))
        .send()
        .await
        .expect_err("no success");
    assert_eq!(service.count(), 1 + 5, "but this call does");
    eager
        .list_users()
        .retry(RetryPolicy::none())
        .send()
        .await
        .expect_err("no success");
    assert_eq!(service.count(), 1 + 5 + 1, "and this one of another does not");
}

#[tokio::test]
async fn pauses_are_random_within_their_bounds() {
    let service = Scripted::start([Reply::new(503, "")]).await;
    let longest = Duration::from_millis(400);
    let policy = RetryPolicy::default()
        .first_pause(longest)
        .longest_pause(longest)
        .retries(4);
    for _ in 0..3 {
        let began = Instant::now();
        let call = service.client();
        call.list_users().retry(policy).send().await.expect_err("no success");
        // Four pauses; the rest is room for a slow machine.
        assert!(
            began.elapsed() < 4 * longest + Duration::from_secs(2),
            "{:?}",
            began.elapsed()
        );
    }
    let times: Vec<_> = service.asked().iter().map(|asked| asked.at).collect();
    let tries = times.chunks(5);
    let gaps: Vec<_> = tries
        .flat_map(|tries| tries.windows(2).map(|pair| pair[1] - pair[0]))
        .collect();
    assert_eq!(gaps.len(), 12);
    // A pause never ends early, so that all gaps were as long as the longest pause if none were random.
    assert!(gaps.iter().any(|gap| *gap < longest), "some pause is shorter: {gaps:?}");
    assert!(
        gaps.iter().sum::<Duration>() > Duration::from_millis(100),
        "there are pauses: {gaps:?}"
    );
}

#[tokio::test]
async fn retry_after_is_waited() {
    let service = Scripted::start([Reply::new(429, "").header("retry-after", 1), users()]).await;
    client(&service).list_users().send().await.expect("the second answer");
    let asked = service.asked();
    let waited = asked[1].at - asked[0].at;
    assert!(waited >= Duration::from_secs(1), "{waited:?}");
    assert!(waited < Duration::from_secs(4), "{waited:?}");

    let dated = Reply::new(503, "")
        .header("date", "Wed, 19 Aug 2026 09:30:00 GMT")
        .header("retry-after", "Wed, 19 Aug 2026 09:30:01 GMT");
    let service = Scripted::start([dated, users()]).await;
    client(&service).list_users().send().await.expect("the second answer");
    let asked = service.asked();
    assert!(
        asked[1].at - asked[0].at >= Duration::from_secs(1),
        "a date is understood"
    );
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_reported_at_once() {
    let busy = Reply::new(429, "").header("retry-after", 31);
    let service = Scripted::start([busy, users()]).await;
    let begun = Instant::now();
    let error = client(&service).list_users().send().await.expect_err("no success");
    assert!(begun.elapsed() < Duration::from_secs(10));
    let failure = error.failure().expect("a response");
    assert_eq!(failure.retry_after(), Some(Duration::from_secs(31)));
    assert_eq!(service.count(), 1, "the default bound is 30 seconds");

    let busy = Reply::new(429, "").header("retry-after", 1);
    let service = Scripted::start([busy, users()]).await;
    let short = quick().longest_wait(Duration::from_millis(999));
    let call = service.client();
    call.list_users().retry(short).send().await.expect_err("no success");
    assert_eq!(service.count(), 1);
}

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

/// Takes connections, and drops as many of them as scripted, once they have asked.
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

#[tokio::test]
async fn pages_are_tried_again_one_by_one() {
    let page = |next: &str| format!(r#"{{"pipelines": [], "next_cursor": "{next}"}}"#);
    let last = Reply::new(200, r#"{"pipelines": []}"#);
    let busy = Reply::new(503, "");
    let service = Scripted::start([
        Reply::new(200, page("a")),
        busy.clone(),
        busy.clone(),
        Reply::new(200, page("b")),
        busy,
        last,
    ]);
    let service = service.await;
    let client = client(&service);
    let call = client.list_team_pipelines("o", Environment::Sandbox, Region::Eu);
    let mut pages = call.pages();
    let mut seen = 0;
    while pages.try_next().await.expect("a page").is_some() {
        seen += 1;
    }
    assert_eq!((seen, service.count()), (3, 6));
}
