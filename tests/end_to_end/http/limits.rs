//! Limits of size, rate and time: each with its status and a problem document.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use wearlab_client::Error;
use wearlab_http::settings::{HttpSettings, Limits, RateLimit, Timeouts};
use wearlab_service::Settings;
use wearlab_store::KeyRecord;
use wearlab_tests::{LINK_TOKEN, Running};

use super::odd::{KEY, Served};
use super::{connect, operations, say, send};

#[tokio::test]
async fn a_request_that_is_too_large_is_reported_how() {
    let served = Served::start(HttpSettings::default()).await;
    let long = |bytes: usize| "x".repeat(bytes);
    let url = &served.url;
    let response = send("GET", &format!("{url}/v2/user/?a={}", long(8100)), &[KEY]).await;
    assert_eq!(response.status, 200);
    let response = send("GET", &format!("{url}/v2/user/?a={}", long(8192)), &[KEY]).await;
    assert_eq!((response.status, &*response.problem()), (414, "uri-too-long"));

    let many: Vec<_> = (0..64).map(|n| format!("x-{n}")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), "1")).collect();
    let large = long(16_384);
    for headers in [&many[..], &[("x-large", large.as_str())]] {
        let response = send("GET", &format!("{url}/v2/user/"), headers).await;
        assert_eq!(
            (response.status, &*response.problem()),
            (431, "request-header-fields-too-large")
        );
    }
    // Far beyond the limit, the response has only a status.
    for (request, status) in [
        (
            format!("GET / HTTP/1.1\r\nhost: h\r\nx: {}\r\n\r\n", long(100_000)),
            "431",
        ),
        (format!("GET /{} HTTP/1.1\r\nhost: h\r\n\r\n", long(100_000)), "431"),
        ("not a request\r\n\r\n".to_owned(), "400"),
    ] {
        let received = say(connect(url).await, request).await;
        assert!(received.starts_with(&format!("HTTP/1.1 {status}")), "{received}");
    }
}

#[tokio::test]
async fn a_body_is_ignored_up_to_a_bound_and_awaited_up_to_a_time() {
    let served = Served::start(HttpSettings {
        timeouts: Timeouts {
            body: Duration::from_millis(1000),
            ..Timeouts::default()
        },
        ..HttpSettings::default()
    })
    .await;
    let http = wearlab_tests::http();
    for (bytes, status) in [(1, 200), (65_536, 200), (65_537, 413), (1_000_000, 413)] {
        let request = http.get(served.slow(0)).header(KEY.0, KEY.1).body(vec![b'x'; bytes]);
        // A response before the end of the request may be lost. It must not be a different one.
        match request.send().await {
            Ok(response) => assert_eq!(response.status(), status, "{bytes}"),
            Err(error) => assert!(status == 413 && (error.is_request() || error.is_body()), "{error:?}"),
        }
    }
    let head = |fields: &str| format!("GET /v2/user/ HTTP/1.1\r\nhost: h\r\nx-service-api-key: k\r\n{fields}\r\n");
    for (request, status, kind) in [
        (head("content-length: 65537\r\n"), "413", "content-too-large"),
        (head("content-length: 5\r\n") + "four", "408", "request-timeout"),
        (
            head("transfer-encoding: chunked\r\n") + "3\r\nabc\r\n",
            "408",
            "request-timeout",
        ),
        (
            head("transfer-encoding: chunked\r\n") + &format!("10001\r\n{}\r\n0\r\n\r\n", "x".repeat(65_537)),
            "413",
            "content-too-large",
        ),
    ] {
        let received = say(connect(&served.url).await, request).await;
        assert!(
            received.starts_with(&format!("HTTP/1.1 {status}")) && received.contains(kind),
            "{received}"
        );
    }
    // The next request on a connection is found after an ignored body.
    let two = head("content-length: 4\r\n") + "body" + &head("connection: close\r\n");
    let received = say(connect(&served.url).await, two).await;
    assert_eq!(received.matches("HTTP/1.1 200").count(), 2, "{received}");
}

#[tokio::test]
async fn a_request_that_is_not_one_is_a_400() {
    let served = Served::start(HttpSettings::default()).await;
    let get = |head: &str| format!("GET /v2/user/ HTTP/1.1\r\nx-service-api-key: k\r\nconnection: close\r\n{head}\r\n");
    let chunked = |body: &str| get("host: h\r\ntransfer-encoding: chunked\r\n") + body;
    for bad in [
        get(""),
        get("host: a\r\nhost: b\r\n"),
        get("host: a\r\nhost: a\r\n"),
        get("host: a b\r\n"),
        get("host: user@a\r\n"),
        get("host: a/b\r\n"),
        get("host: a:port\r\n"),
        get("host: a:99999\r\n"),
        get("host: a:+80\r\n"),
        get("host: [::1\r\n"),
        get("host: [::zz]\r\n"),
        get("host: [::1]80\r\n"),
        get("host: []\r\n"),
        get("host: [v1.]\r\n"),
        get("host: a%zz\r\n"),
        get("host: \u{e9}.example\r\n"),
        chunked("x\r\nabc\r\n0\r\n\r\n"),
        chunked("3\r\nabcd\r\n0\r\n\r\n"),
        chunked("3\r\nabc\r\n-1\r\n\r\n"),
        chunked("x\r\nabc\r\n0\r\n\r\n").replace("GET", "POST"),
    ] {
        let received = say(connect(&served.url).await, &bad).await;
        assert!(received.starts_with("HTTP/1.1 400"), "{bad}\n{received}");
        assert!(
            received.contains("urn:wearlab:problem:bad-request"),
            "{bad}\n{received}"
        );
        assert!(received.contains("\r\nconnection: close\r\n"), "{bad}\n{received}");
        assert!(!received.contains("\r\nallow: "), "{bad}\n{received}");
    }
    for good in [
        get("host: \r\n"),
        get("host: a-b.example:8080\r\n"),
        get("host: 127.0.0.1:\r\n"),
        get("host: [::1]:80\r\n"),
        get("host: [v1.a:b]:65535\r\n"),
        get("host: a%20b\r\n"),
        get("host: h\r\n").replace("/v2/user/", "http://other.example/v2/user/"),
        get("").replace("HTTP/1.1", "HTTP/1.0"),
        chunked("3\r\nabc\r\n0\r\n\r\n"),
    ] {
        let received = say(connect(&served.url).await, &good).await;
        assert!(received.split(' ').nth(1) == Some("200"), "{good}\n{received}");
    }
}

