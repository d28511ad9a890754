//! Events of the document: one type parses all of them, and the examples cover everything.

use serde_json::{from_value, to_value};
use wearlab_models::Event;
use wearlab_tests::coverage::{Coverage, families, reachable, response};
use wearlab_tests::reads;

#[test]
fn every_example_of_every_webhook_is_read_and_written_back() {
    let families = families();
    for family in &families {
        let name = family.name;
        assert!(family.examples.len() >= 3, "{name} has too few examples");
        let own = family.examples[0]["event_type"].as_str().expect("an event type");
        let (start, end) = name.split_once("{resource}").unwrap_or((name, ""));
        assert!(own.starts_with(start) && own.ends_with(end), "{own} is not of {name}");
        for example in &family.examples {
            let event: Event = from_value((*example).clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!matches!(event, Event::Unknown(_)), "{name} is a known family");
            assert_eq!(Some(event.event_type()), example["event_type"].as_str());
            assert_eq!(to_value(&event).expect("JSON"), **example, "{name}");
        }
    }
    assert_eq!(families.len(), Event::TYPES.len());
    assert_eq!(families.len(), 15);
}

/// Events have lab tests without their markers, and steps without the details of a lab.
const ELSEWHERE: [&str; 6] = [
    "ExpectedResult is never seen",
    "LabTest.markers is never seen with a value",
    "Loinc is never seen",
    "Marker is never seen",
    "MarkerType is never seen",
    "OrderEvent.status_detail is never seen with a value",
];

#[test]
fn every_field_is_seen_with_a_value_and_without() {
    let (families, mut coverage) = (families(), Coverage::default());
    for family in &families {
        for example in &family.examples {
            coverage.walk(family.schema, example);
        }
    }
    let mut missing = coverage.missing(&reachable(families.iter().map(|family| family.schema)));
    // Enums that are also in responses are long, and `coverage` covers all their values.
    let answered = reachable(reads().map(|operation| response(operation.path)));
    missing.retain(|line| {
        let name = line.split_once(": ").map(|(name, _)| name);
        name.is_none_or(|name| !answered.contains(name)) && !ELSEWHERE.contains(&line.as_str())
    });
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
