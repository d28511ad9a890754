//! Tests of a service that is killed during a token request: the tokens are stored, or an error reports them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::{Client, Url};
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_linking::settings::LinkingSettings;
use wearlab_linking::{Linking, Refresher};
use wearlab_store::{ConnectionTokens, DeprecatedForms, EventFilter, LinkedConnection, Store};

use super::service::{Serving, TIMEOUT};
use crate::fixture::{Fixture, TEAM, USER};

const CATALOGUE: &str = r#"{"provider": {"source_type": "app", "supported": {"name": "Ringer", "slug": "ringer", "description": "d", "logo": null, "auth_type": "oauth"}, "link": {"name": "Ringer", "slug": "ringer", "description": "d", "id": 1}}}"#;

/// Point at which a provider no longer responds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    Never,
    /// Before any action.
    Before,
    /// After it returned tokens, and revoked earlier ones.
    Behind,
}

#[derive(Clone)]
struct Provider {
    url: String,
    state: Arc<Mutex<Given>>,
}

struct Given {
    hold: Hold,
    /// True if a request is held.
    is_held: bool,
    number: u32,
    refresh_tokens: BTreeSet<String>,
}

impl Provider {
    async fn start() -> Self {
        let state = Arc::new(Mutex::new(Given {
            hold: Hold::Never,
            is_held: false,
            number: 0,
            refresh_tokens: BTreeSet::new(),
        }));
        let routes = Router::new().route("/token", post(token)).with_state(state.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { url, state }
    }

    fn hold(&self, hold: Hold) {
        let mut given = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (given.hold, given.is_held) = (hold, false);
    }

    async fn until_held(&self) {
        let began = Instant::now();
        while !self.state.lock().unwrap_or_else(PoisonError::into_inner).is_held {
            assert!(began.elapsed() < TIMEOUT, "the provider is not asked");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn knows(&self, refresh_token: &str) -> bool {
        let given = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        given.refresh_tokens.contains(refresh_token)
    }
}

async fn token(State(state): State<Arc<Mutex<Given>>>, body: String) -> Response {
    let (response, held) = {
        let mut given = state.lock().unwrap_or_else(PoisonError::into_inner);
        given.is_held = given.hold != Hold::Never;
        let response = match given.hold {
            Hold::Before => None,
            _ => Some(give(&mut given, &body)),
        };
        (response, given.is_held)
    };
    if held {
        std::future::pending::<()>().await;
    }
    let (status, body) = response.expect("one");
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn give(given: &mut Given, body: &str) -> (axum::http::StatusCode, Value) {
    let url = Url::parse(&format!("http://localhost/?{body}")).expect("a form");
    let refresh = url.query_pairs().find(|(name, _)| name == "refresh_token");
    if refresh.is_some_and(|(_, token)| !given.refresh_tokens.remove(&*token)) {
        return (axum::http::StatusCode::BAD_REQUEST, json!({"error": "invalid_grant"}));
    }
    given.number += 1;
    let token = format!("refresh-{}", given.number);
    given.refresh_tokens.insert(token.clone());
    let tokens = json!({"access_token": format!("access-{}", given.number), "token_type": "Bearer",
        "refresh_token": token, "expires_in": 4});
    (axum::http::StatusCode::OK, tokens)
}

/// Team whose organisation has set up the provider, with keys.
struct World {
    fixture: Fixture,
    provider: Provider,
    team_key: String,
    management_key: String,
}

impl World {
    async fn new() -> Self {
        let fixture = Fixture::with_world();
        assert!(fixture.import(CATALOGUE, &["--strict"]).status.success());
        let made = |arguments: &[&str]| fixture.says(arguments).trim().to_owned();
        let team_key = made(&["keys", "create", "--team", TEAM, "--scope", "read,write"]);
        let management_key = made(&["keys", "create", "--org", "org_one", "--scope", "read,admin"]);
        Self {
            provider: Provider::start().await,
            fixture,
            team_key,
            management_key,
        }
    }

    fn serve(&self) -> Serving {
        let settings = ["linking.allow_http=true", "linking.allow_networks=127.0.0.0/8"];
        Serving::start(&self.fixture, &["--set", settings[0], "--set", settings[1]])
    }

    async fn set_up(&self, serving: &Serving) {
        let url = format!("http://{}/v1/org/org_one/providers/ringer", serving.management);
        let settings = json!({
            "client_id": "wearlab", "token_auth_method": "none", "scopes": {},
            "authorization_url": format!("{}/authorize", self.provider.url),
            "token_url": format!("{}/token", self.provider.url),
        });
        let put = Client::new()
            .put(url)
            .header("x-management-key", &self.management_key)
            .json(&settings);
        assert_eq!(put.send().await.expect("a response").status(), 200);
    }

    /// Returns the callback URL that the provider redirects the user to.
    async fn callback(&self, serving: &Serving) -> String {
        let base = format!("http://{}", serving.address);
        let create = Client::new()
            .post(format!("{base}/v2/link/token"))
            .header("x-service-api-key", &self.team_key)
            .json(&json!({"user_id": USER}));
        let token: Value = create.send().await.expect("a response").json().await.expect("JSON");
        let describe = Client::new()
            .get(format!("{base}/v2/link/provider/oauth/ringer"))
            .header("x-service-api-key", &self.team_key)
            .header("x-service-link-token", token["link_token"].as_str().expect("a token"));
        let described: Value = describe.send().await.expect("a response").json().await.expect("JSON");
        let url = Url::parse(described["oauth_url"].as_str().expect("a URL")).expect("a URL");
        let of = |wanted: &str| {
            let found = url.query_pairs().find(|(name, _)| name == wanted);
            found.expect("a parameter").1.into_owned()
        };
        format!("{}?state={}&code=c", of("redirect_uri"), of("state"))
    }

    async fn link(&self, serving: &Serving) {
        let linked = reqwest::get(self.callback(serving).await).await.expect("a response");
        assert_eq!(linked.status(), 200, "{}", serving.log());
    }

    /// Returns what another service finds a few minutes later: the connection, with its tokens if it has some, and the
    /// events.
    async fn a_few_minutes_later(&self) -> (Value, Option<LinkedConnection>, Vec<String>) {
        let store = Store::open(&self.fixture.data()).expect("opens");
        let settings = LinkingSettings {
            allow_http: true,
            allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
            ..LinkingSettings::default()
        };
        let linking = Arc::new(Linking::new(settings, "http://127.0.0.1:1"));
        let now: fn() -> DateTime<Utc> = || Utc::now() + TimeDelta::minutes(3);
        let refresher = Refresher::new(linking, store.clone(), now, DeprecatedForms::default());
        refresher.look().await.expect("looks");
        let user: Uuid = USER.parse().expect("an id");
        let team = store.write(|write| write.team(TEAM.parse().expect("an id"))).await;
        let team = team.expect("reads").expect("the team");
        let providers = store
            .team(team)
            .connections(user)
            .await
            .expect("reads")
            .expect("the user");
        let mut connections = providers
            .iter()
            .map(|one| serde_json::from_slice::<Value>(one.as_bytes()).expect("JSON"));
        let connection = connections.find(|one| one["slug"] == "ringer").unwrap_or_default();
        let linked = match store.connection_tokens(team, user, "ringer").await.expect("reads") {
            Some(ConnectionTokens::Linked(linked)) => Some(*linked),
            _ => None,
        };
        let events = store.events(&EventFilter::default(), 100).await.expect("reads");
        let events = events.into_iter().map(|event| event.event_type).collect();
        (connection, linked, events)
    }
}

const CREATED: &str = "provider.connection.created";
const ERROR: &str = "provider.connection.error";

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_an_exchange_it_says_so_and_the_user_links_again() {
    for hold in [Hold::Before, Hold::Behind] {
        let world = World::new().await;
        let serving = world.serve();
        world.set_up(&serving).await;
        world.provider.hold(hold);
        let callback = world.callback(&serving).await;
        let returning = tokio::spawn(reqwest::get(callback));
        world.provider.until_held().await;
        serving.signal("KILL");
        assert!(returning.await.expect("ends").is_err(), "the user sees that it failed");
        drop(serving);
        let (connection, linked, events) = world.a_few_minutes_later().await;
        assert_eq!(connection["status"], "error", "{hold:?}");
        assert_eq!(connection["error_details"]["error_type"], "link_interrupted");
        assert!(linked.is_none());
        assert_eq!(events, [ERROR]);

        world.provider.hold(Hold::Never);
        let serving = world.serve();
        world.link(&serving).await;
        drop(serving);
        let (connection, linked, events) = world.a_few_minutes_later().await;
        assert_eq!(connection["status"], "connected");
        let refresh_token = linked.expect("tokens").tokens.refresh_token.expect("one");
        assert!(world.provider.knows(refresh_token.expose()));
        assert_eq!(events, [ERROR, CREATED]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_a_refresh_it_loses_no_token_silently() {
    for hold in [Hold::Before, Hold::Behind] {
        let world = World::new().await;
        let serving = world.serve();
        world.set_up(&serving).await;
        world.link(&serving).await;
        // The token lives for seconds, so that the service refreshes it immediately.
        world.provider.hold(hold);
        world.provider.until_held().await;
        serving.signal("KILL");
        drop(serving);
        world.provider.hold(Hold::Never);
        let (connection, linked, events) = world.a_few_minutes_later().await;
        match hold {
            // The provider did nothing, and still accepts the token.
            Hold::Before => {
                assert_eq!(connection["status"], "connected");
                let refresh_token = linked.expect("tokens").tokens.refresh_token.expect("one");
                assert!(world.provider.knows(refresh_token.expose()));
                assert_eq!(events, [CREATED]);
            }
            // The provider no longer accepts the token, and the new tokens are lost.
            _ => {
                assert_eq!(connection["error_details"]["error_type"], "token_refresh_interrupted");
                assert!(linked.is_none());
                assert_eq!(events, [CREATED, ERROR]);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refreshes_are_counted() {
    let world = World::new().await;
    let serving = world.serve();
    world.set_up(&serving).await;
    world.link(&serving).await;
    // The token lives for seconds, so that the service keeps refreshing it.
    let counted = || {
        serving
            .probe("/metrics")
            .body
            .contains("wearlab_token_refreshes_total{outcome=\"refreshed\"}")
    };
    let began = Instant::now();
    while !counted() {
        assert!(began.elapsed() < TIMEOUT, "{}", serving.probe("/metrics").body);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
