//! Tests of the limits of requests.

use std::time::Duration;

use chrono::{DateTime, Days, Timelike, Utc};
use wearlab_connect::{Provider, Reading, Refusal, Span};

use super::super::Strava;
use super::super::simulated::Limits;
use super::service::{SCOPES, Service, last_days, pull};
use crate::simulated::faults::Fault;

/// Returns the refusal until the next quarter of an hour, for a request between two times.
fn is_quarter(refusal: Option<Refusal>, before: DateTime<Utc>) -> bool {
    let Some(Refusal::Limited(pause)) = refusal else {
        return false;
    };
    // The request may be sent shortly after a window has begun.
    let until = [before, Utc::now()].map(|now| 900 - i64::from(now.minute() % 15 * 60 + now.second()) + 5);
    let seconds = i64::try_from(pause.as_secs()).expect("a pause");
    until.iter().any(|until| (seconds - until).abs() <= 2)
}

fn is_day(refusal: Option<&Refusal>) -> bool {
    let until = 86_400 - i64::from(Utc::now().num_seconds_from_midnight()) + 5;
    let pause = match refusal {
        Some(Refusal::Limited(pause) | Refusal::Later(Some(pause))) => *pause,
        _ => Duration::ZERO,
    };
    let seconds = i64::try_from(pause.as_secs()).expect("a pause");
    (seconds - until).rem_euclid(86_400) <= 2 || (until - seconds).rem_euclid(86_400) <= 2
}

#[tokio::test]
async fn a_limit_that_is_exceeded() {
    let service = Service::start(0).await;
    let session = service.session(SCOPES);
    for collection in Strava.profile().collections {
        service.simulation.with_data(|data| data.limits = Limits::new(0, 1_000));
        let before = Utc::now();
        let refused = pull(&session, collection.name, last_days(1)).await.err();
        assert!(is_quarter(refused, before));
        service.simulation.with_data(|data| data.limits = Limits::new(100, 0));
        let refused = pull(&session, collection.name, last_days(1)).await.err();
        assert!(matches!(refused, Some(Refusal::Limited(_))) && is_day(refused.as_ref()));
    }
    service.simulation.with_data(|data| data.limits = Limits::new(0, 1_000));
    let before = Utc::now();
    assert!(is_quarter(Strava.account(&session).await.err(), before));
}

/// A response of a proxy has no limits: the pause is that of a quarter of an hour.
#[tokio::test]
async fn a_limit_without_headers() {
    let service = Service::start(0).await;
    let before = Utc::now();
    service.simulation.faults().push([Fault::Status(429)]);
    let refused = pull(&service.session(SCOPES), "workouts", last_days(1)).await.err();
    assert!(is_quarter(refused, before));
}

/// Returns days of some activities, and the requests that they need: two lists, and two for each that was not entered.
async fn busy_days(service: &Service) -> (Span, Vec<Reading>, u32) {
    let span = last_days(5);
    let before = service.requests();
    let readings = pull(&service.session(SCOPES), "workouts", span)
        .await
        .expect("readings");
    let requests = u32::try_from(service.requests() - before).expect("few requests");
    assert!(requests > 4, "there are activities");
    (span, readings, requests)
}

/// The list alone is requested where the limits do not leave enough for its activities.
#[tokio::test]
async fn requests_are_not_wasted() {
    let service = Service::start(0).await;
    let (span, expected, needed) = busy_days(&service).await;
    let session = service.session(SCOPES);
    let limits = Limits {
        quarter_used: 101 - needed,
        ..Limits::new(100, 1_000)
    };
    service.simulation.with_data(|data| data.limits = limits);
    let before = service.requests();
    let refused = pull(&session, "workouts", span).await.err();
    assert!(matches!(refused, Some(Refusal::Limited(_))), "{refused:?}");
    assert_eq!(service.requests() - before, 2, "the list and its end");
    service.simulation.with_data(|data| data.limits.quarter_used = 0);
    assert_eq!(pull(&session, "workouts", span).await, Ok(expected));
}

/// Half of the requests of a day are left for the last days of all users.
#[tokio::test]
async fn a_history_leaves_requests_for_the_last_days() {
    let service = Service::start(0).await;
    let (span, expected, _) = busy_days(&service).await;
    let used = |day_used| {
        let limits = Limits {
            day_used,
            ..Limits::new(100, 1_000)
        };
        service.simulation.with_data(|data| data.limits = limits);
    };
    let session = service.session(SCOPES);
    used(600);
    let refused = pull(&session, "workouts", span).await.err();
    assert!(
        matches!(refused, Some(Refusal::Later(Some(_)))) && is_day(refused.as_ref()),
        "{refused:?}"
    );
    used(100);
    assert_eq!(pull(&session, "workouts", span).await, Ok(expected.clone()));

    // The same activities, as if they were of today.
    used(600);
    let today = Utc::now().date_naive();
    let days = (today - span.last).num_days();
    service.simulation.with_data(|data| {
        let shift = chrono::TimeDelta::days(days);
        for recorded in &mut data.activities {
            recorded.activity.start_date += shift;
            recorded.activity.start_date_local = recorded.activity.start_date_local.map(|local| local + shift);
        }
    });
    let recent = Span {
        first: today - Days::new(4),
        last: today,
    };
    let readings = pull(&session, "workouts", recent).await.expect("readings");
    assert_eq!(readings.len(), expected.len());
}
