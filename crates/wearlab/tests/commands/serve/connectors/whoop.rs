//! Test of WHOOP: days of cycles, and a refresh with its scope.

use std::collections::BTreeMap;

use chrono::{Days, FixedOffset, NaiveDate, Utc};
use wearlab_providers::simulated;
use wearlab_providers::whoop::simulated::{Data, Simulation, grants};

use super::{Serving, USER, World, yesterday};

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
