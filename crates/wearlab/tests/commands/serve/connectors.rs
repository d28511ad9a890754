//! Tests of connectors: a user links a simulated provider, and its data arrive.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::Router;
use chrono::{Days, FixedOffset, NaiveDate, Utc};
use reqwest::{Client, Url, redirect};
use serde_json::{Value, json};
use wearlab_providers::simulated::oauth::Grants;
use wearlab_providers::{google_health, oura, simulated, withings};

use super::service::{Serving, TIMEOUT};
use crate::fixture::{Fixture, TEAM, USER};

/// Simulated provider of a person, with data of some days up to yesterday.
struct Simulated {
    slug: &'static str,
    router: Router,
    /// Paths of the consent page and of the tokens.
    paths: [&'static str; 2],
    /// Days of history that are pulled.
    history_days: u32,
    /// Resources that have a history.
    histories: usize,
    /// Steps of the days.
    made: BTreeMap<NaiveDate, i64>,
}

fn yesterday() -> NaiveDate {
    Utc::now().date_naive() - Days::new(1)
}

fn grants() -> Grants {
    Grants::new("wearlab", "hush", 3600)
}

fn simulated_oura() -> Simulated {
    let offset = FixedOffset::east_opt(3600).expect("an offset");
    let data = oura::simulated::Data::generate(7, offset, yesterday(), 45);
    Simulated {
        slug: "oura",
        paths: ["/oauth/authorize", "/oauth/token"],
        history_days: 60,
        histories: 10,
        made: data.activity.iter().map(|day| (day.day, day.steps)).collect(),
        router: simulated::oura(&oura::simulated::Simulation::new(data, grants())),
    }
}

/// The connector sends two requests a second, so that there are few days.
fn simulated_withings() -> Simulated {
    let data = withings::simulated::Data::generate(7, "Europe/Oslo", yesterday(), 6);
    let own = data.activities.iter().filter(|day| day.brand != Some(18));
    Simulated {
        slug: "withings",
        paths: ["/oauth2_user/authorize2", "/v2/oauth2"],
        history_days: 3,
        histories: 21,
        made: own.filter_map(|day| Some((day.date, day.steps?))).collect(),
        router: simulated::withings(&withings::simulated::Simulation::new(data, grants())),
    }
}

fn simulated_google_health() -> Simulated {
    let offset = FixedOffset::east_opt(3600).expect("an offset");
    let data = google_health::simulated::Data::generate(7, offset, yesterday(), 8);
    let steps = data.sums["steps"].iter();
    let made = steps.filter_map(|(day, sum)| Some((*day, sum.steps.as_ref()?.count_sum.as_ref()?.parse().ok()?)));
    Simulated {
        slug: "google_health",
        paths: ["/oauth/authorize", "/oauth/token"],
        history_days: 10,
        histories: 16,
        made: made.collect(),
        router: simulated::google_health(&google_health::simulated::Simulation::new(data, grants())),
    }
}

/// Service with the connector of a simulated provider.
struct World {
    fixture: Fixture,
    /// URL of the simulation.
    url: String,
    team_key: String,
    provider: Simulated,
}

impl World {
    async fn new(mut provider: Simulated) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let router = std::mem::take(&mut provider.router);
        tokio::spawn(async move { axum::serve(listener, router).await });
        let fixture = Fixture::with_world();
        let arguments = ["keys", "create", "--team", TEAM, "--scope", "read,write"];
        let team_key = fixture.says(&arguments).trim().to_owned();
        Self {
            fixture,
            url,
            team_key,
            provider,
        }
    }

    fn serve(&self) -> Serving {
        let (slug, url, paths) = (self.provider.slug, &self.url, self.provider.paths);
        let settings = [
            "linking.allow_http=true".to_owned(),
            "linking.allow_networks=127.0.0.0/8".to_owned(),
            format!("connectors.{slug}.client_id=wearlab"),
            format!("connectors.{slug}.client_secret=hush"),
            format!("connectors.{slug}.history_days={}", self.provider.history_days),
            format!("connectors.{slug}.base_url={url}"),
            format!("connectors.{slug}.authorization_url={url}{}", paths[0]),
            format!("connectors.{slug}.token_url={url}{}", paths[1]),
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
            let path = format!("/v2/link/provider/oauth/{}", self.provider.slug);
            let (status, described) = self.get(serving, &path, token).await;
            if let (200, Some(url)) = (status, described["oauth_url"].as_str()) {
                break url.to_owned();
            }
            assert!(began.elapsed() < TIMEOUT, "{path}: {described} {}", serving.log());
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
        let first = today - Days::new(60);
        let slug = self.provider.slug;
        let path = format!("/v2/summary/activity/{USER}?start_date={first}&end_date={today}&provider={slug}");
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
async fn a_linked_user_has_all_days_of_oura() {
    check_all_days(simulated_oura()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_user_has_all_days_of_withings() {
    check_all_days(simulated_withings()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_user_has_all_days_of_google_health() {
    check_all_days(simulated_google_health()).await;
}

/// Links a user, and checks that all days arrive, and one event about the history of each resource.
async fn check_all_days(provider: Simulated) {
    let world = World::new(provider).await;
    let serving = world.serve();
    world.link(&serving).await;
    let began = Instant::now();
    while world.steps(&serving).await != world.provider.made {
        assert!(began.elapsed() < 2 * TIMEOUT, "days are missing: {}", serving.log());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let (_, providers) = world.get(&serving, &format!("/v2/user/providers/{USER}"), None).await;
    let connection = providers["providers"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["slug"] == world.provider.slug);
    let connection = connection.expect("a connection");
    let sleep = &connection["resource_availability"]["sleep"];
    assert_eq!(sleep["status"], "available", "{connection}");
    assert_eq!(sleep["scope_requirements"]["user_denied"]["required"], json!([]));

    while world.historical().len() < world.provider.histories {
        assert!(
            began.elapsed() < 2 * TIMEOUT,
            "{:?} {}",
            world.historical(),
            serving.log()
        );
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
