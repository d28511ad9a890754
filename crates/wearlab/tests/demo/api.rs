//! Tests of `wearlab api` against a demo.

use std::process::{Command, Output};

use chrono::{TimeDelta, Utc};
use serde_json::Value;
use wearlab_server::{OPENAPI_JSON, Operation, operations};
use wearlab_store::KeyHash;

use crate::closed_output::with_closed_output;
use crate::{Demo, wearlab};

/// Creates the command line, with the demo's URL and keys in the environment.
fn api(demo: &Demo, arguments: &[&str]) -> Command {
    let mut command = wearlab(&["api"]);
    command
        .args(arguments)
        .env("WEARLAB_BASE_URL", demo.says("base_url"))
        .env("WEARLAB_MANAGEMENT_URL", demo.says("management_url"))
        .env("WEARLAB_API_KEY", demo.says("team_api_key"))
        .env("WEARLAB_MANAGEMENT_KEY", demo.says("management_key"))
        .env_remove("WEARLAB_LINK_TOKEN")
        .env_remove("WEARLAB_HEADER_PREFIX");
    command
}

/// Returns the output of a call that must succeed.
fn says(demo: &Demo, arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = api(demo, arguments).output().expect("it runs");
    let message = String::from_utf8_lossy(&stderr);
    assert!(status.success() && message.is_empty(), "{arguments:?}: {message}");
    String::from_utf8(stdout).expect("text")
}

