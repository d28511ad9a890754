//! Tests of Polar: a client that authenticates itself by Basic, no refresh token, a registration after the link, and notices.

use std::collections::BTreeMap;

use chrono::{Days, FixedOffset, Utc};
use reqwest::Client;
use wearlab_providers::polar::generated::models::EventType;
use wearlab_providers::polar::simulated::{Data, Simulation, grants};
use wearlab_providers::simulated;

use super::{Serving, USER, World, yesterday};

/// Days of the simulated person, up to yesterday.
const DAYS: u32 = 20;

/// Returns a number of each summary of a resource, by its day.
async fn numbers(world: &World, serving: &Serving, resource: &str, member: &str) -> BTreeMap<String, Option<i64>> {
    let today = Utc::now().date_naive();
    let first = today - Days::new(u64::from(DAYS) + 5);
    let path = format!("/v2/summary/{resource}/{USER}?start_date={first}&end_date={today}&provider=polar");
    let (status, body) = world.get(serving, &path, None).await;
    assert_eq!(status, 200, "{body}");
    let days = body[resource].as_array().expect("a list").iter();
    days.map(|day| {
        let date = day["calendar_date"].as_str().expect("a day").to_owned();
        (date, day[member].as_i64())
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_user_has_the_days_and_nights_of_the_provider() {
    let offset = FixedOffset::east_opt(-5 * 3600).expect("an offset");
    let data = Data::generate(7, offset, yesterday(), DAYS);
    let steps: BTreeMap<_, _> = data
        .activity
        .iter()
        .map(|(day, of)| (day.to_string(), of.steps))
        .collect();
    let scores = data.nights.iter();
    let scores: BTreeMap<_, _> = scores
        .map(|night| (night.date.to_string(), night.sleep_score))
        .collect();
    assert!(steps.len() > 10 && scores.len() > 10);
    let simulation = Simulation::new(data, grants("wearlab", "hush", 31_535_999));
    let world = World::new("polar", simulated::polar(&simulation)).await;
    let serving = world.serve();
    world.link(&serving).await;
    world
        .wait_until(&serving, "days are missing", async || {
            numbers(&world, &serving, "activity", "steps").await == steps
        })
        .await;
    world
        .wait_until(&serving, "nights are missing", async || {
            numbers(&world, &serving, "sleep", "score").await == scores
        })
        .await;
    assert!(simulation.with_data(|data| data.is_registered));
    assert_eq!(simulation.grants().exchanges(), 1);
    let connection = world.connection(&serving).await;
    assert_eq!(connection["status"], "connected", "{connection}");
    let sleep = &connection["resource_availability"]["sleep"];
    assert_eq!(sleep["status"], "available", "{connection}");
    World::end(serving);
}

/// Returns the steps of the days that the simulation has.
fn steps(simulation: &Simulation) -> BTreeMap<String, Option<i64>> {
    let of = |data: &mut Data| {
        let days = data.activity.iter();
        days.map(|(day, of)| (day.to_string(), of.steps)).collect()
    };
    simulation.with_data(of)
}

async fn wait_for_steps(world: &World, serving: &Serving, simulation: &Simulation) {
    world
        .wait_until(serving, "days are missing", async || {
            numbers(world, serving, "activity", "steps").await == steps(simulation)
        })
        .await;
}

/// The next round comes after three hours.
#[tokio::test(flavor = "multi_thread")]
async fn new_data_arrive_by_a_notice() {
    let offset = FixedOffset::east_opt(3600).expect("an offset");
    let data = Data::generate(7, offset, yesterday(), DAYS);
    let simulation = Simulation::new(data, grants("wearlab", "hush", 31_535_999));
    let world = World::new("polar", simulated::polar(&simulation)).await;
    let keys = world
        .fixture
        .file("secret.keys", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
    let settings = [
        format!("secret_key_file={keys}"),
        "connectors.polar.notices=true".to_owned(),
    ];
    let serving = world.serve_with(&settings);
    world.link(&serving).await;
    wait_for_steps(&world, &serving, &simulation).await;
    world
        .wait_until(&serving, "the webhook is missing", async || {
            simulation.webhook().is_some()
        })
        .await;

    // The last day, and one before the days that are read each time.
    let days: Vec<_> = simulation.with_data(|data| data.activity.keys().copied().collect());
    for day in [days[days.len() - 1], days[0]] {
        simulation.with_data(|data| {
            let activity = data.activity.get_mut(&day).expect("a day");
            activity.steps = activity.steps.map(|steps| steps + 1);
        });
        let notify = || simulation.notify(EventType::ActivitySummary, Some(day), None);
        assert_eq!(notify().await, Some(200));
        assert_eq!(notify().await, Some(200), "a repeat");
        wait_for_steps(&world, &serving, &simulation).await;
    }

    let address = simulation.webhook().and_then(|webhook| webhook.url);
    let address = address.expect("an address");
    let guess = format!("{}0", &address[..address.len() - 1]);
    let client = Client::new();
    for (url, expected) in [(&address, 200), (&guess, 404)] {
        let sent = client.post(url).body("{}").send().await;
        assert_eq!(sent.expect("a response").status(), expected);
    }
    let metrics = serving.probe("/metrics").body;
    for (outcome, count) in [("accepted", 4), ("check", 1), ("unreadable", 1), ("wrong_address", 1)] {
        let line = format!(r#"wearlab_provider_notices_total{{provider="polar",outcome="{outcome}"}} {count}"#);
        assert!(metrics.contains(&line), "{line} {metrics}");
    }
    let (_, secret) = address.rsplit_once('/').expect("a path");
    assert!(!serving.log().contains(secret), "the address is in the log");
    World::end(serving);
}
