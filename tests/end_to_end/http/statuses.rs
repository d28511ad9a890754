//! Statuses of the document and of the service are the same: each is provoked at each operation, and the code has no
//! others.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use axum::http::HeaderName;
use serde_json::Value;
use wearlab_http::settings::{HttpSettings, Limits, RateLimit, Timeouts};
use wearlab_models::Uuid;
use wearlab_server::Operation;
use wearlab_service::Settings;
use wearlab_tests::values::DOCUMENT;
use wearlab_tests::{Running, linked, orders, reads};

use super::odd::{KEY, Served};
use super::{RawResponse, TIMEOUT, connect, operations as addresses, say, send};

/// Returns the target of a reference, or the value itself.
pub(super) fn resolved(value: &Value) -> &Value {
    let target = value["$ref"].as_str().and_then(|target| DOCUMENT.pointer(&target[1..]));
    target.unwrap_or(value)
}

fn responses(operation: &Operation) -> &'static Value {
    let method = operation.method.as_str().to_lowercase();
    &DOCUMENT["paths"][operation.path][method]["responses"]
}

/// Returns the declared statuses of an operation.
pub(super) fn declared(operation: &Operation) -> BTreeSet<String> {
    responses(operation)
        .as_object()
        .expect("responses")
        .keys()
        .cloned()
        .collect()
}

/// Statuses that were provoked at an operation, checked against the document.
pub(super) struct Seen {
    operation: &'static Operation,
    statuses: BTreeSet<String>,
}

impl Seen {
    pub(super) fn of(operation: &'static Operation) -> Self {
        Self {
            operation,
            statuses: BTreeSet::new(),
        }
    }

    /// Fails unless each status of the document was provoked, except 500.
    pub(super) fn check(self) {
        let id = self.operation.id;
        let mut declared = declared(self.operation);
        assert!(declared.remove("500"), "{id}: a panic is a 500");
        assert_eq!(self.statuses, declared, "{id}");
    }

    /// Records a response, and checks its headers and its body against the document.
    pub(super) fn note(&mut self, status: u16, response: &RawResponse) {
        let id = self.operation.id;
        assert_eq!(
            response.status,
            status,
            "{id}: {}",
            String::from_utf8_lossy(&response.body)
        );
        let described = responses(self.operation).get(status.to_string());
        let described = resolved(described.unwrap_or_else(|| panic!("{id}: the document has no {status}")));
        for (header, value) in described["headers"].as_object().into_iter().flatten() {
            let required = resolved(value)["required"] == true;
            assert!(
                !required || response.header(header).is_some(),
                "{id}: {status}: no {header}"
            );
        }
        match described["content"]
            .as_object()
            .and_then(|content| content.keys().next())
        {
            Some(kind) => assert_eq!(response.header("content-type"), Some(kind.as_str()), "{id}: {status}"),
            None => assert!(response.body.is_empty(), "{id}: {status}: a body"),
        }
        self.statuses.insert(status.to_string());
    }
}

/// Sends a raw request that no client sends, and returns the response.
pub(super) async fn raw(url: &str, request: String) -> RawResponse {
    let text = say(connect(url).await, request).await;
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status");
    let pairs = lines.filter_map(|line| line.split_once(": "));
    RawResponse {
        status: status.parse().expect("a number"),
        headers: pairs
            .map(|(name, value)| {
                (
                    name.parse::<HeaderName>().expect("a name"),
                    value.parse().expect("a value"),
                )
            })
            .collect(),
        body: body.as_bytes().to_vec(),
    }
}

