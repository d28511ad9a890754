//! Messages about settings: each names the setting and its origin.

use std::fs;

use super::{flags, toml, variables};
use crate::config::load;

#[test]
fn what_is_wrong_is_said_with_the_setting_and_its_value() {
    for (text, message) in [
        ("dta = \"x\"", ":1: dta: unknown setting; expected one of data, "),
        ("[http]\nlisten = \"nowhere\"", ":2: http.listen: "),
        (
            "[http.limits]\nrequests = \"many\"",
            ":2: http.limits.requests: expected a whole number",
        ),
        (
            "[http.limits]\nrequests = -1",
            ":2: http.limits.requests: expected a whole number",
        ),
        (
            "[http.timeouts]\nheader = \"soon\"",
            ":2: http.timeouts.header: expected a duration",
        ),
        (
            "[http.timeouts]\nheader = 10",
            ":2: http.timeouts.header: expected a duration",
        ),
        ("[log]\nformat = \"xml\"", ":2: log.format: expected text or json"),
        ("[http.tls]\nkey = \"k\"", ":1: http.tls: `certificate` is missing"),
        ("[http", ":1: invalid TOML at column 6: unclosed table"),
        ("http = 1", ":1: http: expected a section of settings"),
        ("[http.limits]\n\nrequests = [", ":3: invalid TOML at column"),
    ] {
        let error = toml(text).expect_err(text).to_string();
        assert!(error.contains(message), "{text:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        let value = text
            .split_once(" = \"")
            .map_or("", |(_, value)| value.trim_end_matches('"'));
        assert!(
            error.contains(value) || ["x", "k"].contains(&value),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn all_that_is_wrong_is_said_at_once_with_where_it_was_given() {
    let file = "data = \"\"\n[events]\nkeep_undelivered = \"0s\"\nkep = \"1s\"\n[webhooks]\nin_flight = 0\n";
    let path = tempfile::NamedTempFile::new().expect("a file");
    fs::write(path.path(), file).expect("writes");
    let environment = variables(&[
        ("WEARLAB_HTTP__LIMITS__REQUESTS", "many"),
        ("WEARLAB_WEBHOOKS__TIMEOUT", "0s"),
    ]);
    let flags = flags(&[("log.filter", "wearlab=loud"), ("svix.server", "https://svix.example")]);
    let error = load(Some(path.path()), environment, &flags).expect_err("much is wrong");
    let message = error.to_string();
    assert!(message.starts_with("invalid configuration: 8 problems\n"), "{message}");
    let name = path.path().display();
    for expected in [
        format!("{name}:1: data: "),
        format!("{name}:3: events.keep_undelivered: "),
        format!("{name}:4: events.kep: unknown setting"),
        format!("{name}:6: webhooks.in_flight: "),
        "WEARLAB_HTTP__LIMITS__REQUESTS: http.limits.requests: ".to_owned(),
        "WEARLAB_WEBHOOKS__TIMEOUT: webhooks.timeout: ".to_owned(),
        "--set log.filter: log.filter: ".to_owned(),
        "--set svix.server: svix.server: ".to_owned(),
    ] {
        let found = message.lines().filter(|line| line.trim_start().starts_with(&expected));
        assert_eq!(found.count(), 1, "{expected:?} in\n{message}");
    }
}
