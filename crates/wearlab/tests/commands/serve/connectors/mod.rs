//! Tests of connectors: a user links a simulated provider, and its data arrive.

mod dexcom;
mod google_health;
mod oura;
mod polar;
mod processes;
mod strava;
mod whoop;
mod withings;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::Router;
use chrono::{Days, NaiveDate, Utc};
use reqwest::{Client, Method, Url, redirect};
use serde_json::{Value, json};

use super::service::{Serving, TIMEOUT};
use crate::fixture::{Fixture, TEAM, USER};

/// Organisation of the team.
const ORG: &str = "org_one";

/// Service with the connector of a simulated provider.
struct World {
    fixture: Fixture,
    /// Slug of the provider.
    slug: &'static str,
    /// URL of the simulation.
    url: String,
    team_key: String,
    management_key: String,
}

/// Returns the last day of the simulated person.
fn yesterday() -> NaiveDate {
    Utc::now().date_naive() - Days::new(1)
}

/// Returns the options of some settings.
fn options(settings: &[String]) -> Vec<&str> {
    settings.iter().flat_map(|setting| ["--set", setting]).collect()
}

impl World {
    async fn new(slug: &'static str, simulation: Router) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, simulation).await });
        let fixture = Fixture::with_world();
        let arguments = ["keys", "create", "--team", TEAM, "--scope", "read,write"];
        let team_key = fixture.says(&arguments).trim().to_owned();
        let arguments = ["keys", "create", "--org", ORG, "--scope", "read,admin"];
        let management_key = fixture.says(&arguments).trim().to_owned();
        Self {
            fixture,
            slug,
            url,
            team_key,
            management_key,
        }
    }

    fn serve(&self) -> Serving {
        self.serve_with(&[])
    }

    fn serve_with(&self, more: &[String]) -> Serving {
        let settings = [self.settings(), more.to_vec()].concat();
        Serving::start(&self.fixture, &options(&settings))
    }

    /// Returns the settings of the connector.
    fn settings(&self) -> Vec<String> {
        let (slug, url) = (self.slug, &self.url);
        vec![
            "linking.allow_http=true".to_owned(),
            "linking.allow_networks=127.0.0.0/8".to_owned(),
            format!("connectors.{slug}.client_id=wearlab"),
            format!("connectors.{slug}.client_secret=hush"),
            format!("connectors.{slug}.history_days=60"),
            format!("connectors.{slug}.base_url={url}"),
            format!("connectors.{slug}.authorization_url={url}/oauth/authorize"),
            format!("connectors.{slug}.token_url={url}/oauth/token"),
        ]
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
        let path = format!("/v2/introspect/historical_pull?user_id={USER}&provider={}", self.slug);
        let (status, body) = self.get(serving, &path, None).await;
        assert_eq!(status, 200, "{body}");
        let pulled = body["data"][0]["provider"][self.slug]["pulled"].clone();
        serde_json::from_value(pulled).unwrap_or_default()
    }

    /// Waits until each resource with a history has a pull with a status.
    async fn wait_for_histories(&self, serving: &Serving, histories: usize, status: &str) -> BTreeMap<String, Value> {
        let began = Instant::now();
        loop {
            let pulled = self.pulled(serving).await;
            if pulled.len() == histories && pulled.values().all(|pull| pull["status"] == status) {
                return pulled;
            }
            assert!(began.elapsed() < 2 * TIMEOUT, "{pulled:?} {}", serving.log());
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
            let (status, described) = self
                .get(serving, &format!("/v2/link/provider/oauth/{}", self.slug), token)
                .await;
            if let (200, Some(url)) = (status, described["oauth_url"].as_str()) {
                break url.to_owned();
            }
            assert!(
                began.elapsed() < TIMEOUT,
                "{} cannot be linked: {described} {}",
                self.slug,
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

    /// Waits until a condition holds: pulls of several tests share a machine.
    async fn wait_until(&self, serving: &Serving, what: &str, mut is_met: impl AsyncFnMut() -> bool) {
        let began = Instant::now();
        while !is_met().await {
            assert!(began.elapsed() < 2 * TIMEOUT, "{what}: {}", serving.log());
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Returns the connection of the user.
    async fn connection(&self, serving: &Serving) -> Value {
        let (_, providers) = self.get(serving, &format!("/v2/user/providers/{USER}"), None).await;
        let mut providers = providers["providers"].as_array().expect("a list").iter();
        let connection = providers.find(|one| one["slug"] == self.slug);
        connection.expect("a connection").clone()
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

    /// Ends the service, whose log has no error of the connector, and no secret.
    fn end(serving: Serving) {
        let (status, log) = serving.terminate();
        assert!(status.success(), "{status} {log}");
        let failed = |line: &&str| line.contains("ERROR") && line.contains("wearlab_connect");
        assert_eq!(log.lines().find(failed), None);
        assert!(!log.contains("hush"), "a secret is in the log");
    }
}
