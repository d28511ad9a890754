//! Identity and common members of summaries.

use chrono::{DateTime, FixedOffset, NaiveDate, SecondsFormat, Utc};
use jiff::tz::TimeZone;
use uuid::Uuid;
use wearlab_models::ResourceName;

use super::cycle;
use super::identity::{Identity, Stored};
use super::session::Session;
use crate::payload::write_times;
use crate::value_day::value_day;
use crate::{ArrivalSource, DataArrival, ExactObject, ExactValue, LineError};

/// Namespace of derived ids.
const NAMESPACE: Uuid = Uuid::from_u128(0x3c52_51c6_4d2b_5d0b_9f34_9a6e_22a5_7b10);

/// Identity, day and session of a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Id of the summary.
    pub id: Uuid,
    /// Day that it belongs to.
    pub day: NaiveDate,
    /// Start of its session, if it has one.
    pub start: Option<DateTime<Utc>>,
    /// End of its session, if it has one.
    pub end: Option<DateTime<Utc>>,
    /// Members that distinguish it from other summaries.
    pub identity: Identity,
    /// Id at its provider.
    pub provider_id: Option<String>,
    /// True if the service derived its id, and false if its sender assigned it.
    pub has_derived_id: bool,
    /// State in the store.
    pub stored: Stored,
    /// Ids of other stored summaries that it replaces.
    pub replaces: Vec<Uuid>,
    /// True if it is stored on another day or of another source, or replaces summaries of other days.
    pub moves: bool,
}

impl Summary {
    /// Returns whether it may match a stored summary of another id: one of its source, by its session, day or
    /// `provider_id`.
    pub(super) fn has_candidates(&self) -> bool {
        match self.identity {
            Identity::ByOverlap => true,
            Identity::ByDay => self.start.is_some() || self.provider_id.is_some(),
            Identity::ById | Identity::ByStart => false,
        }
    }

    pub(super) fn session(&self) -> Option<Session> {
        Session::of(self.start, self.end)
    }
}

/// Value with the members that every summary has.
pub(super) struct Draft {
    pub(super) value: ExactObject,
    pub(super) summary: Summary,
    /// True if its sender names no sleep for it.
    pub(super) derives_sleep: bool,
}

/// Members that the values of an arrival have in common.
pub(super) struct Context<'a> {
    arrival: &'a DataArrival,
    zone: Option<&'a TimeZone>,
    source: ExactObject,
    now: String,
}

impl<'a> Context<'a> {
    pub(super) fn new(arrival: &'a DataArrival, zone: Option<&'a TimeZone>, now: DateTime<Utc>) -> Self {
        let mut source = ExactObject::default();
        let text = |text: &str| ExactValue::String(text.to_owned());
        source.insert("provider", text(&arrival.provider));
        source.insert("type", text(arrival.source.kind()));
        let app_id = arrival.source.app_id.as_deref();
        source.insert("app_id", app_id.map_or(ExactValue::Null, text));
        Self {
            arrival,
            zone,
            source,
            now: now.to_rfc3339_opts(SecondsFormat::AutoSi, true),
        }
    }

