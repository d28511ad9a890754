//! Retries of calls: only if they may help, in time. The service counts the attempts.

use std::time::{Duration, Instant};
use wearlab_client::{Client, Error, RetryPolicy};
use wearlab_models::{Environment, Region};
use wearlab_tests::scripted::{Reply, Scripted};

/// Returns a policy with short pauses, so that tests are fast.
pub(super) fn quick() -> RetryPolicy {
    RetryPolicy::default().first_pause(Duration::from_millis(2))
}

pub(super) fn client(service: &Scripted) -> Client {
    service.builder().retry(quick()).build().expect("a client")
}

pub(super) fn users() -> Reply {
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
        // Four pauses. The rest is a margin for slow machines.
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
    // A pause never ends early, so without randomness all gaps would have the maximum length.
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
