//! Notices: the id of one record each, and no values. An operator sets their URL in the dashboard of the application.
//!
//! | notice | what follows |
//! |---|---|
//! | `workout.updated` | workouts of the last days are read again, and those of the day of the workout |
//! | `sleep.updated`, `recovery.updated` | the same for cycles, with the day of the sleep, whose id a recovery has |
//! | `workout.deleted`, `sleep.deleted` | the workout or the sleep is removed; samples stay |
//! | `recovery.deleted` | cycles of the day of its sleep are read again, without the recovery |
//!
//! There are none for cycles, the body and the end of a grant.

use std::time::Duration;

use reqwest::Method;
use wearlab_connect::{
    Change, Document, Encoding, Notice, NoticeRequest, NoticeResponse, NoticeSecrets, Received, SignatureScheme,
    Timestamp, TimestampUnit,
};
use wearlab_models::ResourceName;

use super::generated::models::{self, NoticeType};

/// Signature with the secret of the client over the timestamp and the body.
const SIGNATURE: SignatureScheme = SignatureScheme {
    header: "x-whoop-signature",
    encoding: Encoding::Base64,
    timestamp: Some(Timestamp {
        header: "x-whoop-signature-timestamp",
        unit: TimestampUnit::Milliseconds,
        // It is repeated for about an hour, and may keep its first time.
        tolerance: Duration::from_secs(75 * 60),
    }),
};

/// Reads a request to the address of notices.
pub(super) fn receive(request: &NoticeRequest<'_>, secrets: &NoticeSecrets) -> Received {
    if *request.method != Method::POST {
        return Received::Forged {
            response: NoticeResponse::new(405),
            reason: "it is not a POST",
        };
    }
    if let Err(reason) = SIGNATURE.verify(request, &[&secrets.client_secret]) {
        return Received::Forged {
            response: NoticeResponse::new(401),
            reason,
        };
    }
    let notice = serde_json::from_slice(request.body).ok().and_then(read);
    Received::Notices {
        response: NoticeResponse::new(200),
        unreadable: usize::from(notice.is_none()),
        notices: notice.into_iter().collect(),
    }
}

/// Returns the meaning of a notice. None if it is of a kind that is not known.
fn read(notice: models::Notice) -> Option<Notice> {
    let document = |resources| Document {
        resources,
        provider_id: notice.id.to_string(),
    };
    let (workout, sleep) = (&[ResourceName::Workouts], &[ResourceName::Sleep]);
    let change = match notice.type_ {
        NoticeType::WorkoutUpdated => Change::Document {
            collections: &["workouts"],
            document: document(workout),
        },
        NoticeType::SleepUpdated | NoticeType::RecoveryUpdated | NoticeType::RecoveryDeleted => Change::Document {
            collections: &["cycles"],
            document: document(sleep),
        },
        NoticeType::WorkoutDeleted => Change::Deleted {
            collection: "workouts",
            document: document(workout),
        },
        NoticeType::SleepDeleted => Change::Deleted {
            collection: "cycles",
            document: document(sleep),
        },
        _ => return None,
    };
    Some(Notice {
        provider_user_id: notice.user_id.to_string(),
        change,
    })
}
