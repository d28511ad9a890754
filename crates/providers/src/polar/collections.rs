//! Collections, and the requests for each.
//!
//! Nights and exercises are lists of the last weeks, of which those of the wanted days are kept. Others are requested by days,
//! of which both ends are included; those in UTC with a day more on both sides. A 204 or 404 is no data.

use std::ops::RangeInclusive;

use chrono::NaiveDate;
use wearlab_connect::{Collection, Reading, Refusal, Session, Span, found};
use wearlab_models::ResourceName;

use super::generated::client::{
    Client, GetContinuousHeartRateResponse, GetPhysicalInfoResponse, ListActivityResponse, ListBodyTemperatureResponse,
    ListEcgResponse, ListExercisesResponse, ListNightlyRechargeResponse, ListSkinTemperatureResponse,
    ListSleepResponse, ListSpo2Response,
};
use super::generated::models::Sleep;
use super::limits::refusal;
use super::mapping::{self, Clocks};
use crate::days::{days_after, days_before};
use crate::records::readable;

const SCOPES: &[&str] = &["accesslink.read_all"];
/// Nights are corrected, and a watch may synchronise days late.
const LOOK_BACK_DAYS: u32 = 7;
/// Lists of nights and exercises have the last weeks in any case.
const LOOK_BACK_DAYS_OF_LISTS: u32 = 26;
/// Maximum days of a request.
const MAX_DAYS: u32 = 28;

const HOUR: u32 = 3_600;

/// The paces leave some of the 100 requests of a user and day: each pull is one to five of them.
pub(super) static COLLECTIONS: &[Collection] = &[
    Collection {
        name: "sleep",
        resources: &[
            ResourceName::Sleep,
            ResourceName::SleepCycle,
            ResourceName::Hrv,
            ResourceName::RespiratoryRate,
        ],
        scopes: SCOPES,
        window_days: MAX_DAYS,
        look_back_days: LOOK_BACK_DAYS_OF_LISTS,
        pace_seconds: 3 * HOUR,
        has_history: true,
    },
    Collection {
        name: "activity",
        resources: &[ResourceName::Activity, ResourceName::Steps],
        scopes: SCOPES,
        window_days: MAX_DAYS,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: 3 * HOUR,
        has_history: true,
    },
    Collection {
        name: "heartrate",
        resources: &[ResourceName::Heartrate],
        scopes: SCOPES,
        // A request for each day.
        window_days: 7,
        look_back_days: 2,
        pace_seconds: 4 * HOUR,
        has_history: true,
    },
    Collection {
        name: "workouts",
        // Without heart rate: a resource belongs to one collection, and `heartrate` has it.
        resources: &[
            ResourceName::Workouts,
            ResourceName::WorkoutDistance,
            ResourceName::WorkoutPower,
        ],
        scopes: SCOPES,
        window_days: 30,
        look_back_days: LOOK_BACK_DAYS_OF_LISTS + 1,
        pace_seconds: 2 * HOUR,
        has_history: true,
    },
    Collection {
        name: "measurements",
        resources: &[
            ResourceName::BodyTemperature,
            ResourceName::BloodOxygen,
            ResourceName::Electrocardiogram,
            ResourceName::ElectrocardiogramVoltage,
        ],
        scopes: SCOPES,
        // With the days around them, as many as can be requested.
        window_days: MAX_DAYS - 2,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: 6 * HOUR,
        has_history: true,
    },
    Collection {
        name: "profile",
        resources: &[
            ResourceName::Profile,
            ResourceName::Body,
            ResourceName::Weight,
            ResourceName::Vo2Max,
        ],
        scopes: SCOPES,
        window_days: 1,
        look_back_days: 1,
        pace_seconds: 24 * HOUR,
        has_history: false,
    },
];

/// Sends a call, and returns its value. None if there is nothing, which is a 204 or a 404.
macro_rules! found {
    ($session:ident, $call:expr, $response:ident) => {{
        $session.permit().await;
        found($call.send().await.map_err(refusal))?.and_then(|response| match response.into_inner() {
            $response::Ok(value) => Some(value),
            $response::NoContent => None,
        })
    }};
}

