//! Spans and log lines of the client: named after operations, with attempts, and without keys and values.

use std::io;
use std::sync::{Arc, LazyLock, Mutex};

use serde_json::{Value, json};
use tracing::dispatcher::{self, Dispatch};
use tracing::subscriber::NoSubscriber;
use tracing_subscriber::fmt::format::FmtSpan;
use wearlab_client::{Error, RetryPolicy};
use wearlab_models::{Environment, Region, Uuid};
use wearlab_tests::scripted::{Reply, Scripted};

/// Captured log lines.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("not poisoned").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("not poisoned").clone()).expect("text")
    }

    fn all(&self) -> Vec<Value> {
        let text = self.text();
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }
}

/// A second dispatcher. With a single one, the first thread that reaches a log line decides for all threads.
static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::default()));

/// Captures the events of this thread.
pub(crate) fn set(subscriber: impl tracing::Subscriber + Send + Sync) -> dispatcher::DefaultGuard {
    LazyLock::force(&SECOND);
    dispatcher::set_default(&Dispatch::new(subscriber))
}

/// Captures all log lines of this thread.
fn listen() -> (Lines, dispatcher::DefaultGuard) {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(FmtSpan::NEW | FmtSpan::CLOSE)
        .with_writer(move || writer.clone())
        .finish();
    (lines, set(subscriber))
}

#[tokio::test]
async fn tries_are_reported_in_a_span_that_is_named_after_the_operation() {
    let (lines, _guard) = listen();
    let response = json!({ "users": [], "total": 0, "offset": 0, "limit": 100 });
    let fine = Reply::new(200, response).header("x-request-id", "r-9");
    let service = Scripted::start([Reply::new(503, ""), Reply::new(429, "").header("retry-after", 0), fine]).await;
    let policy = RetryPolicy::default().first_pause(std::time::Duration::from_millis(1));
    let client = service.builder().retry(policy).build().expect("a client");
    client.list_users().send().await.expect("the third answer");

    let ours: Vec<_> = lines
        .all()
        .into_iter()
        .filter(|line| line["target"] == "wearlab_kit_client")
        .collect();
    let events: Vec<_> = ours
        .iter()
        .map(|line| {
            (
                line["fields"]["message"].as_str().unwrap_or_default(),
                line["fields"]["tried"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        events,
        [
            ("new", None),
            ("failed", Some(1)),
            ("trying again after a pause", Some(1)),
            ("failed", Some(2)),
            ("trying again after a pause", Some(2)),
            ("response received", Some(3)),
            ("close", None),
        ]
    );
    assert_eq!(ours[1]["fields"]["error"], "server");
    assert_eq!(ours[3]["fields"]["error"], "rate limited");
    for line in &ours {
        assert_eq!(line["span"]["name"], "list_users", "{line}");
    }
    let end = &ours[6]["span"];
    assert_eq!(
        (&end["tries"], &end["http.response.status_code"]),
        (&json!(3), &json!(200))
    );
    assert_eq!(end["request_id"], "r-9");
}

#[tokio::test]
async fn nothing_at_any_level_shows_a_key_or_a_value() {
    let (lines, _guard) = listen();
    let secret = |name: &str| format!("hidden-{name}");
    let problem = json!({ "type": "urn:x", "title": "X", "status": 503, "detail": "hidden-detail", "request_id": "r-1",
        "errors": [{ "location": "/query/x", "code": "x", "message": "hidden-message" }] });
    let service = Scripted::start([Reply::new(503, problem.clone()), Reply::new(422, problem)]).await;
    let client = service
        .builder()
        .api_key(secret("key"))
        .link_token(secret("token"))
        .management_key(secret("boss"))
        .retry(RetryPolicy::default().first_pause(std::time::Duration::from_millis(1)))
        .build()
        .expect("a client");
    let user = Uuid::from_u128(0xabcdef);
    let refused = |error: Error| assert!(matches!(error, Error::Invalid(_)), "{error:?}");
    refused(client.get_user(user).send().await.expect_err("refused"));
    refused(
        client
            .search_diagnoses(secret("query"))
            .send()
            .await
            .expect_err("refused"),
    );
    let call = client.get_oauth_provider(secret("provider").as_str());
    refused(
        call.header("x-more", secret("header"))
            .send()
            .await
            .expect_err("refused"),
    );
    let call = client.list_team_pipelines(secret("org"), Environment::Sandbox, Region::Eu);
    refused(call.next_cursor(secret("cursor")).send().await.expect_err("refused"));
    let broken = Scripted::start([
        Reply::new(200, r#"{"users": "hidden-body"}"#),
        Reply::new(200, "[\"hidden-body\"").breaks(),
    ])
    .await;
    for _ in 0..2 {
        broken
            .client()
            .list_users()
            .send()
            .await
            .expect_err("it cannot be read");
    }

    let asked = service.asked();
    assert!(
        asked.iter().any(|asked| asked.uri.contains("hidden-query")),
        "it was sent"
    );
    assert!(
        asked
            .iter()
            .any(|asked| asked.headers["x-service-api-key"] == "hidden-key"),
        "it was sent"
    );
    let text = lines.text();
    for name in [
        "get_user",
        "search_diagnoses",
        "get_oauth_provider",
        "list_team_pipelines",
        "list_users",
    ] {
        assert!(text.contains(name), "{name} is logged");
    }
    assert!(
        lines.all().iter().any(|line| line["level"] == "TRACE"),
        "libraries below tell what they do"
    );
    assert!(!text.contains("hidden"), "{text}");
    assert!(!text.contains(&user.to_string()), "{text}");
}
