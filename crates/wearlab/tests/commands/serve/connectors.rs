//! Tests of connectors: a user links a simulated provider, and its data arrive.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use chrono::{Days, FixedOffset, NaiveDate, Utc};
use reqwest::{Client, Url, redirect};
use serde_json::{Value, json};
use wearlab_providers::oura::generated::models::{DataType, EventType};
use wearlab_providers::oura::simulated::{Data, Simulation};
use wearlab_providers::simulated;
use wearlab_providers::simulated::oauth::Grants;

use super::service::{Serving, TIMEOUT};
use crate::fixture::{Fixture, TEAM, USER};

/// Days of the simulated person, up to yesterday.
const DAYS: u32 = 45;
/// Subscriptions of Oura: three events of each kind of document.
const SUBSCRIPTIONS: usize = 21;
/// Resources of Oura that have a history.
const HISTORIES: usize = 10;

/// Service with the connector of a simulated Oura.
struct World {
    fixture: Fixture,
    /// URL of the simulation.
    url: String,
    team_key: String,
    simulation: Simulation,
}

impl World {
    async fn new() -> Self {
        let yesterday = Utc::now().date_naive() - Days::new(1);
        let offset = FixedOffset::east_opt(3600).expect("an offset");
        let data = Data::generate(7, offset, yesterday, DAYS);
        let simulation = Simulation::new(data, Grants::new("wearlab", "hush", 3600));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let router = simulated::oura(&simulation);
        tokio::spawn(async move { axum::serve(listener, router).await });
        let fixture = Fixture::with_world();
        let arguments = ["keys", "create", "--team", TEAM, "--scope", "read,write"];
        let team_key = fixture.says(&arguments).trim().to_owned();
        Self {
            fixture,
            url,
            team_key,
            simulation,
        }
    }

    /// Returns the steps of the days that the simulation has.
    fn made(&self) -> BTreeMap<NaiveDate, i64> {
        self.simulation
            .with_data(|data| data.activity.iter().map(|day| (day.day, day.steps)).collect())
    }

    /// Waits until the service has the days of the simulation.
    async fn wait_for_days(&self, serving: &Serving) {
        let began = Instant::now();
        while self.steps(serving).await != self.made() {
            assert!(began.elapsed() < TIMEOUT, "days are missing: {}", serving.log());
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    fn serve(&self, more: &[String]) -> Serving {
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
        let settings = settings.iter().chain(more);
        let arguments: Vec<_> = settings.flat_map(|setting| ["--set", setting]).collect();
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
    let serving = world.serve(&[]);
    world.link(&serving).await;
    let began = Instant::now();
    world.wait_for_days(&serving).await;
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

/// The next round comes after an hour.
#[tokio::test(flavor = "multi_thread")]
async fn new_data_arrive_by_a_notice() {
    let world = World::new().await;
    let keys = world
        .fixture
        .file("secret.keys", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
    let settings = [
        format!("secret_key_file={keys}"),
        "connectors.oura.notices=true".to_owned(),
    ];
    let serving = world.serve(&settings);
    world.link(&serving).await;
    world.wait_for_days(&serving).await;
    let began = Instant::now();
    while world.simulation.subscriptions().len() < SUBSCRIPTIONS {
        assert!(began.elapsed() < TIMEOUT, "{}", serving.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }

    // Today, and a correction. One day may have none.
    let today = Utc::now().date_naive();
    world.simulation.with_data(|data| {
        data.add_day(today);
        let last = data.activity.last_mut().expect("a day");
        last.steps += 1;
    });
    let notify = |event| world.simulation.notify(event, DataType::DailyActivity, "activity");
    assert_eq!(notify(EventType::Update).await, Some(200));
    assert_eq!(notify(EventType::Update).await, Some(200), "a repeat");
    world.wait_for_days(&serving).await;

    // A document is deleted.
    let deleted = world.simulation.with_data(|data| data.activity.remove(3));
    let status = world
        .simulation
        .notify(EventType::Delete, DataType::DailyActivity, &deleted.id)
        .await;
    assert_eq!(status, Some(200));
    assert_eq!(world.steps(&serving).await, world.made(), "once it is acknowledged");

    // Somebody else knows the address, and not the secret of the client.
    let address = world.simulation.subscriptions()[0].callback_url.clone();
    let guess = format!("{}0", &address[..address.len() - 1]);
    let client = Client::new();
    for (url, expected) in [(&address, 401), (&guess, 404)] {
        let sent = client
            .post(url)
            .header("x-oura-signature", "00")
            .body("{}")
            .send()
            .await;
        assert_eq!(sent.expect("a response").status(), expected);
    }
    let large = client.post(&address).body(vec![b'x'; 1 << 20]).send().await;
    assert_eq!(large.expect("a response").status(), 413);

    let metrics = serving.probe("/metrics").body;
    for (outcome, count) in [
        ("accepted", 3),
        ("check", SUBSCRIPTIONS),
        ("forged", 1),
        ("wrong_address", 1),
    ] {
        let line = format!(r#"wearlab_provider_notices_total{{provider="oura",outcome="{outcome}"}} {count}"#);
        assert!(metrics.contains(&line), "{line} {metrics}");
    }
    let (status, log) = serving.terminate();
    assert!(status.success(), "{status} {log}");
    let (_, secret) = address.rsplit_once('/').expect("a path");
    assert!(!log.contains(secret), "the address is in the log");
}
