//! Tests that messages quote nothing of a line: a mark is in each position of records and arrivals, which are broken in
//! many ways.

use std::io::Cursor;

use chrono::Utc;
use serde_json::{Map, Value, json};
use wearlab_intake::import::{ImportOptions, import};
use wearlab_intake::ingest::ingest;
use wearlab_intake::{Input, LineError, LineLocation, Progress};
use wearlab_store::{DeprecatedForms, Ingestion, Store};

use crate::fixture::{TEAM, USER, WORLD};

const MARK: &str = "hush4711";

/// Messages of rejected lines.
#[derive(Default)]
struct Said(Vec<(u64, String)>);

impl Progress for Said {
    fn refused(&mut self, location: &LineLocation, error: &LineError) {
        self.0.push((location.line, format!("{error} {error:?}")));
    }

    fn done(&mut self, _: u64) {}
}

/// Returns a line of each kind that the small world lacks.
fn more_records() -> Vec<Value> {
    let loinc = json!({"id": 1, "name": "n", "slug": "s", "code": "1-1", "unit": "u"});
    let result =
        json!({"id": 1, "name": "n", "slug": "s", "lab_id": 1, "provider_id": "p", "required": true, "loinc": loinc});
    let marker = json!({"id": 1, "name": "n", "slug": "s", "description": "d", "lab_id": 1, "provider_id": "p",
        "type": "biomarker", "unit": "u", "price": "1", "expected_results": [result]});
    let azure = json!({"connection_string": "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=k",
        "default_event_hub": "h", "compression": "auto", "event_hub_matchers": [{"event_type_prefix": "daily.",
        "event_type_regex": "a", "event_hub": "h", "blob_storage": {"connection_string":
        "BlobEndpoint=https://b/a;AccountKey=a2V5", "container_name": "ccc"}}]});
    vec![
        json!({"provider": {"source_type": "app", "supported": {"name": "n", "slug": "s", "description": "d", "logo": "l",
            "auth_type": "oauth", "supported_resources": ["steps"]}, "link": {"name": "n", "slug": "s", "description": "d",
            "id": 1, "group": "g", "oauth_url": "https://o", "auth_type": "oauth", "source_type": "app", "is_active": true,
            "backfill_num_days": 7}}}),
        json!({"cancellation_reason": {"id": "i", "name": "n", "is_refundable": true}}),
        json!({"lab_test": {"lab_test_id": "t", "name": "n", "markers": [marker]}}),
        json!({"lab_account": {"team_id": TEAM, "lab_account_id": USER, "visible": {"t": [1]}}}),
        json!({"pipeline": {"team_id": TEAM, "preferences": {"preferred": "svix", "enabled": ["svix", "azure_amqp",
            "cloud_pubsub"]}, "push_historical_data": true, "provider_raw_data": true, "svix": {"regional": true},
            "cloud_pubsub": {"project": "p", "topic": "ttt", "message_ordering": true}, "azure_amqp": azure,
            "event_type_prefixes": ["daily."]}}),
    ]
}

fn arrivals() -> Vec<Value> {
    let time = "2026-05-01T22:00:00Z";
    let scopes = json!({"required": ["r"], "optional": ["o"]});
    let provider = json!({"name": "n", "slug": "stridewell", "logo": "l", "status": "connected", "created_on": time,
        "error_details": {"error_type": "t", "error_message": "m", "errored_at": time}, "resource_availability":
        {"steps": {"status": "available", "scope_requirements": {"user_granted": scopes, "user_denied": scopes}}}});
    let cycle = json!({"id": USER, "session_start": time, "session_end": "2026-05-02T06:00:00Z",
        "hypnogram": [{"start": time, "end": "2026-05-01T23:00:00Z", "stage": "deep"}]});
    let data = |resource: &str, values: Value, more: Value| {
        let mut data = json!({"team_id": TEAM, "user_id": USER, "provider": "stridewell", "resource": resource,
            "date": "2026-05-01", "source": {"type": "watch", "app_id": "a"}, "data": values, "arrival_id": "i"});
        let Value::Object(more) = more else { panic!("an object") };
        data.as_object_mut().expect("an object").extend(more);
        json!({ "data": data })
    };
    vec![
        data(
            "steps",
            json!([{"value": 1, "timestamp": time}]),
            json!({"raw": {"steps": 1, "at": ["x"]}}),
        ),
        data(
            "steps",
            json!([{"value": 1, "timestamp": time}]),
            json!({"pull": {"id": "p", "chunk": 1, "chunks": 2}}),
        ),
        data("sleep_cycle", json!([cycle]), json!({})),
        json!({"connection_made": {"team_id": TEAM, "user_id": USER, "provider": provider, "arrival_id": "j"}}),
        json!({"connection_failed": {"team_id": TEAM, "user_id": USER, "provider": "stridewell",
            "error_details": {"error_type": "t", "errored_at": time}, "arrival_id": "k"}}),
        json!({"connection_ended": {"team_id": TEAM, "user_id": USER, "provider": "stridewell", "arrival_id": "l"}}),
        json!({"device": {"team_id": TEAM, "device": {"id": USER, "user_id": USER, "provider": "p", "source_type": "watch",
            "app_id": "a", "device_manufacturer": "m", "device_model": "m", "device_version": "v", "device_id": "d"}}}),
    ]
}

