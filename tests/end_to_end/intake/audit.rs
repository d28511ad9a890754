//! Audit log of streams: one entry for each stream, with its sender and its number of lines.

use serde_json::{Value, json};
use wearlab_models::AuditEntry;
use wearlab_store::KeyHash;
use wearlab_tests::Running;

use super::{all, data, ingest, next, numbered, open_body};

async fn log(running: &Running) -> Vec<AuditEntry> {
    let log = running.client().list_audit_log(&running.sample.org_id).send().await;
    let streams = ["ingest_arrivals", "import_records"];
    let entries = log.expect("the log").into_inner().entries.into_iter();
    entries
        .filter(|entry| streams.contains(&entry.operation.as_str()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_leaves_one_entry_with_the_number_of_its_lines() {
    let running = Running::start(5).await;
    let (sender, body) = open_body();
    let client = running.client();
    let response = client.ingest_arrivals(body).send();
    let feeding = async {
        sender.send(numbered(&running, 1)).await.expect("is read");
    };
    let (response, ()) = tokio::join!(response, feeding);
    let mut lines = response.expect("a stream").into_inner();
    assert!(next(&mut lines).await.is_some());
    // An open stream has an entry with its lines so far.
    let entries = log(&running).await;
    assert_eq!(entries.iter().map(|entry| entry.lines).collect::<Vec<_>>(), [Some(1)]);
    for number in 2..=3 {
        sender.send(numbered(&running, number)).await.expect("is read");
        assert!(next(&mut lines).await.is_some());
    }
    sender.send("not JSON\n".to_owned()).await.expect("is read");
    drop(sender);
    assert_eq!(all(lines).await.len(), 1);

    let key = KeyHash::of(&running.sample.team_api_key).id();
    let entries = log(&running).await;
    let [entry] = entries.as_slice() else {
        panic!("{entries:?}")
    };
    assert_eq!((entry.lines, entry.operation.as_str()), (Some(3), "ingest_arrivals"));
    assert_eq!((entry.team_id, &entry.key_id), (Some(running.sample.team_id), &key));
    assert!(entry.subject.is_none() && !entry.request_id.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_of_which_nothing_is_taken_leaves_none() {
    let running = Running::start(5).await;
    ingest(&running, "not JSON\n").await;
    ingest(&running, data(&running, json!({"date": "1"}))).await;
    ingest(&running, "").await;
    assert_eq!(log(&running).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_leaves_one_too() {
    let running = Running::start(5).await;
    let user = running
        .client()
        .get_user(running.sample.user_id)
        .send()
        .await
        .expect("a user");
    let line = json!({"user": serde_json::to_value(&*user).expect("JSON")});
    let body = format!("{line}\n{line}\n{{}}\n");
    let lines = running.client().import_records(body).send().await.expect("a stream");
    let taken = all(lines.into_inner()).await;
    let taken: Vec<_> = taken.iter().map(|line| json!(line)["accepted"].clone()).collect();
    assert_eq!(
        taken.iter().filter(|accepted| **accepted != Value::Null).count(),
        2,
        "{taken:?}"
    );
    let entries = log(&running).await;
    let [entry] = entries.as_slice() else {
        panic!("{entries:?}")
    };
    assert_eq!((entry.lines, entry.operation.as_str()), (Some(2), "import_records"));
}
