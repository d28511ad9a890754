//! One type reads every event of the document.

use serde_json::{Value, to_value};
use wearlab_models::Event;

fn document() -> Value {
    serde_json::from_str(wearlab_server::OPENAPI_JSON).expect("the document")
}

#[test]
fn every_example_of_every_webhook_is_read_and_written_back() {
    let document = document();
    let mut count = 0;
    for (family, webhook) in document["webhooks"].as_object().into_iter().flatten() {
        let content = &webhook["post"]["requestBody"]["content"]["application/json"];
        let payload = content["schema"]["$ref"]
            .as_str()
            .and_then(|target| target.rsplit('/').next())
            .expect("a payload");
        let schema = &document["components"]["schemas"][payload];
        let mut examples = schema["examples"].as_array().cloned().unwrap_or_default();
        examples.push(content["example"].clone());
        for example in examples {
            let event: Event =
                serde_json::from_value(example.clone()).unwrap_or_else(|error| panic!("{family}: {error}"));
            assert!(!matches!(event, Event::Unknown(_)), "{family} is a known family");
            assert_eq!(Some(event.event_type()), example["event_type"].as_str());
            assert_eq!(to_value(&event).expect("JSON"), example, "{family}");
            count += 1;
        }
    }
    assert!(count >= 20, "only {count} examples");
    assert_eq!(Event::TYPES.len(), 10);
}