#[tokio::test]
async fn requests_beyond_the_bound_are_shed_and_probes_are_not() {
    let served = Served::start(HttpSettings {
        limits: Limits {
            requests: 2,
            ..Limits::default()
        },
        ..HttpSettings::default()
    })
    .await;
    let slow = served.slow(4000);
    let (first, second, shed) = tokio::join!(send("GET", &slow, &[KEY]), send("GET", &slow, &[KEY]), async {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        let probe = send("GET", &format!("{}/livez", served.management_url), &[]).await;
        assert_eq!(probe.status, 200);
        send("GET", &served.slow(0), &[KEY]).await
    });
    assert_eq!((first.status, second.status), (200, 200));
    assert_eq!((shed.status, &*shed.problem()), (503, "service-unavailable"));
    assert_eq!(shed.header("retry-after"), Some("1"));
    assert_eq!(
        send("GET", &served.slow(0), &[KEY]).await.status,
        200,
        "places are given back"
    );
}

#[tokio::test]
async fn what_takes_too_long_is_given_up_and_a_panic_gives_back_its_place() {
    let served = Served::start(HttpSettings {
        limits: Limits {
            requests: 1,
            ..Limits::default()
        },
        timeouts: Timeouts {
            handler: Duration::from_millis(1000),
            ..Timeouts::default()
        },
        ..HttpSettings::default()
    })
    .await;
    let begun = Instant::now();
    let late = send("GET", &served.slow(60_000), &[KEY]).await;
    assert_eq!((late.status, &*late.problem()), (503, "service-unavailable"));
    assert_eq!(late.header("retry-after"), Some("1"));
    assert!(begun.elapsed() < Duration::from_secs(30));

    let user = format!("{}/v2/user/{}", served.url, wearlab_models::Uuid::nil());
    for _ in 0..3 {
        let broken = send("GET", &user, &[KEY]).await;
        assert_eq!((broken.status, &*broken.problem()), (500, "internal-server-error"));
        assert!(!String::from_utf8_lossy(&broken.body).contains("Ada"));
    }
    assert_eq!(send("GET", &served.slow(0), &[KEY]).await.status, 200);
}

#[tokio::test]
async fn each_key_has_its_own_rate() {
    let mut settings = Settings::default();
    let one = NonZeroU32::new(1).expect("not 0");
    settings.rate_limit = Some(RateLimit {
        per_second: one,
        burst: NonZeroU32::new(3).expect("not 0"),
    });
    let running = Running::start_with(5, settings).await;
    let sample = &running.sample;
    let address = format!("{}/v3/order/psc/appointment/cancellation-reasons", running.url);
    let key = ("x-service-api-key", sample.team_api_key.as_str());
    let mut refused = None;
    for _ in 0..20 {
        let response = send("GET", &address, &[key]).await;
        if response.status != 200 {
            refused = Some(response);
            break;
        }
    }
    let refused = refused.expect("a limit");
    assert_eq!((refused.status, &*refused.problem()), (429, "too-many-requests"));
    assert_eq!(refused.header("retry-after"), Some("1"));
    let error = running.client().list_cancellation_reasons().send().await;
    assert!(matches!(error, Err(Error::RateLimited(_))), "{error:?}");

    // Another key of the same team, other teams, and another kind of credential of the same team have limits of their
    // own.
    let second = "wl_team_second";
    let record = KeyRecord::of_team(sample.team_id, second);
    running
        .store
        .write(|write| write.put_key(&record))
        .await
        .expect("a key");
    assert_eq!(
        send("GET", &address, &[("x-service-api-key", second)]).await.status,
        200
    );
    let other = ("x-service-api-key", sample.other_team.team_api_key.as_str());
    assert_eq!(send("GET", &address, &[other]).await.status, 200);
    let (_, pipelines, (name, management)) = operations(&running).pop().expect("ten");
    assert_eq!(send("GET", &pipelines, &[(name, &management)]).await.status, 200);
    // An unknown key is refused as such, however often it comes.
    for _ in 0..5 {
        assert_eq!(
            send("GET", &address, &[("x-service-api-key", LINK_TOKEN)]).await.status,
            401
        );
    }
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(send("GET", &address, &[key]).await.status, 200, "after a pause");
}