/// Reads the values of a collection in a span of days.
pub(super) async fn read(
    session: &Session,
    client: &Client,
    collection: &str,
    span: Span,
) -> Result<Vec<Reading>, Refusal> {
    let days = span.first..=span.last;
    match collection {
        "sleep" => sleep(session, client, days).await,
        "activity" => {
            let call = client.list_activity().from(span.first).to(span.last);
            let call = call.steps(true).activity_zones(true);
            let listed = found!(session, call, ListActivityResponse).unwrap_or_default();
            let clocks = Clocks::of(&nights(session, client).await?);
            let of_days = listed.iter().map(|activity| {
                let day = mapping::day_of(activity)?;
                Some(match days.contains(&day) {
                    true => mapping::activity(activity, &clocks)?,
                    false => Vec::new(),
                })
            });
            readings("activity", of_days)
        }
        "heartrate" => {
            let clocks = Clocks::of(&nights(session, client).await?);
            let mut samples = Vec::new();
            for day in span.days() {
                let call = client.get_continuous_heart_rate(day);
                let of_day = found!(session, call, GetContinuousHeartRateResponse);
                samples.extend(
                    of_day
                        .iter()
                        .flat_map(|day| mapping::continuous_heart_rate(day, &clocks)),
                );
            }
            let samples = samples.into_iter().map(|sample| sample.map(|sample| [sample]));
            readings("heartrate", samples)
        }
        "workouts" => workouts(session, client, days).await,
        "measurements" => measurements(session, client, span).await,
        "profile" => {
            let info = found!(session, client.get_physical_info(), GetPhysicalInfoResponse);
            Ok(info.map_or_else(Vec::new, |info| mapping::physical_info(&info, span.last)))
        }
        other => Err(Refusal::Failed(format!("Polar has no collection {other}"))),
    }
}

/// Reads the nights of the last weeks.
async fn nights(session: &Session, client: &Client) -> Result<Vec<Sleep>, Refusal> {
    let list = found!(session, client.list_sleep(), ListSleepResponse);
    Ok(list.map(|list| list.nights).unwrap_or_default())
}

/// Reads nights with their recharge, and the temperature of the skin.
async fn sleep(session: &Session, client: &Client, days: RangeInclusive<NaiveDate>) -> Result<Vec<Reading>, Refusal> {
    let mut nights = nights(session, client).await?;
    let clocks = Clocks::of(&nights);
    nights.retain(|night| days.contains(&night.date));
    let list = found!(session, client.list_nightly_recharge(), ListNightlyRechargeResponse);
    let mut recharges = list.map(|list| list.recharges).unwrap_or_default();
    recharges.retain(|recharge| days.contains(&recharge.date));
    let call = client.list_skin_temperature().from(*days.start()).to(*days.end());
    let temperatures = found!(session, call, ListSkinTemperatureResponse).unwrap_or_default();
    readings("sleep", mapping::nights(&nights, &recharges, &temperatures, &clocks))
}

/// Reads the exercises of the last weeks. Nights have the offset of those that lack it.
async fn workouts(
    session: &Session,
    client: &Client,
    days: RangeInclusive<NaiveDate>,
) -> Result<Vec<Reading>, Refusal> {
    let call = client.list_exercises().samples(true).zones(true).route(true);
    let exercises = found!(session, call, ListExercisesResponse).unwrap_or_default();
    let lacks_offset = exercises
        .iter()
        .any(|exercise| exercise.start_time_utc_offset.is_none());
    let nights = match lacks_offset {
        true => nights(session, client).await?,
        false => Vec::new(),
    };
    let clocks = Clocks::of(&nights);
    let workouts = exercises.iter().map(|exercise| {
        let day = mapping::day_of_exercise(exercise)?;
        Some(match days.contains(&day) {
            true => mapping::exercise(exercise, &clocks)?,
            false => Vec::new(),
        })
    });
    readings("workouts", workouts)
}

/// Reads temperatures, tests of blood oxygen and electrocardiograms.
async fn measurements(session: &Session, client: &Client, span: Span) -> Result<Vec<Reading>, Refusal> {
    let (from, to) = (days_before(span.first, 1), days_after(span.last, 1));
    let call = client.list_body_temperature().from(from).to(to);
    let temperatures = found!(session, call, ListBodyTemperatureResponse).unwrap_or_default();
    let tests = found!(session, client.list_spo2().from(from).to(to), ListSpo2Response).unwrap_or_default();
    let cardiograms = found!(session, client.list_ecg().from(from).to(to), ListEcgResponse).unwrap_or_default();
    let temperatures = temperatures.iter().map(mapping::body_temperature);
    let mut readings = readings("body temperatures", temperatures)?;
    readings.extend(tests.iter().filter_map(mapping::blood_oxygen));
    readings.extend(cardiograms.iter().flat_map(mapping::electrocardiogram));
    readings.retain(|reading| span.contains(reading.day));
    Ok(readings)
}

/// Returns the readings of the records of a list: none for one with a time or a duration that cannot be read.
fn readings<R: IntoIterator<Item = Reading>>(
    resource: &str,
    records: impl IntoIterator<Item = Option<R>>,
) -> Result<Vec<Reading>, Refusal> {
    let records = records.into_iter();
    let records = records.map(|record| record.ok_or("a time or a duration is not one"));
    let read = readable("polar", resource, records)?;
    Ok(read.into_iter().flatten().collect())
}
