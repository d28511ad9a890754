//! Values of the schemas of the document, as senders send them.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use wearlab_models::{ResourceName, Uuid};
use wearlab_server::OPENAPI_JSON;
use wearlab_store::Record;

/// Document that services serve.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(OPENAPI_JSON).expect("JSON"));

/// Link token of every [`Running`](crate::Running) service.
pub const LINK_TOKEN: &str = "wl_link_for_tests";

/// Day of the values of each [`Running`](crate::Running) service.
pub const DAY: &str = "2026-04-01";

/// Members that the service adds.
const SERVICE: [&str; 8] = [
    "user_id",
    "source",
    "source_provider",
    "source_type",
    "calendar_date",
    "date",
    "created_at",
    "updated_at",
];

/// Number of variants that cover all values of all enums.
const VARIANTS: usize = 12;

/// Selection of the optional members of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optional {
    /// All of them. Enums have the value with this number.
    Given(usize),
    /// All of them, with null.
    Null,
    /// No members, except objects down to this depth, whose own optional members are missing.
    Bare(usize),
    /// No members.
    Missing,
}

/// Returns the resources with summaries of days, each with its schema and the member of lists that contains them.
pub fn summaries() -> Vec<(&'static str, &'static str, &'static str)> {
    let resources = DOCUMENT["paths"].as_object().expect("paths").iter();
    let lists = resources.filter_map(|(path, item)| {
        let resource = path.strip_prefix("/v2/summary/")?.strip_suffix("/{user_id}")?;
        let list = &item["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        // The profile is no list.
        let members = named(schema_name(list)).get("properties")?.as_object()?;
        let (member, items) = members.iter().find(|(_, member)| member["type"] == "array")?;
        let schema = schema_name(&items["items"]);
        (schema == summary_schema(resource)?).then_some((resource, schema, member.as_str()))
    });
    let lists: Vec<_> = lists.collect();
    let is_summary = |resource: &&ResourceName| resource.identity().is_some_and(|identity| identity != "user");
    let resources = ResourceName::KNOWN.iter().filter(is_summary);
    assert_eq!(
        lists.len(),
        resources.count(),
        "each resource with summaries has a read: {lists:?}"
    );
    lists
}

/// Returns the name of the schema of the values of a resource.
fn summary_schema(resource: &str) -> Option<&'static str> {
    let schema = &named("ResourceName")["x-value-attributes"]["values"][resource]["schema"];
    schema.is_object().then(|| schema_name(schema))
}

/// Returns the name of the schema that a reference names.
fn schema_name(reference: &'static Value) -> &'static str {
    let target = reference["$ref"].as_str().and_then(|target| target.rsplit('/').next());
    target.expect("a reference")
}

/// Returns a named schema.
pub fn named(name: &str) -> &'static Value {
    &DOCUMENT["components"]["schemas"][name]
}

/// Returns a value of a named schema to send, without the members that the service adds.
pub fn sent(name: &str, optional: Optional) -> Map<String, Value> {
    let Value::Object(mut members) = value(named(name), optional) else {
        panic!("an object")
    };
    SERVICE.iter().for_each(|name| drop(members.remove(*name)));
    members
}

/// Returns the id of the sleep of a user of a [`Running`](crate::Running) service.
pub fn sleep_of(user: Uuid) -> Uuid {
    Uuid::from_u128(user.as_u128().wrapping_add(1))
}

/// Returns the id of the workout of a user of a [`Running`](crate::Running) service.
pub fn workout_of(user: Uuid) -> Uuid {
    Uuid::from_u128(user.as_u128().wrapping_add(2))
}

/// Returns the id of a device of a user of a [`Running`](crate::Running) service.
pub fn device_of(user: Uuid) -> Uuid {
    Uuid::from_u128(user.as_u128().wrapping_add(3))
}

/// Returns a device of a user, and values of all resources with all fields, as records.
pub fn records(team: Uuid, user: Uuid) -> Vec<Record> {
    let of = |resource: &str, data: Vec<Map<String, Value>>| record(team, user, resource, json!(data));
    let device = json!({"device": {"team_id": team, "device": {"id": device_of(user), "user_id": user,
        "provider": "stridewell", "source_type": "watch"}}});
    let mut records = vec![serde_json::from_value(device).expect("a record")];
    for (place, (resource, schema, _)) in (1_u128..).zip(summaries()) {
        let others = [Optional::Bare(1), Optional::Bare(2), Optional::Missing];
        let variants = (0..VARIANTS).map(Optional::Given).chain(others);
        let summaries = (1_u128..).zip(variants).map(|(number, optional)| {
            let mut summary = summary(schema, optional);
            let id = match (resource, number) {
                ("sleep", 1) => sleep_of(user),
                ("workouts", 1) => workout_of(user),
                _ => Uuid::from_u128(user.as_u128().wrapping_add(place * 1000 + number)),
            };
            summary.insert("id".to_owned(), json!(id));
            summary
        });
        records.push(of(resource, summaries.collect()));
    }
    records.push(profile(team, user, Optional::Given(0)));
    for (resource, schema) in [
        ("heartrate", "Sample"),
        ("hrv", "Sample"),
        ("respiratory_rate", "Sample"),
        ("blood_pressure", "BloodPressureSample"),
        ("note", "NoteSample"),
    ] {
        let samples = [Optional::Given(0), Optional::Missing].map(|optional| {
            let mut sample = sent(schema, optional);
            sample.remove("unit");
            sample
        });
        records.push(of(resource, samples.into()));
    }
    records
}

