//! Tests of `wearlab pipelines`.

use crate::fixture::{Fixture, TEAM, error};

#[test]
fn what_does_not_work_is_named_without_its_secrets() {
    let fixture = Fixture::with_world();
    // Nothing listens at the broker of its pipeline.
    let output = fixture.run(&["pipelines", "check"]);
    let message = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(
        message.starts_with(&format!("{TEAM} rabbitmq:")) && message.contains("FAILED, "),
        "{message}"
    );
    assert!(error(&output).contains("1 destination failed"), "{}", error(&output));
    for text in [message, error(&output)] {
        assert!(!text.contains("hushhush"), "{text}");
    }
    assert_eq!(
        fixture.says(&["events", "list"]).lines().count(),
        1,
        "the test event is not in the log"
    );
}

#[test]
fn each_result_is_a_line_of_json() {
    let fixture = Fixture::with_world();
    let output = fixture.run(&["pipelines", "check", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    assert_eq!(line["team_id"], TEAM);
    assert_eq!(line["kind"], "rabbitmq");
    assert!(line["webhook_id"].is_null());
    assert!(line["error"].as_str().is_some_and(|error| !error.is_empty()), "{line}");
}

#[test]
fn an_unknown_team_is_reported() {
    let fixture = Fixture::with_world();
    let output = fixture.run(&["pipelines", "check", "--team", "00000000-0000-0000-0000-000000000009"]);
    assert!(!output.status.success() && error(&output).contains("there is no such team"));
}
