//! Random changes of JSON values.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::bytes::Choices;

/// Health value that no error may show.
pub(super) const HEALTH: &str = "seventy-two bpm";

/// Values of every kind, including limits of types.
static VALUES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(-0.0),
        json!(0.1),
        json!(5e-324),
        json!(1.797_693_134_862_315_7e308),
        json!(i32::MAX),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!([]),
        json!({}),
        json!([[null]]),
        json!({ "event_type": "a" }),
        json!(""),
        json!("phone"),
        json!("unknown"),
        json!("Größe \u{1f980}"),
        json!("\u{0}\"\\/\u{7f}\u{2028}\u{fffd}"),
        json!(HEALTH),
        json!("00000000-0000-0000-0000-000000000000"),
        json!("5B0E7C1A6F5D4C0E9A572F6F3F1F0A11"),
        json!("{5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11}"),
        json!("2024-02-29"),
        json!("2023-02-29"),
        json!("0000-01-01"),
        json!("-262143-01-01"),
        json!("+262142-12-31"),
        json!("2024-08-31T23:40:00+01:00"),
        json!("2024-08-31T23:40:00.123456789123-23:59"),
        json!("2016-12-31T23:59:60Z"),
        json!("0000-01-01T00:00:00+14:00"),
        json!("+262142-12-31T23:59:59Z"),
        json!("2024-08-31 23:40:00z"),
        json!("2024-08-31T23:40:00"),
        json!("daily.data.steps.created"),
        json!("daily.data.sleep_cycle.updated"),
        json!("daily.timeseries.hypnogram.created"),
        json!("historical.data.hypnogram.created"),
        json!("historical.timeseries.hypnogram.created"),
        json!("provider.connection.created"),
        json!("daily.data..created"),
    ]
});

/// Names of members, known and unknown.
const NAMES: [&str; 20] = [
    "event_type",
    "event_id",
    "user_id",
    "team_id",
    "client_user_id",
    "data",
    "source",
    "provider",
    "slug",
    "name",
    "logo",
    "raw",
    "is_final",
    "resource",
    "id",
    "extra",
    "from_the_future",
    "",
    "$serde_json::private::RawValue",
    "$serde_json::private::Number",
];

/// Returns the value with some changes.
pub(super) fn altered(value: &Value, choices: &mut Choices<'_>) -> Value {
    let mut value = value.clone();
    for _ in 0..choices.below(6) {
        if choices.is_empty() {
            break;
        }
        alter(&mut value, choices);
    }
    value
}

fn alter(root: &mut Value, choices: &mut Choices<'_>) {
    let count = count(root);
    let other = nth(root, &mut choices.below(count)).map(|value| value.clone());
    let Some(node) = nth(root, &mut choices.below(count)) else {
        return;
    };
    match (choices.below(8), &mut *node) {
        (0, Value::Object(members)) => {
            if let Some(name) = some_name(members, choices) {
                members.shift_remove(&name);
            }
        }
        (1, Value::Object(members)) => {
            if let Some(value) = some_name(members, choices).and_then(|name| members.shift_remove(&name)) {
                members.insert((*choices.of(&NAMES)).to_owned(), value);
            }
        }
        (2 | 3, Value::Object(members)) => {
            members.insert((*choices.of(&NAMES)).to_owned(), choices.of(&VALUES).clone());
        }
        (0, Value::Array(items)) => {
            items.pop();
        }
        (1 | 2, Value::Array(items)) => items.extend_from_within(..items.len().min(3)),
        (3, Value::Array(items)) => items.push(choices.of(&VALUES).clone()),
        (4, node) => *node = Value::from(choices.text()),
        (5, node) => *node = other.unwrap_or_default(),
        (_, node) => *node = choices.of(&VALUES).clone(),
    }
}

fn some_name(members: &Map<String, Value>, choices: &mut Choices<'_>) -> Option<String> {
    members.keys().nth(choices.below(members.len())).cloned()
}

/// Counts the values within a value, including itself.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Object(members) => members.values().map(count).sum(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}

/// Returns the value with an index within a value.
fn nth<'v>(value: &'v mut Value, left: &mut usize) -> Option<&'v mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Object(members) => members.values_mut().find_map(|member| nth(member, left)),
        Value::Array(items) => items.iter_mut().find_map(|item| nth(item, left)),
        _ => None,
    }
}
