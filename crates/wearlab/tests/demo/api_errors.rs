//! Exit codes and messages of `wearlab api` without a response: by class of error, in one line.

use std::io::{Read, Write};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use wearlab_mock::models::{CancellationReason, User, UserList};
use wearlab_mock::wiremock::ResponseTemplate;
use wearlab_mock::{MockServer, list_cancellation_reasons, list_users};

use crate::wearlab;

const KEY: &str = "wl_team_hushhush";

/// Creates a call with a key, at a URL.
pub(crate) fn api(url: &str, arguments: &[&str]) -> Command {
    let mut command = wearlab(&["api"]);
    command.args(arguments);
    for (name, value) in [
        ("BASE_URL", url),
        ("API_KEY", KEY),
        ("LINK_TOKEN", ""),
        ("HEADER_PREFIX", ""),
    ] {
        command.env(format!("WEARLAB_{name}"), value);
    }
    command
        .env_remove("WEARLAB_MANAGEMENT_URL")
        .env_remove("WEARLAB_MANAGEMENT_KEY");
    command
}

/// Returns the exit code and the message of a failure: one line, without the key.
fn fails(mut command: Command) -> (i32, String) {
    let Output { status, stderr, .. } = command.output().expect("it runs");
    let text = String::from_utf8(stderr).expect("text");
    assert!(text.starts_with("wearlab: ") && text.lines().count() == 1, "{text}");
    assert!(!text.contains("hushhush"), "{text}");
    (status.code().expect("it ended by itself"), text)
}

#[tokio::test]
async fn each_class_of_error_has_its_exit_code() {
    for (status, code, message) in [
        (418, 1, "unexpected response"),
        (403, 4, "forbidden"),
        (409, 10, "conflict"),
        (412, 10, "precondition failed"),
        (422, 3, "No good."),
        (401, 4, "unauthorized"),
        (404, 5, "not found"),
        (429, 6, "retry after 1 s"),
        (500, 7, "the service failed"),
        (503, 7, "retry after 1 s"),
    ] {
        let server = MockServer::start().await;
        list_cancellation_reasons()
            .then_problem(status, "No good.")
            .mount(&server)
            .await;
        let (ended, text) = fails(api(&server.uri(), &["list-cancellation-reasons"]));
        assert_eq!(ended, code, "{status}: {text}");
        assert!(text.contains(message), "{status}: {text}");
    }
}

#[tokio::test]
async fn what_is_no_answer_has_exit_codes_too() {
    let server = MockServer::start().await;
    let reasons = || list_cancellation_reasons().team_api_key(KEY);
    let body = r#"[{"id": "x", "name": "hushhush", "is_refundable": true"#;
    let unreadable = ResponseTemplate::new(200)
        .set_body_raw(body, "application/json")
        .insert_header("x-request-id", "r1");
    reasons().then_respond(unreadable).mount(&server).await;
    let (code, text) = fails(api(&server.uri(), &["list-cancellation-reasons"]));
    assert_eq!(code, 9, "{text}");
    assert!(text.contains("(line 1, column 54)") && text.contains("r1"), "{text}");

    server.reset().await;
    let none: Vec<CancellationReason> = Vec::new();
    reasons()
        .then_ok(&none)
        .delay(Duration::from_secs(20))
        .mount(&server)
        .await;
    let (code, text) = fails(api(&server.uri(), &["list-cancellation-reasons", "--timeout=1"]));
    assert_eq!(code, 8, "{text}");

    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let nobody = format!("http://{}", taken.local_addr().expect("an address"));
    drop(taken);
    let (code, text) = fails(api(&nobody, &["list-cancellation-reasons"]));
    assert_eq!(code, 8, "{text}");
}

#[tokio::test]
async fn columns_that_no_row_has_are_refused() {
    let reasons = r#"[{"id": "x", "name": "n", "is_refundable": true}]"#;
    let reasons: Vec<CancellationReason> = serde_json::from_str(reasons).expect("reasons");
    let server = MockServer::start().await;
    list_cancellation_reasons().then_ok(&reasons).mount(&server).await;
    let table = |columns: &str| {
        api(
            &server.uri(),
            &["list-cancellation-reasons", "-o", "table", "--columns", columns],
        )
    };
    let (code, text) = fails(table("nope"));
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("--columns: no row has nope; there are "), "{text}");
    let output = table("nope,name").output().expect("it runs");
    assert_eq!(output.status.code(), Some(0));
    let message = String::from_utf8(output.stderr).expect("text");
    assert!(message.contains("no row has nope"), "{message}");
    assert!(
        String::from_utf8(output.stdout)
            .expect("text")
            .starts_with("nope  name")
    );
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_utf8_is_named() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let mut command = api("http://127.0.0.1:9", &["list-cancellation-reasons"]);
    command.env("WEARLAB_API_KEY", OsStr::from_bytes(b"hushhush\xff"));
    let (code, text) = fails(command);
    assert_eq!(
        (code, &*text),
        (2, "wearlab: not UTF-8: the variable WEARLAB_API_KEY\n")
    );
}

/// Returns the URL of a service that begins each response, and never ends it.
fn endless(head: &'static str) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || -> std::io::Result<()> {
                let mut stream = stream?;
                let _ = stream.read(&mut [0; 4096])?;
                stream.write_all(head.as_bytes())?;
                loop {
                    stream.write_all(b" ")?;
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
        }
    });
    url
}

