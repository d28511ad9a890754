//! Lines over HTTP: each nonblank line has one response, in order, whatever its content and however its bytes are
//! split.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use chrono::Utc;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;
use wearlab_sample::SampleOptions;
use wearlab_service::{Service, Settings};
use wearlab_store::{KeyRecord, KeyScope, Store};

use super::bytes::Choices;

/// Service, with the owner of the lines.
struct World {
    runtime: Runtime,
    routes: Router,
    key: String,
    line: Value,
    _directory: tempfile::TempDir,
}

thread_local! {
    static WORLD: World = World::new();
}

/// Sends lines.
pub fn intake(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    WORLD.with(|world| world.check(&mut choices));
}

impl World {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (service, sample) = runtime.block_on(async {
            let store = Store::open(directory.path()).expect("a store");
            let options = SampleOptions { seed: 1, users: 3 };
            let sample = wearlab_sample::fill(&store, &options).await.expect("sample data");
            let key = KeyRecord {
                scopes: Some([KeyScope::Ingest].into_iter().collect()),
                ..KeyRecord::of_team(sample.team_id, &sample.team_api_key)
            };
            store.write(|write| write.put_key(&key)).await.expect("a key");
            let service = Service::new(store, Settings::default(), Utc::now, [7; 32]).await;
            (service.expect("a service"), sample)
        });
        Self {
            runtime,
            routes: wearlab_server::router(Arc::new(service)),
            key: sample.team_api_key.clone(),
            line: json!({"data": {"team_id": sample.team_id, "user_id": sample.user_id, "provider": "stridewell",
                "resource": "steps", "date": "2026-05-01", "data": [{"timestamp": "2026-05-01T10:00:00Z", "value": 1}]}}),
            _directory: directory,
        }
    }

    fn check(&self, choices: &mut Choices<'_>) {
        let mut body = Vec::new();
        while !choices.is_empty() && body.len() < 1 << 16 {
            match choices.below(6) {
                0 => body.extend_from_slice(choices.bytes()),
                1 => body.extend_from_slice(b" \r"),
                2 => body.extend_from_slice(b"{\"data\": {\"team_id\": 1}}"),
                _ => {
                    let mut line = self.line.clone();
                    line["data"]["data"][0]["value"] = json!(choices.byte());
                    body.extend_from_slice(line.to_string().as_bytes());
                }
            }
            if choices.below(8) > 0 {
                body.push(b'\n');
            }
        }
        let is_there = |(_, line): &(usize, &[u8])| !line.trim_ascii().is_empty();
        let lines = (1..).zip(body.split(|byte| *byte == b'\n')).filter(is_there);
        let expected: Vec<usize> = lines.map(|(number, _)| number).collect();
        let mut parts = Vec::new();
        let mut rest = &body[..];
        while !rest.is_empty() {
            let (part, after) = rest.split_at((1 + choices.below(300)).min(rest.len()));
            parts.push(Ok::<_, Infallible>(part.to_owned()));
            rest = after;
        }
        let (status, answers) = self.send(Body::from_stream(stream::iter(parts)));
        assert_eq!(status, StatusCode::OK);
        let numbers: Vec<_> = answers
            .iter()
            .map(|answer| answer["line"].as_u64().expect("a number"))
            .collect();
        let numbers: Vec<_> = numbers
            .iter()
            .map(|number| usize::try_from(*number).expect("few"))
            .collect();
        assert_eq!(numbers, expected, "{}", String::from_utf8_lossy(&body));
        for answer in &answers {
            let is_one = answer["accepted"].is_string() != answer["reason"].is_string();
            assert!(is_one, "{answer}");
        }
    }

    fn send(&self, body: Body) -> (StatusCode, Vec<Value>) {
        let request = Request::post("/v1/ingest")
            .header("x-service-api-key", &self.key)
            .header("content-type", "application/x-ndjson")
            .body(body)
            .expect("a request");
        self.runtime.block_on(async {
            let response = self.routes.clone().oneshot(request).await.expect("a response");
            let status = response.status();
            let body = to_bytes(response.into_body(), 1 << 24).await.expect("a body");
            let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            let answers = lines.map(|line| serde_json::from_slice(line).expect("JSON"));
            (status, answers.collect())
        })
    }
}
