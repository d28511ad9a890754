//! What a stream may take: as much time as it likes, and no memory of what is not read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::stream;
use serde_json::json;
use wearlab::Settings;
use wearlab::config::http::{HttpSettings, Limits, Timeouts};
use wearlab_client::{Error, Upload};
use wearlab_models::Uuid;
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
        // Other requests go on meanwhile: an open stream takes no one's place.
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

/// Also by the keys of its teams.
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

#[tokio::test(flavor = "multi_thread")]
async fn who_reads_no_acknowledgements_is_not_read_from() {
    let running = Running::start(5).await;
    // Whole bad lines, which cost little and whose acknowledgements are long.
    let lines = "x\n".repeat(32 * 1024);
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = sent.clone();
    let endless = stream::repeat_with(move || {
        counted.fetch_add(lines.len(), Ordering::Relaxed);
        Ok::<_, std::io::Error>(lines.clone().into())
    });
    let response = running.client().ingest_arrivals(Upload::stream(endless)).send().await;
    let mut lines = response.expect("a stream").into_inner();
    // It stops taking more, however long it is offered.
    let mut before = usize::MAX;
    while before != sent.load(Ordering::Relaxed) {
        before = sent.load(Ordering::Relaxed);
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    assert!(before < 64 << 20, "{before} bytes were taken");
    // And goes on where it was.
    for number in 1..=200_000 {
        assert_eq!(next(&mut lines).await.expect("an acknowledgement").line, number);
    }
}

/// Of what a list has many of, each is short.
#[tokio::test(flavor = "multi_thread")]
async fn only_lines_of_values_are_long() {
    let running = Running::start(5).await;
    let sample = &running.sample;
    let long = "x".repeat(70_000);
    let device = |model: &str| {
        let device = json!({"id": Uuid::from_u128(5), "user_id": sample.user_id, "provider": "stridewell",
            "source_type": "watch", "device_model": model});
        format!("{}\n", json!({"device": {"team_id": sample.team_id, "device": device}}))
    };
    let note = json!([{"timestamp": "2026-05-01T10:00:00Z", "value": long}]);
    let body = device("short") + &device(&long) + &data(&running, json!({"resource": "note", "data": note}));
    let acknowledged = ingest(&running, body).await;
    let reasons: Vec<_> = acknowledged.iter().map(|line| line.reason.as_deref()).collect();
    assert_eq!(
        reasons,
        [None, Some("must not be longer than 64 KiB"), None],
        "{acknowledged:?}"
    );
    assert_eq!(acknowledged[1].field.as_deref(), Some("device"));
    // Nor is one of them as long as a line.
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

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_too_long_is_refused_alone() {
    let running = Running::start(5).await;
    let long = data(&running, json!({"raw": {"text": "x".repeat(17 << 20)}}));
    let body = numbered(&running, 1) + &long + &numbered(&running, 2);
    let acknowledged = ingest(&running, body).await;
    let reasons: Vec<_> = acknowledged.iter().map(|line| line.reason.as_deref()).collect();
    assert_eq!(reasons, [None, Some("the line is longer than 16 MiB"), None]);
}
