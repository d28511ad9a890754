//! Limits of streams: no limit of time, and bounded memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::stream;
use serde_json::json;
use wearlab_client::{Client, Error, Upload};
use wearlab_http::settings::{HttpSettings, Limits, Timeouts};
use wearlab_models::{Acknowledgement, Uuid};
use wearlab_service::Settings;
use wearlab_tests::Running;

use super::{data, ingest, next, numbered, open_body};

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_outlasts_every_timeout_and_every_limit_of_a_body() {
    let short = Duration::from_millis(100);
    let running = Running::start_http(
        5,
        HttpSettings {
            timeouts: Timeouts {
                header: short,
                idle: short,
                body: short,
                handler: short,
                ..Timeouts::default()
            },
            limits: Limits {
                body_bytes: 1000,
                requests: 1,
                ..Limits::default()
            },
            ..HttpSettings::default()
        },
    )
    .await;
    let (sender, body) = open_body();
    let response = running.client().ingest_arrivals(body).send().await.expect("a stream");
    let mut lines = response.into_inner();
    for number in 1..=4 {
        tokio::time::sleep(3 * short).await;
        // Other requests continue: an open stream needs no permit of theirs.
        running.json("/v2/user/").await;
        sender.send(numbered(&running, number)).await.expect("it reads");
        let line = next(&mut lines).await.expect("it is acknowledged");
        assert_eq!(line.accepted.as_deref(), Some("data"));
    }
    drop(sender);
    assert_eq!(next(&mut lines).await, None);
    let many: String = (5..200).map(|number| numbered(&running, number)).collect();
    assert_eq!(ingest(&running, many).await.len(), 195);
}

