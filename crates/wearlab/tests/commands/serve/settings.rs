//! Where settings come from, and what is said of those that cannot be.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use super::service::{Serving, command, get, refused};
use crate::fixture::{Fixture, USER, error};

const KEY: (&str, &str) = ("x-service-api-key", "wl_team_first");

fn flag(name: &str, value: &str) -> Vec<String> {
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
fn a_setting_that_cannot_be_ends_it_with_one_line() {
    let fixture = Fixture::new();
    let empty = fixture.file("empty.keys", "\n");
    let short = fixture.file("short.keys", "AAAA\n");
    let text = fixture.file("text.pem", "no certificate");
    let directory = fixture.directory.path().display().to_string();
    for (name, value) in [
        ("http.management_listen", "nowhere"),
        ("http.management_listen", "127.0.0.1:99999"),
        ("http.header_prefix", "Acme"),
        ("http.catalogue_max_age", "soon"),
        ("http.limits.requests", "0"),
        ("http.limits.requests", "many"),
        ("http.limits.connections", "-1"),
        ("http.limits.uri_bytes", "40000"),
        ("http.limits.header_bytes", "65537"),
        ("http.limits.header_bytes", "1"),
        ("http.limits.header_fields", "101"),
        ("store.page_cache_bytes", "9000000000000000000"),
        ("http.limits.body_bytes", "a lot"),
        ("http.timeouts.header", "0s"),
        ("http.timeouts.drain", "2days"),
        ("http.timeouts.idle", "forever"),
        ("service.link_token_suffices", "perhaps"),
        ("log.filter", "wearlab=loud"),
        ("log.format", "xml"),
        ("http.limitz.requests", "1"),
        ("secret_key_file", "/nowhere/secret.keys"),
        ("secret_key_file", &empty),
        ("secret_key_file", &short),
        ("database.authorities_file", &text),
        ("delivery.authorities_file", "/nowhere/ca.pem"),
        ("delivery.authorities_file", &text),
        ("cloud_pubsub.credentials_file", "/nowhere/google.json"),
        ("cloud_pubsub.credentials_file", &directory),
        ("svix.token_file", "/nowhere/svix.token"),
        ("svix.token_file", &empty),
        ("events.keep_undelivered", "0s"),
        ("webhooks.in_flight", "0"),
        ("webhooks.timeout", "0s"),
        ("database.connections", "0"),
        ("database.statement_timeout", "0s"),
    ] {
        both_refuse(&fixture, &[(name, value)], name, value);
    }
    let burst = [
        ("service.rate_limit.burst", "0"),
        ("service.rate_limit.per_second", "5"),
    ];
    both_refuse(&fixture, &burst, burst[0].0, "not \"0\"");
    for (certificate, named) in [
        ("/nowhere/certificate.pem", "/nowhere/certificate.pem"),
        (text.as_str(), text.as_str()),
    ] {
        let tls = [("http.tls.certificate", certificate), ("http.tls.key", &text)];
        let flags: Vec<_> = tls.iter().flat_map(|(name, value)| flag(name, value)).collect();
        let flags: Vec<_> = flags.iter().map(String::as_str).collect();
        let (_, message) = refused(fixture.command(&[&["serve"], flags.as_slice()].concat()));
        assert_eq!(
            error(&fixture.run(&[&["config", "--check"], flags.as_slice()].concat())),
            message
        );
        for (name, reason) in [("certificate", named), ("key", "holds no PEM private key")] {
            let line = message
                .lines()
                .find(|line| line.contains(&format!("http.tls.{name}: ")));
            assert!(line.is_some_and(|line| line.contains(reason)), "{message}");
        }
    }
    assert!(!fixture.data().exists(), "the store is left alone");
}

/// `serve` and `config --check` say the same line, which has the setting's name and its value.
fn both_refuse(fixture: &Fixture, settings: &[(&str, &str)], name: &str, value: &str) {
    let flags: Vec<_> = settings.iter().flat_map(|(name, value)| flag(name, value)).collect();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let mut serve = fixture.command(&["serve", "--listen", "127.0.0.1:0"]);
    serve.args(&flags);
    let (status, message) = refused(serve);
    assert_eq!(status.code(), Some(1), "{name}={value}: {message}");
    assert_eq!(message.lines().count(), 1, "{name}={value}: {message}");
    assert!(message.starts_with("wearlab: invalid configuration: "), "{message}");
    // A name that is not known is named as far as it is not.
    let (name, value) = match name.strip_prefix("http.limitz") {
        Some(_) => ("limitz", "limits"),
        // A file beside secrets: its name may be the secret.
        None if ["database.", "svix.", "cloud_pubsub."]
            .iter()
            .any(|section| name.starts_with(section))
            && name.ends_with("_file") =>
        {
            (name, "the file")
        }
        None => (name, value.trim_start_matches("127.0.0.1:")),
    };
    assert!(
        message.contains(name) && message.contains(value),
        "{name}={value}: {message}"
    );
    let check = [&["config", "--check"], flags.as_slice()].concat();
    let checked = fixture.run(&check);
    assert_eq!(checked.status.code(), Some(1), "{name}={value}");
    assert_eq!(error(&checked), message);
}

/// Each problem has a line of its own, with where the setting was given.
#[test]
fn all_that_is_wrong_is_said_at_once() {
    let fixture = Fixture::new();
    let text =
        "[events]\nkeep_undelivered = \"0s\"\n[http.timeouts]\nidle = \"forever\"\n[svix]\ntoken_file = \"/nowhere\"\n";
    let file = fixture.file("wearlab.toml", text);
    let mut check = fixture.command(&["config", "--check", "--config", &file, "--set", "webhooks.in_flight=0"]);
    check.env("WEARLAB_LOG__FORMAT", "xml");
    let output = check.output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(1));
    let message = error(&output);
    for expected in [
        "wearlab: invalid configuration: 5 problems\n".to_owned(),
        format!("\n  {file}:2: events.keep_undelivered: "),
        format!("\n  {file}:4: http.timeouts.idle: expected a duration"),
        format!("\n  {file}:6: svix.token_file: cannot read the file: "),
        "\n  WEARLAB_LOG__FORMAT: log.format: expected text or json, not \"xml\"\n".to_owned(),
        "\n  --set webhooks.in_flight: webhooks.in_flight: ".to_owned(),
    ] {
        assert!(message.contains(&expected), "no {expected:?} in\n{message}");
    }
    assert_eq!(message.lines().count(), 6, "{message}");
}

