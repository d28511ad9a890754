//! Tests of messages about invalid settings.

use super::service::refused;
use super::settings::flag;
use crate::fixture::{Fixture, error};

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

/// Checks that `serve` and `config --check` print the same line, with the setting's name and its value.
fn both_refuse(fixture: &Fixture, settings: &[(&str, &str)], name: &str, value: &str) {
    let flags: Vec<_> = settings.iter().flat_map(|(name, value)| flag(name, value)).collect();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let mut serve = fixture.command(&["serve", "--listen", "127.0.0.1:0"]);
    serve.args(&flags);
    let (status, message) = refused(serve);
    assert_eq!(status.code(), Some(1), "{name}={value}: {message}");
    assert_eq!(message.lines().count(), 1, "{name}={value}: {message}");
    assert!(message.starts_with("wearlab: invalid configuration: "), "{message}");
    // Only the unknown part of a name is reported.
    let (name, value) = match name.strip_prefix("http.limitz") {
        Some(_) => ("limitz", "limits"),
        // A file in a secret section: its name may be the secret.
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

/// Each problem has a line of its own, with the origin of the setting.
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
    // The setting takes precedence, and the variable is not read.
    let mut check = fixture.command(&["config", "--check", "--set", "cloud_pubsub.endpoint=127.0.0.1:1"]);
    assert!(
        check
            .env("PUBSUB_EMULATOR_HOST", "a b")
            .status()
            .expect("it runs")
            .success()
    );
}
