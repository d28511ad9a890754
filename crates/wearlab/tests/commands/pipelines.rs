//! `wearlab pipelines`.

use crate::place::{Place, TEAM, error};

#[test]
fn what_does_not_work_is_named_without_its_secrets() {
    let place = Place::with_world();
    // Its pipeline leads to a broker where nothing listens.
    let output = place.run(&["pipelines", "check"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with(&format!("{TEAM} rabbitmq:")) && said.contains("FAILED, "),
        "{said}"
    );
    assert!(
        error(&output).contains("one destination does not work"),
        "{}",
        error(&output)
    );
    for text in [said, error(&output)] {
        assert!(!text.contains("hushhush"), "{text}");
    }
    assert_eq!(
        place.says(&["events", "list"]).lines().count(),
        1,
        "the test event is not in the log"
    );
}

#[test]
fn a_team_without_destinations_is_told() {
    let place = Place::with_world();
    let output = place.run(&["pipelines", "check", "--team", "00000000-0000-0000-0000-000000000009"]);
    assert!(!output.status.success() && error(&output).contains("there is no destination"));
}
