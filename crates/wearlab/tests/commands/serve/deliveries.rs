//! What an operator sees of deliveries, and how long events are kept.

use std::thread;
use std::time::{Duration, Instant};

use super::service::{PATIENCE, Serving};
use crate::place::{Place, TEAM, USER, WORLD};

/// Data of one day, as an arrival.
fn walk(day: u32) -> String {
    format!(
        r#"{{"data": {{"team_id": "{TEAM}", "user_id": "{USER}", "provider": "stridewell", "resource": "steps", "date": "2026-01-{day:02}", "data": [{{"value": {day}}}]}}}}"#
    )
}

/// Asks until something holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// A world whose team has no pipeline, so that no broker waits for its events.
fn without_pipeline() -> Place {
    let place = Place::new();
    let lines: Vec<&str> = WORLD.lines().filter(|line| !line.contains("\"pipeline\"")).collect();
    place.import(&lines.join("\n"), &[]);
    place
}

/// How many events the log has.
fn events(place: &Place) -> usize {
    place.says(&["events", "list"]).lines().count() - 1
}

#[test]
fn a_backlog_is_counted_by_team_and_kind() {
    let place = without_pipeline();
    // Nothing listens there.
    let url = "http://127.0.0.1:9/";
    let loopback = [
        "--set",
        "webhooks.allow_http=true",
        "--set",
        "webhooks.allow_networks=127.0.0.0/8",
    ];
    let mut add = vec!["webhooks", "add", url, "--team", TEAM];
    add.extend(loopback);
    place.says(&add);
    place.says(&["ingest", &place.file("days", &format!("{}\n{}\n", walk(1), walk(2)))]);
    let serving = Serving::start(&place, &loopback);
    let metric = |name: &str| -> Option<f64> {
        let text = serving.probe("/metrics").body;
        let wanted = format!("wearlab_{name}{{team_id=\"{TEAM}\",kind=\"webhook\"}} ");
        text.lines().find_map(|line| line.strip_prefix(&wanted)?.parse().ok())
    };
    until("two attempts fail", || metric("delivery_failures_total") == Some(2.0));
    assert_eq!(metric("delivery_attempts_total"), Some(2.0));
    until("the backlog is measured", || metric("delivery_backlog") == Some(2.0));
    assert_eq!(metric("delivery_parked"), Some(0.0));
    assert!(metric("delivery_oldest_seconds").is_some_and(|age| age >= 0.0));
    assert!(
        place
            .says(&["events", "undelivered"])
            .contains("daily.data.steps.created")
    );
}

#[test]
fn events_are_kept_as_long_as_the_settings_say() {
    let place = without_pipeline();
    place.says(&["ingest", &place.file("days", &format!("{}\n{}\n", walk(1), walk(2)))]);
    assert_eq!(events(&place), 2);
    Serving::start(&place, &[]).kill();
    assert_eq!(events(&place), 2, "they are young");
    let _serving = Serving::start(&place, &["--set", "events.keep=0s"]);
    until("none is left", || events(&place) == 0);
}
