//! Test of Withings: scopes that are separated by commas, and tokens in the body of a response that is always a 200.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate, Utc};
use serde_json::json;
use wearlab_providers::simulated;
use wearlab_providers::withings::simulated::{Data, Simulation, grants};

use super::{Serving, USER, World, yesterday};

/// Days of the simulated person. There are few, since the connector sends two requests a second.
const DAYS: u32 = 6;
/// Resources of Withings that have a history.
const HISTORIES: usize = 21;

/// Returns the steps of each day.
async fn steps(world: &World, serving: &Serving) -> BTreeMap<NaiveDate, i64> {
    let today = Utc::now().date_naive();
    let first = today - Days::new(60);
    let path = format!("/v2/summary/activity/{USER}?start_date={first}&end_date={today}&provider=withings");
    let (status, body) = world.get(serving, &path, None).await;
    assert_eq!(status, 200, "{body}");
    let days = body["activity"].as_array().expect("a list").iter();
    days.map(|day| {
        let date = day["calendar_date"].as_str().expect("a day").parse().expect("a day");
        (date, day["steps"].as_i64().expect("steps"))
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_user_has_all_days_of_the_provider() {
    let data = Data::generate(7, "Europe/Oslo", yesterday(), DAYS);
    // Copies of another brand are left out.
    let own = data.activities.iter().filter(|day| day.brand != Some(18));
    let made: BTreeMap<_, _> = own.filter_map(|day| Some((day.date, day.steps?))).collect();
    let simulation = Simulation::new(data, grants("wearlab", "hush", 10_800));
    let world = World::new("withings", simulated::withings(&simulation)).await;
    let serving = world.serve_with(&[
        "connectors.withings.history_days=3".to_owned(),
        format!(
            "connectors.withings.authorization_url={}/oauth2_user/authorize2",
            world.url
        ),
        format!("connectors.withings.token_url={}/v2/oauth2", world.url),
    ]);
    world.link(&serving).await;
    world
        .wait_until(&serving, "days are missing", async || {
            steps(&world, &serving).await == made
        })
        .await;
    let connection = world.connection(&serving).await;
    let sleep = &connection["resource_availability"]["sleep"];
    assert_eq!(sleep["status"], "available", "{connection}");
    assert_eq!(sleep["scope_requirements"]["user_denied"]["required"], json!([]));
    world
        .wait_until(&serving, "histories are missing", async || {
            world.historical().len() >= HISTORIES
        })
        .await;
    let historical = world.historical();
    assert!(historical.values().all(|count| *count == 1), "{historical:?}");
    World::end(serving);
}
