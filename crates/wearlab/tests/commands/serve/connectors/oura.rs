//! Tests of Oura: the history of all resources, notices, refreshes, and pulls that are held up.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use chrono::{Days, FixedOffset, NaiveDate, Utc};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use wearlab_providers::oura::generated::models::{DataType, EventType};
use wearlab_providers::oura::simulated::{Data, Simulation};
use wearlab_providers::simulated;
use wearlab_providers::simulated::faults::Fault;
use wearlab_providers::simulated::oauth::Grants;

use super::{ORG, Serving, TIMEOUT, USER, World, yesterday};

/// Days of the simulated person, up to yesterday.
const DAYS: u32 = 45;
/// Subscriptions of Oura: three events of each kind of document.
const SUBSCRIPTIONS: usize = 21;
/// Resources of Oura that have a history.
const HISTORIES: usize = 10;

/// Returns the steps of each day.
async fn steps(world: &World, serving: &Serving) -> BTreeMap<NaiveDate, i64> {
    let today = Utc::now().date_naive();
    let first = today - Days::new(u64::from(DAYS) + 5);
    let path = format!("/v2/summary/activity/{USER}?start_date={first}&end_date={today}&provider=oura");
    let (status, body) = world.get(serving, &path, None).await;
    assert_eq!(status, 200, "{body}");
    let days = body["activity"].as_array().expect("a list").iter();
    days.map(|day| {
        let date = day["calendar_date"].as_str().expect("a day").parse().expect("a day");
        (date, day["steps"].as_i64().expect("steps"))
    })
    .collect()
}

/// Returns the steps of the days that the simulation has.
fn made(simulation: &Simulation) -> BTreeMap<NaiveDate, i64> {
    simulation.with_data(|data| data.activity.iter().map(|day| (day.day, day.steps)).collect())
}

pub(super) fn simulation() -> Simulation {
    let offset = FixedOffset::east_opt(3600).expect("an offset");
    let data = Data::generate(7, offset, yesterday(), DAYS);
    Simulation::new(data, Grants::new("wearlab", "hush", 3600))
}

