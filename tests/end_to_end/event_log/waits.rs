//! Waits for the next event: it arrives immediately, other requests are not blocked, and a wait ends with its client.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use wearlab_client::Error;
use wearlab_http::settings::{HttpSettings, Limits, Timeouts};
use wearlab_models::EventList;
use wearlab_service::Settings;
use wearlab_store::{KeyHash, KeyRecord};
use wearlab_tests::Running;

use super::{page, walk};

/// Time limit of a test.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Waits for events after a position.
fn wait(running: &Running, after: i64, seconds: i64) -> JoinHandle<Result<EventList, Error>> {
    let (client, org) = (running.client(), running.sample.org_id.clone());
    tokio::spawn(async move {
        let call = client.list_events(&org).after(after).wait(seconds);
        Ok(call.send().await?.into_inner())
    })
}

async fn end(waiting: JoinHandle<Result<EventList, Error>>) -> Result<EventList, Error> {
    let waited = tokio::time::timeout(TIMEOUT, waiting).await;
    waited.expect("in time").expect("no panic")
}

/// Returns a number from `/metrics`.
async fn metric(running: &Running, name: &str) -> f64 {
    let text = wearlab_tests::http()
        .get(format!("{}/metrics", running.management_url))
        .send()
        .await;
    let text = text.expect("metrics").text().await.expect("text");
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let value = line.and_then(|line| line.trim().parse().ok());
    value.unwrap_or_else(|| panic!("{name}: {text}"))
}

