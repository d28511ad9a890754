//! The collection, and its requests.
//!
//! Glucose is in all three lists, and a resource belongs to one collection.

use chrono::NaiveDate;
use wearlab_connect::{Collection, Reading, Refusal, Session, Span};
use wearlab_models::ResourceName;

use super::generated::client::Client;
use super::mapping;
use crate::days::{days_after, days_before};

const HOUR: u32 = 3_600;

pub(super) static COLLECTIONS: &[Collection] = &[Collection {
    name: "records",
    resources: &[
        ResourceName::Glucose,
        ResourceName::Carbohydrates,
        ResourceName::InsulinInjection,
        ResourceName::WorkoutDuration,
        ResourceName::Note,
    ],
    scopes: &["offline_access"],
    // A request of 30 days at most, with the days around them.
    window_days: 28,
    // A phone may upload weeks late, and events are edited. A request of so many days is one, like that of fewer.
    look_back_days: 26,
    pace_seconds: HOUR,
    has_history: true,
}];

/// Reads the records of a list that may belong to the days of a span, and converts them.
macro_rules! readings {
    ($session:ident, $client:ident.$list:ident, $span:ident, $convert:path) => {{
        let (start, end) = requested_dates($span);
        $session.permit().await;
        let list = $client.$list(start, end).send().await?.into_inner();
        $convert(&list.records)?
    }};
}

/// Reads the values of a collection in a span of days.
pub(super) async fn read(
    session: &Session,
    client: &Client,
    collection: &str,
    span: Span,
) -> Result<Vec<Reading>, Refusal> {
    if collection != "records" {
        return Err(Refusal::Failed(format!("Dexcom has no collection {collection}")));
    }
    let mut readings = readings!(session, client.list_egvs, span, mapping::egvs);
    readings.extend(readings!(
        session,
        client.list_calibrations,
        span,
        mapping::calibrations
    ));
    readings.extend(readings!(session, client.list_events, span, mapping::events));
    readings.retain(|reading| span.contains(reading.day));
    Ok(readings)
}

/// Returns the times of UTC to request, without an offset. A day of the user may begin 14 hours before that of UTC, and end
/// 12 hours after it.
fn requested_dates(span: Span) -> (String, String) {
    (midnight(days_before(span.first, 1)), midnight(days_after(span.last, 2)))
}

fn midnight(day: NaiveDate) -> String {
    format!("{day}T00:00:00")
}
