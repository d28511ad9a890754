//! Notices: a reference to the data of one event each, and no values.
//!
//! | event | read again | days |
//! |---|---|---|
//! | `EXERCISE` | workouts | the last ones, which are all that can be listed |
//! | `SLEEP` | sleep with its recharge, measurements | that of the night, and the evening before |
//! | `CONTINUOUS_HEART_RATE` | heart rate | that of the notice |
//! | `ACTIVITY_SUMMARY` | activity | that of the notice |
//! | `PHYSICAL_INFORMATION` | profile | |
//!
//! There are none for recharge and measurements, which come with the night, for deletions, and for the end of a grant.
//!
//! Notices are signed with a secret that Polar tells once, when the webhook is made. It is not kept, since a connector keeps no
//! state: notices rely on the secret of the path. What they name is never requested by their `url`.

use chrono::NaiveDate;
use reqwest::Method;
use wearlab_connect::{Change, Notice, NoticeRequest, NoticeResponse, Received, Span};

use super::generated::models::{self, EventType};
use crate::days::days_before;

/// Event whose notices are read.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) event: EventType,
    /// Collections that are read.
    collections: &'static [&'static str],
    /// Days before that of the notice that are read, too.
    days_before: u32,
}

pub(super) static KINDS: &[Kind] = &[
    Kind {
        event: EventType::Exercise,
        collections: &["workouts"],
        days_before: 0,
    },
    Kind {
        event: EventType::Sleep,
        collections: &["sleep", "measurements"],
        days_before: 1,
    },
    Kind {
        event: EventType::ContinuousHeartRate,
        collections: &["heartrate"],
        days_before: 0,
    },
    Kind {
        event: EventType::ActivitySummary,
        collections: &["activity"],
        days_before: 0,
    },
    Kind {
        event: EventType::PhysicalInformation,
        collections: &["profile"],
        days_before: 0,
    },
];

/// Reads a request to the address of notices: the check of a webhook, or a notice.
pub(super) fn receive(request: &NoticeRequest<'_>) -> Received {
    if *request.method != Method::POST {
        return Received::Forged {
            response: NoticeResponse::new(405),
            reason: "it is not a POST",
        };
    }
    let notice: Option<models::Notice> = serde_json::from_slice(request.body).ok();
    if notice.as_ref().is_some_and(|notice| notice.event == EventType::Ping) {
        return Received::Check(NoticeResponse::new(200));
    }
    let notice = notice.and_then(read);
    Received::Notices {
        response: NoticeResponse::new(200),
        unreadable: usize::from(notice.is_none()),
        notices: notice.into_iter().collect(),
    }
}

/// Returns the meaning of a notice. None if it has no person, or its event is not one of the webhook.
fn read(notice: models::Notice) -> Option<Notice> {
    let kind = KINDS.iter().find(|kind| kind.event == notice.event)?;
    let days = |last: NaiveDate| Span {
        first: days_before(last, kind.days_before.into()),
        last,
    };
    Some(Notice {
        provider_user_id: notice.user_id?.to_string(),
        change: Change::Data {
            collections: kind.collections,
            days: notice.date.map(days),
            document: None,
        },
    })
}
