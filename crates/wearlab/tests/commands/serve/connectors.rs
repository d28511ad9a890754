//! Tests of connectors: a user links a simulated provider, and its data arrive.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use chrono::{Days, FixedOffset, NaiveDate, Utc};
use reqwest::{Client, Method, Url, redirect};
use serde_json::{Value, json};
use wearlab_providers::oura::simulated::{Data, Simulation};
use wearlab_providers::simulated;
use wearlab_providers::simulated::faults::Fault;
use wearlab_providers::simulated::oauth::Grants;

use super::service::{Serving, TIMEOUT};
use crate::fixture::{Fixture, TEAM, USER};

/// Organisation of the team.
const ORG: &str = "org_one";

/// Days of the simulated person, up to yesterday.
const DAYS: u32 = 45;
/// Resources of Oura that have a history.
const HISTORIES: usize = 10;

/// Service with the connector of a simulated Oura.
struct World {
    fixture: Fixture,
    simulation: Simulation,
    /// URL of the simulation.
    url: String,
    management_key: String,
    team_key: String,
    /// Steps of the days that the simulation has.
    made: BTreeMap<NaiveDate, i64>,
}

impl World {
    async fn new() -> Self {
        let yesterday = Utc::now().date_naive() - Days::new(1);
        let offset = FixedOffset::east_opt(3600).expect("an offset");
        let data = Data::generate(7, offset, yesterday, DAYS);
        let made = data.activity.iter().map(|day| (day.day, day.steps)).collect();
        let simulation = Simulation::new(data, Grants::new("wearlab", "hush", 3600));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let router = simulated::oura(&simulation);
        tokio::spawn(async move { axum::serve(listener, router).await });
        let fixture = Fixture::with_world();
        let arguments = ["keys", "create", "--team", TEAM, "--scope", "read,write"];
        let team_key = fixture.says(&arguments).trim().to_owned();
        let arguments = ["keys", "create", "--org", ORG, "--scope", "read,admin"];
        let management_key = fixture.says(&arguments).trim().to_owned();
        Self {
            fixture,
            simulation,
            url,
            management_key,
            team_key,
            made,
        }
    }

    fn serve(&self) -> Serving {
        let settings = [
            "linking.allow_http=true".to_owned(),
            "linking.allow_networks=127.0.0.0/8".to_owned(),
            "connectors.oura.client_id=wearlab".to_owned(),
            "connectors.oura.client_secret=hush".to_owned(),
            "connectors.oura.history_days=60".to_owned(),
            format!("connectors.oura.base_url={}", self.url),
            format!("connectors.oura.authorization_url={}/oauth/authorize", self.url),
            format!("connectors.oura.token_url={}/oauth/token", self.url),
        ];
        let arguments: Vec<_> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
        Serving::start(&self.fixture, &arguments)
    }

    async fn get(&self, serving: &Serving, path: &str, link_token: Option<&str>) -> (u16, Value) {
        let mut request = Client::new()
            .get(format!("http://{}{path}", serving.address))
            .header("x-service-api-key", &self.team_key);
        if let Some(token) = link_token {
            request = request.header("x-service-link-token", token);
        }
        let response = request.send().await.expect("a response");
        (response.status().as_u16(), response.json().await.expect("JSON"))
    }

    /// Refreshes a user.
    async fn refresh(&self, serving: &Serving, user_id: &str, timeout: &str) -> Value {
        let url = format!("http://{}/v2/user/refresh/{user_id}?timeout={timeout}", serving.address);
        let request = Client::new().post(url).header("x-service-api-key", &self.team_key);
        let response = request.send().await.expect("a response");
        assert_eq!(response.status(), 200, "{}", serving.log());
        response.json().await.expect("JSON")
    }

    /// Calls the management API about the user.
    async fn manage(&self, serving: &Serving, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let url = format!(
            "http://{}/v1/org/{ORG}/teams/{TEAM}/users/{USER}{path}",
            serving.management
        );
        let mut request = Client::new()
            .request(method, url)
            .header("x-management-key", &self.management_key);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await.expect("a response");
        (response.status().as_u16(), response.json().await.unwrap_or_default())
    }

    /// Returns the historical pulls of the user, by resource.
    async fn pulled(&self, serving: &Serving) -> BTreeMap<String, Value> {
        let path = format!("/v2/introspect/historical_pull?user_id={USER}&provider=oura");
        let (status, body) = self.get(serving, &path, None).await;
        assert_eq!(status, 200, "{body}");
        let pulled = body["data"][0]["provider"]["oura"]["pulled"].clone();
        serde_json::from_value(pulled).unwrap_or_default()
    }

