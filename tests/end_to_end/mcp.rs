//! Tests of the MCP server, by the client of its SDK: tools are operations of a running service.

use clap::{Args, Command, FromArgMatches};
use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use rmcp::{ServiceExt, serve_client};
use serde_json::{Value, json};
use wearlab_mcp::Options;
use wearlab_models::Uuid;
use wearlab_server::operations;
use wearlab_tests::Running;

/// Client of a server that calls a service.
struct Session {
    client: RunningService<RoleClient, ()>,
}

impl Session {
    /// Starts a server with options beside those of the connection, and connects to it in this process.
    async fn start(running: &Running, options: &[&str]) -> Self {
        let [api_key, management_key] = [&running.sample.team_api_key, &running.sample.management_key];
        let url = format!("--base-url={}", running.url);
        let keys = [
            format!("--api-key={api_key}"),
            format!("--management-key={management_key}"),
        ];
        Self::with(&[&[url.as_str(), &keys[0], &keys[1]], options].concat()).await
    }

    async fn with(options: &[&str]) -> Self {
        let command = Options::augment_args(Command::new("mcp"));
        let matches = command.try_get_matches_from([&["mcp"], options].concat());
        let options = Options::from_arg_matches(&matches.expect("options")).expect("options");
        let server = options.server().expect("a server");
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move { server.serve(theirs).await.expect("a session").waiting().await });
        let client = serve_client((), ours).await.expect("a session");
        Self { client }
    }

    async fn tools(&self) -> Vec<Tool> {
        self.client.list_all_tools().await.expect("tools")
    }

    async fn try_call(&self, name: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let arguments = arguments.as_object().expect("an object").clone();
        let request = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        self.client.call_tool(request).await
    }

    async fn call(&self, name: &str, arguments: Value) -> CallToolResult {
        self.try_call(name, arguments).await.expect("a result")
    }

    /// Returns the message of a call that must fail.
    async fn refusal(&self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments).await;
        assert_eq!(result.is_error, Some(true), "{name}: {}", text(&result));
        text(&result).to_owned()
    }
}

fn text(result: &CallToolResult) -> &str {
    let first = result.content.first().and_then(|content| content.as_text());
    &first.expect("a text").text
}

fn names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_ref()).collect()
}

/// Operations that upload or stream bytes.
const LEFT_OUT: [&str; 4] = [
    "get_order_requisition",
    "export_user",
    "ingest_arrivals",
    "import_records",
];

#[tokio::test]
async fn every_operation_is_a_tool_with_the_words_of_the_document() {
    let running = Running::start(1).await;
    let session = Session::start(&running, &["--allow-writes", "--link-token=any"]).await;
    let tools = session.tools().await;
    let expected = operations::ALL.iter().map(|operation| operation.id);
    let expected: Vec<_> = expected.filter(|id| !LEFT_OUT.contains(id)).collect();
    assert_eq!(names(&tools), expected);
    let instructions = session.client.peer_info().and_then(|info| info.instructions.clone());
    let instructions = instructions.expect("instructions");
    assert!(LEFT_OUT.iter().all(|id| instructions.contains(id)), "{instructions}");

    let document = &*wearlab_tests::values::DOCUMENT;
    for (tool, operation) in tools.iter().map(|tool| {
        let found = operations::ALL.into_iter().find(|operation| operation.id == tool.name);
        (tool, found.expect("an operation"))
    }) {
        let name = &tool.name;
        let described = &document["paths"][operation.path][operation.method.as_str().to_lowercase()];
        assert_eq!(tool.title.as_deref(), described["summary"].as_str(), "{name}");
        let schema = Value::Object((*tool.input_schema).clone());
        assert!(jsonschema::meta::is_valid(&schema), "{name}: {schema}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
        for (argument, part) in schema["properties"].as_object().expect("properties") {
            let description = part["description"].as_str().unwrap_or_default();
            assert!(description.len() > 3, "{name} does not describe {argument}");
        }
        let hints = tool.annotations.as_ref().expect("annotations");
        assert_eq!(hints.read_only_hint, Some(operation.method.is_safe()), "{name}");
    }

    let list = tools.iter().find(|tool| tool.name == "list_users").expect("a tool");
    let limit = &list.input_schema["properties"]["limit"];
    assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(1), &json!(500)));
    assert_eq!(
        limit["description"],
        "The largest number of users to return. 1 to 500, default 100."
    );
    let create = tools.iter().find(|tool| tool.name == "create_user").expect("a tool");
    assert_eq!(create.input_schema["required"], json!(["body"]));
    let schema = Value::Object((*create.input_schema).clone());
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    assert!(validator.is_valid(&json!({"body": {"client_user_id": "a"}})));
    for wrong in [json!({}), json!({"body": {}}), json!({"body": {"client_user_id": 1}})] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
}

