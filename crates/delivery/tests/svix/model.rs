//! In-memory model of a Svix server: ids, uids, event types, paging.

use std::collections::HashMap;

use axum::body::Bytes;
use chrono::Utc;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The largest payload in bytes.
pub(crate) const LARGEST: usize = 1024 * 1024;

type Query<'a> = HashMap<&'a str, &'a str>;

/// Applications and messages of one environment.
#[derive(Default)]
pub(crate) struct Store {
    pub(crate) applications: Vec<Value>,
    pub(crate) messages: Vec<Stored>,
    ids: u32,
}

/// A message.
pub(crate) struct Stored {
    pub(crate) app_id: String,
    pub(crate) event_id: Option<String>,
    /// The server's description, without the payload.
    pub(crate) described: Value,
    /// The payload byte for byte.
    pub(crate) payload: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageIn {
    event_id: Option<String>,
    event_type: String,
    payload: Box<RawValue>,
    channels: Option<Vec<String>>,
    tags: Option<Vec<String>>,
}

pub(crate) enum Refusal {
    NotFound,
    Conflict,
    TooLarge,
    /// The invalid field of the body, or parameter.
    Invalid(&'static str, &'static str),
}

impl Refusal {
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::NotFound => 404,
            Self::Conflict => 409,
            Self::TooLarge => 413,
            Self::Invalid(..) => 422,
        }
    }

    pub(crate) fn body(&self) -> Value {
        match self {
            Self::NotFound => json!({"code": "not_found", "detail": "Entity not found"}),
            Self::Conflict => json!({"code": "conflict", "detail": "A conflict has occurred"}),
            Self::TooLarge => json!({"code": "payload_too_large", "detail": "Payload too large"}),
            Self::Invalid(part, field) => {
                json!({"detail": [{"loc": [part, field], "msg": "Validation error", "type": "value_error"}]})
            }
        }
    }
}

impl Store {
    fn id(&mut self, prefix: &str) -> String {
        self.ids += 1;
        format!("{prefix}{:027}", self.ids)
    }

    pub(crate) fn make_application(&mut self, body: &Bytes, query: &Query) -> Result<(u16, Value), Refusal> {
        let body: Value = serde_json::from_slice(body).map_err(|_| Refusal::Invalid("body", "."))?;
        let name = body["name"].as_str().filter(|name| !name.is_empty());
        let name = name.ok_or(Refusal::Invalid("body", "name"))?;
        let uid = body["uid"].as_str();
        if uid.is_some_and(|uid| !is_name(uid) || uid.starts_with("app_")) {
            return Err(Refusal::Invalid("body", "uid"));
        }
        if let Some(existing) = uid.and_then(|uid| self.application(uid).ok()) {
            return match query.get("get_if_exists") {
                Some(&"true") => Ok((200, existing)),
                _ => Err(Refusal::Conflict),
            };
        }
        let mut application = json!({
            "id": self.id("app_"), "name": name, "metadata": {},
            "createdAt": Utc::now().to_rfc3339(), "updatedAt": Utc::now().to_rfc3339(),
        });
        if let Some(uid) = uid {
            application["uid"] = uid.into();
        }
        self.applications.push(application.clone());
        Ok((201, application))
    }

    pub(crate) fn application(&self, id_or_uid: &str) -> Result<Value, Refusal> {
        let found = self.applications.iter().find(|application| {
            [&application["id"], &application["uid"]]
                .into_iter()
                .any(|name| name == id_or_uid)
        });
        found.cloned().ok_or(Refusal::NotFound)
    }

    fn app_id(&self, id_or_uid: &str) -> Result<String, Refusal> {
        let application = self.application(id_or_uid)?;
        Ok(application["id"].as_str().expect("an id").to_owned())
    }

    pub(crate) fn make_message(&mut self, app: &str, body: &Bytes, query: &Query) -> Result<(u16, Value), Refusal> {
        let message: MessageIn = serde_json::from_slice(body).map_err(|_| Refusal::Invalid("body", "."))?;
        let payload = message.payload.get();
        if payload.len() > LARGEST {
            return Err(Refusal::TooLarge);
        }
        if !is_name(&message.event_type) {
            return Err(Refusal::Invalid("body", "eventType"));
        }
        if !payload.starts_with('{') {
            return Err(Refusal::Invalid("body", "payload"));
        }
        if let Some(id) = &message.event_id
            && (!is_name(id) || id.starts_with("msg_"))
        {
            return Err(Refusal::Invalid("body", "eventId"));
        }
        if let Some(channels) = &message.channels
            && (!(1..=5).contains(&channels.len()) || !channels.iter().all(|channel| is_name(channel)))
        {
            return Err(Refusal::Invalid("body", "channels"));
        }
        let app_id = self.app_id(app)?;
        // Event ids are unique across all applications.
        if message.event_id.is_some() && self.messages.iter().any(|stored| stored.event_id == message.event_id) {
            return Err(Refusal::Conflict);
        }
        let described = json!({
            "id": self.id("msg_"), "eventId": message.event_id, "eventType": message.event_type,
            "channels": message.channels, "tags": message.tags, "timestamp": Utc::now().to_rfc3339(),
        });
        let stored = Stored {
            app_id,
            event_id: message.event_id,
            described,
            payload: payload.to_owned(),
        };
        let response = stored.describe(query);
        self.messages.push(stored);
        Ok((202, response))
    }

    pub(crate) fn message(&self, app: &str, id: &str, query: &Query) -> Result<Value, Refusal> {
        let app_id = self.app_id(app)?;
        let mut messages = self.messages.iter().filter(|stored| stored.app_id == app_id);
        let found = messages.find(|stored| stored.described["id"] == id || stored.event_id.as_deref() == Some(id));
        found.map(|stored| stored.describe(query)).ok_or(Refusal::NotFound)
    }

    /// A page of messages, newest first.
    pub(crate) fn list(&self, app: &str, query: &Query) -> Result<Value, Refusal> {
        let app_id = self.app_id(app)?;
        let limit: usize = query.get("limit").map_or(Ok(50), |limit| limit.parse()).unwrap_or(0);
        if !(1..=250).contains(&limit) {
            return Err(Refusal::Invalid("query", "limit"));
        }
        let is_listed = |stored: &&Stored| {
            let before = query
                .get("iterator")
                .is_none_or(|last| stored.described["id"].as_str() < Some(last));
            let channels = stored.described["channels"].as_array();
            let in_channel = (query.get("channel"))
                .is_none_or(|wanted| channels.is_some_and(|channels| channels.iter().any(|channel| channel == wanted)));
            stored.app_id == app_id && before && in_channel
        };
        let mut listed: Vec<_> = self.messages.iter().rev().filter(is_listed).collect();
        let done = listed.len() <= limit;
        listed.truncate(limit);
        let data: Vec<_> = listed.into_iter().map(|stored| stored.describe(query)).collect();
        let iterator = data.last().map(|last| last["id"].clone());
        Ok(json!({"data": data, "iterator": iterator, "prevIterator": null, "done": done}))
    }
}

impl Stored {
    fn describe(&self, query: &Query) -> Value {
        let mut described = self.described.clone();
        described["payload"] = match query.get("with_content") {
            Some(&"false") => json!({}),
            _ => serde_json::from_str(&self.payload).expect("JSON"),
        };
        described
    }
}

/// Returns whether a text is valid as a uid, an event type or a channel.
fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=256).contains(&text.len()) && text.bytes().all(fits)
}