/// Returns a profile as a record.
pub fn profile(team: Uuid, user: Uuid, optional: Optional) -> Record {
    record(team, user, "profile", json!([summary("ProfileSummary", optional)]))
}

/// Returns a summary with the times that the service adds.
fn summary(schema: &str, optional: Optional) -> Map<String, Value> {
    let mut summary = sent(schema, optional);
    for name in ["created_at", "updated_at"] {
        summary.insert(name.to_owned(), json!("2026-04-02T06:00:00Z"));
    }
    summary
}

fn record(team: Uuid, user: Uuid, resource: &str, data: Value) -> Record {
    let record = json!({"values": {"team_id": team, "user_id": user, "provider": "stridewell", "resource": resource,
        "date": DAY, "source": {"type": "watch", "app_id": "an.app"}, "data": data}});
    serde_json::from_value(record).expect("a record")
}

fn value(schema: &Value, optional: Optional) -> Value {
    if let Some(target) = schema["$ref"].as_str() {
        return value(DOCUMENT.pointer(&target[1..]).expect("a component"), optional);
    }
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    for name in ["anyOf", "oneOf"] {
        if let Some(first) = schema[name].as_array().and_then(|members| members.first()) {
            return value(first, optional);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        let number = if let Optional::Given(number) = optional {
            number
        } else {
            0
        };
        return values[number % values.len()].clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[0].as_str(),
        kind => kind.as_str(),
    };
    match kind {
        Some("string") => match schema["format"].as_str() {
            Some("date") => json!(DAY),
            Some("date-time") => json!(format!("{DAY}T22:30:00.250+02:00")),
            Some("uuid") => json!("018f3c52-0000-7000-8000-000000000001"),
            _ => json!("a text"),
        },
        Some("integer") => json!(schema["minimum"].as_i64().unwrap_or(7)),
        Some("number") => json!(schema["minimum"].as_f64().unwrap_or_default() + 1.25),
        Some("boolean") => json!(true),
        Some("array") => json!([value(&schema["items"], optional)]),
        Some("object") => object(schema, optional),
        other => panic!("{other:?} in {schema}"),
    }
}

/// Returns whether a value is an object, or a list or a map of objects.
fn is_object(schema: &Value) -> bool {
    let target = schema["$ref"]
        .as_str()
        .and_then(|target| DOCUMENT.pointer(&target[1..]));
    let choice = ["anyOf", "oneOf"].iter().find_map(|name| schema[*name].get(0));
    let is_of = |kind: &str| schema["type"] == kind || schema["type"][0] == kind;
    match target.or(choice) {
        Some(schema) => is_object(schema),
        None => is_of("object") || is_of("array") && is_object(&schema["items"]),
    }
}

fn object(schema: &Value, optional: Optional) -> Value {
    let required = schema["required"].as_array().into_iter().flatten();
    let required: Vec<_> = required.filter_map(Value::as_str).collect();
    let mut members = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let given = match (required.contains(&name.as_str()), optional) {
            (true, _) | (false, Optional::Given(_)) => value(property, optional),
            (false, Optional::Null) => Value::Null,
            (false, Optional::Bare(depth @ 1..)) if is_object(property) => value(property, Optional::Bare(depth - 1)),
            (false, Optional::Bare(_) | Optional::Missing) => continue,
        };
        members.insert(name.clone(), given);
    }
    if let Some(more @ Value::Object(_)) = schema.get("additionalProperties") {
        members.insert("of_any_name".to_owned(), value(more, optional));
    } else if matches!(optional, Optional::Given(_)) {
        members.insert("of_no_schema".to_owned(), json!({"is": ["kept", 1.50]}));
    }
    Value::Object(members)
}

/// Returns a webhook endpoint of a team, at a host that does not exist.
pub fn webhook(team_id: Uuid, id: &str) -> wearlab_store::WebhookEndpoint {
    wearlab_store::WebhookEndpoint {
        webhook_id: id.to_owned(),
        team_id,
        url: "https://hooks.invalid/a-secret-path".to_owned(),
        event_type_prefixes: Vec::new(),
        secrets: vec![wearlab_store::SigningSecret {
            secret: wearlab_models::Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
            until: None,
        }],
        created_on: chrono::DateTime::UNIX_EPOCH,
        disabled: None,
    }
}

/// Returns the id of the endpoint that each team of a running service has.
pub fn webhook_of(team_id: Uuid) -> String {
    format!("wh_{}", team_id.simple())
}
