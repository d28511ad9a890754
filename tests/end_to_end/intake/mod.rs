//! Lines over HTTP: every acknowledged line is stored, for as long as the stream lasts.

mod audit;
mod coding;
mod damaged;
mod limits;
mod notes;
mod owners;
mod statuses;

use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use wearlab_client::{Lines, Upload};
use wearlab_models::{Acknowledgement, StopReason, Uuid};
use wearlab_store::EventFilter;
use wearlab_tests::Running;

/// Time limit of a test.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Returns a line of data of a user of the sample: the steps at one time.
fn data(running: &Running, more: Value) -> String {
    let sample = &running.sample;
    let mut fields = json!({"team_id": sample.team_id, "user_id": sample.user_id, "provider": "stridewell",
        "resource": "steps", "date": "2026-05-01",
        "data": [{"timestamp": "2026-05-01T10:00:00Z", "value": 1, "unit": "count"}]});
    let Value::Object(more) = more else { panic!("an object") };
    fields.as_object_mut().expect("an object").extend(more);
    format!("{}\n", json!({ "data": fields }))
}

/// Returns a line of data with an id of its own.
fn numbered(running: &Running, number: usize) -> String {
    let at = format!("2026-05-01T10:00:00.{number:06}Z");
    let values = json!([{"timestamp": at, "value": number, "unit": "count"}]);
    data(running, json!({"data": values, "arrival_id": format!("n-{number}")}))
}

/// Sends a complete body, and returns its acknowledgements.
async fn ingest(running: &Running, body: impl Into<Upload>) -> Vec<Acknowledgement> {
    let response = running.client().ingest_arrivals(body).send().await.expect("a stream");
    all(response.into_inner()).await
}

async fn all(mut lines: Lines<Acknowledgement>) -> Vec<Acknowledgement> {
    let mut acknowledged = Vec::new();
    while let Some(line) = next(&mut lines).await {
        acknowledged.push(line);
    }
    acknowledged
}

async fn next(lines: &mut Lines<Acknowledgement>) -> Option<Acknowledgement> {
    let line = tokio::time::timeout(TIMEOUT, lines.try_next()).await;
    line.expect("in time").expect("an acknowledgement")
}

/// Returns a body that is sent piece by piece.
fn open_body() -> (mpsc::Sender<String>, Upload) {
    let (sender, receiver) = mpsc::channel::<String>(1);
    let parts = stream::unfold(receiver, async |mut receiver| {
        let part = receiver.recv().await?;
        Some((Ok::<_, std::io::Error>(part.into()), receiver))
    });
    (sender, Upload::stream(parts))
}

/// Returns the values of the events in the log, as text.
async fn logged(running: &Running) -> Vec<String> {
    let filter = EventFilter {
        event_type_prefix: Some("daily.".to_owned()),
        ..EventFilter::default()
    };
    let events = running.store.events(&filter, usize::MAX).await;
    let values = |event: &wearlab_store::LoggedEvent| {
        let payload: Value = serde_json::from_slice(event.payload.as_bytes()).expect("JSON");
        payload["data"]["data"][0]["value"].to_string()
    };
    events.expect("the log").iter().map(values).collect()
}

