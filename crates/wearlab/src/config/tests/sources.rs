//! Origins of settings, and their precedence.

use std::fs;

use super::{flags, toml, variables};
use crate::config::{Config, DEFAULT_FILE, Loaded, load};

#[test]
fn the_file_that_is_printed_says_the_defaults() {
    assert_eq!(load(None, [], &[]).expect("loads"), Config::default());
    assert_eq!(toml(DEFAULT_FILE).expect("loads"), Config::default());
}

#[test]
fn what_is_commented_out_in_it_can_be_set() {
    let mut text = String::new();
    for line in DEFAULT_FILE.lines() {
        let setting = line
            .strip_prefix("# ")
            .filter(|rest| rest.starts_with('[') || rest.contains(" = "));
        text.push_str(setting.unwrap_or(line));
        text.push('\n');
    }
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(file.path(), &text).expect("writes");
    // Not every build has traces.
    let loaded = Loaded::read(Some(file.path()), [], &[]).expect("reads");
    assert_eq!(loaded.problems, []);
    let config = loaded.config;
    assert!(config.secret_key_file.is_some() && config.service.rate_limit.is_some());
    assert!(config.http.tls.is_some() && config.http.cors.is_some() && config.log.otlp_endpoint.is_some());
    assert!(config.http.management_listen.is_some());
}

#[test]
fn flags_go_before_the_environment_and_that_before_the_file() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(
        file.path(),
        "data = \"a\"\n[http]\nlisten = \"127.0.0.1:1\"\n[http.limits]\nrequests = 1\n",
    )
    .expect("writes");
    let environment = variables(&[
        ("WEARLAB_CONFIG", "not a setting"),
        ("WEARLAB_API_KEY", "one of the client"),
        ("WEARLAB_ORG_ID", "one of commands"),
        ("WEARLAB_MIGRATE_TO", "one of a migration"),
        ("WEARLAB_HTTP__LISTEN", "127.0.0.1:2"),
        ("WEARLAB_HTTP__LIMITS__REQUESTS", "2"),
        ("WEARLAB_HTTP__CORS__ORIGINS", "https://a.example,https://b.example"),
        ("WEARLAB_LOG__FORMAT", ""),
        ("HOME", "/"),
    ]);
    let flags = flags(&[
        ("http.listen", "127.0.0.1:3"),
        ("webhooks.allow_networks", "10.0.0.0/8, fd00::/8"),
    ]);
    let config = load(Some(file.path()), environment, &flags).expect("loads");
    assert_eq!(config.data.to_str(), Some("a"));
    assert_eq!(config.http.limits.requests, 2);
    assert_eq!(config.http.listen.port(), 3);
    assert_eq!(config.http.cors.map(|cors| cors.origins.len()), Some(2));
    assert_eq!(config.webhooks.allow_networks.len(), 2);
}

#[test]
fn a_list_can_be_given_as_text() {
    let origins = |config: Config| config.http.cors.expect("set").origins;
    let expected = ["https://one.example", "https://two.example"];
    let text = "https://one.example, https://two.example";
    let flags = flags(&[("http.cors.origins", text)]);
    assert_eq!(origins(load(None, [], &flags).expect("loads")), expected);
    let environment = variables(&[("WEARLAB_HTTP__CORS__ORIGINS", text)]);
    assert_eq!(origins(load(None, environment, &[]).expect("loads")), expected);
    let file = "[http.cors]\norigins = [\"https://one.example\", \"https://two.example\"]";
    assert_eq!(origins(toml(file).expect("loads")), expected);
    let error = toml("[http.cors]\norigins = 1").expect_err("no list").to_string();
    assert!(
        error.contains("a list of strings") && error.contains("http.cors.origins"),
        "{error}"
    );
}

#[test]
fn text_is_text() {
    let environment = variables(&[("WEARLAB_DATA", "007"), ("WEARLAB_SVIX__TOKEN", "00123456")]);
    let config = load(None, environment, &[]).expect("loads");
    assert_eq!(config.data.to_str(), Some("007"));
    assert_eq!(config.svix.token.expect("set").expose(), "00123456");
    for token in ["TRUE", "1e3", "-0", "0x10", " x "] {
        let flags = flags(&[
            ("svix.token", token),
            ("webhooks.allow_http", "TRUE"),
            ("webhooks.in_flight", "07"),
        ]);
        // The last one is not a token, and is rejected later.
        let config = Loaded::read(None, [], &flags).expect("reads").config;
        assert_eq!(config.svix.token.expect("set").expose(), token);
        assert!(config.webhooks.allow_http && config.webhooks.in_flight == 7);
    }
}

/// Variables that Kubernetes sets for services called wearlab, wearlab-api and so on.
#[test]
fn links_of_services_are_none_of_ours() {
    let links = [
        ("WEARLAB_PORT", "tcp://10.0.0.1:80"),
        ("WEARLAB_PORT_80_TCP", "tcp://10.0.0.1:80"),
        ("WEARLAB_PORT_80_TCP_PROTO", "tcp"),
        ("WEARLAB_PORT_80_TCP_PORT", "80"),
        ("WEARLAB_PORT_80_TCP_ADDR", "10.0.0.1"),
        ("WEARLAB_SERVICE_HOST", "10.0.0.1"),
        ("WEARLAB_SERVICE_PORT", "80"),
        ("WEARLAB_SERVICE_PORT_HTTP", "80"),
        ("WEARLAB_API_PORT", "tcp://10.0.0.1:80"),
        ("WEARLAB_API_PORT_53_UDP", "udp://10.0.0.1:53"),
        ("WEARLAB_API_SERVICE_HOST", "10.0.0.1"),
    ];
    let loaded = Loaded::read(None, variables(&links), &[]).expect("reads");
    assert_eq!(loaded.problems, []);
    assert_eq!(loaded.ignored.len(), links.len());
    for (name, value) in [
        ("WEARLAB_PORT", "8080"),
        ("WEARLAB_HTTP_LISTEN", "127.0.0.1:1"),
        ("WEARLAB_HTTP__PORT", "tcp://x"),
    ] {
        let error = load(None, variables(&[(name, value)]), &[])
            .expect_err(name)
            .to_string();
        assert!(
            error.contains(&format!("{name}: ")) && error.contains("unknown setting"),
            "{error}"
        );
    }
}