    pub(super) fn resource(&self) -> &'a ResourceName {
        &self.arrival.resource
    }

    /// Completes a value with the members that every summary has.
    ///
    /// # Errors
    ///
    /// Returns an error if its `calendar_date` is not a date, or its stages contradict each other.
    pub(super) fn complete(&self, value: &ExactObject) -> Result<Draft, LineError> {
        let resource = &self.arrival.resource;
        let mut value = value.clone();
        value.remove_nulls();
        write_times(resource, &mut value);
        if *resource == ResourceName::SleepCycle {
            cycle::complete(&mut value)?;
        }
        let is_date = |day: &ExactValue| matches!(day, ExactValue::String(day) if day.parse::<NaiveDate>().is_ok());
        if value.get("calendar_date").is_some_and(|day| !is_date(day)) {
            return Err(LineError::new("calendar_date", "expected a date, such as 2026-01-31"));
        }
        for name in ["id", "sleep_id"] {
            write_uuid(value.get_mut(name));
        }
        let day = self.day(&value);
        let [start, end] = session(resource, &value);
        let (identity, id) = self.identity(&value, day, [start, end]);
        let provider_id = text_of(&value, "provider_id").map(str::to_owned);
        let text = |text: String| ExactValue::String(text);
        let mut whole = ExactObject::default();
        let own_id = value.remove("id");
        let has_derived_id = own_id.is_none();
        whole.insert("id", own_id.unwrap_or_else(|| text(id.to_string())));
        whole.insert("user_id", text(self.arrival.user_id.to_string()));
        whole.insert("source", ExactValue::Object(self.source.clone()));
        if resource.day_members().contains(&"calendar_date") {
            whole.insert("calendar_date", text(day.to_string()));
        }
        if resource.day_members().contains(&"date") {
            whole.insert("date", text(format!("{day}T00:00:00Z")));
        }
        let derives_sleep = *resource == ResourceName::SleepCycle && value.get("sleep_id").is_none();
        if derives_sleep {
            let sleep = start.map(|start| self.derived(&ResourceName::Sleep, &at(start)));
            whole.insert("sleep_id", text(sleep.unwrap_or(id).to_string()));
        }
        let given: Vec<_> = whole.iter().map(|(name, _)| name.to_owned()).collect();
        for (name, member) in value.into_members() {
            if !SERVICE_FIELDS.contains(&name.as_str()) && !given.contains(&name) {
                whole.push(name, member);
            }
        }
        for name in ["created_at", "updated_at"] {
            whole.insert(name, text(self.now.clone()));
        }
        Ok(Draft {
            value: whole,
            summary: Summary {
                id,
                day,
                start,
                end,
                identity,
                provider_id,
                has_derived_id,
                stored: Stored::Missing,
                replaces: Vec::new(),
                moves: false,
            },
            derives_sleep,
        })
    }

    /// Returns the day of a value: the one that it names; or, of a historical pull, that of its time; or that of the
    /// arrival.
    fn day(&self, value: &ExactObject) -> NaiveDate {
        let named = match value.get("calendar_date") {
            Some(ExactValue::String(text)) => text.parse().ok(),
            _ => None,
        };
        let resource = &self.arrival.resource;
        let own_day = || match (&self.arrival.pull, resource.identity()) {
            (Some(_), _) | (None, Some("period")) => value_day(resource, value, self.zone),
            _ => None,
        };
        named.or_else(own_day).unwrap_or(self.arrival.date)
    }

    /// Returns the identity of a value, and its sent or derived id.
    fn identity(&self, value: &ExactObject, day: NaiveDate, times: [Option<DateTime<Utc>>; 2]) -> (Identity, Uuid) {
        let resource = &self.arrival.resource;
        if let Some(id) = text_of(value, "id") {
            let id = Uuid::parse_str(id).unwrap_or_else(|_| self.derived(resource, &format!("id:{id}")));
            return (Identity::ById, id);
        }
        let (identity, key) = match (resource.identity(), text_of(value, "provider_id"), times) {
            (Some("user"), ..) => (Identity::ById, resource.as_str().to_owned()),
            (Some("day"), ..) => (Identity::ByDay, format!("day:{day}")),
            (_, Some(id), _) => (Identity::ById, format!("provider_id:{id}")),
            (Some("overlap"), None, [Some(start), Some(_)]) => (Identity::ByOverlap, at(start)),
            (_, None, [Some(start), _]) => (Identity::ByStart, at(start)),
            (_, None, [None, _]) => (Identity::ByStart, format!("day:{day}")),
        };
        (identity, self.derived(resource, &key))
    }

    /// Returns the id of a summary if another one has the id that is derived first: of its `provider_id`, or of its
    /// times. The number distinguishes it from summaries whose times have changed since.
    pub(super) fn numbered_id(&self, summary: &Summary, number: u32) -> Uuid {
        let Summary { day, start, end, .. } = summary;
        let key = match &summary.provider_id {
            Some(id) => format!("day:{day}:{id:?}:{number}"),
            None => {
                let times = [start, end].map(|time| time.map(|time| time.timestamp_micros()));
                format!("day:{day}:{times:?}:{number}")
            }
        };
        self.derived(&self.arrival.resource, &key)
    }

    /// Merges a complete value into a stored document. Returns the stored one, and true, if both have the same content:
    /// both are compared as they are completed now, whatever version stored the earlier one.
    pub(super) fn corrected(&self, stored: &ExactObject, mut value: ExactObject) -> (ExactObject, bool) {
        if let Some(created) = stored.get("created_at") {
            value.insert("created_at", created.clone());
        }
        let Ok(Draft { value: mut earlier, .. }) = self.complete(stored) else {
            return (value, false);
        };
        for name in ["source", "created_at", "updated_at"] {
            if let Some(member) = stored.get(name) {
                earlier.insert(name, member.clone());
            }
        }
        let canonical = |object: &ExactObject| {
            let mut object = object.clone();
            object.remove("updated_at");
            let mut text = String::new();
            object.push_canonical(&mut text);
            text
        };
        match canonical(&earlier) == canonical(&value) {
            true => (earlier, true),
            false => (value, false),
        }
    }

    fn derived(&self, resource: &ResourceName, key: &str) -> Uuid {
        let ArrivalSource { type_, app_id } = self.arrival.source.clone().normalized();
        let parts = (
            self.arrival.user_id,
            &self.arrival.provider,
            type_,
            app_id,
            resource.as_str(),
            key,
        );
        let name = serde_json::to_vec(&parts).unwrap_or_default();
        Uuid::new_v5(&NAMESPACE, &name)
    }
}

/// Members that only the service sets.
const SERVICE_FIELDS: &[&str] = &[
    "user_id",
    "source",
    "source_provider",
    "source_type",
    "calendar_date",
    "date",
    "created_at",
    "updated_at",
];

fn text_of<'v>(value: &'v ExactObject, name: &str) -> Option<&'v str> {
    match value.get(name) {
        Some(ExactValue::String(text)) => Some(text),
        _ => None,
    }
}

/// Normalises a UUID: with hyphens, in lower case.
fn write_uuid(member: Option<&mut ExactValue>) {
    if let Some(ExactValue::String(text)) = member
        && let Ok(id) = Uuid::parse_str(text)
    {
        *text = id.to_string();
    }
}

fn at(start: DateTime<Utc>) -> String {
    format!("at:{}", start.timestamp_micros())
}

/// Returns the start and the end of the session of a value.
fn session(resource: &ResourceName, value: &ExactObject) -> [Option<DateTime<Utc>>; 2] {
    let time = |name: &str| match value.get(name) {
        Some(ExactValue::String(text)) => text.parse::<DateTime<FixedOffset>>().ok().map(|time| time.to_utc()),
        _ => None,
    };
    match (resource.identity(), resource.times()) {
        (Some("user"), _) => [None, None],
        // A day has no times, unless it is one of several, such as a cycle from sleep to sleep.
        (Some("day"), _) => [time("start"), time("end")],
        (Some("period"), _) => {
            let day = match value.get("period_start") {
                Some(ExactValue::String(text)) => text.parse::<NaiveDate>().ok(),
                _ => None,
            };
            let midnight = day.and_then(|day| day.and_hms_opt(0, 0, 0));
            [midnight.map(|time| time.and_utc()), None]
        }
        (_, [start, end]) => [time(start), time(end)],
        _ => [time("timestamp"), None],
    }
}
