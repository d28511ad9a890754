//! Tests of data that change at the provider.

use chrono::Days;
use serde_json::json;
use wearlab_connect::{Reading, Span};
use wearlab_models::ResourceName;

use super::super::generated::models::MeasureType;
use super::service::{SCOPES, Service, last_day, pull};
use crate::testing::by_id;

async fn week(service: &Service, name: &str) -> Vec<Reading> {
    let last = last_day();
    let span = Span {
        first: last - Days::new(6),
        last,
    };
    pull(&service.session(SCOPES), name, span).await.expect("readings")
}

/// A pull after a correction has it under the same id, and nothing else changes.
#[tokio::test]
async fn a_weight_is_corrected_and_deleted() {
    let service = Service::start("Europe/Oslo").await;
    let before = week(&service, "measures").await;
    assert_eq!(
        week(&service, "measures").await,
        before,
        "data that do not change are read as before"
    );
    let id = by_id(&before, ResourceName::Body)
        .keys()
        .next()
        .expect("a body")
        .clone();
    service.simulation.with_data(|data| {
        let group = data
            .groups
            .iter_mut()
            .find(|group| group.grpid.to_string() == id)
            .expect("a group");
        let weight = group
            .measures
            .iter_mut()
            .find(|measure| measure.type_ == MeasureType::Weight);
        weight.expect("a weight").value = 55_500;
    });
    let after = week(&service, "measures").await;
    assert_eq!(by_id(&after, ResourceName::Body)[&id]["weight"], json!(55.5));
    assert_eq!(after.len(), before.len());
    let changed: Vec<_> = after.iter().filter(|reading| !before.contains(reading)).collect();
    assert!(
        changed
            .iter()
            .all(|reading| [ResourceName::Body, ResourceName::Weight].contains(&reading.resource))
    );
    assert_eq!(changed.len(), 2);
    service
        .simulation
        .with_data(|data| data.groups.retain(|group| group.grpid.to_string() != id));
    assert!(!by_id(&week(&service, "measures").await, ResourceName::Body).contains_key(&id));
}

/// Samples of days that meet belong to one of two spans, whichever is read first.
#[tokio::test]
async fn two_spans_have_the_samples_of_one() {
    let service = Service::start("Asia/Tokyo").await;
    let session = service.session(SCOPES);
    let last = last_day() - Days::new(10);
    let span = |first: u64, last_before: u64| Span {
        first: last - Days::new(first),
        last: last - Days::new(last_before),
    };
    let whole = pull(&session, "samples", span(5, 0)).await.expect("readings");
    let mut parts = pull(&session, "samples", span(5, 3)).await.expect("readings");
    parts.extend(pull(&session, "samples", span(2, 0)).await.expect("readings"));
    let sorted = |readings: Vec<Reading>| {
        let mut texts: Vec<_> = readings
            .iter()
            .map(|reading| {
                format!(
                    "{:?} {:?} {}",
                    reading.resource,
                    reading.source_type,
                    json!(reading.value)
                )
            })
            .collect();
        texts.sort();
        texts
    };
    assert_eq!(sorted(parts), sorted(whole));
}
