//! Tests of data that change at the provider.

use chrono::Days;
use wearlab_connect::{Reading, Span};
use wearlab_models::ResourceName;

use super::super::generated::models::SleepType;
use super::service::{SCOPES, Service, last_day, pull};
use crate::testing::values;

async fn week(service: &Service, name: &str) -> Vec<Reading> {
    let last = last_day();
    let span = Span {
        first: last - Days::new(6),
        last,
    };
    pull(&service.session(SCOPES), name, span).await.expect("readings")
}

/// A pull after a correction has it, and nothing else changes.
#[tokio::test]
async fn a_night_is_corrected_and_deleted() {
    let service = Service::start(2).await;
    let before = week(&service, "sleep").await;
    assert_eq!(
        week(&service, "sleep").await,
        before,
        "data that do not change are read as before"
    );

    let id = service.simulation.with_data(|data| {
        let night = data
            .sleep
            .iter_mut()
            .rfind(|sleep| sleep.type_ == Some(SleepType::LongSleep));
        let night = night.expect("a night");
        night.total_sleep_duration = Some(12_345);
        night.id.clone()
    });
    let after = week(&service, "sleep").await;
    let changed: Vec<_> = after.iter().filter(|reading| !before.contains(reading)).collect();
    assert_eq!(changed.len(), 1);
    assert_eq!(
        (&changed[0].resource, changed[0].value["total"].as_i64()),
        (&ResourceName::Sleep, Some(12_345))
    );

    service.simulation.with_data(|data| {
        let night = data.sleep.iter_mut().find(|sleep| sleep.id == id);
        night.expect("the night").type_ = Some(SleepType::Deleted);
    });
    let marked = week(&service, "sleep").await;
    let ids = |readings: &[Reading]| -> Vec<_> {
        let sleeps = values(readings, ResourceName::Sleep);
        sleeps
            .iter()
            .map(|sleep| sleep["provider_id"].as_str().map(str::to_owned))
            .collect()
    };
    assert!(ids(&after).contains(&Some(id.clone())) && !ids(&marked).contains(&Some(id.clone())));
    service
        .simulation
        .with_data(|data| data.sleep.retain(|sleep| sleep.id != id));
    assert_eq!(week(&service, "sleep").await, marked);
}

#[tokio::test]
async fn late_data_are_read() {
    let service = Service::start(2).await;
    let late = service
        .simulation
        .with_data(|data| data.workouts.pop().expect("a workout"));
    let last = service
        .simulation
        .with_data(|data| data.workouts.last().map(|workout| workout.day));
    assert!(last < Some(late.day));
    let span = Span {
        first: late.day,
        last: late.day,
    };
    let session = service.session(SCOPES);
    assert_eq!(pull(&session, "workouts", span).await, Ok(Vec::new()));
    service
        .simulation
        .with_data(|data| data.workouts.insert(0, late.clone()));
    let readings = pull(&session, "workouts", span).await.expect("readings");
    assert_eq!(readings.len(), 1);
    assert_eq!(readings[0].value["provider_id"].as_str(), Some(late.id.as_str()));
}