#[cfg(unix)]
#[test]
fn an_emulator_that_cannot_be_is_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let fixture = Fixture::new();
    for (host, accepted) in [
        (OsStr::new(""), true),
        (OsStr::new("127.0.0.1:8085"), true),
        (OsStr::new("127.0.0.1:port"), false),
        (OsStr::new("a b"), false),
        (OsStr::from_bytes(b"a\xff"), false),
    ] {
        let mut check = fixture.command(&["config", "--check"]);
        let output = check.env("PUBSUB_EMULATOR_HOST", host).output().expect("it runs");
        let message = error(&output);
        assert_eq!(output.status.success(), accepted, "{host:?}: {message}");
        let expected = "invalid configuration: PUBSUB_EMULATOR_HOST: expected host:port";
        assert!(accepted || message.contains(expected), "{host:?}: {message}");
    }
    // The setting comes first, and the variable is not read.
    let mut check = fixture.command(&["config", "--check", "--set", "cloud_pubsub.endpoint=127.0.0.1:1"]);
    assert!(
        check
            .env("PUBSUB_EMULATOR_HOST", "a b")
            .status()
            .expect("it runs")
            .success()
    );
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
    for path in ["/v2/user/", "/v2/providers/", "/openapi.json"] {
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
        let message = check.output().expect("the binary runs").stdout;
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
