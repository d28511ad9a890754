//! Tests of Strava: scopes with commas, which the redirect names, workouts with their details, and notices.

use std::collections::BTreeMap;

use chrono::{Days, FixedOffset, TimeDelta, Utc};
use reqwest::{Client, Method};
use serde_json::Value;
use wearlab_providers::simulated;
use wearlab_providers::simulated::oauth::Grants;
use wearlab_providers::strava::generated::models::AspectType;
use wearlab_providers::strava::simulated::{Data, Recorded, Simulation};

use super::{Serving, USER, World, yesterday};

/// Returns the workouts with their energy in kcal.
async fn workouts(world: &World, serving: &Serving) -> BTreeMap<String, Option<f64>> {
    let today = Utc::now().date_naive();
    let first = today - Days::new(10);
    let path = format!("/v2/summary/workouts/{USER}?start_date={first}&end_date={today}&provider=strava");
    let (status, body) = world.get(serving, &path, None).await;
    assert_eq!(status, 200, "{body}");
    let workouts = body["workouts"].as_array().expect("a list").iter();
    let id = |workout: &Value| workout["provider_id"].as_str().expect("an id").to_owned();
    workouts
        .map(|workout| (id(workout), workout["calories"].as_f64()))
        .collect()
}

/// Returns some activities of yesterday, two hours apart.
fn recorded(count: usize) -> (Data, Vec<Recorded>) {
    let offset = FixedOffset::east_opt(2 * 3600).expect("an offset");
    let mut data = Data::generate(7, offset, yesterday(), 60);
    let mut recorded = data.activities.split_off(data.activities.len() - count);
    data.activities.clear();
    let noon = yesterday()
        .and_hms_opt(12, 0, 0)
        .expect("a time")
        .and_utc()
        .fixed_offset();
    for (number, recorded) in (0..).zip(&mut recorded) {
        let local = noon + TimeDelta::hours(2 * number);
        recorded.activity.start_date_local = Some(local);
        recorded.activity.start_date = local - TimeDelta::hours(2);
    }
    (data, recorded)
}

/// Returns the workouts that the simulation has, with their energy in kcal.
fn made(simulation: &Simulation) -> BTreeMap<String, Option<f64>> {
    let of = |one: &Recorded| (one.activity.id.to_string(), one.activity.calories);
    simulation.with_data(|data| data.activities.iter().map(of).collect())
}

async fn wait_for_workouts(world: &World, serving: &Serving, simulation: &Simulation) {
    world
        .wait_until(serving, "workouts are missing", async || {
            workouts(world, serving).await == made(simulation)
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_user_has_the_workouts_of_the_provider() {
    // As many as the limits allow immediately.
    let (mut data, recorded) = recorded(2);
    data.activities = recorded;
    let simulation = Simulation::new(data, Grants::new("wearlab", "hush", 21_600));
    let world = World::new("strava", simulated::strava(&simulation)).await;
    let serving = world.serve();
    world.link(&serving).await;
    wait_for_workouts(&world, &serving, &simulation).await;
    let connection = world.connection(&serving).await;
    let available = &connection["resource_availability"]["workouts"];
    assert_eq!(available["status"], "available", "{connection}");
    let granted = &available["scope_requirements"]["user_granted"];
    assert_eq!(granted["optional"][0], "activity:read_all", "{connection}");
    World::end(serving);
}

/// The next round comes after four hours.
#[tokio::test(flavor = "multi_thread")]
async fn new_data_arrive_by_a_notice() {
    let (data, mut recorded) = recorded(1);
    let simulation = Simulation::new(data, Grants::new("5", "hush", 21_600));
    let world = World::new("strava", simulated::strava(&simulation)).await;
    let keys = world
        .fixture
        .file("secret.keys", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
    let settings = [
        format!("secret_key_file={keys}"),
        "connectors.strava.notices=true".to_owned(),
        "connectors.strava.client_id=5".to_owned(),
        // Few requests, since the limits spread them.
        "connectors.strava.history_days=1".to_owned(),
    ];
    let serving = world.serve_with(&settings);
    world
        .wait_until(&serving, "the subscription is missing", async || {
            simulation.subscription().is_some()
        })
        .await;
    world.link(&serving).await;
    world
        .wait_until(&serving, "the last days are not read", async || {
            let (_, listed) = world.manage(&serving, Method::GET, "/pulls", None).await;
            let pulls = listed["pulls"].as_array().cloned().unwrap_or_default();
            let is_read = |pull: &Value| pull["collection"] == "workouts" && !pull["attempted_at"].is_null();
            pulls.iter().any(|pull| pull["kind"] == "recent" && is_read(pull))
        })
        .await;
    assert_eq!(workouts(&world, &serving).await, BTreeMap::new());

    simulation.with_data(|data| data.activities.append(&mut recorded));
    let id = simulation.with_data(|data| data.activities[0].activity.id);
    assert_eq!(simulation.notify(AspectType::Create, id).await, Some(200));
    simulation.sign_notices(true);
    assert_eq!(simulation.notify(AspectType::Update, id).await, Some(200), "a repeat");
    wait_for_workouts(&world, &serving, &simulation).await;

    simulation.with_data(|data| data.activities.clear());
    assert_eq!(simulation.notify(AspectType::Delete, id).await, Some(200));
    assert_eq!(
        workouts(&world, &serving).await,
        BTreeMap::new(),
        "once it is acknowledged"
    );
    let log = world
        .fixture
        .says(&["events", "list", "--json", "--limit", "10000", "--set", &settings[0]]);
    let deleted = |line: &&str| line.contains("daily.data.workouts.deleted");
    assert_eq!(log.lines().filter(deleted).count(), 1, "{log}");

    assert_eq!(simulation.deauthorise().await, Some(200));
    assert_eq!(world.connection(&serving).await["status"], "error");

    // Somebody else knows the address, and not the secret of the client.
    let address = simulation.subscription().and_then(|one| one.callback_url);
    let address = address.expect("an address");
    let forged = Client::new()
        .post(&address)
        .header("x-strava-signature", "t=1,v1=00")
        .send();
    assert_eq!(forged.await.expect("a response").status(), 401);
    let unreadable = Client::new().post(&address).body("{}").send();
    assert_eq!(unreadable.await.expect("a response").status(), 200);
    let metrics = serving.probe("/metrics").body;
    for (outcome, count) in [("accepted", 4), ("check", 1), ("forged", 1), ("unreadable", 1)] {
        let line = format!(r#"wearlab_provider_notices_total{{provider="strava",outcome="{outcome}"}} {count}"#);
        assert!(metrics.contains(&line), "{line} {metrics}");
    }
    let log = serving.log();
    let (_, secret) = address.rsplit_once('/').expect("a path");
    assert!(!log.contains(secret), "the address is in the log");
    World::end(serving);
}
