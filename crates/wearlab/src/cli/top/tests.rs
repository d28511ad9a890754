//! Tests of the rendering at several sizes of terminals.

use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use wearlab_web::metrics_text::MetricsText;

use super::History;
use super::plain;
use super::render::Screen;
use super::view::{DestinationOrder, OperationOrder, Scrape, View};

const TEAM: &str = "b10da48c-ea4c-4967-ab8e-0efcd8069414";

/// Returns the metrics of a service that has run for so many seconds.
fn metrics(seconds: u64) -> String {
    let requests = 10 * seconds;
    let (fast, slow) = (requests * 9 / 10, requests);
    format!(
        r#"wearlab_build_info{{version="0.1.0"}} 1
wearlab_http_requests_total{{operation="list_users",method="GET",status="200"}} {requests}
wearlab_http_requests_total{{operation="list_users",method="GET",status="503"}} 3
wearlab_http_requests_total{{operation="none",method="GET",status="200"}} {seconds}
wearlab_http_request_duration_seconds_bucket{{le="0.001",operation="list_users"}} {fast}
wearlab_http_request_duration_seconds_bucket{{le="0.25",operation="list_users"}} {slow}
wearlab_http_request_duration_seconds_bucket{{le="+Inf",operation="list_users"}} {slow}
wearlab_http_request_duration_seconds_bucket{{le="0.001",operation="none"}} {seconds}
wearlab_http_request_duration_seconds_bucket{{le="+Inf",operation="none"}} {seconds}
wearlab_http_request_duration_seconds_bucket{{le="5.0",operation="export_user"}} 2
wearlab_http_request_duration_seconds_bucket{{le="+Inf",operation="export_user"}} 2
wearlab_http_requests_in_flight 2
wearlab_http_connections 14
wearlab_intake_lines_total{{outcome="accepted"}} {lines}
wearlab_intake_lines_total{{outcome="rejected"}} 7
wearlab_events_last_number {events}
wearlab_events_pruned_undelivered_total 0
wearlab_uptime_seconds {seconds}.5
wearlab_store_size_bytes 73400320
wearlab_delivery_up{{team_id="{TEAM}",kind="rabbitmq"}} 1
wearlab_delivery_up{{team_id="{TEAM}",kind="webhook"}} 0
wearlab_delivery_backlog{{team_id="{TEAM}",kind="rabbitmq"}} 0
wearlab_delivery_backlog{{team_id="{TEAM}",kind="webhook"}} 51234
wearlab_delivery_backlog{{team_id="00000000-0000-0000-0000-000000000001",kind="cloud_pubsub"}} 12
wearlab_delivery_oldest_seconds{{team_id="{TEAM}",kind="rabbitmq"}} 0
wearlab_delivery_oldest_seconds{{team_id="{TEAM}",kind="webhook"}} 5400
wearlab_delivery_oldest_seconds{{team_id="00000000-0000-0000-0000-000000000001",kind="cloud_pubsub"}} 3
wearlab_delivery_parked{{team_id="{TEAM}",kind="webhook"}} 4
wearlab_delivery_attempts_total{{team_id="{TEAM}",kind="rabbitmq"}} {events}
wearlab_delivery_failures_total{{team_id="{TEAM}",kind="rabbitmq"}} 0
# EOF
"#,
        lines = seconds * 1_500,
        events = seconds * 20,
    )
}

fn scrape(start: Instant, seconds: u64) -> Scrape {
    Scrape {
        at: start + Duration::from_secs(seconds),
        metrics: MetricsText::parse(&metrics(seconds)).expect("metrics"),
    }
}

/// Returns a screen after three seconds.
fn screen() -> (Screen, History) {
    let mut screen = Screen {
        url: "http://127.0.0.1:8080".to_owned(),
        ..Screen::default()
    };
    let (start, mut history) = (Instant::now(), History::default());
    for seconds in [7200, 7201, 7202] {
        history.add(Ok(scrape(start, seconds)), &mut screen);
    }
    (screen, history)
}

fn drawn(screen: &mut Screen, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    terminal.draw(|frame| screen.draw(frame)).expect("drawn");
    terminal.backend().to_string()
}

#[test]
fn a_service_is_shown_in_80_columns() {
    insta::assert_snapshot!(drawn(&mut screen().0, 80, 24));
}

#[test]
fn a_large_terminal_has_whole_ids() {
    let shown = drawn(&mut screen().0, 140, 40);
    assert!(shown.contains(TEAM), "{shown}");
}

#[test]
fn no_size_is_too_small() {
    for (width, height) in [(1, 1), (20, 5), (40, 8), (80, 10), (500, 200)] {
        drawn(&mut screen().0, width, height);
    }
}

#[test]
fn a_service_that_is_down_is_said_beside_what_was_known() {
    let (mut screen, mut history) = screen();
    history.add(
        Err("cannot reach http://127.0.0.1:8080: Connection refused".to_owned()),
        &mut screen,
    );
    insta::assert_snapshot!(drawn(&mut screen, 80, 12));
    let start = Instant::now();
    history.add(Ok(scrape(start, 9000)), &mut screen);
    assert!(screen.down.is_none(), "it is up again");
    assert_eq!(
        screen.view.requests, None,
        "what was counted while it was away is no rate"
    );
}

#[test]
fn nothing_is_shown_before_a_response() {
    let mut screen = Screen {
        url: "http://127.0.0.1:8080".to_owned(),
        ..Screen::default()
    };
    insta::assert_snapshot!(drawn(&mut screen, 60, 10));
}

#[test]
fn a_restart_begins_anew() {
    let (mut screen, mut history) = screen();
    let start = Instant::now();
    history.add(Ok(scrape(start, 1)), &mut screen);
    assert_eq!((screen.view.requests, screen.view.uptime), (None, Some(1.5)));
    history.add(Ok(scrape(start, 2)), &mut screen);
    assert_eq!(screen.view.requests, Some(11.0));
}

#[test]
fn keys_sort_scroll_and_end() {
    let (mut screen, _) = screen();
    let mut press = |code| screen.press(KeyEvent::new(code, KeyModifiers::NONE));
    assert!(press(KeyCode::Right));
    assert!(press(KeyCode::Down) && press(KeyCode::Down) && press(KeyCode::Down) && press(KeyCode::Down));
    assert!(press(KeyCode::Tab) && press(KeyCode::Left) && press(KeyCode::End));
    assert!(!press(KeyCode::Char('q')));
    assert!(!screen.press(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
    assert_eq!(screen.operation_order, OperationOrder::Latency);
    assert_eq!(screen.destination_order, DestinationOrder::Age);
    assert_eq!(
        (screen.operations.selected(), screen.destinations.selected()),
        (Some(2), Some(2))
    );
    let names: Vec<_> = screen.view.operations.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["list_users", "(other requests)", "export_user"]);
    let kinds: Vec<_> = screen.view.destinations.iter().map(|one| one.kind.as_str()).collect();
    assert_eq!(kinds, ["webhook", "cloud_pubsub", "rabbitmq"]);
}

#[test]
fn the_same_is_plain_text() {
    let start = Instant::now();
    let mut view = View::new(&scrape(start, 7201), Some(&scrape(start, 7200)), None);
    view.sort(OperationOrder::default(), DestinationOrder::default());
    insta::assert_snapshot!(plain::text("http://127.0.0.1:8080", &view));
}
