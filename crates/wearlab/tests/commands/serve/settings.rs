//! Tests of the origins of settings, and of messages about invalid ones.

use super::service::{Serving, command, get, refused};
use crate::fixture::{Fixture, PLAINTEXT, USER, error};
use std::net::TcpListener;
use std::time::{Duration, Instant};

const KEY: (&str, &str) = ("x-service-api-key", "wl_team_first");

pub(super) fn flag(name: &str, value: &str) -> Vec<String> {
    vec!["--set".to_owned(), format!("{name}={value}")]
}

#[test]
fn flags_the_environment_and_the_file_apply_in_this_order() {
    let fixture = Fixture::with_world();
    let file = fixture.file(
        "wearlab.toml",
        "[http]\nheader_prefix = \"file\"\nlisten = \"127.0.0.1:1\"\n[http.limits]\nuri_bytes = 20\n",
    );
    let user = format!("/v2/user/{USER}");
    let from_file = Serving::start(&fixture, &["--config", &file]);
    assert_eq!(from_file.get("/v2/user/", &[("x-file-api-key", KEY.1)]).status, 200);
    assert_eq!(
        from_file.get("/v2/user/", &[KEY]).status,
        401,
        "the default does not apply"
    );
    assert_eq!(from_file.get(&user, &[("x-file-api-key", KEY.1)]).status, 414);
    drop(from_file);

    let mut with_environment = command(&fixture, &[]);
    with_environment.env("WEARLAB_CONFIG", &file);
    with_environment.env("WEARLAB_HTTP__HEADER_PREFIX", "acme");
    with_environment.env("WEARLAB_HTTP__LIMITS__URI_BYTES", "2000");
    let from_environment = Serving::of(with_environment);
    assert_eq!(from_environment.get(&user, &[("x-acme-api-key", KEY.1)]).status, 200);
    assert_eq!(from_environment.get(&user, &[("x-file-api-key", KEY.1)]).status, 401);
    drop(from_environment);

    let mut with_flags = command(&fixture, &["--config", &file, "--set", "http.header_prefix=flag"]);
    with_flags.env("WEARLAB_HTTP__HEADER_PREFIX", "acme");
    let from_flags = Serving::of(with_flags);
    assert_eq!(from_flags.get("/v2/user/", &[("x-flag-api-key", KEY.1)]).status, 200);
    assert_eq!(from_flags.get("/v2/user/", &[("x-acme-api-key", KEY.1)]).status, 401);
}

#[test]
fn an_empty_variable_names_no_file() {
    let fixture = Fixture::with_world();
    for arguments in [&["config", "--check"][..], &["keys", "list"]] {
        let output = fixture.command(arguments).env("WEARLAB_CONFIG", "").output();
        let output = output.expect("the binary runs");
        assert!(output.status.success(), "{arguments:?}: {}", error(&output));
    }
    let file = fixture.file("wearlab.toml", "dta = 1\n");
    let output = fixture.command(&["keys", "list"]).env("WEARLAB_CONFIG", &file).output();
    assert!(error(&output.expect("the binary runs")).contains("dta: unknown setting"));
}

#[test]
fn a_configuration_that_is_good_passes() {
    let fixture = Fixture::new();
    let keys = fixture.file("secret.keys", &format!("{}=\n", "A".repeat(43)));
    let file = fixture.file("wearlab.toml", &fixture.says(&["config"]));
    let setting = format!("secret_key_file={keys}");
    let message = fixture.says(&["config", "--check", "--config", &file, "--set", &setting]);
    assert!(message.starts_with("the configuration is valid"), "{message}");
    assert!(!fixture.data().exists(), "the store is left alone");
    let missing = fixture.run(&["config", "--check", "--config", "/nowhere/wearlab.toml"]);
    assert!(!missing.status.success());
    let message = error(&missing);
    assert!(
        message.contains("/nowhere/wearlab.toml") && message.lines().count() == 1,
        "{message}"
    );
}

#[test]
fn an_address_that_is_taken_ends_it_before_the_store_is_made() {
    let fixture = Fixture::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    for listen in ["--listen", "--management-listen"] {
        let free = ["http.listen=127.0.0.1:0", "http.management_listen=127.0.0.1:0"];
        let (status, message) =
            refused(fixture.command(&["serve", "--set", free[0], "--set", free[1], listen, &address]));
        assert_eq!(status.code(), Some(1));
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.contains(&format!("cannot listen at {address}")), "{message}");
        assert!(message.to_lowercase().contains("in use"), "{message}");
    }
    assert!(!fixture.data().exists());
}