#[test]
fn time_and_length_of_an_answer_are_bounded() {
    for (head, code) in [
        ("HTTP/1.1 200 OK\r\n\r\n", 8),
        ("HTTP/1.1 503 Service Unavailable\r\n\r\n", 7),
    ] {
        let begun = Instant::now();
        let arguments = ["list-users", "--timeout=2", "--retries=1000"];
        let (ended, text) = fails(api(&endless(head), &arguments));
        assert_eq!(ended, code, "{text}");
        assert!(begun.elapsed() < Duration::from_secs(20), "not once for each attempt");
    }
    let url = endless("HTTP/1.1 200 OK\r\n\r\n");
    let (code, text) = fails(api(&url, &["list-users", "--max-response-bytes=10"]));
    assert_eq!(code, 9, "{text}");
    assert!(
        text.contains("longer than 10 bytes") && text.contains("--max-response-bytes"),
        "{text}"
    );
    for (file, message) in [("/dev/null", "no certificate"), ("/no/such/file", "/no/such/file")] {
        let (code, text) = fails(api(&url, &["list-users", &format!("--cacert={file}")]));
        assert_eq!(code, 2, "{text}");
        assert!(text.contains(message), "{text}");
    }
}

#[tokio::test]
async fn what_came_before_an_error_is_written() {
    let server = MockServer::start().await;
    list_users().offset(1).then_problem(404, "Gone.").mount(&server).await;
    let user: User = serde_json::from_str(USER).expect("a user");
    let page = UserList::builder()
        .users(vec![user])
        .total(2)
        .offset(0)
        .limit(1)
        .build();
    list_users().limit(1).then_ok(&page).mount(&server).await;
    let output = api(&server.uri(), &["list-users", "--all", "--limit=1"])
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
}

const USER: &str = r#"{
    "user_id": "00000000-0000-0000-0000-000000000007", "team_id": "00000000-0000-0000-0000-000000000001",
    "client_user_id": "client-7", "created_on": "2026-01-02T03:04:05Z", "connected_sources": [],
    "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "manual", "updated_at": "2026-01-02T03:04:05Z"}
}"#;

#[tokio::test]
async fn a_mistake_sends_nothing_and_shows_no_key() {
    let server = MockServer::start().await;
    for (arguments, message) in [
        (&["list-user"][..], "list-user"),
        (&["get-user"], "--user-id <UUID>"),
        (&["get-user", "--user-id", "seven"], "'seven' for '--user-id <UUID>'"),
        (&["list-users", "--limit", "many"], "--limit <N>"),
        (&["list-users", "--limits=1"], "--limits"),
        (&["list-users", KEY], "unexpected argument"),
        (&["list-users", "--api-keys=wl_team_hushhush"], "--api-keys"),
        (&["list-users", "--api-key"], "--api-key <KEY>"),
        (&["list-users", "--api-key=wl_team_hushhush\n"], "not printable ASCII"),
        (&["list-users", "--output=xml"], "--output <FORMAT>"),
        (&["list-users", "--timeout=0"], "--timeout <SECONDS>"),
        (
            &["list-users", "--base-url=ftp://hushhush@127.0.0.1"],
            "--base-url (or WEARLAB_BASE_URL): expected an http or https URL",
        ),
        (&["list-users", "--base-url=x"], "such as https://api.example.com"),
        (&["list-users", "--management-url=/v1"], "--management-url"),
        (&["list-users", "--header-prefix=Ä"], "header prefix"),
        (&["list-users", "--header=hushhush"], "the name of a header"),
        (&["list-users", "--header=x-y: hushhush\nx"], "the value of a header"),
        (&["list-users", "--retries=-1"], "--retries <N>"),
        (&["list-cancellation-reasons", "--all"], "--all"),
        (&["list-lab-test-markers", "--lab-test-id=.."], "lab_test_id"),
        (
            &["list-team-pipelines", "--org-id=o", "--env=sandbox", "--region=eu"],
            "list-team-pipelines needs a credential: give --management-key or the variable WEARLAB_MANAGEMENT_KEY",
        ),
        (
            &["list-team-pipelines", "--org-id=o", "--env=mars", "--region=eu"],
            "expected one of production, sandbox",
        ),
    ] {
        let (code, text) = fails(api(&server.uri(), arguments));
        assert_eq!(code, 2, "{arguments:?}: {text}");
        assert!(text.contains(message), "{arguments:?}: {text}");
        assert!(!text.contains("builder"), "{arguments:?}: {text}");
    }
    // Without an operation, help lists them.
    let output = api(&server.uri(), &[]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("list-users"));
    assert!(server.received_requests().await.expect("they are kept").is_empty());
}

#[tokio::test]
async fn headers_have_the_services_own_prefix() {
    let server = MockServer::start().await;
    list_users().then_problem(404, "Here.").mount(&server).await;
    fails(api(
        &server.uri(),
        &["list-users", "--header-prefix=acme", "--link-token=x"],
    ));
    let requests = server.received_requests().await.expect("they are kept");
    assert_eq!(requests[0].headers["x-acme-api-key"], KEY);
    assert!(
        !requests[0].headers.contains_key("x-acme-link-token"),
        "this operation takes none"
    );
}