/// Returns a URL of the operation for a missing object, if it can have one.
fn of_nothing(running: &Running, id: &str, address: &str) -> Option<String> {
    let (nobody, url, sample) = (Uuid::nil(), &running.url, &running.sample);
    Some(match id {
        "list_user_providers" => format!("{url}/v2/user/providers/{nobody}"),
        "get_user" => format!("{url}/v2/user/{nobody}"),
        "resolve_user" => format!("{url}/v2/user/resolve/nobody"),
        "list_user_devices" => format!("{url}/v2/user/{nobody}/device"),
        "get_oauth_provider" => format!("{url}/v2/link/provider/oauth/none"),
        "list_lab_test_markers" => format!("{url}/v3/lab_tests/none/markers"),
        "get_lab_test" => format!("{url}/v3/lab_tests/none"),
        "list_lab_tests" => format!("{address}&lab_account_id={nobody}"),
        "list_team_pipelines" => format!("{url}/v1/org/none/team_etl_pipelines/{}/{}", sample.env, sample.region),
        "list_introspected_resources" | "list_historical_pulls" => format!("{address}&user_id={nobody}"),
        "list_teams" | "get_team" | "list_keys" | "get_key" | "list_audit_log" => {
            address.replace(&sample.org_id, "none")
        }
        "get_pipeline" | "list_webhooks" | "get_webhook" => {
            address.replace(&sample.team_id.to_string(), &nobody.to_string())
        }
        "list_events" | "list_undelivered" | "list_destinations" => format!("{address}&team_id={nobody}"),
        "get_event" | "list_event_attempts" => address.replace("/evt_", "/evt_none_"),
        "list_provider_settings"
        | "get_provider_settings"
        | "get_redirect_urls"
        | "list_link_tokens"
        | "list_connections"
        | "get_access_token" => address.replace(&sample.org_id, "none"),
        "get_sleep_stream" => format!("{url}/v2/timeseries/sleep/{nobody}/stream"),
        "get_workout_stream" => format!("{url}/v2/timeseries/workouts/{nobody}/stream"),
        _ if address.contains(&orders::order_of(sample.user_id).to_string()) => {
            address.replace(&orders::order_of(sample.user_id).to_string(), &nobody.to_string())
        }
        _ if address.contains(&sample.user_id.to_string()) => {
            address.replace(&sample.user_id.to_string(), &nobody.to_string())
        }
        _ => return None,
    })
}

/// Returns a URL of the operation with an invalid value, if it has parameters.
fn invalid(running: &Running, id: &str, address: &str) -> Option<String> {
    let url = &running.url;
    Some(match id {
        "list_user_providers" => format!("{url}/v2/user/providers/me"),
        "get_user" => format!("{url}/v2/user/me"),
        "resolve_user" => format!("{url}/v2/user/resolve/%FF"),
        "list_user_devices" => format!("{url}/v2/user/me/device"),
        "list_users" => format!("{address}&limit=0"),
        "list_introspected_resources" | "list_historical_pulls" => format!("{address}&user_limit=101"),
        "list_providers" => format!("{address}&source_type=app&source_type=ble"),
        "get_oauth_provider" => format!("{url}/v2/link/provider/oauth/%FF"),
        "list_lab_test_markers" | "list_orders" => format!("{address}&page=0"),
        "list_lab_tests" => format!("{address}&lab_test_limit=101"),
        "get_lab_test" => format!("{address}&lab_account_id=mine"),
        "search_diagnoses" => address.replace("E11", &"x".repeat(201)),
        "list_team_pipelines" => format!("{address}&team_id=mine"),
        "list_teams" | "list_keys" | "list_audit_log" | "list_link_tokens" | "list_connections" => {
            format!("{address}&limit=0")
        }
        "list_provider_settings" => address.replace(&running.sample.org_id, "%FF"),
        "get_provider_settings" => address.replace("/providers/", "/providers/%FF"),
        "get_pipeline" | "list_webhooks" | "get_webhook" | "get_redirect_urls" => {
            address.replace(&running.sample.team_id.to_string(), "mine")
        }
        "get_team" => address.replace(&running.sample.team_id.to_string(), "mine"),
        "get_key" => address.replace("/keys/", "/keys/%FF"),
        "list_events" => format!("{address}&wait=61"),
        "get_event" => format!("{address}&full=1"),
        "list_event_attempts" => address.replace("/evt_", "/%FF"),
        "list_undelivered" => format!("{address}&limit=0"),
        "list_destinations" => format!("{address}&team_id=mine"),
        "get_sleep_stream" => format!("{url}/v2/timeseries/sleep/mine/stream"),
        "get_workout_stream" => format!("{url}/v2/timeseries/workouts/mine/stream"),
        "list_all_lab_tests" => format!("{address}&marker_ids=mine"),
        "list_cancellation_reasons" => return None,
        _ => {
            let user = running.sample.user_id;
            let order = orders::order_of(user).to_string();
            address.replace(&user.to_string(), "me").replace(&order, "mine")
        }
    })
}

/// Returns a URL of the operation that conflicts with an existing object, if there can be one.
async fn in_the_way(running: &Running, id: &str, address: &str) -> Option<String> {
    let sample = &running.sample;
    match id {
        "get_access_token" => {
            let user = linked::put_failed(running).await;
            Some(address.replace(&sample.user_id.to_string(), &user.to_string()))
        }
        _ => None,
    }
}