#[tokio::test]
async fn every_read_has_the_response_of_the_service() {
    let running = Running::start(1).await;
    let session = Session::start(&running, &[]).await;
    let tools = session.tools().await;
    let reads: Vec<_> = operations::ALL
        .into_iter()
        .filter(|operation| operation.method.is_safe())
        .collect();
    assert!(tools.len() > 40 && tools.len() < reads.len(), "{:?}", names(&tools));
    for tool in &tools {
        let mut arguments = json!({});
        for name in tool
            .input_schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let name = name.as_str().expect("a name");
            arguments[name] = match name {
                "diagnosis_query" => json!("E11"),
                "start_date" => json!("2026-04-01"),
                "end_date" => json!("2026-04-02"),
                name => json!(running.path(&format!("{{{name}}}"))),
            };
        }
        let result = session.call(&tool.name, arguments).await;
        assert_eq!(result.is_error, Some(false), "{}: {}", tool.name, text(&result));
        let value: Value = serde_json::from_str(text(&result)).expect("JSON");
        let structured = result.structured_content.unwrap_or_default();
        assert_eq!(
            structured,
            if value.is_object() { value } else { Value::Null },
            "{}",
            tool.name
        );
    }
    let user = running.json(&running.path("/v2/user/{user_id}")).await;
    let result = session
        .call("get_user", json!({"user_id": running.sample.user_id}))
        .await;
    assert_eq!(result.structured_content, Some(user));
}

#[tokio::test]
async fn writes_need_their_switch() {
    let running = Running::start(1).await;
    let arguments = json!({"body": {"client_user_id": "made by a tool"}});

    let reads = Session::start(&running, &[]).await;
    assert!(reads.tools().await.iter().all(|tool| {
        let hints = tool.annotations.as_ref().expect("annotations");
        hints.read_only_hint == Some(true)
    }));
    let message = reads.refusal("create_user", arguments.clone()).await;
    assert_eq!(
        message,
        "create_user changes data, and this server only reads: start it with --allow-writes"
    );
    let resolve = json!({"client_user_id": "made by a tool"});
    let message = reads.refusal("resolve_user", resolve.clone()).await;
    assert!(message.starts_with("not found: 404"), "{message}");

    let writes = Session::start(&running, &["--allow-writes"]).await;
    let created = writes
        .call("create_user", arguments)
        .await
        .structured_content
        .expect("a user");
    let found = reads
        .call("resolve_user", resolve)
        .await
        .structured_content
        .expect("a user");
    assert_eq!(found["user_id"], created["user_id"]);
    let deleted = writes.call("delete_user", json!({"user_id": created["user_id"]})).await;
    assert_eq!(deleted.is_error, Some(false), "{}", text(&deleted));
}

#[tokio::test]
async fn results_are_bounded() {
    let running = Running::start(20).await;
    let session = Session::start(&running, &["--max-result-bytes=2000"]).await;
    let result = session.call("list_users", json!({})).await;
    assert_eq!((result.content.len(), &result.structured_content), (2, &None));
    assert_eq!(text(&result).len(), 2000);
    let notice = &result.content[1].as_text().expect("a text").text;
    assert!(
        notice.starts_with("The result is cut: these are the first 2000 of "),
        "{notice}"
    );
    let small = session.call("list_users", json!({"offset": 1000})).await;
    assert_eq!(small.content.len(), 1, "{}", text(&small));
}

#[tokio::test]
async fn failures_are_errors_of_tools() {
    let running = Running::start(1).await;
    let session = Session::start(&running, &["--allow-writes"]).await;
    for (name, arguments, expected) in [
        ("get_user", json!({"user_id": Uuid::nil()}), "not found: 404"),
        ("get_user", json!({}), "missing user_id"),
        ("get_user", json!({"user_id": null}), "missing user_id"),
        ("get_user", json!({"user_id": "mine"}), "user_id: "),
        ("list_users", json!({"limit": 0}), "validation failed: 422"),
        ("list_users", json!({"limit": "5"}), "limit: invalid type: string"),
        ("create_user", json!({"body": {}}), "body: "),
        ("create_user", json!({}), "missing body"),
        ("create_user", json!({"body": "/etc/hostname"}), "body: "),
        (
            "list_users",
            json!({"api_key": "another"}),
            "api_key: there is no such argument",
        ),
        (
            "list_users",
            json!({"base_url": "http://127.0.0.1:1"}),
            "base_url: there is no such argument",
        ),
    ] {
        let message = session.refusal(name, arguments.clone()).await;
        assert!(message.starts_with(expected), "{name} {arguments}: {message}");
        assert!(!message.contains(&running.sample.team_api_key), "{message}");
    }
    let problem = session.call("get_user", json!({"user_id": Uuid::nil()})).await;
    assert_eq!(problem.structured_content.expect("a problem document")["status"], 404);
    let unknown = session
        .try_call("drop_tables", json!({}))
        .await
        .expect_err("no such tool");
    assert!(unknown.to_string().contains("unknown tool: drop_tables"), "{unknown}");
}

#[tokio::test]
async fn tags_and_credentials_select_tools() {
    let running = Running::start(1).await;
    let session = Session::start(&running, &["--tag=users", "--tag=devices"]).await;
    let expected = [
        "get_user",
        "resolve_user",
        "list_users",
        "list_user_devices",
        "get_user_device",
    ];
    assert_eq!(names(&session.tools().await), expected);
    let message = session.refusal("list_providers", json!({})).await;
    assert_eq!(
        message,
        "list_providers is not selected: start the server with --tag providers"
    );

    let url = format!("--base-url={}", running.url);
    let key = format!("--api-key={}", running.sample.team_api_key);
    let session = Session::with(&[&url, &key]).await;
    let tools = session.tools().await;
    assert!(names(&tools).contains(&"list_users") && !names(&tools).contains(&"list_teams"));
    let message = session
        .refusal("list_teams", json!({"org_id": running.sample.org_id}))
        .await;
    assert!(message.contains("--management-key"), "{message}");
    let command = Options::augment_args(Command::new("mcp"));
    assert!(command.try_get_matches_from(["mcp", "--tag=none"]).is_err());
}
