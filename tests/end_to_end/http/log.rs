//! Log of a full run: it is complete, and contains no personal data.

use std::io;
use std::sync::{Arc, LazyLock, Mutex};

use serde_json::{Value, json};
use tracing::dispatcher::{self, Dispatch};
use tracing::subscriber::NoSubscriber;
use tracing_subscriber::fmt::MakeWriter;
use wearlab::config::log::{LogFormat, LogSettings};
use wearlab::log;
use wearlab_tests::{EXPIRED_LINK_TOKEN, LINK_TOKEN, Running};

use super::odd::{KEY, Served};
use super::{operations, send};

/// Captured log lines.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("not poisoned").clone()).expect("text")
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("not poisoned").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Lines {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}

/// Second dispatcher, which receives nothing. With a single dispatcher, the first thread that reaches a log line
/// decides for all threads whether it is enabled, and other tests run on threads without a dispatcher.
static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::default()));

/// Captures the log of this thread, which also runs the service of the test.
pub(crate) fn listen(filter: &str, format: LogFormat) -> (Lines, dispatcher::DefaultGuard) {
    LazyLock::force(&SECOND);
    let lines = Lines::default();
    let settings = LogSettings {
        filter: filter.to_owned(),
        format,
        ..LogSettings::default()
    };
    let (dispatch, _log) = log::to(&settings, lines.clone()).expect("a log");
    (lines, dispatcher::set_default(&dispatch))
}

/// Sends requests of every kind. Returns the texts that must not be in the log.
async fn full_run(running: &Running) -> Vec<String> {
    let sample = &running.sample;
    let list = running.client().list_users().limit(500).send().await.expect("users");
    let mut hidden = vec![
        sample.team_api_key.clone(),
        sample.management_key.clone(),
        sample.other_team.team_api_key.clone(),
        sample.user_id.to_string(),
        LINK_TOKEN.to_owned(),
        EXPIRED_LINK_TOKEN.to_owned(),
        "wl_team_wrong".to_owned(),
        "searched_for".to_owned(),
    ];
    for user in &list.users {
        hidden.extend([user.client_user_id.clone(), user.user_id.to_string()]);
    }
    let pipelines: Value = running.json(&running.pipelines_path()).await;
    for pipeline in pipelines["pipelines"].as_array().expect("a list") {
        for place in ["/rabbitmq/uri", "/azure_amqp/connection_string"] {
            hidden.extend(pipeline.pointer(place).and_then(Value::as_str).map(str::to_owned));
        }
    }
    let made = json!({"name": "searched_for"});
    let made = crate::administration::Admin::of(running)
        .post("/keys", &made)
        .await
        .body;
    hidden.push(made["key"].as_str().expect("a key").to_owned());
    for (_, address, (name, key)) in operations(running) {
        send("GET", &address, &[(name, &key)]).await;
        send("GET", &address, &[(name, "wl_team_wrong")]).await;
        send("SEARCHED_FOR", &format!("{address}&q=searched_for"), &[(name, &key)]).await;
    }
    let key = ("x-service-api-key", sample.team_api_key.as_str());
    let (url, user) = (&running.url, sample.user_id);
    for (path, link) in [
        (format!("/v2/user/{user}/nothing/searched_for"), LINK_TOKEN),
        ("/v2/user/?limit=searched_for".to_owned(), LINK_TOKEN),
        ("/v2/link/provider/oauth/searched_for".to_owned(), LINK_TOKEN),
        ("/v2/link/provider/oauth/searched_for".to_owned(), EXPIRED_LINK_TOKEN),
        (
            "/v3/insurance/search/diagnosis?diagnosis_query=searched_for".to_owned(),
            LINK_TOKEN,
        ),
        (format!("/v2/user/?q={}", "searched_for".repeat(1000)), LINK_TOKEN),
    ] {
        send("GET", &format!("{url}{path}"), &[key, ("x-service-link-token", link)]).await;
    }
    let request = format!(
        "GET /v2/user/{user} searched_for HTTP/1.1\r\nx-service-api-key: {}\r\n\r\n",
        key.1
    );
    super::say(super::connect(url).await, request).await;
    hidden
}

#[tokio::test]
async fn nothing_of_callers_is_in_it_however_much_is_logged() {
    for format in [LogFormat::Text, LogFormat::Json] {
        // The clients of the test are in this process, and their log lines are not the service's.
        let (lines, guard) = listen("trace,reqwest=off,hyper_util=off", format);
        let running = Running::start(60).await;
        let hidden = full_run(&running).await;
        assert!(hidden.len() > 60, "{}", hidden.len());
        drop(guard);
        let text = lines.text();
        assert!(text.matches("request completed").count() > 30, "{text}");
        let lower = text.to_lowercase();
        for hidden in &hidden {
            let found = lower.lines().find(|line| line.contains(&hidden.to_lowercase()));
            assert_eq!(found, None, "{hidden}");
        }
    }
}

#[tokio::test]
async fn every_request_is_a_line_with_its_id_route_operation_and_status() {
    let (lines, _guard) = listen("info", LogFormat::Json);
    let running = Running::start(5).await;
    for (id, address, (name, key)) in operations(&running) {
        send("GET", &address, &[(name, &key), ("x-request-id", id)]).await;
    }
    send("GET", &format!("{}/nothing", running.url), &[("x-request-id", "lost")]).await;
    let text = lines.text();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let of = |id: &str| {
        let line = lines.iter().find(|line| line["request_id"] == id);
        line.unwrap_or_else(|| panic!("{id}: {text}"))
    };
    for operation in wearlab_tests::reads() {
        let line = of(operation.id);
        assert_eq!(line["message"], "request completed");
        assert_eq!(line["operation"], operation.id);
        assert_eq!(line["route"], operation.path);
        assert_eq!(line["method"], "GET");
        assert_eq!(line["status"], 200);
        assert!(line["latency_ms"].as_f64().is_some_and(|latency| latency > 0.0));
        let latency = line["latency_ms"].to_string();
        let decimals = latency.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        assert!(decimals <= 3, "microseconds are enough: {latency}");
    }
    let lost = of("lost");
    assert_eq!(lost["status"], 404);
    assert_eq!(lost.get("route"), None);
}

#[tokio::test]
async fn a_failure_has_its_request_id_also_where_nothing_else_is_logged() {
    let (lines, _guard) = listen("error", LogFormat::Text);
    let served = Served::start(Default::default()).await;
    send("GET", &served.slow(0), &[KEY]).await;
    let user = format!("{}/v2/user/{}", served.url, wearlab_models::Uuid::from_u128(77));
    send("GET", &user, &[KEY, ("x-request-id", "the-one")]).await;
    let text = lines.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(
        text.contains("request_id=the-one") && text.contains("operation=\"get_user\""),
        "{text}"
    );
    let route = "method=\"GET\" route=\"/v2/user/{user_id}\"";
    assert!(text.contains(route), "{text}");
    assert!(!text.contains("Ada") && !text.contains("00000000-0000"), "{text}");
}

#[test]
fn a_log_that_cannot_be_is_not_started() {
    let settings = LogSettings {
        filter: "wearlab=loud".to_owned(),
        ..LogSettings::default()
    };
    let error = log::to(&settings, io::stderr).err().expect("no level");
    assert!(error.to_string().contains("wearlab=loud"), "{error}");
    for (json, good) in [
        (r#"{"format": "json", "filter": "warn"}"#, true),
        (r#"{"format": "xml"}"#, false),
        (r#"{"formats": "json"}"#, false),
    ] {
        assert_eq!(serde_json::from_str::<LogSettings>(json).is_ok(), good, "{json}");
    }
}