/// Streams by the keys of its teams count, too.
#[tokio::test(flavor = "multi_thread")]
async fn an_organisation_has_so_many_streams_and_gets_them_back() {
    let mut settings = Settings::default();
    settings.limits.streams_per_organisation = 1;
    let running = Running::start_with(5, settings).await;
    let (sender, body) = open_body();
    let response = running.client().ingest_arrivals(body).send().await.expect("a stream");
    let mut lines = response.into_inner();
    sender.send(numbered(&running, 1)).await.expect("it reads");
    assert_eq!(next(&mut lines).await.expect("it is acknowledged").line, 1);
    let (client, line) = (running.client(), numbered(&running, 2));
    let refused = client.ingest_arrivals(line.clone()).send().await.expect_err("no place");
    assert!(matches!(refused, Error::RateLimited(_)), "{refused:?}");
    let refused = client.import_records(line.clone()).send().await.expect_err("no place");
    assert!(matches!(refused, Error::RateLimited(_)), "{refused:?}");
    drop(sender);
    assert_eq!(next(&mut lines).await, None);
    let begun = std::time::Instant::now();
    while let Err(error) = client.ingest_arrivals(line.clone()).send().await {
        assert!(begun.elapsed() < super::TIMEOUT, "{error:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Streams without a valid key, whose bodies stay open.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_stream_takes_no_place() {
    let limits = Limits {
        requests: 2,
        ..Limits::default()
    };
    let running = Running::start_http(
        5,
        HttpSettings {
            limits,
            ..HttpSettings::default()
        },
    )
    .await;
    let begun = std::time::Instant::now();
    let (senders, bodies): (Vec<_>, Vec<_>) = [open_body(), open_body()].into_iter().unzip();
    let refused = bodies.into_iter().map(|body| {
        let stranger = Client::builder().base_url(&running.url).api_key("of nobody");
        let stranger = stranger.build().expect("a client");
        tokio::spawn(async move { stranger.ingest_arrivals(body).send().await })
    });
    let refused: Vec<_> = refused.collect();
    // Both permits are free before the bodies end.
    while !refused.iter().all(tokio::task::JoinHandle::is_finished) {
        tokio::time::sleep(Duration::from_millis(200)).await;
        running.json("/v2/user/").await;
    }
    for refused in refused {
        let refused = refused.await.expect("no panic").expect_err("no key");
        assert!(matches!(refused, Error::Unauthorized(_)), "{refused:?}");
    }
    assert!(begun.elapsed() < Timeouts::default().body, "{:?}", begun.elapsed());
    drop(senders);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_reads_no_acknowledgements_is_not_read_from() {
    let running = Running::start(5).await;
    // Complete invalid lines, which are cheap and have long acknowledgements.
    let lines = "x\n".repeat(32 * 1024);
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = sent.clone();
    let endless = stream::repeat_with(move || {
        counted.fetch_add(lines.len(), Ordering::Relaxed);
        Ok::<_, std::io::Error>(lines.clone().into())
    });
    let response = running.client().ingest_arrivals(Upload::stream(endless)).send().await;
    let mut lines = response.expect("a stream").into_inner();
    // It stops reading, however much is offered.
    let mut before = usize::MAX;
    while before != sent.load(Ordering::Relaxed) {
        before = sent.load(Ordering::Relaxed);
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    assert!(before < 64 << 20, "{before} bytes were taken");
    // It continues where it was.
    for number in 1..=200_000 {
        assert_eq!(next(&mut lines).await.expect("an acknowledgement").line, number);
    }
}

/// Each entry of a long list must be short.
#[tokio::test(flavor = "multi_thread")]
async fn only_lines_of_values_are_long() {
    let running = Running::start(5).await;
    let sample = &running.sample;
    let long = "x".repeat(70_000);
    let failed = |message: &str| {
        let details = json!({"error_message": message});
        let failed = json!({"team_id": sample.team_id, "user_id": sample.user_id, "provider": "stridewell",
            "error_details": details});
        format!("{}\n", json!({ "connection_failed": failed }))
    };
    let note = json!([{"timestamp": "2026-05-01T10:00:00Z", "value": long}]);
    let body = failed("short") + &failed(&long) + &data(&running, json!({"resource": "note", "data": note}));
    let acknowledged = ingest(&running, body).await;
    let reasons: Vec<_> = acknowledged.iter().map(|line| line.reason.as_deref()).collect();
    assert_eq!(
        reasons,
        [None, Some("must not be longer than 64 KiB"), None],
        "{acknowledged:?}"
    );
    assert_eq!(acknowledged[1].field.as_deref(), Some("connection_failed"));
    // A single value must not be as long as a line.
    let note = json!([{"timestamp": "2026-05-01T10:00:00Z", "value": "x".repeat(2 << 20)}]);
    let acknowledged = ingest(&running, data(&running, json!({"resource": "note", "data": note}))).await;
    assert_eq!(acknowledged[0].reason.as_deref(), Some("must not be longer than 1 MiB"));
    assert_eq!(acknowledged[0].field.as_deref(), Some("data.data[0]"));
}

/// A lab account may see many lab tests.
#[tokio::test(flavor = "multi_thread")]
async fn records_with_lists_are_longer_than_others() {
    let running = Running::start(5).await;
    let team_id = running.sample.team_id;
    let account = |tests: usize| {
        let visible: serde_json::Map<_, _> = (0..tests)
            .map(|test| (format!("missing-{test:05}"), json!([1])))
            .collect();
        let account = json!({"team_id": team_id, "lab_account_id": Uuid::from_u128(5), "visible": visible});
        format!("{}\n", json!({ "lab_account": account }))
    };
    let client = running.client();
    let response = client.import_records(account(10_000) + &account(60_000)).send().await;
    let mut lines = response.expect("a stream").into_inner();
    let [long, too_long] =
        [next(&mut lines).await, next(&mut lines).await].map(|line| line.expect("an acknowledgement"));
    assert!(long.reason.is_some_and(|reason| reason.contains("no such lab test")));
    assert_eq!(too_long.reason.as_deref(), Some("must not be longer than 1024 KiB"));
}

/// Each read of a user includes all of them.
#[tokio::test(flavor = "multi_thread")]
async fn devices_and_connections_of_a_user_are_bounded_in_number() {
    let running = Running::start(5).await;
    let sample = &running.sample;
    let device = |number: u128| {
        let device = json!({"id": Uuid::from_u128(number), "user_id": sample.user_id, "provider": "stridewell",
            "source_type": "watch"});
        format!("{}\n", json!({"device": {"team_id": sample.team_id, "device": device}}))
    };
    let connection = |number: u128| {
        let provider = json!({"name": "Made up", "slug": format!("made-up-{number}"), "logo": "https://example.com/logo.png",
            "created_on": "2026-05-01T00:00:00Z", "status": "connected", "resource_availability": {}});
        let made = json!({"team_id": sample.team_id, "user_id": sample.user_id, "provider": provider});
        format!("{}\n", json!({ "connection_made": made }))
    };
    let count = |acknowledged: &[_], reason: &str| {
        let refused = acknowledged
            .iter()
            .filter_map(|line: &Acknowledgement| line.reason.as_deref());
        let refused: Vec<_> = refused.collect();
        assert!(refused.iter().all(|refused| *refused == reason), "{refused:?}");
        acknowledged.len() - refused.len()
    };
    let acknowledged = ingest(&running, (1..=1_002).map(device).collect::<String>()).await;
    assert!((900..=1_000).contains(&count(&acknowledged, "a user has at most 1000 devices")));
    let devices = format!("/v2/user/{}/device", sample.user_id);
    assert_eq!(running.json(&devices).await.as_array().map(Vec::len), Some(1_000));
    // An existing one is still accepted.
    assert!(ingest(&running, device(5)).await[0].reason.is_none());
    let acknowledged = ingest(&running, (1..=202).map(connection).collect::<String>()).await;
    let taken = count(&acknowledged, "a user has connections with at most 200 providers");
    assert!((150..=200).contains(&taken), "{taken}");
    assert!(ingest(&running, connection(5)).await[0].reason.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_too_long_is_refused_alone() {
    let running = Running::start(5).await;
    let long = data(&running, json!({"raw": {"text": "x".repeat(17 << 20)}}));
    let body = numbered(&running, 1) + &long + &numbered(&running, 2);
    let acknowledged = ingest(&running, body).await;
    let reasons: Vec<_> = acknowledged.iter().map(|line| line.reason.as_deref()).collect();
    assert_eq!(reasons, [None, Some("the line is longer than 16 MiB"), None]);
}
