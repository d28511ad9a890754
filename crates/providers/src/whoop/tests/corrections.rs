//! Tests of data that change at the provider.

use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::ScoreState;
use super::service::{SCOPES, Service, last_day, last_week, pull};

async fn week(service: &Service, name: &str) -> Vec<Reading> {
    pull(&service.session(SCOPES), name, last_week())
        .await
        .expect("readings")
}

fn changed<'r>(before: &[Reading], after: &'r [Reading]) -> Vec<&'r Reading> {
    after.iter().filter(|reading| !before.contains(reading)).collect()
}

/// The values of the current cycle grow, and its end changes nothing but that.
#[tokio::test]
async fn the_current_cycle_grows() {
    let service = Service::start(2).await;
    let before = week(&service, "cycles").await;
    assert_eq!(
        week(&service, "cycles").await,
        before,
        "data that do not change are read as before"
    );
    let id = service.simulation.with_data(|data| {
        let cycle = data.cycles.last_mut().expect("a cycle");
        assert_eq!(cycle.end, None);
        cycle.score.as_mut().expect("a score").kilojoule += 4_184.0;
        cycle.id.to_string()
    });
    let after = week(&service, "cycles").await;
    let grown = changed(&before, &after);
    assert_eq!(grown.len(), 1);
    assert_eq!(grown[0].value["provider_id"].as_str(), Some(id.as_str()));

    service.simulation.with_data(|data| {
        let next = last_day() + chrono::Days::new(2);
        data.add_day(next);
        let cycle = data.cycles.iter().find(|cycle| cycle.id.to_string() == id);
        assert!(cycle.is_some_and(|cycle| cycle.end.is_some()));
    });
    assert_eq!(week(&service, "cycles").await, after);
}

/// A score that comes later completes the sleep under its id.
#[tokio::test]
async fn a_score_comes_later() {
    let service = Service::start(2).await;
    let score = service.simulation.with_data(|data| {
        let night = data.sleep.iter_mut().rfind(|sleep| !sleep.nap && sleep.score.is_some());
        let night = night.expect("a night");
        night.score_state = ScoreState::PendingScore;
        let id = night.id;
        let recovery = data.recoveries.iter_mut().find(|recovery| recovery.sleep_id == id);
        recovery.expect("a recovery").score_state = ScoreState::PendingScore;
        let night = data.sleep.iter_mut().find(|sleep| sleep.id == id).expect("the night");
        (id, night.score.take())
    });
    let before = week(&service, "cycles").await;
    service.simulation.with_data(|data| {
        let night = data
            .sleep
            .iter_mut()
            .find(|sleep| sleep.id == score.0)
            .expect("the night");
        (night.score_state, night.score) = (ScoreState::Scored, score.1);
        let recovery = data.recoveries.iter_mut().find(|recovery| recovery.sleep_id == score.0);
        recovery.expect("a recovery").score_state = ScoreState::Scored;
    });
    let after = week(&service, "cycles").await;
    let resources = changed(&before, &after);
    let resources: std::collections::HashSet<_> = resources.iter().map(|reading| &reading.resource).collect();
    for resource in [
        ResourceName::Activity,
        ResourceName::Sleep,
        ResourceName::Hrv,
        ResourceName::RespiratoryRate,
    ] {
        assert!(resources.contains(&resource), "{resource:?}");
    }
    let state = |readings: &[Reading]| {
        let sleep = readings.iter().find(|reading| {
            reading.resource == ResourceName::Sleep
                && reading.value["provider_id"].as_str() == Some(score.0.to_string().as_str())
        });
        sleep.and_then(|sleep| sleep.value["state"].as_str()).map(str::to_owned)
    };
    assert_eq!(
        (state(&before).as_deref(), state(&after).as_deref()),
        (Some("tentative"), Some("confirmed"))
    );
}

#[tokio::test]
async fn records_are_late_and_deleted() {
    let service = Service::start(2).await;
    let before = week(&service, "cycles").await;
    let night = service.simulation.with_data(|data| {
        let index = data.sleep.iter().rposition(|sleep| !sleep.nap).expect("a night");
        data.sleep.remove(index)
    });
    let without = week(&service, "cycles").await;
    let id = night.id.to_string();
    let is_read = |readings: &[Reading]| {
        readings
            .iter()
            .any(|reading| reading.value.get("provider_id").and_then(|id| id.as_str()) == Some(&id))
    };
    assert!(is_read(&before) && !is_read(&without));
    service.simulation.with_data(|data| data.sleep.insert(0, night));
    let again = week(&service, "cycles").await;
    assert!(changed(&before, &again).is_empty() && again.len() == before.len());
}
