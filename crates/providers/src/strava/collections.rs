//! Collections, and the requests for each.
//!
//! A list is requested by the start of its activities in UTC, with a day more on both sides, and those of the wanted days in
//! the time of the person are kept. Pages are requested until one is empty, since a short one may be followed by others.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use wearlab_connect::{Collection, Reading, Refusal, Session, Span, found};
use wearlab_kit_client::{Error, Response};
use wearlab_models::ResourceName;

use super::generated::client::Client;
use super::generated::models::{Activity, StreamSet, StreamType};
use super::limits::Usage;
use super::mapping;
use super::refusal::refusal;
use crate::days::{days_after, days_before, midnight};

/// Days that are read again. Each of their activities costs two requests each time.
const LOOK_BACK_DAYS: u32 = 3;
/// Activities of a page.
const PAGE_SIZE: i64 = 200;
/// Maximum pages of a list of a few days.
const MAX_PAGES: i64 = 100;
/// Requests for each activity: its details and its streams.
const REQUESTS_EACH: usize = 2;

const HOUR: u32 = 3_600;

pub(super) static COLLECTIONS: &[Collection] = &[
    Collection {
        name: "workouts",
        resources: &[
            ResourceName::Workouts,
            ResourceName::Heartrate,
            ResourceName::WorkoutDistance,
            ResourceName::WorkoutPower,
        ],
        scopes: &["activity:read"],
        // So few that their activities fit into some quarters of an hour.
        window_days: 5,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: 4 * HOUR,
        has_history: true,
    },
    Collection {
        name: "profile",
        resources: &[ResourceName::Profile],
        scopes: &["read"],
        window_days: 1,
        look_back_days: 1,
        pace_seconds: 24 * HOUR,
        has_history: false,
    },
];

/// Reads the values of a collection in a span of days.
pub(super) async fn read(
    session: &Session,
    client: &Client,
    collection: &str,
    span: Span,
) -> Result<Vec<Reading>, Refusal> {
    match collection {
        "workouts" => workouts(session, client, span).await,
        "profile" => {
            session.permit().await;
            let athlete = client.get_athlete().send().await.map_err(refused)?.into_inner();
            Ok(mapping::athlete(&athlete, span.last).into_iter().collect())
        }
        other => Err(Refusal::Failed(format!("Strava has no collection {other}"))),
    }
}

/// Reads the day of an activity. None if it is gone, or only the person sees it now.
pub(super) async fn day_of_activity(
    session: &Session,
    client: &Client,
    id: &str,
) -> Result<Option<NaiveDate>, Refusal> {
    let Ok(id) = id.parse() else {
        return Ok(None);
    };
    session.permit().await;
    let activity = found(client.get_activity(id).send().await.map_err(refused))?;
    Ok(activity.map(|activity| mapping::day(&activity.into_inner())))
}

/// Reads the activities of a span with their samples, if the limits leave enough requests for all of them.
async fn workouts(session: &Session, client: &Client, span: Span) -> Result<Vec<Reading>, Refusal> {
    let (activities, usage) = list(session, client, span).await?;
    if let Some(usage) = usage {
        let now = wearlab_clock::now();
        let is_history = span.last < days_before(now.date_naive(), LOOK_BACK_DAYS.into());
        let requests = u32::try_from(activities.len() * REQUESTS_EACH).unwrap_or(u32::MAX);
        usage.check(requests, is_history, now)?;
    }
    let mut readings = Vec::new();
    for listed in activities {
        session.permit().await;
        // It is gone, or only the person sees it now.
        let Some(activity) =
            found(client.get_activity(listed.id).send().await.map_err(refused))?.map(Response::into_inner)
        else {
            continue;
        };
        let streams = streams(session, client, &activity).await?;
        readings.push(mapping::workout(&activity));
        readings.extend(streams.iter().flat_map(|streams| mapping::samples(&activity, streams)));
    }
    Ok(readings)
}

/// Reads the activities of the days of a span in all pages of the list, each once, and the requests so far.
async fn list(session: &Session, client: &Client, span: Span) -> Result<(Vec<Activity>, Option<Usage>), Refusal> {
    let after = epoch(days_before(span.first, 1));
    let until = epoch(days_after(span.last, 2));
    let mut activities = BTreeMap::new();
    for page in 1..=MAX_PAGES {
        session.permit().await;
        let call = client.list_activities().after(after).before(until);
        let response = call.page(page).per_page(PAGE_SIZE).send().await.map_err(refused)?;
        let usage = Usage::read(response.headers());
        let listed = response.into_inner();
        if listed.is_empty() {
            return Ok((activities.into_values().collect(), usage));
        }
        let of_span = listed
            .into_iter()
            .filter(|activity| span.contains(mapping::day(activity)));
        activities.extend(of_span.map(|activity| (activity.id, activity)));
    }
    Err(Refusal::Failed(format!(
        "the provider returns more than {MAX_PAGES} pages of activities of a few days"
    )))
}

/// Reads the streams of an activity that have a counterpart. None if it has no streams, since it was entered.
async fn streams(session: &Session, client: &Client, activity: &Activity) -> Result<Option<StreamSet>, Refusal> {
    if activity.manual == Some(true) {
        return Ok(None);
    }
    session.permit().await;
    let kinds = [
        StreamType::Time,
        StreamType::Heartrate,
        StreamType::Distance,
        StreamType::Watts,
    ];
    let call = client.get_activity_streams(activity.id, kinds.to_vec(), true);
    Ok(found(call.send().await.map_err(refused))?.map(Response::into_inner))
}

fn refused(error: Error) -> Refusal {
    refusal(error, wearlab_clock::now())
}

/// Returns the start of a day in UTC, in s since 1970.
fn epoch(day: NaiveDate) -> i64 {
    midnight(day).timestamp()
}
