//! Content codings of streams, and their limits.

use async_compression::Level;
use async_compression::tokio::bufread::{GzipEncoder, ZstdEncoder};
use async_compression::zstd::CParameter;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt};
use wearlab_tests::Running;

use super::{logged, numbered};

async fn encoded(mut encoder: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut bytes = Vec::new();
    encoder.read_to_end(&mut bytes).await.expect("encodes");
    bytes
}

/// Sends a body in a content coding. Returns the status and the acknowledgements.
async fn sent(running: &Running, coding: &str, body: Vec<u8>) -> (u16, Vec<Value>) {
    let request = wearlab_tests::http()
        .post(format!("{}/v1/ingest", running.management_url))
        .header("x-service-api-key", &running.sample.team_api_key)
        .header("content-type", "application/x-ndjson")
        .header("content-encoding", coding)
        .body(body);
    let response = request.send().await.expect("a response");
    let status = response.status().as_u16();
    let text = response.text().await.expect("text");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    (status, lines.collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_read_in_gzip_and_zstd_also_of_several_members() {
    let running = Running::start(5).await;
    let text = |number| numbered(&running, number).into_bytes();
    let gzip = [
        encoded(GzipEncoder::new(&text(1)[..])).await,
        encoded(GzipEncoder::new(&text(2)[..])).await,
    ];
    let zstd = [
        encoded(ZstdEncoder::new(&text(3)[..])).await,
        encoded(ZstdEncoder::new(&text(4)[..])).await,
    ];
    for (coding, body) in [
        ("gzip", gzip.concat()),
        ("ZSTD", zstd.concat()),
        ("identity", [text(5), text(6)].concat()),
    ] {
        let (status, acknowledged) = sent(&running, coding, body).await;
        assert_eq!(status, 200, "{coding}");
        let accepted: Vec<_> = acknowledged.iter().map(|line| &line["accepted"]).collect();
        assert_eq!(accepted, ["data", "data"], "{coding}");
    }
    assert_eq!(logged(&running).await, ["1", "2", "3", "4", "5", "6"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_of_its_coding_is_a_broken_body() {
    let running = Running::start(5).await;
    let whole = encoded(GzipEncoder::new(numbered(&running, 1).as_bytes())).await;
    for body in [whole[..whole.len() - 9].to_vec(), numbered(&running, 2).into_bytes()] {
        let (status, acknowledged) = sent(&running, "gzip", body).await;
        assert_eq!(status, 200);
        let last = acknowledged.last().expect("a last one");
        assert_eq!(last["stopped"], "broken_body", "{acknowledged:?}");
    }
    // A window larger than the required one is memory that the sender chooses.
    let long = [numbered(&running, 3).into_bytes(), vec![b' '; 20 << 20]].concat();
    let window = [
        CParameter::window_log(25),
        CParameter::enable_long_distance_matching(true),
    ];
    let wide = encoded(ZstdEncoder::with_quality_and_params(&long[..], Level::Fastest, &window)).await;
    let (status, acknowledged) = sent(&running, "zstd", wide).await;
    assert_eq!(status, 200);
    assert_eq!(acknowledged.last().expect("a last one")["stopped"], "broken_body");
    assert!(!logged(&running).await.contains(&"3".to_owned()));
}

/// A few kilobytes that decompress to millions of blank lines. The limit depends on the compressed length.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_far_longer_than_it_was_sent_is_stopped() {
    let running = Running::start(5).await;
    let blank = vec![b'\n'; 64 << 20];
    let padded = |number| [numbered(&running, number).as_bytes(), &blank].concat();
    for (number, coding, body) in [
        (1, "gzip", encoded(GzipEncoder::new(&padded(1)[..])).await),
        (2, "zstd", encoded(ZstdEncoder::new(&padded(2)[..])).await),
    ] {
        let (status, acknowledged) = sent(&running, coding, body).await;
        assert_eq!(status, 200);
        let [first, last] = &acknowledged[..] else {
            panic!("{number}: {acknowledged:?}")
        };
        assert_eq!(first["accepted"], "data");
        assert_eq!((&last["line"], &last["stopped"]), (&json!(1), &json!("too_large")));
        let reason = last["reason"].as_str().expect("a reason");
        assert!(reason.contains("http.limits.decoded_ratio"), "{reason}");
    }
    // Some blank lines between others are accepted, and counted.
    let some = [
        numbered(&running, 3).into_bytes(),
        vec![b'\n'; 7 << 20],
        b"{}\n".to_vec(),
    ]
    .concat();
    let (_, acknowledged) = sent(&running, "gzip", encoded(GzipEncoder::new(&some[..])).await).await;
    assert_eq!(acknowledged[1]["line"], json!((7 << 20) + 2), "{acknowledged:?}");
    assert_eq!(logged(&running).await, ["1", "2", "3"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_codings_are_a_415() {
    let running = Running::start(5).await;
    for coding in ["br", "deflate", "gzip, zstd", "x"] {
        assert_eq!(
            sent(&running, coding, numbered(&running, 1).into_bytes()).await.0,
            415,
            "{coding}"
        );
    }
    assert!(logged(&running).await.is_empty());
}
