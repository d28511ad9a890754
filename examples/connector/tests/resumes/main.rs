//! Tests of the connector with the service and the simulated provider: it resumes after a kill, and all data of the
//! provider can be read.

mod processes;
mod service;

use std::time::{Duration, Instant};

use chrono::{Days, NaiveDate, Utc};
use serde_json::{Value, json};
use wearlab_client::models::Uuid;
use wearlab_store::EventFilter;
use wearlab_tests::Running;

use self::processes::{Connector, Simulation};
use self::service::Linked;

/// Timeout of a wait.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Days of the connector's history, today included.
const HISTORY: u64 = 12 * 7;

fn today() -> NaiveDate {
    Utc::now().date_naive()
}

/// Returns the number of events about a user whose type begins with a prefix.
async fn events(running: &Running, user: Uuid, prefix: &str) -> usize {
    let filter = EventFilter {
        user_id: Some(user),
        event_type_prefix: Some(prefix.to_owned()),
        ..EventFilter::default()
    };
    running.store.events(&filter, usize::MAX).await.expect("the log").len()
}

/// Compares the data of a user with those of the provider, value by value.
async fn assert_same(running: &Running, simulation: &Simulation, linked: &Linked) {
    let first = today() - Days::new(HISTORY - 1);
    let steps = simulation.all(&linked.token, "steps", first, today()).await;
    let expected: Vec<_> = steps
        .iter()
        .map(|item| (service::instant(&item["at"]), item["count"].clone()))
        .collect();
    assert!(expected.len() > 1000, "{} steps", expected.len());
    assert_equal(&service::steps(running, linked.user, first).await, &expected);

    let nights = simulation.all(&linked.token, "nights", first, today()).await;
    let field = |value: &Value, names: [&str; 4]| names.map(|name| value[name].clone());
    let expected: Vec<_> = nights
        .iter()
        .map(|item| field(item, ["asleep", "light", "rem", "deep"]))
        .collect();
    let read = service::nights(running, linked.user, first).await;
    let read: Vec<_> = read
        .iter()
        .map(|night| field(night, ["total", "light", "rem", "deep"]))
        .collect();
    assert_equal(&read, &expected);
}

/// Compares two lists, and reports their first difference, since they are long.
fn assert_equal<T: PartialEq + std::fmt::Debug>(left: &[T], right: &[T]) {
    let at = left.iter().zip(right).position(|(left, right)| left != right);
    let at = at.unwrap_or(left.len().min(right.len()));
    let lengths = (left.len(), right.len());
    assert_eq!(left.get(at), right.get(at), "at {at} of {lengths:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_the_middle_it_resumes_and_repeats_change_nothing() {
    let running = Running::start(20).await;
    let simulation = Simulation::start();
    let users = service::link_users(&running, &simulation, 2).await;
    let connector = Connector::new(&running, &simulation.url);

    // Killed during the history.
    let mut process = connector.start();
    let started = Instant::now();
    while connector.chunk(users[0].user) < 4 {
        assert!(started.elapsed() < TIMEOUT, "no progress");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    process.kill().expect("a running process");
    process.wait().expect("an end");
    let chunk = connector.chunk(users[0].user);
    assert!(chunk < 12, "it was too fast: chunk {chunk}");
    assert_eq!(events(&running, users[0].user, "historical.").await, 0);
    let before = connector.cursors();

    connector.run();
    for user in &users {
        assert_same(&running, &simulation, user).await;
        for kind in ["steps", "sleep"] {
            assert_eq!(
                events(&running, user.user, &format!("historical.data.{kind}.")).await,
                1
            );
        }
        assert_eq!(events(&running, user.user, "daily.").await, 0);
    }
    assert!(simulation.limited().await > 0, "the provider never limited the rate");

    // Changes at the provider, also of days that were already pulled.
    let days: Vec<_> = (0..7).map(|back| today() - Days::new(back * 9)).collect();
    simulation.sync(&days).await;
    connector.run();
    let mut counts = Vec::new();
    for user in &users {
        assert_same(&running, &simulation, user).await;
        counts.push(events(&running, user.user, "").await);
        assert!(events(&running, user.user, "daily.data.steps.updated").await > 0);
    }

    // As if it had been killed before each cursor was saved: everything is sent again.
    connector.restore(&before);
    connector.run();
    for (user, count) in users.iter().zip(counts) {
        assert_same(&running, &simulation, user).await;
        assert_eq!(events(&running, user.user, "").await, count, "a repeat caused an event");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_whose_tokens_the_provider_rejects_is_marked() {
    let running = Running::start(20).await;
    let simulation = Simulation::start();
    let mut users = service::link_users(&running, &simulation, 2).await;
    users[0].token = "withdrawn".to_owned();
    service::link(&running, &users[0]).await;
    let connector = Connector::new(&running, &simulation.url);
    connector.run();
    let status = async |linked: &Linked| {
        let providers = running.json(&format!("/v2/user/providers/{}", linked.user)).await;
        let found = providers["providers"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|provider| provider["slug"] == "stridewell")
            .cloned();
        found.expect("the connection")["status"].clone()
    };
    assert_eq!(status(&users[0]).await, json!("error"));
    assert_eq!(status(&users[1]).await, json!("connected"));
    assert_same(&running, &simulation, &users[1]).await;
}
