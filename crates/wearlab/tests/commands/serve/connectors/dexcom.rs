//! Test of Dexcom: samples of the sensor, of finger-sticks, and of the user.

use chrono::{Days, FixedOffset, Utc};
use serde_json::Value;
use wearlab_providers::dexcom::simulated::{Data, Simulation};
use wearlab_providers::simulated;
use wearlab_providers::simulated::oauth::Grants;

use super::{Serving, USER, World, yesterday};

/// Days of the simulated person, up to yesterday.
const DAYS: u32 = 12;

/// Returns the number of samples of a resource from a kind of source.
async fn samples(world: &World, serving: &Serving, resource: &str, source: &str) -> usize {
    let tomorrow = Utc::now().date_naive() + Days::new(1);
    let first = tomorrow - Days::new(u64::from(DAYS) + 5);
    let path = format!("/v2/timeseries/{USER}/{resource}/grouped?start_date={first}&end_date={tomorrow}");
    let (status, body) = world.get(serving, &path, None).await;
    assert_eq!(status, 200, "{body}");
    let groups = body["groups"]["dexcom"].as_array().cloned().unwrap_or_default();
    let of_source = groups.iter().filter(|group| group["source"]["type"] == source);
    of_source
        .filter_map(|group| group["data"].as_array().map(Vec::len))
        .sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_user_has_all_samples_of_the_provider() {
    let offset = FixedOffset::east_opt(5 * 3600 + 45 * 60).expect("an offset");
    let data = Data::generate(7, offset, yesterday(), DAYS);
    // What is out of range or deleted has no sample.
    let values = serde_json::to_value(&data.egvs).expect("JSON");
    let glucose = values.as_array().expect("a list").iter();
    let glucose = glucose.filter(|value| value["value"].is_number()).count();
    let events = serde_json::to_value(&data.events).expect("JSON");
    let entered = |kind: &str| {
        let is_entered = |event: &&Value| event["eventType"] == kind && event["eventStatus"] != "deleted";
        events.as_array().expect("a list").iter().filter(is_entered).count()
    };
    let made = [
        glucose,
        data.calibrations.len() + entered("bloodGlucose"),
        entered("carbs"),
        entered("insulin"),
        entered("exercise"),
    ];
    assert!(glucose > 3_000 && made.iter().all(|count| *count > 0), "{made:?}");
    let simulation = Simulation::new(data, Grants::new("wearlab", "hush", 7200));
    let world = World::new("dexcom", simulated::dexcom(&simulation)).await;
    let serving = world.serve();
    world.link(&serving).await;
    world
        .wait_until(&serving, "samples are missing", async || {
            let found = [
                samples(&world, &serving, "glucose", "automatic").await,
                samples(&world, &serving, "glucose", "fingerprick").await,
                samples(&world, &serving, "carbohydrates", "app").await,
                samples(&world, &serving, "insulin_injection", "app").await,
                samples(&world, &serving, "workout_duration", "app").await,
            ];
            found == made
        })
        .await;
    let connection = world.connection(&serving).await;
    assert_eq!(connection["status"], "connected", "{connection}");
    assert_eq!(
        connection["resource_availability"]["glucose"]["status"], "available",
        "{connection}"
    );
    World::end(serving);
}
