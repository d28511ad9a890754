//! Notices: a reference to one activity each, and no values, or the end of a grant.
//!
//! | notice | what follows |
//! |---|---|
//! | an activity is made or changed | workouts of the last days are read again, and those of its day, which the store or the activity has: a notice does not |
//! | an activity is deleted, or is not visible to the grant any more | the workout is removed; its samples stay |
//! | an athlete has ended the grant, or is deleted | the connection ends |
//! | an athlete is changed otherwise | the profile is read again |
//!
//! An activity whose length or route is edited causes no notice. Some applications get signed notices, and others rely on the
//! secret of the path: a signature that is there must be right.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde_json::json;
use wearlab_connect::{
    Change, Document, Notice, NoticeRequest, NoticeResponse, NoticeSecrets, Received, TimestampedSignature,
};
use wearlab_kit_types::JsonObject;
use wearlab_models::ResourceName;

use super::generated::models::{self, AspectType, ObjectType};

/// Signature with the secret of the client.
const SIGNATURE: TimestampedSignature = TimestampedSignature {
    header: "x-strava-signature",
    tolerance: Duration::from_secs(300),
};

/// Reads a request to the address of notices: the check of a subscription, or a notice.
pub(super) fn receive(request: &NoticeRequest<'_>, secrets: &NoticeSecrets) -> Received {
    if *request.method != Method::POST {
        return check(request, secrets);
    }
    if request.headers.contains_key(SIGNATURE.header)
        && let Err(reason) = SIGNATURE.verify(request, &[&secrets.client_secret])
    {
        return forged(reason);
    }
    let notice = serde_json::from_slice(request.body).ok();
    let notice = notice.and_then(|notice| read(notice, request.received));
    Received::Notices {
        response: NoticeResponse::new(200),
        unreadable: usize::from(notice.is_none()),
        notices: notice.into_iter().collect(),
    }
}

/// Responds to the call of the URL while a subscription is made.
fn check(request: &NoticeRequest<'_>, secrets: &NoticeSecrets) -> Received {
    let is_subscription = request.parameter("hub.mode").is_some_and(|mode| mode == "subscribe");
    let token = request.parameter("hub.verify_token").unwrap_or_default();
    match request.parameter("hub.challenge") {
        Some(challenge) if is_subscription && secrets.is_verification_token(&token) => {
            Received::Check(NoticeResponse::json(200, json!({ "hub.challenge": challenge })))
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

/// Returns the meaning of a notice. None if it is of a kind that is not known.
fn read(notice: models::Notice, received: DateTime<Utc>) -> Option<Notice> {
    let document = || Document {
        resources: &[ResourceName::Workouts],
        provider_id: notice.object_id.to_string(),
    };
    let sent = notice.event_time.and_then(|time| DateTime::from_timestamp(time, 0));
    let deauthorised = Change::Deauthorised {
        at: sent.unwrap_or(received),
    };
    let change = match (&notice.object_type, &notice.aspect_type) {
        (ObjectType::Activity, AspectType::Create | AspectType::Update) => Change::Document {
            collections: &["workouts"],
            document: document(),
        },
        (ObjectType::Activity, AspectType::Delete) => Change::Deleted {
            collection: "workouts",
            document: document(),
        },
        (ObjectType::Athlete, AspectType::Delete) => deauthorised,
        (ObjectType::Athlete, AspectType::Update) if ends_grant(&notice.updates) => deauthorised,
        (ObjectType::Athlete, AspectType::Create | AspectType::Update) => Change::Data {
            collections: &["profile"],
            days: None,
            document: None,
        },
        _ => return None,
    };
    Some(Notice {
        provider_user_id: notice.owner_id.to_string(),
        change,
    })
}

/// Returns whether the updates of an athlete end the grant. They are texts.
fn ends_grant(updates: &JsonObject) -> bool {
    let authorized = updates.get("authorized");
    authorized.is_some_and(|authorized| *authorized == json!("false") || *authorized == json!(false))
}
