//! Simulated events, to test a consumer.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use wearlab_ingest::DataKind;
use wearlab_labs::most_similar;
use wearlab_models::{Event, ResourceName};
use wearlab_store::{Envelope, has_control_characters};

/// Error of an unknown event type.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownType {
    /// The type does not belong to a family.
    #[error("is an unknown event type; known types: {types}", types = Event::TYPES.join(", "))]
    Family,
    /// The type belongs to a family, but its resource is not in the document: no destination would get such an event.
    #[error("is of an unknown resource{hint}")]
    Resource {
        /// Nearest known resource, or where they are listed.
        hint: String,
    },
}

impl UnknownType {
    fn resource(name: &str) -> Self {
        let known = ResourceName::KNOWN.iter().map(ResourceName::as_str);
        let hint = most_similar(name, known).map_or_else(
            || "; known resources: ResourceName in /openapi.json".to_owned(),
            |known| format!("; did you mean `{known}`?"),
        );
        Self::Resource { hint }
    }
}

/// Creates an event of a type, such as `daily.data.steps.created`, with simulated data of today.
///
/// # Errors
///
/// If no event has such a type.
pub fn event(event_type: &str, envelope: Envelope, now: DateTime<Utc>) -> Result<Event, UnknownType> {
    let unknown = || UnknownType::Family;
    let parts: Vec<_> = event_type.split('.').collect();
    let is_word = |part: &&str| !part.is_empty() && !part.contains(char::is_whitespace);
    if has_control_characters(event_type) || !parts.iter().all(is_word) {
        return Err(unknown());
    }
    let data = match parts.as_slice() {
        ["provider", "connection", "created"] => connection(&envelope),
        ["provider", "connection", "error"] => failure(&envelope, now),
        ["labtest", "order", "created"] => order(&envelope, now, &["received.walk_in_test.ordered"]),
        ["labtest", "order", "updated"] => {
            let steps = [
                "received.walk_in_test.ordered",
                "received.walk_in_test.requisition_created",
            ];
            order(&envelope, now, &steps)
        }
        ["labtest", "result", "created"] => results(&envelope, now),
        ["historical", "data" | "timeseries", resource, "created"] => historical(resource, now),
        ["daily", "data" | "timeseries", resource, "created" | "updated"] => daily(values(resource, now)),
        ["daily", "data", resource, "deleted"] => daily(deleted(resource, now)),
        _ => return Err(unknown()),
    };
    if let ["historical" | "daily", _, resource, _] = parts.as_slice()
        && matches!(ResourceName::from(*resource), ResourceName::Other(_))
    {
        return Err(UnknownType::resource(resource));
    }
    let mut payload = json!({
        "event_type": event_type,
        "client_user_id": envelope.client_user_id,
        "team_id": envelope.team_id,
        "event_id": envelope.event_id,
        "data": data,
    });
    // The event of a connection has the user in its data.
    if parts[0] != "provider" {
        payload["user_id"] = json!(envelope.user_id);
    }
    let event: Event = serde_json::from_value(payload).map_err(|_| unknown())?;
    match event {
        Event::Unknown(_) => Err(unknown()),
        event => Ok(event),
    }
}

fn connection(envelope: &Envelope) -> Value {
    let provider = json!({
        "name": "Stridewell", "slug": "stridewell", "logo": "https://cdn.wearlab.example/logos/stridewell.svg",
    });
    let none = json!({"required": [], "optional": []});
    let granted = json!({"required": ["steps.read"], "optional": []});
    json!({
        "user_id": envelope.user_id,
        "provider": provider,
        "source": provider,
        "resource_availability": {
            "steps": {
                "status": "available",
                "scope_requirements": {"user_granted": granted, "user_denied": none},
            },
        },
    })
}

fn failure(envelope: &Envelope, now: DateTime<Utc>) -> Value {
    json!({
        "user_id": envelope.user_id,
        "provider": "stridewell",
        "error_details": {
            "error_type": "token_refresh_refused",
            "error_message": "The provider no longer accepts the stored grant.",
            "errored_at": now,
        },
    })
}

