//! Statuses that every operation has by the same request, except streams: of the middleware, and of invalid parameters.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use wearlab_http::settings::{HttpSettings, Limits, RateLimit, Timeouts};
use wearlab_server::Operation;
use wearlab_server::operations::Credential;
use wearlab_service::Settings;
use wearlab_tests::Running;
use wearlab_tests::parameters::described;

use super::odd::{KEY, Served};
use super::seen::{Seen, declared};
use super::{RawResponse, TIMEOUT, connect, say};

/// Services that refuse requests for different reasons.
pub(super) struct Services {
    /// Service that waits for bodies for a short time.
    pub(super) running: Running,
    /// Service with a rate limit of one request a second.
    limited: Running,
    /// Service whose only permit is taken.
    full: Served,
    endless: JoinHandle<()>,
}

impl Services {
    pub(super) async fn start(users: u32) -> Self {
        let timeouts = Timeouts {
            body: Duration::from_millis(300),
            ..Timeouts::default()
        };
        let quick = HttpSettings {
            timeouts,
            ..HttpSettings::default()
        };
        let one = NonZeroU32::MIN;
        let mut limited = Settings::default();
        limited.rate_limit = Some(RateLimit {
            per_second: one,
            burst: one,
        });
        let limits = Limits {
            requests: 1,
            ..Limits::default()
        };
        let timeouts = Timeouts {
            handler: Duration::from_secs(3600),
            ..Timeouts::default()
        };
        let full = HttpSettings {
            limits,
            timeouts,
            ..HttpSettings::default()
        };
        let full = Served::start(full).await;
        let slow = wearlab_tests::http()
            .get(full.slow(3_600_000))
            .header(KEY.0, KEY.1)
            .send();
        Self {
            running: Running::start_http(users, quick).await,
            limited: Running::start_with(users, limited).await,
            full,
            endless: tokio::spawn(async move { drop(slow.await) }),
        }
    }

    /// Provokes each status of a valid request of an operation: path, header with the key, and body.
    pub(super) async fn provoke(&self, seen: &mut Seen, path: &str, key: (&str, &str), body: Option<&Value>) {
        let operation = seen.operation;
        let has = |status: &str| declared(operation).contains(status);
        let url = &self.running.url;
        let address = format!("{url}{path}");
        let ask = async |headers: &[(&str, &str)]| send(operation, &address, body, headers).await;
        let method = operation.method.as_str();
        let head = |path: &str, fields: &str| format!("{method} {path} HTTP/1.1\r\nhost: h\r\n{fields}\r\n");
        let (long, of_key) = ("x".repeat(16_385), format!("{}: {}\r\n", key.0, key.1));

        // Without a Host, and with an unreadable request, whose response has no body according to the document.
        let no_host = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n\r\n");
        seen.note(400, &raw(url, no_host).await);
        let vast = format!("x-vast: {}\r\n", long.repeat(4));
        for (no_request, status) in [(head(&format!("{path} x"), ""), 400), (head(path, &vast), 431)] {
            let bare = raw(url, no_request).await;
            assert_eq!((bare.status, bare.body.len()), (status, 0), "{}", operation.id);
        }
        seen.note(401, &ask(&[]).await);
        let (_, without) = self.running.keys_without_the_scope_of(operation).await;
        let is_managed = operation.security[0][0] == Credential::ManagementKey;
        seen.note(403, &ask(&[(key.0, without[usize::from(is_managed)])]).await);
        let other_method = wearlab_tests::http().request("TRACE".parse().expect("a method"), &address);
        seen.note(405, &received(other_method.header(key.0, key.1)).await);
        if has("406") {
            seen.note(406, &ask(&[key, ("accept", "text/html")]).await);
        }
        let cut = format!("{of_key}content-type: application/json\r\ncontent-length: 1\r\n");
        seen.note(408, &raw(url, head(path, &cut)).await);
        let large = "content-type: application/json\r\ncontent-length: 65537\r\n";
        seen.note(413, &raw(url, head(path, large)).await);
        let separator = if path.contains('?') { '&' } else { '?' };
        let longer = format!("{address}{separator}{}", &long[..8192]);
        seen.note(414, &send(operation, &longer, body, &[key]).await);
        if !described(operation)["requestBody"].is_null() {
            let body = body.cloned().unwrap_or_else(|| json!({}));
            let text = [key, ("content-type", "text/plain")];
            seen.note(415, &send(operation, &address, Some(&body), &text).await);
        }
        seen.note(431, &ask(&[key, ("x-long", &long)]).await);

        let sample = &self.limited.sample;
        let own = if is_managed {
            &sample.management_key
        } else {
            &sample.team_api_key
        };
        let headers = [(key.0, own.as_str()), ("if-match", "\"none\"")];
        let limited = format!("{}{path}", self.limited.url);
        seen.note(
            429,
            &refused(429, async || send(operation, &limited, None, &headers).await).await,
        );
        // Until the endless request has the only permit.
        let full = format!("{}{path}", self.full.url);
        let any = [(key.0, "any")];
        seen.note(
            503,
            &refused(503, async || send(operation, &full, None, &any).await).await,
        );
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        self.endless.abort();
    }
}

/// Repeats a request until it is refused with a status.
async fn refused(status: u16, request: impl AsyncFn() -> RawResponse) -> RawResponse {
    let begun = Instant::now();
    loop {
        let response = request().await;
        if response.status == status {
            return response;
        }
        assert!(begun.elapsed() < TIMEOUT, "there is never a {status}");
    }
}

/// Sends a request of an operation, with another URL, body or headers.
pub(super) async fn send(
    operation: &Operation,
    url: &str,
    body: Option<&Value>,
    headers: &[(&str, &str)],
) -> RawResponse {
    let mut request = wearlab_tests::http().request(operation.method.clone(), url);
    if let Some(body) = body {
        request = request.json(body);
    }
    // Given headers replace those of the body.
    let fields = headers.iter().map(|(name, value)| {
        let name: HeaderName = name.parse().expect("a name");
        (name, HeaderValue::from_str(value).expect("a value"))
    });
    received(request.headers(fields.collect::<HeaderMap>())).await
}

async fn received(request: reqwest::RequestBuilder) -> RawResponse {
    let response = request.send().await.expect("a response");
    RawResponse {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: response.bytes().await.expect("a body").to_vec(),
    }
}

/// Sends a raw request that no client sends, and returns the response.
async fn raw(url: &str, request: String) -> RawResponse {
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
