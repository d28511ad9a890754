//! Settings of a client and of a call: timeouts, headers, the environment, a custom HTTP client.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wearlab_client::{Client, Error, RetryPolicy};
use wearlab_models::{UserList, Uuid};
use wearlab_tests::Running;
use wearlab_tests::scripted::{Reply, Scripted};

fn teapot() -> Reply {
    Reply::new(418, "")
}

#[tokio::test]
async fn a_call_has_headers_of_its_own() {
    let service = Scripted::start([teapot()]).await;
    let client = service.client();
    let call = client
        .list_users()
        .header("X-Trace", "one")
        .header("x-trace", "two")
        .header("x-request-id", "mine")
        .header("x-service-api-key", "another team's")
        .header("Accept", "application/vnd.example+json");
    let shown = format!("{call:?}");
    assert!(
        shown.contains("x-trace") && !shown.contains("two") && !shown.contains("another"),
        "{shown}"
    );
    call.send().await.expect_err("a teapot");
    client.list_users().send().await.expect_err("a teapot");
    let asked = service.asked();
    let of = |number: usize, name: &str| -> Vec<_> {
        let values = asked[number].headers.get_all(name).iter();
        values.map(|value| value.to_str().expect("text").to_owned()).collect()
    };
    assert_eq!(of(0, "x-trace"), ["two"]);
    assert_eq!(of(0, "x-request-id"), ["mine"]);
    assert_eq!(of(0, "x-service-api-key"), ["another team's"]);
    assert_eq!(of(0, "accept"), ["application/vnd.example+json"]);
    assert_eq!(of(1, "x-trace"), [""; 0], "the next call has none of them");
    assert_eq!(of(1, "x-service-api-key"), ["k"]);
    assert_eq!(of(1, "accept"), ["application/json"]);

    for (name, value) in [("no name", "v"), ("", "v"), ("x-a", "new\nline")] {
        let error = client
            .list_users()
            .header(name, value)
            .send()
            .await
            .expect_err("no header");
        assert!(matches!(error, Error::InvalidRequest(_)), "{name}");
        assert!(!error.to_string().contains("line"));
    }
    assert_eq!(service.count(), 2);
}