/// Creates an order with some steps, an hour apart, at the last of them. No such order is stored: its id is that of the
/// user.
fn order(envelope: &Envelope, now: DateTime<Utc>, steps: &[&str]) -> Value {
    let at = |hours| (now - TimeDelta::hours(hours)).fixed_offset().to_rfc3339();
    let hours = (0..).take(steps.len()).collect::<Vec<i64>>();
    let steps = (1..).zip(hours.iter().rev()).zip(steps);
    let events: Vec<_> = steps
        .map(|((id, hours), status)| json!({"id": id, "created_at": at(*hours), "status": status}))
        .collect();
    json!({
        "id": envelope.user_id,
        "user_id": envelope.user_id,
        "team_id": envelope.team_id,
        "lab_test": {
            "id": "lipid-panel", "slug": "lipid-panel", "name": "Lipid panel", "sample_type": "serum",
            "method": "walk_in_test", "price": 34.5, "is_active": true, "status": "active", "fasting": true,
            "lab": {
                "id": 4, "slug": "northlake", "name": "Northlake Diagnostics",
                "first_line_address": "200 Harbor Road", "city": "Portland", "zipcode": "97201",
                "collection_methods": ["walk_in_test"], "sample_types": ["serum"],
            },
            "common_tat_days": 2, "worst_case_tat_days": 5,
        },
        "details": {"type": "walk_in_test", "data": {}},
        "created_at": events.first().map(|event| &event["created_at"]),
        "updated_at": events.last().map(|event| &event["created_at"]),
        "events": events,
        "status": "received",
        "last_event": events.last(),
    })
}

fn results(envelope: &Envelope, now: DateTime<Utc>) -> Value {
    json!({
        "order_id": envelope.user_id,
        "user_id": envelope.user_id,
        "status": "final",
        "date_reported": now.fixed_offset().to_rfc3339(),
    })
}

fn historical(resource: &str, now: DateTime<Utc>) -> Value {
    let today = now.date_naive();
    json!({
        "provider": "stridewell",
        "resource": resource,
        "start_date": today - TimeDelta::days(90),
        "end_date": today,
        "data": values(resource, now),
    })
}

fn daily(values: Value) -> Value {
    json!({
        "data": values,
        "source": {"provider": "stridewell", "type": "watch", "app_id": null},
    })
}

/// Returns the days of a deleted summary, or the span of deleted samples.
fn deleted(resource: &str, now: DateTime<Utc>) -> Value {
    match DataKind::of(&resource.into()) {
        DataKind::Summary => json!([{"start_date": now.date_naive(), "end_date": now.date_naive()}]),
        _ => json!([{"start": now - TimeDelta::hours(1), "end": now}]),
    }
}

fn values(resource: &str, now: DateTime<Utc>) -> Value {
    let ago = |hours| (now - TimeDelta::hours(hours)).fixed_offset().to_rfc3339();
    let stages = json!([
        {"start": ago(8), "end": ago(5), "stage": "deep"},
        {"start": ago(5), "end": ago(1), "stage": "rem"},
    ]);
    match resource {
        "sleep_cycle" => json!([
            {"id": "018f3c52-0000-7000-8000-000000000001", "session_start": ago(8), "session_end": ago(1), "hypnogram": stages},
        ]),
        "hypnogram" => stages,
        _ => json!([{"timestamp": ago(2), "value": 412}, {"timestamp": ago(1), "value": 97}]),
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use uuid::Uuid;
    use wearlab_models::Event;
    use wearlab_store::Envelope;

    use super::event;

    fn envelope() -> Envelope {
        Envelope {
            event_id: "evt_1".to_owned(),
            team_id: Uuid::from_u128(1),
            user_id: Uuid::from_u128(7),
            client_user_id: "client-7".to_owned(),
        }
    }

    #[test]
    fn every_type_of_the_document_can_be_made() {
        for family in Event::TYPES {
            let event_type = family.replace("{resource}", "steps");
            let made = event(&event_type, envelope(), DateTime::UNIX_EPOCH).expect("an event");
            assert_eq!(made.event_type(), event_type);
        }
    }

    #[test]
    fn other_types_are_refused_with_those_that_there_are() {
        for wrong in [
            "",
            "daily",
            "daily.data.steps",
            "weekly.data.steps.created",
            "daily.timeseries.steps.created",
            "daily.data.st eps.created",
            "daily.data. .created",
            "daily.data..created",
        ] {
            let error = event(wrong, envelope(), DateTime::UNIX_EPOCH)
                .expect_err(wrong)
                .to_string();
            assert!(error.contains("provider.connection.created"), "{error}");
        }
    }

    #[test]
    fn an_unknown_resource_is_refused_with_the_nearest_one() {
        for (wrong, hint) in [
            ("daily.data.heart_rate.created", "did you mean `heartrate`?"),
            ("daily.data.stepz.updated", "did you mean `steps`?"),
            ("historical.data.Sleep.created", "did you mean `sleep`?"),
            ("daily.data.zzz.deleted", "known resources: ResourceName"),
        ] {
            let error = event(wrong, envelope(), DateTime::UNIX_EPOCH)
                .expect_err(wrong)
                .to_string();
            assert!(error.contains(hint), "{wrong}: {error}");
        }
    }
}