fn kebab(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

/// Returns the method of an operation, as the document writes it.
fn method(operation: &Operation) -> String {
    operation.method.as_str().to_lowercase()
}

/// Returns the parameters of an operation in the document, without that of conditional requests.
fn parameters(operation: &Operation) -> Vec<Value> {
    let document: Value = serde_json::from_str(OPENAPI_JSON).expect("JSON");
    let described = &document["paths"][operation.path][method(operation)];
    let own = [
        &document["paths"][operation.path]["parameters"],
        &described["parameters"],
    ];
    let own = own.into_iter().filter_map(Value::as_array).flatten();
    own.map(|parameter| match parameter["$ref"].as_str() {
        Some(reference) => document.pointer(&reference[1..]).expect("a component").clone(),
        None => parameter.clone(),
    })
    .filter(|parameter| parameter["name"] != "If-None-Match")
    .collect()
}

/// Days of data, enough for a workout.
const DAYS: i64 = 40;

/// Returns the id of the first summary of a session.
async fn session(demo: &Demo, resource: &str) -> String {
    let start = (Utc::now() - TimeDelta::days(DAYS)).date_naive();
    let path = format!("/v2/summary/{resource}/{}?start_date={start}", demo.says("user_id"));
    let summaries: Value = demo.get(&path).await.json().await.expect("JSON");
    let id = summaries[resource][0]["id"].as_str();
    id.expect("a summary").to_owned()
}

/// Returns a resource of the demo's user.
async fn user(demo: &Demo, of: &str) -> Value {
    let path = format!("/v2/user/{}{of}", demo.says("user_id"));
    demo.get(&path).await.json().await.expect("JSON")
}

/// Returns a value of a parameter that the demo has a response for.
async fn value(demo: &Demo, name: &str) -> String {
    match name {
        "diagnosis_query" => "gout".to_owned(),
        "start_date" => (Utc::now() - TimeDelta::days(DAYS)).date_naive().to_string(),
        "resource" => "heartrate".to_owned(),
        "sleep_id" => session(demo, "sleep").await,
        "workout_id" => session(demo, "workouts").await,
        "client_user_id" => user(demo, "").await["client_user_id"]
            .as_str()
            .expect("an id")
            .to_owned(),
        "device_id" => user(demo, "/device").await[0]["id"]
            .as_str()
            .expect("a device")
            .to_owned(),
        "order_id" => {
            let orders: Value = demo
                .get("/v3/orders?status=completed")
                .await
                .json()
                .await
                .expect("JSON");
            let id = orders["orders"][0]["id"].as_str();
            id.expect("a completed order").to_owned()
        }
        "key_id" => KeyHash::of(demo.says("management_key")).id(),
        name => demo.says(name).to_owned(),
    }
}

/// Reads of resources that a demo lacks, of a stream of lines, or of a file.
const ELSEWHERE: [&str; 12] = [
    "export_user",
    "get_order_requisition",
    "get_access_token",
    "get_event",
    "get_provider_settings",
    "get_redirect_urls",
    "get_webhook",
    "list_event_attempts",
    "list_provider_settings",
    "list_pulls",
    "list_undelivered",
    "list_webhooks",
];

#[tokio::test]
async fn every_operation_answers_what_the_service_does() {
    let demo = Demo::start(&["--days", &DAYS.to_string()]);
    // Others accept the input of the tests of `wearlab ingest` and `wearlab import`.
    for operation in operations::ALL
        .into_iter()
        .filter(|operation| operation.method.is_safe() && !ELSEWHERE.contains(&operation.id))
    {
        let (mut path, mut query) = (operation.path.to_owned(), Vec::new());
        let mut arguments = vec![kebab(operation.id)];
        for parameter in parameters(operation)
            .iter()
            .filter(|parameter| parameter["required"] == true)
        {
            let name = parameter["name"].as_str().expect("a name");
            let value = value(&demo, name).await;
            arguments.push(format!("--{}={value}", kebab(name)));
            match parameter["in"].as_str() {
                Some("path") => path = path.replace(&format!("{{{name}}}"), &value),
                _ => query.push((name.to_owned(), value)),
            }
        }
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let request = reqwest::Client::new()
            .get(format!("{}{path}", demo.says("base_url")))
            .query(&query)
            .header("x-service-api-key", demo.says("team_api_key"))
            .header("x-management-key", demo.says("management_key"));
        let served: Value = request.send().await.expect("a response").json().await.expect("JSON");
        let message = says(&demo, &arguments);
        assert_eq!(message.lines().count(), 1, "compact, where nobody looks: {message}");
        assert_eq!(
            serde_json::from_str::<Value>(&message).expect("JSON"),
            served,
            "{arguments:?}"
        );
        let pretty = says(&demo, &[&arguments[..], &["--output", "pretty"]].concat());
        assert!(pretty.lines().count() > 2, "{pretty}");
        assert_eq!(serde_json::from_str::<Value>(&pretty).expect("JSON"), served);
        let table = says(&demo, &[&arguments[..], &["-o", "table"]].concat());
        assert!(
            table.lines().count() >= 2 && serde_json::from_str::<Value>(&table).is_err(),
            "{arguments:?}: {table}"
        );
    }
}

#[test]
fn help_has_every_operation_and_parameter_and_no_key() {
    let demo = Demo::start(&[]);
    let secrets = ["team_api_key", "management_key"].map(|name| demo.says(name).to_owned());
    let mut helps = vec![says(&demo, &["--help"])];
    let document: Value = serde_json::from_str(OPENAPI_JSON).expect("JSON");
    for operation in operations::ALL {
        let command = kebab(operation.id);
        let summary = document["paths"][operation.path][method(operation)]["summary"]
            .as_str()
            .expect("a summary");
        let listed = helps[0]
            .lines()
            .any(|line| line.trim().starts_with(&command) && line.ends_with(summary));
        assert!(listed, "{command}: {}", helps[0]);
        let help = says(&demo, &[&command, "--help"]);
        for parameter in parameters(operation) {
            let option = format!("--{} <", kebab(parameter["name"].as_str().expect("a name")));
            assert!(help.contains(&option), "{option}: {help}");
        }
        let paged = !document["paths"][operation.path][method(operation)]["x-pagination"].is_null();
        assert_eq!(help.contains("--all"), paged, "{help}");
        helps.push(help);
    }
    for name in [
        "WEARLAB_BASE_URL",
        "WEARLAB_API_KEY",
        "WEARLAB_LINK_TOKEN",
        "WEARLAB_MANAGEMENT_KEY",
        "Exit codes",
    ] {
        assert!(helps[0].contains(name), "{name}");
    }
    let all = helps.concat();
    assert!(!secrets.iter().any(|secret| all.contains(secret)), "{all}");
}

#[test]
fn all_pages_are_lines_and_begin_where_they_are_asked_to() {
    let demo = Demo::start(&[]);
    let whole: Value = serde_json::from_str(&says(&demo, &["list-users", "--limit=500"])).expect("JSON");
    let users = whole["users"].as_array().expect("users");
    assert!(users.len() > 18, "{}", users.len());
    let lines = |arguments: &[&str]| -> Vec<Value> {
        let text = says(&demo, arguments);
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    };
    assert_eq!(lines(&["list-users", "--all", "--limit=7"]), *users);
    assert_eq!(lines(&["list-users", "--limit=7", "--offset=9", "--all"]), users[9..]);
    let test = format!("--lab-test-id={}", demo.says("lab_test_id"));
    let page: Value = serde_json::from_str(&says(&demo, &["list-lab-test-markers", &test])).expect("JSON");
    let first = page["markers"].as_array().expect("markers");
    let markers = lines(&["list-lab-test-markers", &test, "--all", "--size=20"]);
    assert!(
        markers.len() > 20 && page["total"] == markers.len(),
        "{}",
        markers.len()
    );
    assert!(markers.starts_with(first), "in order");
    let place = ["org_id", "env", "region"].map(|name| format!("--{}={}", kebab(name), demo.says(name)));
    let mut arguments = vec!["list-team-pipelines", "--all"];
    arguments.extend(place.iter().map(String::as_str));
    assert!(!lines(&arguments).is_empty());

    let table = says(
        &demo,
        &[
            "list-users",
            "--all",
            "--limit=7",
            "-o",
            "table",
            "--columns=client_user_id,user_id",
        ],
    );
    let rows: Vec<Vec<_>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["client_user_id", "user_id"]);
    assert_eq!(rows.len(), users.len() + 1, "one head");
    for (row, user) in rows[1..].iter().zip(users) {
        assert_eq!(*row, [&user["client_user_id"], &user["user_id"]]);
    }
}

