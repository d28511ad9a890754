//! Test of Polar: a client that authenticates itself by Basic, no refresh token, and a registration after the link.

use std::collections::BTreeMap;

use chrono::{Days, FixedOffset, Utc};
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