#[test]
fn the_management_side_stands_apart_where_it_has_an_address() {
    let fixture = Fixture::with_world();
    let key = fixture.says(&["keys", "create", "--org", "org_one"]);
    let management = ("x-management-key", key.trim());
    let serving = Serving::start(&fixture, &["--management-listen", "127.0.0.1:0"]);
    assert_ne!(serving.address, serving.management);
    let pipelines = "/v1/org/org_one/team_etl_pipelines/sandbox/eu";
    for (path, header) in [
        (pipelines, management),
        ("/livez", KEY),
        ("/readyz", KEY),
        ("/metrics", KEY),
    ] {
        assert_eq!(serving.get(path, &[header]).status, 404, "{path}");
        assert_eq!(get(&serving.management, path, &[header]).status, 200, "{path}");
    }
    for path in ["/v2/user/", "/v2/providers/", "/openapi.json", "/asyncapi.json"] {
        assert_eq!(serving.get(path, &[KEY]).status, 200, "{path}");
        assert_eq!(get(&serving.management, path, &[KEY]).status, 404, "{path}");
    }
    let metrics = serving.probe("/metrics").body;
    assert!(
        metrics.contains("wearlab_store_operation_duration_seconds_count{operation=\"users\"} 1"),
        "{metrics}"
    );
}

#[test]
fn no_caller_can_ask_for_faults() {
    let fixture = Fixture::with_world();
    let serving = Serving::start(&fixture, &[]);
    let began = Instant::now();
    let response = serving.get("/v2/user/", &[KEY, ("prefer", "code=503, delay=20")]);
    assert_eq!(response.status, 200, "{}", response.body);
    assert!(began.elapsed() < Duration::from_secs(15));
}

#[test]
fn what_is_in_force_is_listed_with_where_it_was_given_and_without_secrets() {
    let fixture = Fixture::new();
    let text = "[http]\nlisten = \"127.0.0.1:9090\"\n[http.limits]\n\n[store]\npage_cache_bytes = 67108864\n";
    let file = fixture.file("wearlab.toml", text);
    let set = "svix.token=hushhush-token";
    let mut check = fixture.command(&[
        "config",
        "--check",
        "--config",
        &file,
        "--set",
        set,
        "--set",
        "log.format=json",
    ]);
    check.env("WEARLAB_HTTP__LIMITS__REQUESTS", "7");
    check.env("WEARLAB_DATABASE__CONNECTIONS", "5");
    let output = check.output().expect("the binary runs");
    assert!(output.status.success(), "{}", error(&output));
    let message = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in [
        format!("http.listen = 127.0.0.1:9090  ({file}:2)"),
        "http.limits.requests = 7  (WEARLAB_HTTP__LIMITS__REQUESTS)".to_owned(),
        "database.connections = 5  (WEARLAB_DATABASE__CONNECTIONS)".to_owned(),
        "svix.token = (secret)  (--set svix.token)".to_owned(),
        "log.format = json  (--set log.format)".to_owned(),
        format!("data = {}  (--data)", fixture.data().display()),
    ] {
        assert!(message.lines().any(|message| message == line), "{line}: {message}");
    }
    assert!(
        !message.contains("hushhush") && !message.contains("page_cache_bytes"),
        "{message}"
    );
    // A secret may look like a number, a span or a switch.
    for token in ["00123456", "30s", "true"] {
        let set = format!("svix.token={token}");
        let mut check = fixture.command(&["config", "--check", "--set", &set]);
        let message = check.env_remove(PLAINTEXT).output().expect("the binary runs").stdout;
        let message = String::from_utf8_lossy(&message).into_owned();
        assert!(
            message.contains("svix.token = (secret)") && !message.contains(token),
            "{message}"
        );
    }
    let url = "postgres://me:hushhush@127.0.0.1/db";
    let mut database = std::process::Command::new(env!("CARGO_BIN_EXE_wearlab"));
    let output = database
        .args(["config", "--check", "--json"])
        .env("WEARLAB_DATABASE__URL", url)
        .output()
        .expect("the binary runs");
    let message = String::from_utf8_lossy(&output.stdout).into_owned();
    let row: serde_json::Value = serde_json::from_str(message.trim()).expect("one line of JSON");
    assert_eq!(row["setting"], "database.url");
    assert_eq!(
        (&row["value"], &row["origin"]),
        (&"(secret)".into(), &"WEARLAB_DATABASE__URL".into())
    );
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_wearlab"))
        .args(["config", "--check"])
        .output();
    let message = String::from_utf8(output.expect("the binary runs").stdout).expect("text");
    assert_eq!(
        message,
        "the configuration is valid; all settings have their default values\n"
    );
}
