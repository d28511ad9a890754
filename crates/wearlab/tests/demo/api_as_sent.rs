//! Tests that `wearlab api` prints responses and sends requests unchanged, whether the models have the values or not.

use std::process::Output;

use wearlab_mock::wiremock::ResponseTemplate;
use wearlab_mock::{MockServer, list_cancellation_reasons, list_users};

use crate::api_errors::api;

/// Returns the output of a call that must succeed.
fn says(server: &MockServer, arguments: &[&str]) -> String {
    let output = api(&server.uri(), arguments).output().expect("it runs");
    let Output { status, stdout, stderr } = output;
    assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("text")
}

fn sent(body: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(body, "application/json")
}

#[tokio::test]
async fn an_answer_is_written_as_it_came() {
    let server = MockServer::start().await;
    // Members in another order, two unknown ones, one of another type, and numbers that no type here represents.
    let body = r#"[ {"name":"Moved",  "fee": 12345678901234567890.10, "id": 7, "is_refundable":true,
        "later":{"z":1e400,"a":[]}} ]"#;
    list_cancellation_reasons()
        .then_respond(sent(body))
        .mount(&server)
        .await;
    assert_eq!(says(&server, &["list-cancellation-reasons"]), format!("{body}\n"));
    assert_eq!(
        says(&server, &["list-cancellation-reasons", "-o", "compact"]),
        r#"[{"name":"Moved","fee":12345678901234567890.10,"id":7,"is_refundable":true,"later":{"z":1e400,"a":[]}}]"#
            .to_owned()
            + "\n"
    );
    let pretty = says(&server, &["list-cancellation-reasons", "-o", "pretty"]);
    assert!(
        pretty.contains("\n    \"fee\": 12345678901234567890.10,\n    \"id\": 7,\n"),
        "{pretty}"
    );
}

#[tokio::test]
async fn items_of_all_pages_are_written_as_they_came() {
    let server = MockServer::start().await;
    let user = |number: u32| {
        format!(
            r#"{{"new": {number}.0, "user_id": "00000000-0000-0000-0000-00000000000{number}",
                "team_id": "00000000-0000-0000-0000-000000000001", "client_user_id": "client-{number}",
                "created_on": "2026-01-02T03:04:05Z", "connected_sources": [], "fallback_time_zone":
                {{"id": "Europe/Oslo", "source_slug": "manual", "updated_at": "2026-01-02T03:04:05Z"}}}}"#
        )
    };
    let page = |offset: u32, users: &[String]| {
        let users = users.join(",");
        sent(&format!(
            r#"{{"total": 3, "offset": {offset}, "limit": 2, "users": [{users}], "more": {{}}}}"#
        ))
    };
    list_users()
        .offset(2)
        .then_respond(page(2, &[user(3)]))
        .mount(&server)
        .await;
    let first = page(0, &[user(1), user(2)]);
    list_users().limit(2).then_respond(first).mount(&server).await;

    let written = says(&server, &["list-users", "--limit=2", "--all"]);
    let lines: Vec<_> = written.lines().collect();
    assert_eq!(lines.len(), 3);
    for (number, line) in (1..).zip(lines) {
        assert!(line.starts_with(&format!(r#"{{"new":{number}.0,"user_id":"#)), "{line}");
    }
    let table = says(
        &server,
        &[
            "list-users",
            "--limit=2",
            "--all",
            "-o",
            "table",
            "--columns=client_user_id,new",
        ],
    );
    let words: Vec<_> = table.split_whitespace().collect();
    assert_eq!(
        words,
        [
            "client_user_id",
            "new",
            "client-1",
            "1.0",
            "client-2",
            "2.0",
            "client-3",
            "3.0"
        ]
    );
    let one = says(
        &server,
        &["list-users", "--limit=2", "-o", "table", "--columns=client_user_id"],
    );
    assert_eq!(one, "client_user_id\nclient-1\nclient-2\n");
}

#[tokio::test]
async fn headers_and_retries_are_those_that_are_asked_for() {
    let server = MockServer::start().await;
    list_users().then_problem(503, "Later.").mount(&server).await;
    let requests = async || server.received_requests().await.expect("they are kept");
    for retries in [0, 1] {
        let before = requests().await.len();
        let retries_given = format!("--retries={retries}");
        let headers = [
            "--header",
            "x-one: a:b",
            "--header=X-Two:c",
            "--header",
            "User-Agent: me",
        ];
        let arguments = [&["list-users", &retries_given][..], &headers].concat();
        let output = api(&server.uri(), &arguments).output().expect("it runs");
        assert_eq!(output.status.code(), Some(7));
        let requests = requests().await;
        assert_eq!(requests.len() - before, 1 + retries);
        for request in &requests[before..] {
            let header = |name: &str| request.headers[name].to_str().expect("text").to_owned();
            assert_eq!(
                [header("x-one"), header("x-two"), header("user-agent")],
                ["a:b", "c", "me"]
            );
        }
    }
}