#[test]
fn a_table_has_the_rows_of_a_list() {
    let demo = Demo::start(&[]);
    let user = format!("--user-id={}", demo.says("user_id"));
    // A bare list, a list within an object, and one object.
    let devices = says(&demo, &["list-user-devices", &user, "-o", "table"]);
    assert!(devices.starts_with("id "), "{devices}");
    let providers = says(&demo, &["list-user-providers", &user, "-o", "table"]);
    assert!(providers.starts_with("slug "), "{providers}");
    // The most useful columns of each, in a fixed order, and all of them on request.
    let head = |table: &str| -> Vec<String> {
        let head = table.lines().next().unwrap_or_default();
        head.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(head(&providers), ["slug", "name", "status", "created_on"]);
    let all = says(&demo, &["list-user-providers", &user, "-o", "table", "--columns=all"]);
    assert!(
        all.starts_with("name ") && head(&all).contains(&"logo".to_owned()),
        "{all}"
    );
    let users = says(&demo, &["list-users", "-o", "table", "--all"]);
    assert!(users.lines().all(|line| line.chars().count() < 160), "{users}");
    let one = says(&demo, &["get-user", &user, "-o", "table"]);
    assert!(
        one.lines().count() == 2 && one.contains("fallback_time_zone.id"),
        "{one}"
    );
    let page = says(&demo, &["list-users", "--limit=2", "-o", "table"]);
    assert!(page.lines().count() == 3 && page.starts_with("user_id "), "{page}");
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let demo = Demo::start(&[]);
    for arguments in [
        &["list-users", "--all", "--limit=1"][..],
        &["list-providers"],
        &["completions", "bash"],
    ] {
        let output = with_closed_output(&mut api(&demo, arguments));
        assert!(output.status.success(), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[test]
fn shells_complete_operations_and_parameters() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = wearlab(&["api", "completions", shell]).output().expect("it runs");
        assert!(output.status.success(), "{shell}");
        let script = String::from_utf8(output.stdout).expect("text");
        for word in ["list-user-devices", "diagnosis-query", "ingest"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        // The values of an enum, in shells that complete values.
        let values = script.contains("stridewell");
        assert_eq!(values, !["elvish", "powershell"].contains(&shell), "{shell}");
    }
    assert_eq!(
        wearlab(&["api", "completions", "dos"])
            .output()
            .expect("it runs")
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn other_commands_do_not_mind_its_variables() {
    let directory = tempfile::tempdir().expect("a directory");
    let data = format!("--set=data={}", directory.path().display());
    let mut command = wearlab(&["config", "--check", &data]);
    for name in [
        "BASE_URL",
        "MANAGEMENT_URL",
        "API_KEY",
        "LINK_TOKEN",
        "MANAGEMENT_KEY",
        "HEADER_PREFIX",
    ] {
        command.env(format!("WEARLAB_{name}"), "something");
    }
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