/// Waits until the service has the days of the simulation.
pub(super) async fn wait_for_days(world: &World, serving: &Serving, simulation: &Simulation) {
    world
        .wait_until(serving, "days are missing", async || {
            steps(world, serving).await == made(simulation)
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_user_has_all_days_of_the_provider() {
    let simulation = simulation();
    let world = World::new("oura", simulated::oura(&simulation)).await;
    let serving = world.serve();
    world.link(&serving).await;
    wait_for_days(&world, &serving, &simulation).await;
    let connection = world.connection(&serving).await;
    assert_eq!(
        connection["resource_availability"]["sleep"]["status"], "available",
        "{connection}"
    );
    world
        .wait_until(&serving, "histories are missing", async || {
            world.historical().len() >= HISTORIES
        })
        .await;
    let historical = world.historical();
    assert!(historical.values().all(|count| *count == 1), "{historical:?}");
    World::end(serving);
}

/// The next round comes after an hour.
#[tokio::test(flavor = "multi_thread")]
async fn new_data_arrive_by_a_notice() {
    let simulation = simulation();
    let world = World::new("oura", simulated::oura(&simulation)).await;
    let keys = world
        .fixture
        .file("secret.keys", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
    let settings = [
        format!("secret_key_file={keys}"),
        "connectors.oura.notices=true".to_owned(),
    ];
    let serving = world.serve_with(&settings);
    world.link(&serving).await;
    wait_for_days(&world, &serving, &simulation).await;
    world
        .wait_until(&serving, "subscriptions are missing", async || {
            simulation.subscriptions().len() == SUBSCRIPTIONS
        })
        .await;

    // Today, and a correction. One day may have none.
    let today = Utc::now().date_naive();
    simulation.with_data(|data| {
        data.add_day(today);
        let last = data.activity.last_mut().expect("a day");
        last.steps += 1;
    });
    let notify = |event| simulation.notify(event, DataType::DailyActivity, "activity");
    assert_eq!(notify(EventType::Update).await, Some(200));
    assert_eq!(notify(EventType::Update).await, Some(200), "a repeat");
    wait_for_days(&world, &serving, &simulation).await;

    // A document is deleted.
    let deleted = simulation.with_data(|data| data.activity.remove(3));
    let status = simulation
        .notify(EventType::Delete, DataType::DailyActivity, &deleted.id)
        .await;
    assert_eq!(status, Some(200));
    assert_eq!(
        steps(&world, &serving).await,
        made(&simulation),
        "once it is acknowledged"
    );

    // Somebody else knows the address, and not the secret of the client.
    let address = simulation.subscriptions()[0].callback_url.clone();
    let guess = format!("{}0", &address[..address.len() - 1]);
    let client = Client::new();
    for (url, expected) in [(&address, 401), (&guess, 404)] {
        let sent = client
            .post(url)
            .header("x-oura-signature", "00")
            .body("{}")
            .send()
            .await;
        assert_eq!(sent.expect("a response").status(), expected);
    }
    let large = client.post(&address).body(vec![b'x'; 1 << 20]).send().await;
    assert_eq!(large.expect("a response").status(), 413);

    let metrics = serving.probe("/metrics").body;
    for (outcome, count) in [
        ("accepted", 3),
        ("check", SUBSCRIPTIONS),
        ("forged", 1),
        ("wrong_address", 1),
    ] {
        let line = format!(r#"wearlab_provider_notices_total{{provider="oura",outcome="{outcome}"}} {count}"#);
        assert!(metrics.contains(&line), "{line} {metrics}");
    }
    let (status, log) = serving.terminate();
    assert!(status.success(), "{status} {log}");
    let (_, secret) = address.rsplit_once('/').expect("a path");
    assert!(!log.contains(secret), "the address is in the log");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_brings_a_new_day_at_once() {
    let simulation = simulation();
    let world = World::new("oura", simulated::oura(&simulation)).await;
    let serving = world.serve();
    let nobody = json!({"success": true, "user_id": USER, "refreshed_sources": [], "in_progress_sources": [],
        "failed_sources": []});
    assert_eq!(
        world.refresh(&serving, USER, "20").await,
        nobody,
        "no connector pulls yet"
    );
    // The account is read, and nothing else: what was pulled less than a minute ago is not pulled again.
    let faults = simulation.faults();
    faults.push([Fault::None]);
    faults.push(std::iter::repeat_n(Fault::Status(403), 10_000));
    world.link(&serving).await;
    world
        .wait_until(&serving, "the last days are not tried", async || {
            let (_, listed) = world.manage(&serving, Method::GET, "/pulls", None).await;
            let pulls = listed["pulls"].as_array().expect("a list");
            let mut recent = pulls.iter().filter(|pull| pull["kind"] == "recent").peekable();
            recent.peek().is_some() && recent.all(|pull| pull["failures"].as_i64() >= Some(1))
        })
        .await;
    let forbidden = world.refresh(&serving, USER, "20").await;
    assert_eq!(
        (&forbidden["success"], &forbidden["failed_sources"]),
        (&json!(true), &json!(["oura"])),
        "{}",
        serving.log()
    );
    faults.clear();

    let today = Utc::now().date_naive();
    simulation.with_data(|data| {
        let mut day = data.activity.last().expect("a day").clone();
        day.timestamp += today - day.day;
        (day.id, day.day, day.steps) = (format!("activity-{today}"), today, 4_321);
        data.activity.push(day);
    });
    faults.push([Fault::Slow(Duration::from_secs(3)); 100]);
    let began = Instant::now();
    let slow = world.refresh(&serving, USER, "0.5").await;
    assert_eq!(
        (&slow["success"], &slow["in_progress_sources"]),
        (&json!(true), &json!(["oura"]))
    );
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    faults.clear();
    // The slow ones end, and the one that was requested meanwhile.
    let mut expected = nobody.clone();
    expected["refreshed_sources"] = json!(["oura"]);
    assert_eq!(world.refresh(&serving, USER, "20").await, expected, "{}", serving.log());
    assert_eq!(steps(&world, &serving).await.get(&today), Some(&4_321));

    // The provider is not called again within a minute.
    faults.push([Fault::Status(403); 100]);
    assert_eq!(world.refresh(&serving, USER, "20").await, expected, "{}", serving.log());
    let metrics = serving.probe("/metrics").body;
    for outcome in ["pulled", "forbidden"] {
        let counted = format!("wearlab_pulls_total{{provider=\"oura\",task=\"recent\",outcome=\"{outcome}\"}}");
        assert!(metrics.contains(&counted), "{counted}: {metrics}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_that_is_held_up_is_seen_and_pulled_again() {
    let simulation = simulation();
    let world = World::new("oura", simulated::oura(&simulation)).await;
    let serving = world.serve();
    // The account is read, and nothing else.
    let faults = simulation.faults();
    faults.push([Fault::None]);
    faults.push(std::iter::repeat_n(Fault::Status(503), 10_000));
    world.link(&serving).await;
    for pull in world.wait_for_histories(&serving, HISTORIES, "retrying").await.values() {
        let error = pull["error_details"].as_str().expect("a reason");
        assert!(
            error.starts_with("The provider does not respond now. The next attempt is at "),
            "{error}"
        );
        assert_eq!(pull["timeline"].get("started_at"), None, "{pull}");
        assert!(pull["timeline"]["scheduled_at"].is_string(), "{pull}");
    }
    let (status, listed) = world.manage(&serving, Method::GET, "/pulls", None).await;
    assert_eq!(status, 200, "{listed}");
    let pulls = listed["pulls"].as_array().expect("a list");
    let history = pulls
        .iter()
        .find(|pull| pull["kind"] == "history" && pull["collection"] == "activity");
    let history = history.expect("a history");
    assert_eq!(
        (&history["status"], &history["windows_done"]),
        (&json!("retrying"), &json!(0))
    );
    assert!(
        history["failures"].as_i64() >= Some(1) && history["windows"].as_i64() >= Some(1),
        "{history}"
    );

    faults.clear();
    let again = async |history: bool| {
        let body = Some(json!({ "history": history }));
        let (status, body) = world
            .manage(&serving, Method::POST, "/connections/oura/pulls", body)
            .await;
        assert_eq!(status, 204, "{body}");
    };
    again(true).await;
    world.wait_for_histories(&serving, HISTORIES, "success").await;
    assert_eq!(steps(&world, &serving).await, made(&simulation));
    assert!(
        world.historical().values().all(|count| *count == 1),
        "{:?}",
        world.historical()
    );

    // Another pull is another event.
    again(true).await;
    let began = Instant::now();
    while world.historical().len() != HISTORIES || world.historical().values().any(|count| *count != 2) {
        assert!(began.elapsed() < TIMEOUT, "{:?} {}", world.historical(), serving.log());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let url = format!("http://{}/v1/org/{ORG}/audit_log", serving.management);
    let request = Client::new().get(url).header("x-management-key", &world.management_key);
    let log: Value = request.send().await.expect("a response").json().await.expect("JSON");
    let entries = log["entries"].as_array().expect("a list").iter();
    let pulled = entries.filter(|entry| entry["operation"] == "pull_again" && entry["subject"] == USER);
    assert_eq!(pulled.count(), 2, "{log}");
}
