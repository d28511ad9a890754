//! Tests of data that change at the provider.

use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::{EventStatus, EventType, RecordValue, UserEvent};
use super::super::simulated::Data;
use super::service::{SCOPES, Service, last_day, last_week, pull};

async fn week(service: &Service) -> Vec<Reading> {
    pull(&service.session(SCOPES), last_week()).await.expect("readings")
}

/// Returns the last meal.
fn meal(data: &mut Data) -> &mut UserEvent {
    let is_meal =
        |event: &&mut UserEvent| event.event_type == EventType::Carbs && event.event_status != EventStatus::Deleted;
    data.events.iter_mut().rfind(is_meal).expect("a meal")
}

fn carbohydrates(readings: &[Reading]) -> Vec<f64> {
    let of_resource = readings
        .iter()
        .filter(|reading| reading.resource == ResourceName::Carbohydrates);
    of_resource
        .map(|reading| reading.value["value"].as_f64().expect("a number"))
        .collect()
}

#[tokio::test]
async fn an_entry_is_edited_and_deleted() {
    let service = Service::of(120, 12).await;
    let before = week(&service).await;
    assert_eq!(
        week(&service).await,
        before,
        "data that do not change are read as before"
    );
    service.simulation.with_data(|data| {
        let meal = meal(data);
        (meal.value, meal.event_status) = (Some(RecordValue::Number(123.0)), EventStatus::Updated);
    });
    let edited = week(&service).await;
    let changed: Vec<_> = edited.iter().filter(|reading| !before.contains(reading)).collect();
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0].value["value"].as_f64(), Some(123.0));

    service
        .simulation
        .with_data(|data| meal(data).event_status = EventStatus::Deleted);
    let after = week(&service).await;
    assert_eq!(carbohydrates(&after).len(), carbohydrates(&edited).len() - 1);
    assert!(!carbohydrates(&after).contains(&123.0));
}

/// Values of days before, which a receiver uploads late, are of their days.
#[tokio::test]
async fn data_are_late() {
    let service = Service::of(-300, 12).await;
    let late = service.simulation.with_data(|data| std::mem::take(&mut data.egvs));
    let without = week(&service).await;
    assert!(
        without
            .iter()
            .all(|reading| reading.resource != ResourceName::Glucose || reading.source_type.is_some())
    );
    service.simulation.with_data(|data| data.egvs = late);
    let readings = week(&service).await;
    let days: std::collections::BTreeSet<_> = readings
        .iter()
        .filter(|reading| reading.source_type.is_none())
        .map(|reading| reading.day)
        .collect();
    assert_eq!(days.len(), 7);
    assert_eq!(days.last(), Some(&last_day()));
}