    /// Waits until each resource with a history has a pull with a status.
    async fn wait_for_histories(&self, serving: &Serving, status: &str) -> BTreeMap<String, Value> {
        let began = Instant::now();
        loop {
            let pulled = self.pulled(serving).await;
            if pulled.len() == HISTORIES && pulled.values().all(|pull| pull["status"] == status) {
                return pulled;
            }
            assert!(began.elapsed() < TIMEOUT, "{pulled:?} {}", serving.log());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Links the user, once the service offers the provider.
    async fn link(&self, serving: &Serving) {
        let create = Client::new()
            .post(format!("http://{}/v2/link/token", serving.address))
            .header("x-service-api-key", &self.team_key)
            .json(&json!({"user_id": USER}));
        let token: Value = create.send().await.expect("a response").json().await.expect("JSON");
        let token = token["link_token"].as_str();
        let began = Instant::now();
        let consent = loop {
            let (status, described) = self.get(serving, "/v2/link/provider/oauth/oura", token).await;
            if let (200, Some(url)) = (status, described["oauth_url"].as_str()) {
                break url.to_owned();
            }
            assert!(
                began.elapsed() < TIMEOUT,
                "oura cannot be linked: {described} {}",
                serving.log()
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        let browser = Client::builder()
            .redirect(redirect::Policy::none())
            .build()
            .expect("a client");
        let back = browser.get(&consent).send().await.expect("a response");
        let back = back.headers()["location"].to_str().expect("text").to_owned();
        let back = Url::parse(&back).expect("a URL");
        let linked = browser.get(back).send().await.expect("a response");
        assert_eq!(linked.status(), 200, "{}", serving.log());
    }

    /// Returns the steps of each day.
    async fn steps(&self, serving: &Serving) -> BTreeMap<NaiveDate, i64> {
        let today = Utc::now().date_naive();
        let first = today - Days::new(u64::from(DAYS) + 5);
        let path = format!("/v2/summary/activity/{USER}?start_date={first}&end_date={today}&provider=oura");
        let (status, body) = self.get(serving, &path, None).await;
        assert_eq!(status, 200, "{body}");
        let days = body["activity"].as_array().expect("a list").iter();
        days.map(|day| {
            let date = day["calendar_date"].as_str().expect("a day").parse().expect("a day");
            (date, day["steps"].as_i64().expect("steps"))
        })
        .collect()
    }

    /// Returns the number of events of each type about historical pulls.
    fn historical(&self) -> BTreeMap<String, u32> {
        let mut found = BTreeMap::new();
        let log = self.fixture.says(&["events", "list", "--json", "--limit", "10000"]);
        for line in log.lines() {
            let event: Value = serde_json::from_str(line).expect("JSON");
            let name = event["event_type"].as_str().expect("a type");
            if name.starts_with("historical.") {
                *found.entry(name.to_owned()).or_default() += 1;
            }
        }
        found
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_user_has_all_days_of_the_provider() {
    let world = World::new().await;
    let serving = world.serve();
    world.link(&serving).await;
    let began = Instant::now();
    while world.steps(&serving).await != world.made {
        assert!(began.elapsed() < TIMEOUT, "days are missing: {}", serving.log());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let (_, providers) = world.get(&serving, &format!("/v2/user/providers/{USER}"), None).await;
    let oura = providers["providers"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["slug"] == "oura");
    let oura = oura.expect("a connection");
    assert_eq!(oura["resource_availability"]["sleep"]["status"], "available", "{oura}");

    while world.historical().len() < HISTORIES {
        assert!(began.elapsed() < TIMEOUT, "{:?} {}", world.historical(), serving.log());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert!(
        world.historical().values().all(|count| *count == 1),
        "{:?}",
        world.historical()
    );
    let (status, log) = serving.terminate();
    assert!(status.success(), "{status} {log}");
    let failed = |line: &&str| line.contains("ERROR") && line.contains("wearlab_connect");
    assert_eq!(log.lines().find(failed), None);
    assert!(!log.contains("hush"), "a secret is in the log");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_brings_a_new_day_at_once() {
    let mut world = World::new().await;
    let serving = world.serve();
    let nobody = json!({"success": true, "user_id": USER, "refreshed_sources": [], "in_progress_sources": [],
        "failed_sources": []});
    assert_eq!(
        world.refresh(&serving, USER, "20").await,
        nobody,
        "no connector pulls yet"
    );
    world.link(&serving).await;
    world.wait_for_histories(&serving, "success").await;
    let today = Utc::now().date_naive();
    world.simulation.with_data(|data| {
        let mut day = data.activity.last().expect("a day").clone();
        day.timestamp += today - day.day;
        (day.id, day.day, day.steps) = (format!("activity-{today}"), today, 4_321);
        data.activity.push(day);
    });
    world.made.insert(today, 4_321);
    let mut expected = nobody.clone();
    expected["refreshed_sources"] = json!(["oura"]);
    assert_eq!(world.refresh(&serving, USER, "20").await, expected, "{}", serving.log());
    assert_eq!(world.steps(&serving).await, world.made);

    let faults = world.simulation.faults();
    faults.push([Fault::Slow(Duration::from_secs(3)); 100]);
    let began = Instant::now();
    let slow = world.refresh(&serving, USER, "0.5").await;
    assert_eq!(
        (&slow["success"], &slow["in_progress_sources"]),
        (&json!(true), &json!(["oura"]))
    );
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    faults.clear();
    // The slow ones end, and the one that was requested meanwhile.
    assert_eq!(world.refresh(&serving, USER, "20").await, expected, "{}", serving.log());

    faults.push([Fault::Status(403); 100]);
    let forbidden = world.refresh(&serving, USER, "20").await;
    assert_eq!(
        (&forbidden["success"], &forbidden["failed_sources"]),
        (&json!(true), &json!(["oura"])),
        "{}",
        serving.log()
    );
    let metrics = serving.probe("/metrics").body;
    for outcome in ["pulled", "forbidden"] {
        let counted = format!("wearlab_pulls_total{{provider=\"oura\",task=\"recent\",outcome=\"{outcome}\"}}");
        assert!(metrics.contains(&counted), "{counted}: {metrics}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_that_is_held_up_is_seen_and_pulled_again() {
    let world = World::new().await;
    let serving = world.serve();
    // The account is read, and nothing else.
    let faults = world.simulation.faults();
    faults.push([Fault::None]);
    faults.push(std::iter::repeat_n(Fault::Status(503), 10_000));
    world.link(&serving).await;
    for pull in world.wait_for_histories(&serving, "retrying").await.values() {
        let error = pull["error_details"].as_str().expect("a reason");
        assert!(
            error.starts_with("The provider does not respond now. The next attempt is at "),
            "{error}"
        );
        assert_eq!(pull["timeline"].get("started_at"), None, "{pull}");
        assert!(pull["timeline"]["scheduled_at"].is_string(), "{pull}");
    }
    let (status, listed) = world.manage(&serving, Method::GET, "/pulls", None).await;
    assert_eq!(status, 200, "{listed}");
    let pulls = listed["pulls"].as_array().expect("a list");
    let history = pulls
        .iter()
        .find(|pull| pull["kind"] == "history" && pull["collection"] == "activity");
    let history = history.expect("a history");
    assert_eq!(
        (&history["status"], &history["windows_done"]),
        (&json!("retrying"), &json!(0))
    );
    assert!(
        history["failures"].as_i64() >= Some(1) && history["windows"].as_i64() >= Some(1),
        "{history}"
    );

    faults.clear();
    let again = async |history: bool| {
        let body = Some(json!({ "history": history }));
        let (status, body) = world
            .manage(&serving, Method::POST, "/connections/oura/pulls", body)
            .await;
        assert_eq!(status, 204, "{body}");
    };
    again(true).await;
    world.wait_for_histories(&serving, "success").await;
    assert_eq!(world.steps(&serving).await, world.made);
    assert!(
        world.historical().values().all(|count| *count == 1),
        "{:?}",
        world.historical()
    );

    // Another pull is another event.
    again(true).await;
    let began = Instant::now();
    while world.historical().len() != HISTORIES || world.historical().values().any(|count| *count != 2) {
        assert!(began.elapsed() < TIMEOUT, "{:?} {}", world.historical(), serving.log());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let url = format!("http://{}/v1/org/{ORG}/audit_log", serving.management);
    let request = Client::new().get(url).header("x-management-key", &world.management_key);
    let log: Value = request.send().await.expect("a response").json().await.expect("JSON");
    let entries = log["entries"].as_array().expect("a list").iter();
    let pulled = entries.filter(|entry| entry["operation"] == "pull_again" && entry["subject"] == USER);
    assert_eq!(pulled.count(), 2, "{log}");
}
