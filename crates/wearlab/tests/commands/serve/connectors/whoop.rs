//! Tests of WHOOP: days of cycles, a refresh with its scope, and notices.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, FixedOffset, NaiveDate, TimeDelta, Utc};
use reqwest::Method;
use serde_json::Value;
use wearlab_providers::simulated;
use wearlab_providers::whoop::generated::models::NoticeType;
use wearlab_providers::whoop::simulated::{Data, Simulation, grants};

use super::{Serving, USER, World, options, yesterday};

/// Days of the simulated person, up to yesterday.
const DAYS: u32 = 20;
/// Lifetime of a token, half of which is longer than the pulls take.
const TOKEN_SECONDS: u32 = 24;

/// Returns the energy of each day, in kcal.
async fn energy(world: &World, serving: &Serving) -> BTreeMap<NaiveDate, i64> {
    let today = Utc::now().date_naive();
    let first = today - Days::new(u64::from(DAYS) + 5);
    let path = format!("/v2/summary/activity/{USER}?start_date={first}&end_date={today}&provider=whoop");
    let (status, body) = world.get(serving, &path, None).await;
    assert_eq!(status, 200, "{body}");
    let days = body["activity"].as_array().expect("a list").iter();
    days.map(|day| {
        let date = day["calendar_date"].as_str().expect("a day").parse().expect("a day");
        let energy = day["calories_total"].as_f64().expect("an energy");
        (date, energy.round() as i64)
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_user_has_all_cycles_of_the_provider() {
    let offset = FixedOffset::east_opt(-8 * 3600).expect("an offset");
    let data = Data::generate(7, offset, yesterday(), DAYS);
    let nights = data.sleep.iter().filter(|sleep| !sleep.nap);
    let made: BTreeMap<_, _> = nights
        .zip(&data.cycles)
        .map(|(night, cycle)| {
            let energy = cycle.score.as_ref().expect("a score").kilojoule / 4.184;
            (night.end.with_timezone(&offset).date_naive(), energy.round() as i64)
        })
        .collect();
    assert!(made.len() > 15);
    let simulation = Simulation::new(data, grants("wearlab", "hush", TOKEN_SECONDS));
    let world = World::new("whoop", simulated::whoop(&simulation)).await;
    let serving = world.serve();
    world.link(&serving).await;
    world
        .wait_until(&serving, "days are missing", async || {
            energy(&world, &serving).await == made
        })
        .await;
    // The consent, and a refresh, which the provider refuses without its scope.
    world
        .wait_until(&serving, "no refresh", async || simulation.grants().exchanges() >= 2)
        .await;
    let connection = world.connection(&serving).await;
    assert_eq!(connection["status"], "connected", "{connection}");
    assert_eq!(
        connection["resource_availability"]["workouts"]["status"], "available",
        "{connection}"
    );
    World::end(serving);
}

/// Returns the ids of the workouts of the last days.
async fn workouts(world: &World, serving: &Serving) -> BTreeSet<String> {
    let today = Utc::now().date_naive();
    let first = today - Days::new(10);
    let path = format!("/v2/summary/workouts/{USER}?start_date={first}&end_date={today}&provider=whoop");
    let (status, body) = world.get(serving, &path, None).await;
    assert_eq!(status, 200, "{body}");
    let workouts = body["workouts"].as_array().expect("a list").iter();
    workouts
        .map(|workout| workout["provider_id"].as_str().expect("an id").to_owned())
        .collect()
}

/// The next round comes after two hours.
#[tokio::test(flavor = "multi_thread")]
async fn new_data_arrive_by_a_notice() {
    let offset = FixedOffset::east_opt(-8 * 3600).expect("an offset");
    let mut data = Data::generate(7, offset, yesterday(), DAYS);
    let mut workout = data.workouts.pop().expect("a workout");
    data.workouts.clear();
    let noon = yesterday()
        .and_hms_opt(20, 0, 0)
        .expect("a time")
        .and_utc()
        .fixed_offset();
    (workout.start, workout.end) = (noon, noon + TimeDelta::hours(1));
    let simulation = Simulation::new(data, grants("wearlab", "hush", 3600));
    let world = World::new("whoop", simulated::whoop(&simulation)).await;
    let keys = world
        .fixture
        .file("secret.keys", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
    let settings = [
        format!("secret_key_file={keys}"),
        // Few requests, since the limits spread them.
        "connectors.whoop.history_days=1".to_owned(),
    ];
    let serving = world.serve_with(&settings);
    // As an operator enters it in the dashboard.
    let all = [world.settings(), settings.to_vec()].concat();
    let arguments = [vec!["connectors", "list", "--json"], options(&all)].concat();
    let listed: Value = serde_json::from_str(&world.fixture.says(&arguments)).expect("JSON");
    let url = listed["notices_url"].as_str().expect("a URL");
    let (_, path) = url.split_once("/v1/").expect("a path");
    simulation.set_notices_url(Some(format!("http://{}/v1/{path}", serving.address)));
    world.link(&serving).await;
    world
        .wait_until(&serving, "the last days are not read", async || {
            let (_, listed) = world.manage(&serving, Method::GET, "/pulls", None).await;
            let pulls = listed["pulls"].as_array().cloned().unwrap_or_default();
            let is_read = |pull: &Value| pull["collection"] == "workouts" && !pull["attempted_at"].is_null();
            pulls.iter().any(|pull| pull["kind"] == "recent" && is_read(pull))
        })
        .await;
    assert_eq!(workouts(&world, &serving).await, BTreeSet::new());

    let id = workout.id;
    simulation.with_data(|data| data.workouts.push(workout));
    assert_eq!(simulation.notify(NoticeType::WorkoutUpdated, id).await, Some(200));
    world
        .wait_until(&serving, "the workout is missing", async || {
            workouts(&world, &serving).await == BTreeSet::from([id.to_string()])
        })
        .await;

    simulation.with_data(|data| data.workouts.clear());
    assert_eq!(simulation.notify(NoticeType::WorkoutDeleted, id).await, Some(200));
    let left = workouts(&world, &serving).await;
    assert_eq!(left, BTreeSet::new(), "once it is acknowledged");
    World::end(serving);
}