#[tokio::test]
async fn every_status_that_the_document_has_is_provoked_and_no_other() {
    let quick = Timeouts {
        body: Duration::from_millis(300),
        ..Timeouts::default()
    };
    let running = Running::start_http(
        5,
        HttpSettings {
            timeouts: quick,
            ..HttpSettings::default()
        },
    )
    .await;
    let mut limited = Settings::default();
    let one = NonZeroU32::MIN;
    limited.rate_limit = Some(RateLimit {
        per_second: one,
        burst: one,
    });
    let limited = Running::start_with(5, limited).await;
    let full = Served::start(HttpSettings {
        limits: Limits {
            requests: 1,
            ..Limits::default()
        },
        timeouts: Timeouts {
            handler: Duration::from_secs(3600),
            ..Timeouts::default()
        },
        ..HttpSettings::default()
    })
    .await;
    let endless = tokio::spawn({
        let address = full.slow(3_600_000);
        async move {
            wearlab_tests::http()
                .get(address)
                .header(KEY.0, KEY.1)
                .send()
                .await
                .map(drop)
        }
    });

    let long = "x".repeat(16_385);
    let vast = format!("x-vast: {}\r\n", long.repeat(4));
    for (operation, (id, address, (name, key))) in reads().zip(addresses(&running)) {
        assert_eq!(operation.id, id);
        let key = (name, key.as_str());
        let path = address.strip_prefix(&running.url).expect("a path");
        let head = |path: &str, fields: &str| format!("GET {path} HTTP/1.1\r\nhost: h\r\n{fields}\r\n");
        let mut seen = Seen::of(operation);
        seen.note(200, &send("GET", &address, &[key]).await);
        seen.note(304, &send("GET", &address, &[key, ("if-none-match", "*")]).await);
        // Without a Host, and with an unreadable request, whose response has no body according to the document.
        let no_host = format!("GET {path} HTTP/1.1\r\nconnection: close\r\n\r\n");
        seen.note(400, &raw(&running.url, no_host).await);
        for (no_request, status) in [(head(&format!("{path} x"), ""), 400), (head(path, &vast), 431)] {
            let bare = raw(&running.url, no_request).await;
            assert_eq!((bare.status, bare.body.len()), (status, 0), "{id}");
        }
        seen.note(401, &send("GET", &address, &[]).await);
        let (_, without) = running.keys_without_the_scope_of(operation).await;
        let other = without[usize::from(name == "x-management-key")];
        seen.note(403, &send("GET", &address, &[(name, other)]).await);
        if let Some(address) = of_nothing(&running, id, &address) {
            seen.note(404, &send("GET", &address, &[key]).await);
        }
        seen.note(405, &send("TRACE", &address, &[key]).await);
        seen.note(406, &send("GET", &address, &[key, ("accept", "text/html")]).await);
        seen.note(408, &raw(&running.url, head(path, "content-length: 1\r\n")).await);
        if let Some(address) = in_the_way(&running, id, &address).await {
            seen.note(409, &send("GET", &address, &[key]).await);
        }
        seen.note(413, &raw(&running.url, head(path, "content-length: 65537\r\n")).await);
        seen.note(414, &send("GET", &format!("{address}&{}", &long[..8192]), &[key]).await);
        if let Some(address) = invalid(&running, id, &address) {
            seen.note(422, &send("GET", &address, &[key]).await);
        }
        seen.note(431, &send("GET", &address, &[key, ("x-long", &long)]).await);

        let (_, address, (name, key)) =
            addresses(&limited).swap_remove(reads().position(|other| other.id == id).expect("one of all"));
        let begun = Instant::now();
        let refused = loop {
            let response = send("GET", &address, &[(name, &key)]).await;
            if response.status != 200 {
                break response;
            }
            assert!(begun.elapsed() < TIMEOUT, "{id}: there is no rate limit");
        };
        seen.note(429, &refused);

        let begun = Instant::now();
        let shed = loop {
            // Until the endless request has the only permit.
            let response = send("GET", &format!("{}{path}", full.url), &[(name, "any")]).await;
            if response.status == 503 {
                break response;
            }
            assert!(begun.elapsed() < TIMEOUT, "{id}: there is no bound on requests");
        };
        seen.note(503, &shed);

        seen.check();
    }
    endless.abort();
}

/// Returns whether an operation lists objects that every caller may see.
pub(super) fn of_a_catalogue(id: &str) -> bool {
    [
        "list_users",
        "list_orders",
        "list_all_lab_tests",
        "list_providers",
        "search_diagnoses",
        "list_cancellation_reasons",
    ]
    .contains(&id)
}