/// Converts an acknowledgement to JSON.
fn shown(acknowledgement: &Acknowledgement) -> Value {
    serde_json::to_value(acknowledgement).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_line_is_acknowledged_with_what_became_of_it() {
    let running = Running::start(5).await;
    let body = [
        "\u{feff}".to_owned() + &data(&running, json!({})),
        "\r\n  \n".to_owned(),
        data(&running, json!({"date": "1"})),
        data(&running, json!({})).replace('\n', "\r\n"),
        "not JSON\n".to_owned(),
        data(&running, json!({"user_id": Uuid::nil()})),
        data(
            &running,
            json!({"resource": "heartrate", "data": [{"timestamp": "2026-05-01T10:00:00Z", "value": 61}]}),
        )
        .trim_end()
        .to_owned(),
    ]
    .concat();
    let acknowledged: Vec<_> = ingest(&running, body).await.iter().map(shown).collect();
    let expected = [
        json!({"line": 1, "accepted": "data"}),
        json!({"line": 4, "field": "data.date", "reason": acknowledged[1]["reason"]}),
        json!({"line": 5, "accepted": "known"}),
        json!({"line": 6, "reason": "not JSON from column 1 on"}),
        json!({"line": 7, "field": "data", "reason": "there is no such user"}),
        json!({"line": 8, "accepted": "data"}),
    ];
    assert_eq!(acknowledged, expected);
    assert_eq!(logged(&running).await, ["1", "61"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_stays_open_and_its_lines_are_acknowledged_as_they_come() {
    let running = Running::start(5).await;
    let (sender, body) = open_body();
    let response = running.client().ingest_arrivals(body).send().await;
    let mut lines = response.expect("the response begins before the body ends").into_inner();
    for number in 1..=20_i64 {
        let line = numbered(&running, usize::try_from(number).expect("few"));
        // In two parts, split anywhere.
        let (start, end) = line.split_at(line.len() * usize::try_from(number).expect("few") / 21);
        sender.send(start.to_owned()).await.expect("it reads");
        sender.send(end.to_owned()).await.expect("it reads");
        let acknowledged = next(&mut lines).await.expect("one for each line");
        assert_eq!(
            (acknowledged.line, acknowledged.accepted.as_deref()),
            (number, Some("data"))
        );
        assert_eq!(logged(&running).await.len() as i64, number, "it is stored");
    }
    drop(sender);
    assert_eq!(next(&mut lines).await, None, "the response ends with the body");
}

#[tokio::test(flavor = "multi_thread")]
async fn sixteen_senders_at_once_lose_nothing_and_hold_up_no_read() {
    const LINES: usize = 500;
    let running = Running::start(5).await;
    let senders = (0..16).map(async |sender| {
        let lines = (0..LINES).map(|line| numbered(&running, sender * LINES + line));
        let acknowledged = ingest(&running, lines.collect::<String>()).await;
        assert_eq!(acknowledged.len(), LINES);
        assert!(acknowledged.iter().all(|line| line.accepted.as_deref() == Some("data")));
    });
    let reads = async {
        for _ in 0..50 {
            running.json("/v2/user/").await;
        }
    };
    tokio::join!(futures_util::future::join_all(senders), reads);
    let mut logged: Vec<usize> = logged(&running)
        .await
        .iter()
        .filter_map(|value| value.parse().ok())
        .collect();
    logged.sort_unstable();
    assert_eq!(logged, Vec::from_iter(0..16 * LINES));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_lost_keeps_whole_lines_and_no_part_of_one() {
    let running = Running::start(5).await;
    let half = numbered(&running, 2);
    // A complete line without a newline may continue.
    let text = numbered(&running, 1) + half.trim_end();
    let (cut, is_cut) = oneshot::channel::<()>();
    let rest = stream::once(async {
        is_cut.await.ok();
        // The client closes the connection, because the body cannot be completed.
        Err(std::io::Error::other("cut"))
    });
    let body = Upload::stream(stream::iter([Ok(text.into())]).chain(rest));
    let response = running.client().ingest_arrivals(body).send().await.expect("a stream");
    let mut lines = response.into_inner();
    assert_eq!(next(&mut lines).await.map(|line| line.line), Some(1));
    drop(cut);
    let lost = tokio::time::timeout(TIMEOUT, lines.try_next()).await;
    lost.expect("in time").expect_err("the stream is not whole");
    // The second line is only in the next stream, whose lines are written later.
    let acknowledged = ingest(&running, numbered(&running, 1) + &numbered(&running, 2)).await;
    let accepted: Vec<_> = acknowledged
        .iter()
        .filter_map(|line| line.accepted.as_deref())
        .collect();
    assert_eq!(accepted, ["known", "data"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_stops_says_so_behind_what_it_acknowledged() {
    let mut running = Running::start(5).await;
    let (sender, body) = open_body();
    let response = running.client().ingest_arrivals(body).send().await.expect("a stream");
    let mut lines = response.into_inner();
    sender.send(numbered(&running, 1)).await.expect("it reads");
    assert_eq!(next(&mut lines).await.map(|line| line.line), Some(1));
    running.stop();
    let last = next(&mut lines).await.expect("the last one");
    assert_eq!((last.line, last.stopped), (1, Some(StopReason::ShuttingDown)));
    assert!(last.accepted.is_none() && last.reason.is_some());
    drop(sender);
    assert_eq!(next(&mut lines).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_revoked_ends_its_stream() {
    let running = Running::start(5).await;
    let (sender, body) = open_body();
    let response = running.client().ingest_arrivals(body).send().await.expect("a stream");
    let mut lines = response.into_inner();
    sender.send(numbered(&running, 1)).await.expect("it reads");
    assert_eq!(next(&mut lines).await.map(|line| line.line), Some(1));
    let hash = wearlab_store::KeyHash::of(&running.sample.team_api_key);
    let keys = running.store.keys().await.expect("the keys");
    let key = keys
        .iter()
        .find(|key| key.record.hash == Some(hash))
        .expect("its key")
        .id
        .clone();
    let revoked = running
        .store
        .write(|write| write.revoke_key(&key, chrono::Utc::now()))
        .await;
    assert!(revoked.expect("a write"));
    sender.send(numbered(&running, 2)).await.expect("it reads");
    let last = next(&mut lines).await.expect("the last one");
    assert_eq!((last.line, last.stopped), (1, Some(StopReason::Unauthorized)));
    assert_eq!(logged(&running).await, ["1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_field_of_an_acknowledgement_is_seen() {
    use wearlab_tests::coverage::Coverage;
    let running = Running::start(5).await;
    let user = running.json(&format!("/v2/user/{}", running.sample.user_id)).await;
    let mut bounded: wearlab_models::User = serde_json::from_value(user).expect("a user");
    bounded.ingestion_start = "2026-04-30".parse().ok();
    let team = running
        .store
        .team_of_key(&running.sample.team_api_key)
        .await
        .expect("a read");
    let written = running
        .store
        .write(|write| write.put_user(team.expect("a team"), &bounded))
        .await;
    written.expect("a user");
    let pulled = json!({"date": "2026-05-02", "pull": {"id": "p", "chunk": 1, "chunks": 1}, "data": [
        {"timestamp": "2026-05-02T10:00:00Z", "value": 3}, {"timestamp": "2026-04-02T10:00:00Z", "value": 4}]});
    let assumed = json!({"resource": "glucose", "data": [{"timestamp": "2026-05-01T10:00:00Z", "value": 5.5}]});
    let body = data(&running, json!({}))
        + &data(&running, json!({"date": "x"}))
        + "{\n"
        + &data(&running, pulled)
        + &data(&running, assumed);
    let mut coverage = Coverage::default();
    let stopped = json!({"line": 0, "stopped": "shutting_down", "reason": "it is"});
    let seen = ingest(&running, body).await;
    for value in seen.iter().map(shown).chain([stopped]) {
        coverage.named("Acknowledgement", &value);
    }
    let names = ["Acknowledgement"].into_iter().collect();
    let missing = coverage.missing(&names);
    // Others need a failing store, or a sender that disconnects. `notes.rs` has the codes of notes.
    assert!(
        missing
            .iter()
            .all(|line| line.starts_with("StopReason: ") || line.starts_with("NoteCode: ")),
        "{missing:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_empty_is_acknowledged_with_nothing() {
    let running = Running::start(5).await;
    assert_eq!(ingest(&running, "").await, []);
    let nothing = Upload::stream(stream::empty::<Result<_, std::io::Error>>().boxed());
    assert_eq!(ingest(&running, nothing).await, []);
    assert_eq!(ingest(&running, " \n\r\n").await, []);
}
