//! Pulls from the simulation of each provider: all of its data arrive, whatever fails.

mod log;
mod model;
mod permits;
mod values;
mod world;

use chrono::{FixedOffset, NaiveDate};
use wearlab_providers::dexcom::generated::models::RecordValue;
use wearlab_providers::simulated::oauth::Grants;
use wearlab_providers::simulated::simulation::Simulation;
use wearlab_providers::{dexcom, google_health, oura, polar, simulated, strava, whoop, withings};

use model::{Simulated, data_arrive_whatever_fails};
use world::{CLIENT_ID, CLIENT_SECRET, start};

/// Lifetime of an access token, in s.
const HOUR: u32 = 3_600;

/// Returns the offset of the person: two hours ahead of UTC.
fn offset() -> FixedOffset {
    FixedOffset::east_opt(2 * HOUR.cast_signed()).expect("an offset")
}

fn grants() -> Grants {
    Grants::new(CLIENT_ID, CLIENT_SECRET, HOUR)
}

fn last() -> NaiveDate {
    start().date_naive()
}

#[tokio::test]
async fn data_of_dexcom_arrive_whatever_fails() {
    data_arrive_whatever_fails(Simulated {
        provider: || Box::new(dexcom::Dexcom),
        simulation: || Simulation::new(dexcom::simulated::Data::generate(7, offset(), last(), 0), grants()),
        router: simulated::dexcom,
        token_path: "/oauth/token",
        seeds: 3,
        days: 33,
        add_day: |data, day| {
            data.add_day(day);
            data.egvs.retain(|value| &value.display_time[14..16] == "00");
        },
        correct: |data, _, number| {
            if let Some(value) = data.egvs.last_mut() {
                value.value = Some(RecordValue::Number(number as f64));
            }
        },
    })
    .await;
}

#[tokio::test]
async fn data_of_google_health_arrive_whatever_fails() {
    data_arrive_whatever_fails(Simulated {
        provider: || Box::new(google_health::GoogleHealth),
        simulation: || {
            Simulation::new(
                google_health::simulated::Data::generate(7, offset(), last(), 0),
                google_health::simulated::grants(CLIENT_ID, CLIENT_SECRET, HOUR),
            )
        },
        router: simulated::google_health,
        token_path: "/oauth/token",
        seeds: 1,
        days: 14,
        add_day: |data, day| data.add_day(day),
        correct: |data, day, number| {
            let steps = data.sums.get_mut("steps").and_then(|sums| sums.last_entry());
            if let Some(mut last) = steps.filter(|last| *last.key() >= day)
                && let Some(sum) = &mut last.get_mut().steps
            {
                sum.count_sum = Some(number.to_string());
            }
        },
    })
    .await;
}

#[tokio::test]
async fn data_of_oura_arrive_whatever_fails() {
    data_arrive_whatever_fails(Simulated {
        provider: || Box::new(oura::Oura),
        simulation: || Simulation::new(oura::simulated::Data::generate(7, offset(), last(), 0), grants()),
        router: simulated::oura,
        token_path: "/oauth/token",
        seeds: 3,
        days: 35,
        add_day: |data, day| {
            data.add_day(day);
            data.heart_rate
                .retain(|sample| sample.timestamp.timestamp() % 3_600 == 0);
        },
        correct: |data, day, number| {
            if let Some(last) = data.activity.last_mut().filter(|last| last.day >= day) {
                last.steps = number;
            }
        },
    })
    .await;
}

#[tokio::test]
async fn data_of_polar_arrive_whatever_fails() {
    data_arrive_whatever_fails(Simulated {
        provider: || Box::new(polar::Polar),
        simulation: || {
            Simulation::new(
                polar::simulated::Data::generate(7, offset(), last(), 0),
                polar::simulated::grants(CLIENT_ID, CLIENT_SECRET, HOUR),
            )
        },
        router: simulated::polar,
        token_path: "/oauth/token",
        seeds: 1,
        days: 20,
        add_day: |data, day| {
            data.today = day;
            data.add_day(day);
            if let Some(rates) = data.heart_rate.get_mut(&day) {
                rates.heart_rate_samples.truncate(24);
            }
            if let Some(exercise) = data.exercises.last_mut() {
                exercise.samples.truncate(1);
            }
        },
        correct: |data, day, number| {
            if let Some((_, last)) = data.activity.range_mut(day..).next_back() {
                last.steps = Some(number);
            }
        },
    })
    .await;
}

#[tokio::test]
async fn data_of_strava_arrive_whatever_fails() {
    data_arrive_whatever_fails(Simulated {
        provider: || Box::new(strava::Strava),
        simulation: || Simulation::new(strava::simulated::Data::generate(7, offset(), last(), 0), grants()),
        router: simulated::strava,
        token_path: "/oauth/token",
        seeds: 3,
        days: 20,
        add_day: |data, day| data.add_day(day),
        correct: |data, day, number| {
            let last = data.activities.last_mut().map(|last| &mut last.activity);
            if let Some(last) = last.filter(|last| last.start_date.date_naive() >= day) {
                last.calories = Some(number as f64);
            }
        },
    })
    .await;
}

#[tokio::test]
async fn data_of_whoop_arrive_whatever_fails() {
    data_arrive_whatever_fails(Simulated {
        provider: || Box::new(whoop::Whoop),
        simulation: || {
            Simulation::new(
                whoop::simulated::Data::generate(7, offset(), last(), 0),
                whoop::simulated::grants(CLIENT_ID, CLIENT_SECRET, HOUR),
            )
        },
        router: simulated::whoop,
        token_path: "/oauth/token",
        seeds: 4,
        days: 70,
        add_day: |data, day| data.add_day(day),
        correct: |data, day, number| {
            let last = data.cycles.last_mut().filter(|last| last.start.date_naive() >= day);
            if let Some(score) = last.and_then(|last| last.score.as_mut()) {
                score.kilojoule = number as f64;
            }
        },
    })
    .await;
}

#[tokio::test]
async fn data_of_withings_arrive_whatever_fails() {
    data_arrive_whatever_fails(Simulated {
        provider: || Box::new(withings::Withings),
        simulation: || {
            Simulation::new(
                withings::simulated::Data::generate(7, "Europe/Oslo", last(), 0),
                withings::simulated::grants(CLIENT_ID, CLIENT_SECRET, HOUR),
            )
        },
        router: simulated::withings,
        token_path: "/v2/oauth2",
        seeds: 1,
        days: 35,
        add_day: |data, day| {
            data.add_day(day);
            data.intraday.retain(|time, _| time % 3_600 == 0);
        },
        correct: |data, day, number| {
            if let Some(last) = data.activities.last_mut().filter(|last| last.date >= day) {
                last.steps = Some(number);
            }
        },
    })
    .await;
}