/// Waits until `count` requests are in progress.
async fn until_in_flight(running: &Running, count: usize) {
    let begun = Instant::now();
    loop {
        // This request is one of them.
        let others = metric(running, "wearlab_http_requests_in_flight ").await - 1.0;
        if others == count as f64 {
            return;
        }
        assert!(begun.elapsed() < TIMEOUT, "{others} are in flight");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_another_process_writes_ends_the_wait_within_a_second() {
    let running = Running::start(5).await;
    let after = page(&running, 0).await.last;
    let other = running.open_again().await;
    for value in 1..=3 {
        let waiting = wait(&running, after + i64::from(value) - 1, 30);
        until_in_flight(&running, 1).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(!waiting.is_finished());
        let written = Instant::now();
        walk(&other, &running, value).await;
        let page = end(waiting).await.expect("a page");
        let took = written.elapsed();
        assert!(took < Duration::from_secs(1), "{took:?}");
        assert_eq!(page.events.len(), 1);
        assert_eq!(page.last, page.events[0].number);
    }
    // Existing events are returned without a wait.
    let begun = Instant::now();
    assert_eq!(end(wait(&running, after, 30)).await.expect("a page").events.len(), 3);
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_has_no_permit_and_no_timeout_and_one_looks_for_all() {
    const WAITING: usize = 15;
    let mut running = Running::start_http(
        5,
        HttpSettings {
            limits: Limits {
                requests: 1,
                ..Limits::default()
            },
            timeouts: Timeouts {
                handler: Duration::from_millis(500),
                ..Timeouts::default()
            },
            ..HttpSettings::default()
        },
    )
    .await;
    let after = page(&running, 0).await.last;
    let mut waiting = Vec::new();
    for count in 1..=WAITING {
        waiting.push(wait(&running, after, 60));
        // One after the other, because there is one permit.
        until_in_flight(&running, count).await;
    }
    let last_event = "wearlab_store_operation_duration_seconds_count{operation=\"last_event\"} ";
    let before = metric(&running, last_event).await;
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(2) {
        page(&running, 0).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let looks = metric(&running, last_event).await - before;
    assert!((3.0..=15.0).contains(&looks), "{looks} looks in 2 seconds");
    let stopped = Instant::now();
    running.stop();
    let ended = join_all(waiting.into_iter().map(end)).await;
    // Waits that end at the same time need the permit. None is cut.
    for ended in ended {
        match ended {
            Ok(page) => assert_eq!((page.events.len(), page.last), (0, after)),
            Err(error) => assert!(matches!(error, Error::Server(_)), "{error:?}"),
        }
    }
    assert!(stopped.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_the_filters_leave_out_do_not_end_the_wait() {
    let running = Running::start(5).await;
    let after = page(&running, 0).await.last;
    let (client, org) = (running.client(), running.sample.org_id.clone());
    let waiting = tokio::spawn(async move {
        let call = client.list_events(&org).after(after).event_type("historical.").wait(2);
        Ok(call.send().await?.into_inner())
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    walk(&running.store, &running, 1).await;
    let page = end(waiting).await.expect("a page");
    assert_eq!((page.events.len(), page.last), (0, after + 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_ends_when_the_service_stops() {
    let mut running = Running::start(5).await;
    let after = page(&running, 0).await.last;
    let waiting = wait(&running, after, 60);
    until_in_flight(&running, 1).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let begun = Instant::now();
    running.stop();
    let page = end(waiting).await.expect("a page");
    assert_eq!((page.events.len(), page.last), (0, after));
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_frees_all_that_it_had() {
    let running = Running::start(5).await;
    let after = page(&running, 0).await.last;
    let address = running.url.trim_start_matches("http://").to_owned();
    let (org, key) = (&running.sample.org_id, &running.sample.management_key);
    let mut clients = Vec::new();
    for _ in 0..5 {
        let mut stream = TcpStream::connect(&address).await.expect("a connection");
        let request = format!(
            "GET /v1/org/{org}/events?after={after}&wait=60 HTTP/1.1\r\nhost: h\r\nx-management-key: {key}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("said");
        clients.push(stream);
    }
    until_in_flight(&running, 5).await;
    let waiting = wait(&running, after, 30);
    until_in_flight(&running, 6).await;
    drop(clients);
    until_in_flight(&running, 1).await;
    // A client that left polled for all. Another one does now.
    walk(&running.store, &running, 1).await;
    assert_eq!(end(waiting).await.expect("a page").events.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_revoked_meanwhile_gets_nothing() {
    let running = Running::start(5).await;
    let after = page(&running, 0).await.last;
    let waiting = wait(&running, after, 30);
    until_in_flight(&running, 1).await;
    let hash = KeyHash::of(&running.sample.management_key);
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
    walk(&running.store, &running, 1).await;
    let refused = end(waiting).await.expect_err("no page");
    assert!(matches!(refused, Error::Unauthorized(_)), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_organisation_leaves_waits_to_others() {
    let mut settings = Settings::default();
    settings.limits.waits = 3;
    settings.limits.waits_per_organisation = 2;
    let running = Running::start_with(5, settings).await;
    let after = page(&running, 0).await.last;
    let waiting = [wait(&running, after, 60), wait(&running, after, 60)];
    until_in_flight(&running, 2).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let refused = end(wait(&running, after, 60)).await.expect_err("no place");
    assert!(matches!(refused, Error::RateLimited(_)), "{refused:?}");
    // Without a wait, it continues from there.
    assert_eq!(page(&running, after).await.last, after);
    let other = "wl_org_other";
    let added = running.store.write(|write| {
        write.put_organisation("org_other")?;
        write.put_key(&KeyRecord::of_organisation("org_other", other))
    });
    added.await.expect("an organisation");
    let path = format!("/v1/org/org_other/events?after={after}&wait=1");
    let page = running.json_as(other, &path).await;
    assert_eq!(page["last"], after);
    walk(&running.store, &running, 1).await;
    for waiting in waiting {
        assert_eq!(end(waiting).await.expect("a page").events.len(), 1);
    }
    // Its places are free again.
    assert_eq!(end(wait(&running, after + 1, 1)).await.expect("a page").events.len(), 0);
}

/// A wait polls the store repeatedly, for longer than the time limit of a request.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn on_postgres_a_wait_outlasts_the_limit_of_a_request() {
    let mut http = HttpSettings::default();
    http.timeouts.handler = Duration::from_millis(500);
    let running = Running::start_on_database_http(5, http).await;
    let after = page(&running, 0).await.last;
    let begun = Instant::now();
    assert!(end(wait(&running, after, 3)).await.expect("a page").events.is_empty());
    assert!(begun.elapsed() >= Duration::from_secs(3), "{:?}", begun.elapsed());
    let waiting = wait(&running, after, 30);
    tokio::time::sleep(Duration::from_secs(2)).await;
    walk(&running.store, &running, 1).await;
    assert_eq!(end(waiting).await.expect("a page").events.len(), 1);
}
