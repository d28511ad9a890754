//! Collections, and the requests for each.
//!
//! Some endpoints include the last day of a span, others do not, and some filter by the start in UTC. So requests
//! ask for more days on both sides, and the documents of the wanted days are kept.

use chrono::NaiveDate;
use wearlab_connect::{Collection, Reading, Refusal, Session, Span};
use wearlab_models::ResourceName;

use super::generated::client::Client;
use super::mapping;
use crate::days::{days_after, days_before, midnight};

/// Nights are corrected for days, and a phone may synchronise a week late.
const LOOK_BACK_DAYS: u32 = 8;

const HOUR: u32 = 3_600;

pub(super) static COLLECTIONS: &[Collection] = &[
    Collection {
        name: "activity",
        resources: &[ResourceName::Activity],
        scopes: &["daily"],
        window_days: 30,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: HOUR,
        has_history: true,
    },
    Collection {
        name: "sleep",
        resources: &[
            ResourceName::Sleep,
            ResourceName::SleepCycle,
            ResourceName::Hrv,
            ResourceName::RespiratoryRate,
            ResourceName::BodyTemperatureDelta,
        ],
        scopes: &["daily"],
        window_days: 30,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: HOUR,
        has_history: true,
    },
    Collection {
        name: "heartrate",
        resources: &[ResourceName::Heartrate],
        scopes: &["heartrate"],
        // A request of 30 days at most, with the hours around them.
        window_days: 28,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: HOUR,
        has_history: true,
    },
    Collection {
        name: "blood_oxygen",
        resources: &[ResourceName::BloodOxygen],
        scopes: &["spo2"],
        window_days: 90,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: 4 * HOUR,
        has_history: true,
    },
    Collection {
        name: "vo2_max",
        resources: &[ResourceName::Vo2Max],
        scopes: &["heart_health"],
        window_days: 90,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: 12 * HOUR,
        has_history: true,
    },
    Collection {
        name: "workouts",
        resources: &[ResourceName::Workouts],
        scopes: &["workout"],
        window_days: 90,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: HOUR,
        has_history: true,
    },
    Collection {
        name: "profile",
        resources: &[ResourceName::Profile],
        scopes: &["personal"],
        window_days: 1,
        look_back_days: 1,
        pace_seconds: 24 * HOUR,
        has_history: false,
    },
];

/// Reads the documents of a list that belong to the days of a span, from all pages.
macro_rules! documents {
    ($session:ident, $client:ident.$list:ident, $span:ident) => {{
        let (start, end) = requested_dates($span);
        let call = $client.$list().start_date(start).end_date(end);
        let mut documents = $session.items(call).await?;
        documents.retain(|document| $span.contains(document.day));
        documents
    }};
}

/// Reads the values of a collection in a span of days.
pub(super) async fn read(
    session: &Session,
    client: &Client,
    collection: &str,
    span: Span,
) -> Result<Vec<Reading>, Refusal> {
    match collection {
        "activity" => {
            let days = documents!(session, client.list_daily_activity, span);
            Ok(days.iter().map(mapping::activity).collect())
        }
        "sleep" => {
            let nights = documents!(session, client.list_sleep, span);
            let scores = documents!(session, client.list_daily_sleep, span);
            let readiness = documents!(session, client.list_daily_readiness, span);
            let temperatures = readiness.iter().filter_map(mapping::body_temperature_delta);
            let nights = mapping::nights(&nights, &scores, &readiness);
            Ok(nights.into_iter().chain(temperatures).collect())
        }
        "heartrate" => heart_rate(session, client, span).await,
        "blood_oxygen" => {
            let days = documents!(session, client.list_daily_spo2, span);
            Ok(days.iter().filter_map(mapping::blood_oxygen).collect())
        }
        "vo2_max" => {
            let estimates = documents!(session, client.list_vo2_max, span);
            Ok(estimates.iter().filter_map(mapping::vo2_max).collect())
        }
        "workouts" => {
            let workouts = documents!(session, client.list_workouts, span);
            Ok(workouts.iter().map(mapping::workout).collect())
        }
        "profile" => {
            session.permit().await;
            let person = client.get_personal_info().send().await?.into_inner();
            Ok(mapping::person(&person, span.last))
        }
        other => Err(Refusal::Failed(format!("Oura has no collection {other}"))),
    }
}

/// Reads the samples of the days of a span, which are those of UTC: samples do not have the offset of the user.
async fn heart_rate(session: &Session, client: &Client, span: Span) -> Result<Vec<Reading>, Refusal> {
    let (start, end) = (midnight(span.first), midnight(days_after(span.last, 1)));
    let call = client
        .list_heart_rate()
        .start_datetime(start.fixed_offset())
        .end_datetime(end.fixed_offset());
    let samples = session.items(call).await?;
    let samples = samples.iter().map(mapping::heart_rate);
    Ok(samples.filter(|sample| span.contains(sample.day)).collect())
}

/// Returns the dates to ask for. The end may be exclusive, and then the evening of the last day in the west of UTC is two
/// days later.
fn requested_dates(span: Span) -> (NaiveDate, NaiveDate) {
    (days_before(span.first, 1), days_after(span.last, 2))
}
