//! Conversion of cycles, with the sleeps that begin them and the recoveries after these.

use std::collections::HashMap;

use serde_json::json;
use uuid::Uuid;
use wearlab_connect::{Reading, object};
use wearlab_models::ResourceName;

use super::super::generated::models::{Cycle, Recovery, RecoveryScore, ScoreState, Sleep};
use super::local::Local;
use super::sleep::{samples, summary};
use super::units::kilocalories;

/// Returns the activities of cycles, and the sleeps with their samples.
pub fn cycles(cycles: &[Cycle], sleeps: &[Sleep], recoveries: &[Recovery]) -> Vec<Reading> {
    let recoveries: HashMap<Uuid, &RecoveryScore> = recoveries
        .iter()
        .filter(|recovery| recovery.score_state == ScoreState::Scored)
        .filter_map(|recovery| Some((recovery.sleep_id, recovery.score.as_ref()?)))
        .collect();
    let recovery = |sleep: &Sleep| recoveries.get(&sleep.id).copied();
    let mut readings = Vec::new();
    for cycle in cycles {
        let sleep = main_sleep(cycle, sleeps);
        readings.extend(activity(cycle, sleep, sleep.and_then(recovery)));
    }
    for sleep in sleeps {
        readings.push(summary(sleep, recovery(sleep)));
        readings.extend(samples(sleep, recovery(sleep)));
    }
    readings
}

/// Returns the first night of a cycle, which begins it.
fn main_sleep<'s>(cycle: &Cycle, sleeps: &'s [Sleep]) -> Option<&'s Sleep> {
    let is_within = |sleep: &Sleep| cycle.start <= sleep.start && cycle.end.is_none_or(|end| sleep.start < end);
    let nights = sleeps.iter().filter(|sleep| !sleep.nap);
    let of_cycle = nights.filter(|sleep| match sleep.cycle_id {
        Some(id) => id == cycle.id,
        None => is_within(sleep),
    });
    of_cycle.min_by_key(|sleep| sleep.start)
}

/// Returns the activity of a cycle, if it has values.
fn activity(cycle: &Cycle, sleep: Option<&Sleep>, recovery: Option<&RecoveryScore>) -> Option<Reading> {
    let score = cycle
        .score
        .as_ref()
        .filter(|_| cycle.score_state == ScoreState::Scored)?;
    let local = Local::parse(&cycle.timezone_offset);
    let day = match sleep {
        Some(sleep) => Local::parse(&sleep.timezone_offset).day(sleep.end),
        None => local.day_ahead(cycle.start),
    };
    let heart_rate = json!({
        "avg_bpm": score.average_heart_rate,
        "max_bpm": score.max_heart_rate,
        "resting_bpm": recovery.map(|recovery| recovery.resting_heart_rate),
    });
    let value = json!({
        "provider_id": cycle.id.to_string(),
        "calendar_date": day,
        "timezone_offset": local.seconds(),
        "calories_total": kilocalories(score.kilojoule),
        "heart_rate": object(heart_rate),
    });
    Some(Reading::new(ResourceName::Activity, day, value))
}