#[tokio::test]
async fn requests_say_who_sends_them() {
    let service = Scripted::start([teapot()]).await;
    let own = || {
        reqwest::Client::builder()
            .user_agent("mine/1")
            .build()
            .expect("a client")
    };
    for builder in [
        service.builder(),
        service.builder().user_agent("acme/2.0"),
        service.builder().http_client(own()),
        service.builder().http_client(own()).user_agent("acme/2.0"),
    ] {
        builder
            .build()
            .expect("a client")
            .list_users()
            .send()
            .await
            .expect_err("a teapot");
    }
    let asked = service.asked();
    let agents: Vec<_> = asked.iter().map(|asked| &asked.headers["user-agent"]).collect();
    let usual = format!("wearlab-client/{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(agents, [usual.as_str(), "acme/2.0", "mine/1", "acme/2.0"]);
    let error = service
        .builder()
        .user_agent("new\nline")
        .build()
        .expect_err("no header");
    assert!(error.to_string().contains("user agent"), "{error}");
}

#[tokio::test]
async fn times_are_settings_of_the_client_and_of_a_call() {
    let service = Scripted::start([teapot().after(Duration::from_secs(20))]).await;
    let short = Duration::from_millis(100);
    let own = reqwest::Client::builder().timeout(short).build().expect("a client");
    for builder in [
        service.builder().timeout(short),
        service.builder().deadline(short),
        service.builder().http_client(own),
        service.builder().http_client(reqwest::Client::new()).timeout(short),
    ] {
        let begun = Instant::now();
        let error = builder
            .build()
            .expect("a client")
            .list_users()
            .send()
            .await
            .expect_err("too late");
        assert!(matches!(error, Error::Timeout(_)), "{error:?}");
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
    let client = service.client();
    let error = client.list_users().timeout(short).send().await.expect_err("too late");
    assert!(matches!(error, Error::Timeout(_)), "{error:?}");
    let error = client.list_users().deadline(short).send().await.expect_err("too late");
    assert!(matches!(error, Error::Timeout(_)), "{error:?}");

    // Each replaces the client's.
    let service = Scripted::start([teapot().after(Duration::from_millis(300))]).await;
    let hasty = service
        .builder()
        .timeout(short)
        .deadline(short)
        .build()
        .expect("a client");
    let long = Duration::from_secs(20);
    let error = hasty
        .list_users()
        .timeout(long)
        .deadline(long)
        .send()
        .await
        .expect_err("a teapot");
    assert!(matches!(error, Error::Unexpected(_)), "{error:?}");

    let both = service
        .builder()
        .http_client(reqwest::Client::new())
        .connect_timeout(long);
    let error = both.build().expect_err("it cannot be set there");
    assert!(error.to_string().contains("connect_timeout"), "{error}");
}

#[tokio::test]
async fn the_raw_answer_can_be_reached() {
    let running = Running::start(3).await;
    let client = running.client();
    let raw = client.list_users().limit(2).send_raw().await.expect("a page");
    assert_eq!(raw.status(), 200);
    assert_eq!(raw.headers()["content-type"], "application/json");
    assert!(raw.request_id().is_some());
    let value: Value = serde_json::from_slice(&raw).expect("JSON");
    assert_eq!(value, running.json("/v2/user/?limit=2").await);
    let decoded: UserList = raw.decode().expect("a page");
    let page = client.list_users().limit(2).send().await.expect("a page");
    assert_eq!(decoded, *page);
    let error = raw.decode::<Vec<Uuid>>().expect_err("it is another type");
    assert!(matches!(error, Error::Decoding { .. }));
    assert_eq!(error.request_id(), raw.request_id());

    let shown = format!("{raw:?}");
    assert!(!shown.contains(&decoded.users[0].client_user_id), "{shown}");
    let bytes = raw.into_inner().into_bytes();
    assert_eq!(serde_json::from_slice::<Value>(&bytes).expect("JSON"), value);

    let error = client.get_user(Uuid::nil()).send_raw().await.expect_err("nobody");
    assert!(matches!(error, Error::NotFound(_)), "no success is an error here, too");
}

#[tokio::test]
async fn every_error_of_an_answer_has_its_request_id() {
    for status in [401, 403, 404, 422, 429, 500, 503] {
        let service = Scripted::start([Reply::new(status, "{}").header("x-request-id", "r-1")]).await;
        let error = service.client().list_users().send().await.expect_err("no success");
        assert_eq!(error.request_id(), Some("r-1"), "{status}");
        assert!(error.to_string().contains("r-1"), "{error}");
    }
    // A proxy may have dropped the header.
    let problem = json!({ "type": "urn:x", "title": "X", "status": 404, "request_id": "r-2" });
    let service = Scripted::start([Reply::new(404, problem)]).await;
    let error = service.client().list_users().send().await.expect_err("no success");
    assert_eq!(error.request_id(), Some("r-2"));
}

#[test]
fn the_environment_describes_a_client() {
    let run = |variables: &[(&str, &str)]| {
        let mut command = Command::new(std::env::current_exe().expect("these tests"));
        command.args([
            "--exact",
            "settings::shows_the_client_of_the_environment",
            "--ignored",
            "--nocapture",
        ]);
        for name in [
            "BASE_URL",
            "MANAGEMENT_URL",
            "API_KEY",
            "LINK_TOKEN",
            "MANAGEMENT_KEY",
            "HEADER_PREFIX",
        ] {
            command.env_remove(format!("WEARLAB_{name}"));
        }
        let output = command.envs(variables.iter().copied()).output().expect("it runs");
        String::from_utf8(output.stderr).expect("text")
    };
    let shown = run(&[
        ("WEARLAB_BASE_URL", "http://a.example"),
        ("WEARLAB_MANAGEMENT_URL", "http://b.example"),
        ("WEARLAB_API_KEY", "hidden"),
        ("WEARLAB_LINK_TOKEN", ""),
    ]);
    for part in ["http://a.example", "http://b.example", "[TeamApiKey]"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("hidden"), "{shown}");
    let shown = run(&[("WEARLAB_API_KEY", "hidden")]);
    assert!(
        shown.contains("WEARLAB_BASE_URL") && !shown.contains("hidden"),
        "{shown}"
    );
}

#[test]
#[ignore = "the test above runs it, in an environment of its own"]
fn shows_the_client_of_the_environment() {
    eprintln!("{:?}", Client::from_env());
}

#[test]
fn clients_and_calls_can_be_shared() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    fn sent<T: Send>(value: T) -> T {
        value
    }
    shared::<Client>();
    shared::<RetryPolicy>();
    let client = Client::builder()
        .base_url("http://h")
        .api_key("k")
        .build()
        .expect("a client");
    drop(sent(client.list_users()));
    drop(sent(client.list_users().send()));
    drop(sent(client.list_users().send_raw()));
    drop(sent(client.list_users().stream()));
    drop(sent(client.list_users().pages()));
}
