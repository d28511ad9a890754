//! Test of Google Health: refreshes that keep their refresh token, and points of many types.

use std::collections::BTreeMap;

use chrono::{Days, FixedOffset, NaiveDate, Utc};
use wearlab_providers::google_health::simulated::{Data, Simulation, grants};
use wearlab_providers::simulated;

use super::{Serving, USER, World, yesterday};

/// Days of the simulated person, up to yesterday.
const DAYS: u32 = 8;
/// Resources of Google Health that have a history.
const HISTORIES: usize = 16;

/// Returns the steps of each day.
async fn steps(world: &World, serving: &Serving) -> BTreeMap<NaiveDate, i64> {
    let today = Utc::now().date_naive();
    let first = today - Days::new(u64::from(DAYS) + 5);
    let path = format!("/v2/summary/activity/{USER}?start_date={first}&end_date={today}&provider=google_health");
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
    let offset = FixedOffset::east_opt(3600).expect("an offset");
    let data = Data::generate(7, offset, yesterday(), DAYS);
    let sums = data.sums["steps"].iter();
    let made: BTreeMap<NaiveDate, i64> = sums
        .filter_map(|(day, sum)| Some((*day, sum.steps.as_ref()?.count_sum.as_ref()?.parse().ok()?)))
        .collect();
    let simulation = Simulation::new(data, grants("wearlab", "hush", 3600));
    let world = World::new("google_health", simulated::google_health(&simulation)).await;
    let serving = world.serve_with(&["connectors.google_health.history_days=10".to_owned()]);
    world.link(&serving).await;
    world
        .wait_until(&serving, "days are missing", async || {
            steps(&world, &serving).await == made
        })
        .await;
    world
        .wait_until(&serving, "histories are missing", async || {
            world.historical().len() >= HISTORIES
        })
        .await;
    let historical = world.historical();
    assert!(historical.values().all(|count| *count == 1), "{historical:?}");
    World::end(serving);
}
