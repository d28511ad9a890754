//! Tests of `wearlab mcp` as a process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::wearlab;

const KEY: &str = "wl_team_that_is_secret";

/// Creates the command line, without variables of the environment.
fn mcp(arguments: &[&str]) -> Command {
    let mut command = wearlab(&["mcp"]);
    command.args(arguments);
    for variable in ["WEARLAB_BASE_URL", "WEARLAB_MANAGEMENT_URL", "WEARLAB_MANAGEMENT_KEY"] {
        command.env_remove(variable);
    }
    command.env_remove("WEARLAB_API_KEY").env_remove("WEARLAB_LINK_TOKEN");
    command
}

/// Server on HTTP. It ends on drop.
struct Listening {
    child: Child,
    url: String,
}

impl Listening {
    fn start(arguments: &[&str]) -> Self {
        let mut command = mcp(&["--listen", "0"]);
        let command = command.args(arguments).env("WEARLAB_API_KEY", KEY);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary starts");
        let mut url = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut url).expect("a line");
        let url = url.trim().to_owned();
        Self { child, url }
    }

    /// Sends the first message of a session, with additional headers.
    async fn initialize(&self, headers: &[(&str, &str)]) -> reqwest::Response {
        let mut request = reqwest::Client::new()
            .post(&self.url)
            .header("accept", "application/json, text/event-stream")
            .json(&first_message());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.expect("a response")
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn first_message() -> Value {
    let params = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

#[tokio::test]
async fn pages_of_browsers_and_other_hosts_are_refused() {
    let server = Listening::start(&["--allow-host", "mcp.example"]);
    assert!(
        server.url.starts_with("http://127.0.0.1:") && server.url.ends_with("/mcp"),
        "{}",
        server.url
    );
    for allowed in [&[][..], &[("host", "localhost")], &[("host", "mcp.example")]] {
        let response = server.initialize(allowed).await;
        assert_eq!(response.status(), StatusCode::OK, "{allowed:?}");
        let answer: Value = response.json().await.expect("JSON");
        assert_eq!(answer["result"]["serverInfo"]["name"], "wearlab");
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    }
    for refused in [
        ("host", "rebound.example"),
        ("origin", "http://rebound.example"),
        ("origin", "http://localhost:3000"),
        ("origin", "null"),
    ] {
        let response = server.initialize(&[refused]).await;
        assert_eq!(response.status(), StatusCode::FORBIDDEN, "{refused:?}");
    }
}

fn fails(command: &mut Command) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = command.stdin(Stdio::null()).output().expect("it runs");
    assert!(stdout.is_empty(), "standard output is the protocol's");
    (status.code(), String::from_utf8(stderr).expect("text"))
}

#[test]
fn mistakes_of_options_are_reported_without_keys() {
    let key = format!("--api-key={KEY}");
    for (arguments, expected) in [
        (&[][..], "no tool can be offered: give a credential, such as --api-key"),
        (
            &["--listen=0.0.0.0:0", &key],
            "give the name that they use as --allow-host",
        ),
        (&["--listen=here", &key], "expected an IP address with a port"),
        (&["--tag=none", &key], "--tag"),
        (&["--base-url=ftp://a.example", &key], "expected an http or https URL"),
        (&["--api-key=\u{e9}"], "is not printable ASCII"),
    ] {
        let (code, message) = fails(&mut mcp(arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(!message.contains(KEY) && message.lines().count() == 1, "{message}");
    }
}

#[test]
fn standard_error_shows_nothing_of_a_session() {
    let mut command = mcp(&["--base-url=http://127.0.0.1:1", "--retries=0"]);
    let command = command.env("WEARLAB_API_KEY", KEY).env("RUST_LOG", "trace");
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut input = child.stdin.take().expect("piped");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let call = json!({"name": "resolve_user", "arguments": {"client_user_id": "a secret user"}});
    for message in [
        first_message(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ] {
        writeln!(input, "{message}").expect("it reads");
    }
    let mut answers = [String::new(), String::new()];
    for answer in &mut answers {
        output.read_line(answer).expect("a line");
    }
    drop(input);
    let ended = child.wait_with_output().expect("it ends");
    assert!(ended.status.success());
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
    let answer: Value = serde_json::from_str(&answers[1]).expect("JSON");
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(!answers.concat().contains(KEY));
}

#[test]
fn an_input_that_is_no_session_is_reported_without_its_content() {
    let mut command = mcp(&[]);
    let command = command.env("WEARLAB_API_KEY", KEY).stdin(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut input = child.stdin.take().expect("piped");
    let params = json!({"requestId": 1, "reason": "a secret"});
    let message = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    writeln!(input, "{message}").expect("it reads");
    drop(input);
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(ended.stderr).expect("text"),
        "wearlab: standard input is not a session of MCP: its first message must be `initialize`\n"
    );
}
