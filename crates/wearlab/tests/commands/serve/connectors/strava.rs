//! Test of Strava: scopes with commas, which the redirect names, and workouts with their details.

use std::collections::BTreeMap;

use chrono::{Days, FixedOffset, TimeDelta, Utc};
use serde_json::Value;
use wearlab_providers::simulated;
use wearlab_providers::simulated::oauth::Grants;
use wearlab_providers::strava::simulated::{Data, Simulation};

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

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_user_has_the_workouts_of_the_provider() {
    let offset = FixedOffset::east_opt(2 * 3600).expect("an offset");
    let mut data = Data::generate(7, offset, yesterday(), 60);
    // As many as the limits allow immediately, both of yesterday.
    data.activities.drain(..data.activities.len() - 2);
    let noon = yesterday()
        .and_hms_opt(12, 0, 0)
        .expect("a time")
        .and_utc()
        .fixed_offset();
    for (number, recorded) in (0..).zip(&mut data.activities) {
        let local = noon + TimeDelta::hours(2 * number);
        recorded.activity.start_date_local = Some(local);
        recorded.activity.start_date = local - TimeDelta::hours(2);
    }
    let made = data.activities.iter().map(|recorded| &recorded.activity);
    let made: BTreeMap<_, _> = made
        .map(|activity| (activity.id.to_string(), activity.calories))
        .collect();
    let simulation = Simulation::new(data, Grants::new("wearlab", "hush", 21_600));
    let world = World::new("strava", simulated::strava(&simulation)).await;
    let serving = world.serve();
    world.link(&serving).await;
    world
        .wait_until(&serving, "workouts are missing", async || {
            workouts(&world, &serving).await == made
        })
        .await;
    let connection = world.connection(&serving).await;
    let available = &connection["resource_availability"]["workouts"];
    assert_eq!(available["status"], "available", "{connection}");
    let granted = &available["scope_requirements"]["user_granted"];
    assert_eq!(granted["optional"][0], "activity:read_all", "{connection}");
    World::end(serving);
}
