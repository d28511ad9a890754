//! Conversion of the deprecated forms of events to the current ones.

use serde_json::{Value, json};
use wearlab_models::Event;
use wearlab_models::consume::Loss;

const USER: &str = "5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11";

/// The sleep cycle's id that the stages below have, of [`USER`] and `stridewell`.
const CYCLE: &str = "hypnogram-26aed39c-5a51-53d3-8cfc-a1d4b2066af4";

struct Case {
    name: &'static str,
    old: Value,
    current: Value,
    losses: &'static [Loss],
}

/// An event with an id and a user beside its data.
fn event(event_type: &str, data: Value) -> Value {
    json!({
        "event_type": event_type, "user_id": USER, "client_user_id": "member-0042",
        "team_id": "0c9e2d44-8a0b-4d5c-8f0e-7a1b2c3d4e5f", "event_id": "evt_1", "data": data,
    })
}

fn stages() -> Value {
    json!([
        { "start": "2024-08-31T23:40:00+01:00", "end": "2024-09-01T00:25:00+01:00", "stage": "light", "more": 1 },
        { "start": "2024-09-01T00:25:00+01:00", "end": "2024-09-01T01:10:00+01:00", "stage": "dozing" },
    ])
}

fn cycles() -> Value {
    json!([{
        "id": CYCLE, "session_start": "2024-08-31T23:40:00+01:00", "session_end": "2024-09-01T01:10:00+01:00",
        "hypnogram": stages(),
    }])
}

fn pull(resource: &str, data: &Value, more: &Value) -> Value {
    let mut pull = json!({
        "provider": "stridewell", "resource": resource, "start_date": "2024-06-03", "end_date": "2024-09-01",
    });
    for (name, value) in [("data", data), ("is_final", more)] {
        if !value.is_null() {
            pull[name] = value.clone();
        }
    }
    pull
}

