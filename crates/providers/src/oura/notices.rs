//! Notices: a reference to one document each, and no values. The last days are read again, and those that the store has of
//! the document, since a notice does not have its day.
//!
//! | kind of document | read again | a deletion removes |
//! |---|---|---|
//! | `daily_activity` | activity, heart rate | activity |
//! | `sleep` | sleep, heart rate | sleep, sleep cycle |
//! | `daily_sleep`, `daily_readiness` | sleep | |
//! | `daily_spo2` | blood oxygen | |
//! | `vo2_max` | VO2 max | |
//! | `workout` | workouts, heart rate | workouts |
//!
//! There are none for heart rate and the person. Heart rate comes with the other data of a synchronisation. Samples of
//! deleted documents stay.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use wearlab_connect::{
    Change, Document, Encoding, Notice, NoticeRequest, NoticeResponse, NoticeSecrets, Received, SignatureScheme,
    Timestamp, TimestampUnit,
};
use wearlab_models::ResourceName;

use super::generated::models::{self, DataType, EventType};

/// Signature with the secret of the client over the timestamp and the body.
const SIGNATURE: SignatureScheme = SignatureScheme {
    header: "x-oura-signature",
    encoding: Encoding::Hex,
    timestamp: Some(Timestamp {
        header: "x-oura-timestamp",
        unit: TimestampUnit::Seconds,
        tolerance: Duration::from_secs(300),
    }),
};

/// Kind of document whose notices are read.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) data_type: DataType,
    /// Collections that are read. The first one has the document.
    collections: &'static [&'static str],
    /// Resources of summaries whose `provider_id` is the id of the document.
    summaries: &'static [ResourceName],
}

pub(super) static KINDS: &[Kind] = &[
    Kind {
        data_type: DataType::DailyActivity,
        collections: &["activity", "heartrate"],
        summaries: &[ResourceName::Activity],
    },
    Kind {
        data_type: DataType::Sleep,
        collections: &["sleep", "heartrate"],
        summaries: &[ResourceName::Sleep, ResourceName::SleepCycle],
    },
    Kind {
        data_type: DataType::DailySleep,
        collections: &["sleep"],
        summaries: &[],
    },
    Kind {
        data_type: DataType::DailyReadiness,
        collections: &["sleep"],
        summaries: &[],
    },
    Kind {
        data_type: DataType::DailySpo2,
        collections: &["blood_oxygen"],
        summaries: &[],
    },
    Kind {
        data_type: DataType::Vo2Max,
        collections: &["vo2_max"],
        summaries: &[],
    },
    Kind {
        data_type: DataType::Workout,
        collections: &["workouts", "heartrate"],
        summaries: &[ResourceName::Workouts],
    },
];

/// Reads a request to the address of notices: the check of a subscription, or a notice.
pub(super) fn receive(request: &NoticeRequest<'_>, secrets: &NoticeSecrets) -> Received {
    if *request.method != Method::POST {
        return check(request, secrets);
    }
    if let Err(reason) = SIGNATURE.verify(request, &[&secrets.client_secret]) {
        return forged(reason);
    }
    let (notices, unreadable) = match serde_json::from_slice::<models::Notice>(request.body) {
        Ok(notice) => (read(notice).into_iter().collect(), 0),
        Err(_) => (Vec::new(), 1),
    };
    Received::Notices {
        response: NoticeResponse::new(200),
        notices,
        unreadable,
    }
}

/// Responds to the call of the URL while a subscription is made.
fn check(request: &NoticeRequest<'_>, secrets: &NoticeSecrets) -> Received {
    let token = request.parameter("verification_token").unwrap_or_default();
    match request.parameter("challenge") {
        Some(challenge) if secrets.is_verification_token(&token) => {
            Received::Check(NoticeResponse::json(200, json!({ "challenge": challenge })))
        }
        _ => forged("it checks the address with another verification token"),
    }
}

fn forged(reason: &'static str) -> Received {
    Received::Forged {
        response: NoticeResponse::new(401),
        reason,
    }
}

/// Returns the meaning of a notice. None if it is about a kind of document that is not read.
pub(super) fn read(notice: models::Notice) -> Option<Notice> {
    let kind = KINDS.iter().find(|kind| kind.data_type == notice.data_type)?;
    let document = Document {
        resources: kind.summaries,
        provider_id: notice.object_id,
    };
    let change = match (&notice.event_type, kind.summaries) {
        (EventType::Delete, [_, ..]) => Change::Deleted {
            collection: kind.collections[0],
            document,
        },
        _ => Change::Data {
            collections: kind.collections,
            days: None,
            document: Some(document),
        },
    };
    Some(Notice {
        provider_user_id: notice.user_id,
        change,
    })
}
