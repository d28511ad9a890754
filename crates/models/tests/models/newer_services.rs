//! Events of newer services: types, values and fields that this crate does not have.

use serde_json::{Value, json};
use wearlab_models::Event;

/// Each with an enum's value, or a map's key, that this version does not have. They are written as received.
const VALUES: &[&str] = &[
    r#"{"event_type":"daily.data.aura.created","user_id":"5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11","data":{"data":[{"colour":"vert \u00e9","deep":{"z":[1,null],"a":0}}],"source":{"provider":"brand_new","type":"smart_mirror","app_id":null}}}"#,
    r#"{"event_type":"historical.data.aura.created","user_id":"5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11","data":{"provider":"brand_new","resource":"aura","start_date":"2024-06-03","end_date":"2024-09-01","data":[{"b":1,"a":2}]}}"#,
    r#"{"event_type":"daily.data.sleep_cycle.created","user_id":"5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11","data":{"data":[{"id":"c","session_start":"2024-08-31T23:40:00+05:45","session_end":"2024-09-01T01:10:00.5-00:30","hypnogram":[{"start":"2024-08-31T23:40:00+05:45","end":"2024-09-01T01:10:00Z","stage":"dozing","certainty":0.5}],"efficiency":0.91,"nights":[1]}],"source":{"provider":"brand_new","app_id":null}}}"#,
    r#"{"event_type":"provider.connection.created","data":{"provider":{"name":"N","slug":"n","logo":""},"user_id":"5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11","resource_availability":{"aura":{"status":"fading","scope_requirements":{"user_granted":{"required":[],"optional":[]},"user_denied":{"required":[],"optional":[]}}}}}}"#,
];

/// Types that this version does not know. They are kept byte for byte, whatever is in them.
const TYPES: &[&str] = &[
    r#"{"event_type":"lab.order.created"}"#,
    "{ \"data\" : [1.10, 1e400, -0, 123456789012345678901234567890], \"event_type\" : \"daily.data.steps.archived\" }",
    r#"{"event_type":"provider.connection.removed","a":1,"a":2,"\ud83d\ude00":"\u0000\/"}"#,
    "{\"event_type\":\"\",\t\"text\":\"Größe 😀\"}",
];

#[test]
fn unknown_values_are_written_as_they_came() {
    for text in VALUES {
        let event = Event::from_bytes(text.as_bytes()).expect("an event");
        assert!(!matches!(event, Event::Unknown(_)), "{text}");
        let written = serde_json::to_string(&event).expect("JSON");
        // Escapes and forms of the offset are the writer's own.
        let text = text.replace("\\u00e9", "é").replace("01:10:00.5", "01:10:00.500");
        assert_eq!(written, text);
    }
}

#[test]
fn unknown_types_are_kept_byte_for_byte() {
    for text in TYPES {
        for padded in [(*text).to_owned(), format!(" \n{text}\r\n\t")] {
            let event = Event::from_bytes(padded.as_bytes()).expect("an event");
            let Event::Unknown(unknown) = &event else {
                panic!("{text} is of no known type")
            };
            assert_eq!(unknown.json(), *text);
            assert_eq!(serde_json::to_string(&event).ok().as_deref(), Some(*text));
            assert_eq!(event.clone().upgraded().event, event);
        }
    }
}

/// Adds a member to every object of a value.
fn extended(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: serde_json::Map<_, _> = members
                .iter()
                .map(|(name, value)| (name.clone(), extended(value)))
                .collect();
            members.insert("from_the_future".to_owned(), json!({ "deep": [1, "two", null] }));
            Value::Object(members)
        }
        Value::Array(items) => items.iter().map(extended).collect(),
        other => other.clone(),
    }
}

#[test]
fn unknown_fields_change_nothing_that_is_known() {
    for text in VALUES {
        let known: Value = serde_json::from_str(text).expect("JSON");
        // The keys of a map are names of resources, and not fields.
        let mut newer = extended(&known);
        if let Some(map) = newer
            .pointer_mut("/data/resource_availability")
            .and_then(Value::as_object_mut)
        {
            map.remove("from_the_future");
        }
        let event = Event::from_bytes(newer.to_string().as_bytes()).expect("an event");
        let own = Event::from_bytes(text.as_bytes()).expect("an event");
        assert_eq!(event.event_type(), own.event_type());
        assert_eq!(event.user_id(), own.user_id());
        assert_eq!(std::mem::discriminant(&event), std::mem::discriminant(&own));
        let written = serde_json::to_value(&event).expect("JSON");
        // Objects that are open keep the field, the others pass over it: nothing else differs.
        assert_eq!(Some(without(&written)), serde_json::to_value(&own).ok());
    }
}

fn without(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| *name != "from_the_future");
            Value::Object(kept.map(|(name, value)| (name.clone(), without(value))).collect())
        }
        Value::Array(items) => items.iter().map(without).collect(),
        other => other.clone(),
    }
}