fn cases() -> Vec<Case> {
    let current = json!({ "provider": "stridewell", "type": "watch", "app_id": null });
    let daily = |data: &Value, source: &Value| json!({ "data": data, "source": source, "raw": { "as": "it came" } });
    let values = json!([{ "value": 412 }]);
    let provider = json!({ "name": "Stridewell", "slug": "stridewell", "logo": "https://x/l.png" });
    let older = json!({ "name": "Stridewell", "slug": "stridewell", "logo": "https://x/l.png", "app_id": null });
    let connection = |names: &[&str]| {
        let mut data = json!({ "user_id": USER, "resource_availability": {} });
        for name in names {
            data[*name] = provider.clone();
        }
        json!({ "event_type": "provider.connection.created", "data": data })
    };
    let guessed: &[Loss] = &[Loss::Sessions, Loss::SleepCycleIds];
    let case = |name, old, current, losses| Case {
        name,
        old,
        current,
        losses,
    };
    let (steps, sleep) = ("daily.data.steps.created", "daily.data.sleep_cycle");
    let (created, updated) = (format!("{sleep}.created"), format!("{sleep}.updated"));
    let (none, hypnogram) = (Value::Null, "historical.timeseries.hypnogram.created");
    vec![
        case(
            "a hypnogram",
            event("daily.timeseries.hypnogram.created", daily(&stages(), &current)),
            event(&created, daily(&cycles(), &current)),
            guessed,
        ),
        case(
            "a changed hypnogram, of an older source",
            event("daily.timeseries.hypnogram.updated", daily(&stages(), &older)),
            event(
                &updated,
                daily(&cycles(), &json!({ "provider": "stridewell", "app_id": null })),
            ),
            &[Loss::ProviderDetails, Loss::Sessions, Loss::SleepCycleIds],
        ),
        case(
            "a hypnogram without stages",
            event("daily.timeseries.hypnogram.created", daily(&json!([]), &current)),
            event(&created, daily(&json!([]), &current)),
            &[],
        ),
        case(
            "a pull of hypnograms, with its values",
            event(hypnogram, pull("hypnogram", &stages(), &none)),
            event(
                "historical.data.sleep_cycle.created",
                pull("sleep_cycle", &cycles(), &none),
            ),
            guessed,
        ),
        case(
            "a pull of hypnograms, without them",
            event(hypnogram, pull("hypnogram", &none, &none)),
            event("historical.data.sleep_cycle.created", pull("sleep_cycle", &none, &none)),
            &[],
        ),
        case(
            "an older source",
            event(steps, daily(&values, &older)),
            event(
                steps,
                daily(&values, &json!({ "provider": "stridewell", "app_id": null })),
            ),
            &[Loss::ProviderDetails],
        ),
        case(
            "a source of both forms",
            event(
                steps,
                daily(&values, &json!({ "provider": "own", "slug": "other", "app_id": "app" })),
            ),
            event(steps, daily(&values, &json!({ "provider": "own", "app_id": "app" }))),
            &[],
        ),
        case(
            "a source that only has a name",
            event(steps, daily(&values, &json!({ "name": "Stridewell", "app_id": null }))),
            event(steps, daily(&values, &json!({ "name": "Stridewell", "app_id": null }))),
            &[],
        ),
        case(
            "an older source of changed data",
            event("daily.data.steps.updated", daily(&values, &older)),
            event(
                "daily.data.steps.updated",
                daily(&values, &json!({ "provider": "stridewell", "app_id": null })),
            ),
            &[Loss::ProviderDetails],
        ),
        case(
            "an older source of a sleep cycle",
            event(
                &created,
                daily(&cycles(), &json!({ "slug": "stridewell", "app_id": null })),
            ),
            event(
                &created,
                daily(&cycles(), &json!({ "provider": "stridewell", "app_id": null })),
            ),
            &[],
        ),
        case(
            "an older source of a changed sleep cycle",
            event(
                &updated,
                daily(&cycles(), &json!({ "slug": "stridewell", "app_id": null })),
            ),
            event(
                &updated,
                daily(&cycles(), &json!({ "provider": "stridewell", "app_id": null })),
            ),
            &[],
        ),
        case(
            "a pull that says it is final",
            event("historical.data.steps.created", pull("steps", &values, &json!(true))),
            event("historical.data.steps.created", pull("steps", &values, &none)),
            &[],
        ),
        case(
            "a pull that goes on",
            event(
                "historical.data.sleep_cycle.created",
                pull("sleep_cycle", &cycles(), &json!(false)),
            ),
            event(
                "historical.data.sleep_cycle.created",
                pull("sleep_cycle", &cycles(), &none),
            ),
            &[Loss::NotFinal],
        ),
        case(
            "a connection with both names",
            connection(&["provider", "source"]),
            connection(&["provider"]),
            &[],
        ),
        case(
            "a connection with the older name",
            connection(&["source"]),
            connection(&["provider"]),
            &[],
        ),
        case("a connection without a provider", connection(&[]), connection(&[]), &[]),
        case(
            "a type that is not known",
            json!({ "event_type": "lab.order.created", "is_final": true, "source": {} }),
            json!({ "event_type": "lab.order.created", "is_final": true, "source": {} }),
            &[],
        ),
    ]
}

/// The same value, read as an event.
fn read(value: &Value) -> Event {
    Event::from_bytes(value.to_string().as_bytes()).expect("an event")
}

#[test]
fn deprecated_forms_become_current_and_stay_so() {
    for case in cases() {
        let upgraded = read(&case.old).upgraded();
        let found = serde_json::to_value(&upgraded.event).expect("JSON");
        assert_eq!(found, case.current, "{}", case.name);
        assert_eq!(upgraded.losses, case.losses, "{}", case.name);
        // What is written is read as the variant that it is.
        assert_eq!(read(&found), upgraded.event, "{}", case.name);
        let again = upgraded.event.clone().upgraded();
        assert_eq!(again.event, upgraded.event, "{}", case.name);
        assert!(again.losses.is_empty(), "{}: {:?}", case.name, again.losses);
    }
}

#[test]
fn losses_say_what_they_are() {
    let losses = [
        Loss::Sessions,
        Loss::SleepCycleIds,
        Loss::ProviderDetails,
        Loss::NotFinal,
    ];
    let mut texts = losses.map(|loss| loss.to_string()).to_vec();
    texts.dedup();
    assert!(
        texts.len() == 4 && texts.iter().all(|text| !text.is_empty()),
        "{texts:?}"
    );
}

#[test]
fn an_event_keeps_its_id() {
    for case in cases() {
        let event = read(&case.old);
        let id = event.event_id().map(str::to_owned);
        assert_eq!(
            event.upgraded().event.event_id().map(str::to_owned),
            id,
            "{}",
            case.name
        );
    }
}
