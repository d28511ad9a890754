//! Store that is truncated or damaged while it is served: no line is acknowledged that would be lost.

use std::fs;

use serde_json::{Value, json};
use wearlab_client::Error;
use wearlab_models::StopReason;
use wearlab_tests::Running;

use super::{all, numbered};

/// Returns the status of `/readyz`.
async fn ready(running: &Running) -> u16 {
    let response = wearlab_tests::http()
        .get(format!("{}/readyz", running.management_url))
        .send()
        .await;
    response.expect("a response").status().as_u16()
}

/// Checks that none of some lines is acknowledged.
async fn is_refused(running: &Running) {
    let body: String = (1..=3).map(|number| numbered(running, number)).collect();
    match running.client().ingest_arrivals(body).send().await {
        // The lookup of the key already fails.
        Err(Error::Server(_)) => {}
        Err(error) => panic!("{error:?}"),
        Ok(response) => {
            let acknowledged = all(response.into_inner()).await;
            let [stop] = &acknowledged[..] else {
                panic!("{acknowledged:?}")
            };
            assert_eq!((stop.line, &stop.stopped), (0, &Some(StopReason::Unavailable)));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_lost_its_end_acknowledges_nothing() {
    for quarters in 1..4 {
        let running = Running::start(50).await;
        running.store.scrub().await.expect("its file has all pages");
        assert_eq!(ready(&running).await, 200);
        let file = running.directory().join("wearlab.db");
        let length = fs::metadata(&file).expect("is there").len();
        let opened = fs::OpenOptions::new().write(true).open(&file).expect("opens");
        opened.set_len(length / 4 * quarters).expect("truncates");
        is_refused(&running).await;
        assert_eq!(ready(&running).await, 503);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_that_a_read_found_stops_writes() {
    let running = Running::start(50).await;
    running.store.scrub().await.expect("its file has all pages");
    let file = running.directory().join("wearlab.db");
    let mut bytes = fs::read(&file).expect("reads");
    // The documents of users, anywhere in the file.
    let text = b"\"fallback_time_zone\"";
    let windows = bytes.windows(text.len()).enumerate();
    let found: Vec<_> = windows.filter(|(_, window)| window == text).map(|(at, _)| at).collect();
    assert!(found.len() >= 50, "{}", found.len());
    found.into_iter().for_each(|at| bytes[at + 1] ^= 1);
    fs::write(&file, bytes).expect("writes");
    assert_eq!(ready(&running).await, 200, "nothing was found yet");
    let (client, mut offset) = (running.client(), 0);
    let error = loop {
        match client.list_users().offset(offset).limit(10).send().await {
            Ok(page) if page.users.is_empty() => panic!("it was not read"),
            Ok(_) => offset += 10,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Server(_)), "{error:?}");
    is_refused(&running).await;
    assert_eq!(ready(&running).await, 503);
    let created = wearlab_tests::http()
        .post(format!("{}/v2/user/", running.url))
        .header("x-service-api-key", &running.sample.team_api_key)
        .json(&json!({"client_user_id": "one-more"}));
    let refused = created.send().await.expect("a response");
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    let problem: Value = refused.json().await.expect("JSON");
    let detail = problem["detail"].as_str().expect("a detail");
    assert!(detail.contains("takes no writes"), "{detail}");
}