/// Collects the pointers of all values.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                pointers(value, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                pointers(value, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// Returns a line in many wrong forms, with the mark in each position.
fn broken(line: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    let mut found = Vec::new();
    pointers(line, "", &mut found);
    for at in &found {
        let old = line.pointer(at).expect("it is there");
        let mut values = vec![
            json!(MARK),
            json!(format!("x, expected {MARK}")),
            json!(format!("x` at line 1, expected `{MARK}`, expected one of `{MARK}`")),
            json!({ MARK: 1 }),
            json!({ format!("x`, expected `{MARK}`"): MARK }),
            json!([MARK, { MARK: MARK }]),
            json!(format!("\u{0}\n{MARK}")),
            json!([[[4711]]]),
        ];
        if let Some(text) = old.as_str() {
            values.extend([
                json!(format!("{text}{MARK}")),
                json!(format!("{MARK}{text}")),
                json!(text.replace('=', MARK)),
            ]);
        }
        if let Some(members) = old.as_object() {
            let mut more = members.clone();
            more.insert(MARK.to_owned(), json!(MARK));
            values.push(Value::Object(more));
            for name in members.keys() {
                let renamed = |name: &str, to: String| -> Map<String, Value> {
                    let rename = |(key, value): (&String, &Value)| {
                        (if key == name { to.clone() } else { key.clone() }, value.clone())
                    };
                    members.iter().map(rename).collect()
                };
                values.push(Value::Object(renamed(name, MARK.to_owned())));
                values.push(Value::Object(renamed(name, format!("{name}`, expected `{MARK}"))));
            }
        }
        for value in values {
            let mut line = line.clone();
            *line.pointer_mut(at).expect("it is there") = value;
            lines.push(line.to_string());
        }
    }
    let marked: Vec<_> = lines.iter().step_by(7).cloned().collect();
    for line in marked {
        // As text, so that JSON parsers reject it.
        lines.push(line.replace(MARK, &format!("{MARK}\\q")));
        lines.push(line.replace(MARK, &format!("{MARK}\\ud800")));
        lines.push(line.replace(&format!("\"{MARK}"), MARK));
        lines.extend(line.find(MARK).map(|at| line[..at + MARK.len()].to_owned()));
        lines.push(format!("{line}{MARK}"));
        lines.push(line.replace(':', ": 1e999, \"x\":"));
    }
    lines
}

fn input(lines: &[String]) -> Vec<Input> {
    vec![Input::new("lines", Cursor::new(lines.join("\n")))]
}

fn check(lines: &[String], message: &Said) {
    for (number, text) in &message.0 {
        let line = &lines[usize::try_from(*number).expect("a number") - 1];
        assert!(!text.contains("4711"), "{line}\n{text}");
    }
}

#[tokio::test]
async fn no_message_has_a_piece_of_a_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).expect("opens");
    let options = ImportOptions {
        strict: false,
        now: Utc::now(),
    };
    let mut message = Said::default();
    let world: Vec<_> = WORLD
        .trim()
        .lines()
        .map(str::to_owned)
        .chain(more_records().iter().map(Value::to_string))
        .collect();
    import(&store, input(&world), &options, &mut message)
        .await
        .expect("imports");
    assert_eq!(message.0, [], "the world is good");

    let lines: Vec<_> = world
        .iter()
        .flat_map(|line| broken(&serde_json::from_str(line).expect("JSON")))
        .collect();
    import(&store, input(&lines), &options, &mut message)
        .await
        .expect("imports");
    assert!(
        message.0.len() > 1500,
        "{} of {} were refused",
        message.0.len(),
        lines.len()
    );
    check(&lines, &message);

    // Lines above may have changed it.
    import(&store, input(&world), &options, &mut Said::default())
        .await
        .expect("imports");
    let ingestion = || Ingestion {
        now: Utc::now(),
        fresh_id: uuid::Uuid::now_v7,
        forms: DeprecatedForms::default(),
    };
    let mut message = Said::default();
    let good: Vec<_> = arrivals().iter().map(Value::to_string).collect();
    ingest(&store, input(&good), ingestion, Vec::new(), &mut message)
        .await
        .expect("ingests");
    assert_eq!(message.0, [], "the arrivals are good");
    let lines: Vec<_> = arrivals().iter().flat_map(broken).collect();
    ingest(&store, input(&lines), ingestion, Vec::new(), &mut message)
        .await
        .expect("ingests");
    assert!(
        message.0.len() > 800,
        "{} of {} were refused",
        message.0.len(),
        lines.len()
    );
    check(&lines, &message);
}
