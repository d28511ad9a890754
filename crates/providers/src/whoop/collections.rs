//! Collections, and the requests for each.
//!
//! The cycles of a span need its sleeps and recoveries, too, and requests of an application are few: they are one
//! collection, whose lists are each requested once.

use chrono::NaiveDate;
use wearlab_connect::{Collection, Reading, Refusal, Session, Span, found};
use wearlab_models::{DateTime, ResourceName};

use super::generated::client::Client;
use super::mapping;
use crate::days::{days_after, days_before, midnight};

/// Nights are edited for days, and a phone may synchronise a week late.
const LOOK_BACK_DAYS: u32 = 8;
/// Records of a page: the most that are allowed.
const PAGE_RECORDS: i64 = 25;

const HOUR: u32 = 3_600;

pub(super) static COLLECTIONS: &[Collection] = &[
    Collection {
        name: "cycles",
        resources: &[
            ResourceName::Activity,
            ResourceName::Sleep,
            ResourceName::Hrv,
            ResourceName::RespiratoryRate,
            ResourceName::BloodOxygen,
            ResourceName::BodyTemperature,
        ],
        scopes: &["read:cycles", "read:sleep", "read:recovery"],
        window_days: 60,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: 2 * HOUR,
        has_history: true,
    },
    Collection {
        name: "workouts",
        resources: &[ResourceName::Workouts],
        scopes: &["read:workout"],
        window_days: 60,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: 2 * HOUR,
        has_history: true,
    },
    Collection {
        name: "profile",
        resources: &[ResourceName::Profile],
        scopes: &["read:body_measurement"],
        window_days: 1,
        look_back_days: 1,
        pace_seconds: 24 * HOUR,
        has_history: false,
    },
];

/// Reads the records of a list that may belong to the days of a span, from all pages.
macro_rules! records {
    ($session:ident, $client:ident.$list:ident, $span:ident) => {{
        let (start, end) = requested_times($span);
        let call = $client.$list().limit(PAGE_RECORDS).start(start).end(end);
        $session.items(call).await?
    }};
}

/// Reads the values of a collection in a span of days.
pub(super) async fn read(
    session: &Session,
    client: &Client,
    collection: &str,
    span: Span,
) -> Result<Vec<Reading>, Refusal> {
    let mut readings = match collection {
        "cycles" => {
            let cycles = records!(session, client.list_cycles, span);
            let sleeps = records!(session, client.list_sleep, span);
            let recoveries = records!(session, client.list_recoveries, span);
            mapping::cycles(&cycles, &sleeps, &recoveries)
        }
        "workouts" => {
            let workouts = records!(session, client.list_workouts, span);
            workouts.iter().map(mapping::workout).collect()
        }
        "profile" => {
            session.permit().await;
            match client.get_body_measurement().send().await.map_err(Refusal::from) {
                Ok(body) => mapping::profile(&body, span.last).into_iter().collect(),
                Err(Refusal::NotFound) => Vec::new(),
                Err(refusal) => return Err(refusal),
            }
        }
        other => return Err(Refusal::Failed(format!("WHOOP has no collection {other}"))),
    };
    readings.retain(|reading| span.contains(reading.day));
    Ok(readings)
}

/// Reads the day of a workout, or of a sleep, which belongs to cycles. None if it is gone.
pub(super) async fn day_of(
    session: &Session,
    client: &Client,
    collection: &str,
    id: &str,
) -> Result<Option<NaiveDate>, Refusal> {
    let Ok(id) = id.parse() else {
        return Ok(None);
    };
    session.permit().await;
    Ok(match collection {
        "workouts" => {
            let workout = found(client.get_workout(id).send().await.map_err(Refusal::from))?;
            workout.map(|workout| mapping::day_of_workout(&workout))
        }
        _ => {
            let sleep = found(client.get_sleep(id).send().await.map_err(Refusal::from))?;
            sleep.map(|sleep| mapping::day_of_sleep(&sleep))
        }
    })
}

/// Returns the times to request: two days more on both sides. A record is of the day on which its sleep ends, in the time of
/// the user. A cycle begins on the day before, and a day begins up to 14 hours before that of UTC, or ends up to 12 after it.
fn requested_times(span: Span) -> (DateTime, DateTime) {
    let (start, end) = (midnight(days_before(span.first, 2)), midnight(days_after(span.last, 2)));
    (start.fixed_offset(), end.fixed_offset())
}
