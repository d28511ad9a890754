//! Tests of the log of a service: programs can parse it, and it identifies nobody.
#![cfg(unix)]

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;
use wearlab_sample::Sample;
use wearlab_server::operations::{self, Credential};

use super::service::Serving;
use crate::fixture::Fixture;

/// Returns the texts of an export that a log must not contain.
fn hidden(export: &str) -> Vec<String> {
    const POINTERS: [&str; 11] = [
        "/key/hash",
        "/user/user_id",
        "/user/client_user_id",
        "/user/fallback_birth_date/value",
        "/connection/user_id",
        "/device/device/id",
        "/device/device/device_id",
        "/device/device/device_model",
        "/device/device/device_version",
        "/pipeline/rabbitmq/uri",
        "/pipeline/azure_amqp/connection_string",
    ];
    let mut hidden = Vec::new();
    let mut found = [0; POINTERS.len()];
    for line in export.lines() {
        let record: Value = serde_json::from_str(line).expect("JSON");
        for (pointer, found) in POINTERS.iter().zip(&mut found) {
            if let Some(text) = record.pointer(pointer).and_then(Value::as_str) {
                *found += 1;
                hidden.push(text.to_owned());
            }
        }
        let matchers = record.pointer("/pipeline/azure_amqp/event_hub_matchers");
        for matcher in matchers.and_then(Value::as_array).into_iter().flatten() {
            let text = matcher
                .pointer("/blob_storage/connection_string")
                .and_then(Value::as_str);
            hidden.extend(text.map(str::to_owned));
        }
    }
    assert!(found.iter().all(|found| *found > 0), "{POINTERS:?}: {found:?}");
    // The password is as secret as the URL around it.
    let password = hidden
        .iter()
        .find_map(|uri| uri.split_once("wearlab:")?.1.split_once('@'));
    hidden.push(password.expect("a uri with a password").0.to_owned());
    hidden
}

fn path(template: &str, sample: &Sample) -> String {
    template
        .replace("{user_id}", &sample.user_id.to_string())
        .replace("{oauth_provider}", &sample.oauth_provider)
        .replace("{lab_test_id}", &sample.lab_test_id)
        .replace("{org_id}", &sample.org_id)
        .replace("{env}", sample.env.as_str())
        .replace("{region}", sample.region.as_str())
}

/// Sends invalid HTTP that contains all secrets.
fn broken(serving: &Serving, sample: &Sample) {
    let mut stream = TcpStream::connect(&serving.address).expect("a connection");
    let (user, key) = (sample.user_id, &sample.team_api_key);
    let text = format!("GET /v2/user/{user} searched_for HTTP/1.1\r\nx-service-api-key: {key}\r\n\r\n");
    stream.write_all(text.as_bytes()).expect("it is sent");
    let mut response = Vec::new();
    // A reset is also an end.
    let _ = stream.read_to_end(&mut response);
}

#[test]
fn nothing_of_callers_is_in_it_however_much_is_logged() {
    for format in ["json", "text"] {
        let fixture = Fixture::new();
        fixture.says(&["seed", "--users", "60", "--derived-keys", "--pipelines", "--into-store"]);
        let sample = Sample::describe(1);
        let mut hidden = hidden(&fixture.export());
        let format_of = format!("log.format={format}");
        let serving = Serving::start(&fixture, &["--set", "log.filter=trace", "--set", &format_of]);
        let token = fixture.says(&["link-token", "create", "--team", &sample.team_id.to_string()]);
        let made = fixture.says(&["keys", "create", "--team", &sample.team_id.to_string()]);
        hidden.extend([token.trim().to_owned(), made.trim().to_owned()]);
        hidden.extend([&sample.team_api_key, &sample.management_key].map(String::clone));
        hidden.extend(["wl_team_wrong", "searched_for", "name@example.com"].map(str::to_owned));
        let mut sent = 0;
        for operation in operations::ALL {
            let path = path(operation.path, &sample);
            let (name, key) = match operation.security[0][0] {
                Credential::ManagementKey => ("x-management-key", &sample.management_key),
                _ => ("x-service-api-key", &sample.team_api_key),
            };
            let token = ("x-service-link-token", token.trim());
            for path in [
                format!("{path}?diagnosis_query=searched_for&limit=500"),
                format!("{path}?client_user_id=name@example.com&limit=none&page=none&next_cursor=searched_for"),
            ] {
                for headers in [
                    &[(name, key.as_str()), token][..],
                    &[(name, made.trim())],
                    &[(name, key.as_str()), (name, "wl_team_wrong")],
                    &[],
                ] {
                    serving.get(&path, headers);
                    sent += 1;
                }
            }
        }
        fixture.says(&[
            "user",
            "delete",
            "--team",
            &sample.team_id.to_string(),
            &sample.user_id.to_string(),
        ]);
        let gone = serving.get(
            &path("/v2/user/{user_id}", &sample),
            &[("x-service-api-key", &sample.team_api_key)],
        );
        assert_eq!(gone.status, 404);
        broken(&serving, &sample);
        let (status, log) = serving.terminate();
        assert!(status.success());
        assert!(log.matches("request completed").count() > sent, "{log}");
        assert!(log.contains("a connection broke"), "it is more than usual: {log}");
        if format == "json" {
            for line in log.lines() {
                let line: Value = serde_json::from_str(line).expect("JSON");
                assert!(line["timestamp"].is_string() && line["level"].is_string(), "{line}");
            }
        }
        let log = log.to_lowercase();
        for hidden in &hidden {
            let found = log.lines().find(|line| line.contains(&hidden.to_lowercase()));
            assert_eq!(found, None, "{hidden}");
        }
    }
}
