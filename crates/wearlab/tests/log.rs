//! Tests of the log of a panic.

use std::panic::AssertUnwindSafe;
use std::process::Command;

use axum::body::Body;
use axum::http::Request;
use serde_json::Value;
use tokio::runtime;
use wearlab::config::log::{LogFormat, LogSettings};
use wearlab::log;
use wearlab_server::layers::RequestScope;

const CHILD: &str = "WEARLAB_TEST_PANICS";

/// Body of the child process: nothing in the parent.
#[test]
fn panics() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let settings = LogSettings {
        format: LogFormat::Json,
        ..LogSettings::default()
    };
    let _log = log::start(&settings).expect("a log");
    let mut request = Request::get("/").header("x-request-id", "the-one").body(Body::empty());
    let scope = RequestScope::begin(request.as_mut().expect("a request"));
    let runtime = runtime::Builder::new_current_thread().build().expect("a runtime");
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(scope.run(async { panic!("the patient is called Ada") }))
    }));
    assert!(outcome.is_err());
}

#[test]
fn a_panic_is_a_line_with_its_place_and_without_its_message() {
    let child = Command::new(std::env::current_exe().expect("this test"))
        .args(["panics", "--exact", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("it runs");
    assert!(child.status.success());
    let text = String::from_utf8(child.stderr).expect("text");
    assert!(!text.contains("Ada"), "{text}");
    let line: Value = serde_json::from_str(text.trim()).expect("one line of JSON");
    assert_eq!(
        (&line["level"], &line["message"]),
        (&"ERROR".into(), &"panicked".into())
    );
    assert_eq!(line["request_id"], "the-one");
    assert!(line["at"].as_str().is_some_and(|at| at.contains("log.rs:")), "{line}");
}
