//! Service whose organisation has configured a provider, with the requests of an integrator.

use reqwest::Method;
use serde_json::{Value, json};
use wearlab_models::Uuid;
use wearlab_store::{EventFilter, LinkedConnection};
use wearlab_tests::Running;

use super::provider::Provider;

/// Redirect URL of users after linking.
pub(super) const APP: &str = "https://app.example.com/linked?from=wearlab";

pub(super) struct World {
    pub(super) running: Running,
    pub(super) provider: Provider,
    /// Slug of the provider.
    pub(super) slug: String,
    /// User who links.
    pub(super) user: Uuid,
}

impl World {
    pub(super) async fn new() -> Self {
        Self::of(Running::start(12).await).await
    }

    pub(super) async fn of(running: Running) -> Self {
        let provider = Provider::start().await;
        let slug = running.sample.oauth_provider.clone();
        let (status, user) = send(
            &running,
            Method::POST,
            "/v2/user/",
            Some(json!({"client_user_id": "one-who-links"})),
        )
        .await;
        assert_eq!(status, 201, "{user}");
        let world = Self {
            user: user["user_id"].as_str().expect("an id").parse().expect("an id"),
            running,
            provider,
            slug,
        };
        world.set_up(&world.provider.settings()).await;
        let sample = &world.running.sample;
        let urls = format!("/v1/org/{}/teams/{}/redirect_urls", sample.org_id, sample.team_id);
        let (status, _) = world
            .send(Method::PUT, &urls, Some(json!({"redirect_urls": [APP]})))
            .await;
        assert_eq!(status, 200);
        world
    }

    /// Sends a request with all keys of the sample.
    pub(super) async fn send(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        send(&self.running, method, path, body).await
    }

    /// Writes the settings of the provider.
    pub(super) async fn set_up(&self, settings: &Value) {
        let (status, body) = self
            .send(Method::PUT, &self.provider_path(), Some(settings.clone()))
            .await;
        assert_eq!(status, 200, "{body}");
    }

    /// Returns the redirect URI of the provider.
    pub(super) fn redirect_uri(&self) -> String {
        let (running, slug) = (&self.running, &self.slug);
        format!("{}/link/callback/{}/{slug}", running.url, running.sample.org_id)
    }

    pub(super) fn provider_path(&self) -> String {
        format!("/v1/org/{}/providers/{}", self.running.sample.org_id, self.slug)
    }

    pub(super) fn access_token_path(&self) -> String {
        let (sample, user, slug) = (&self.running.sample, self.user, &self.slug);
        let (org, team) = (&sample.org_id, sample.team_id);
        format!("/v1/org/{org}/teams/{team}/users/{user}/connections/{slug}/access_token")
    }

    /// Creates a link token of the user, and returns the URL of its page.
    pub(super) async fn page(&self, more: Value) -> String {
        self.token(more).await["link_web_url"]
            .as_str()
            .expect("a URL")
            .to_owned()
    }

    pub(super) async fn token(&self, more: Value) -> Value {
        let mut body = json!({"user_id": self.user});
        body.as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().unwrap_or_default());
        let (status, body) = self.send(Method::POST, "/v2/link/token", Some(body)).await;
        assert_eq!(status, 200, "{body}");
        body
    }

    /// Returns the connection from the list of the user's providers.
    pub(super) async fn connection(&self) -> Option<Value> {
        let path = format!("/v2/user/providers/{}", self.user);
        let (status, body) = self.send(Method::GET, &path, None).await;
        assert_eq!(status, 200);
        let list = body["providers"].as_array().expect("a list");
        list.iter().find(|one| one["slug"] == self.slug.as_str()).cloned()
    }

    /// Returns the types of the events about the user, in the order of the log.
    pub(super) async fn events(&self) -> Vec<String> {
        let filter = EventFilter::default();
        let events = self.running.store.events(&filter, 10_000).await.expect("reads");
        let of_user = events.into_iter().filter(|event| event.user_id == self.user);
        of_user.map(|event| event.event_type).collect()
    }

    /// Returns the payloads of these events.
    pub(super) async fn payloads(&self) -> Vec<Value> {
        let filter = EventFilter::default();
        let events = self.running.store.events(&filter, 10_000).await.expect("reads");
        let of_user = events.into_iter().filter(|event| event.user_id == self.user);
        of_user
            .map(|event| serde_json::from_slice(event.payload.as_bytes()).expect("JSON"))
            .collect()
    }

    /// Returns the connection with its tokens.
    pub(super) async fn linked(&self) -> LinkedConnection {
        let store = &self.running.store;
        let team = store.team_of_key(&self.running.sample.team_api_key).await;
        let team = team.expect("reads").expect("a team");
        let found = store
            .connection_tokens(team, self.user, &self.slug)
            .await
            .expect("reads");
        match found {
            Some(wearlab_store::ConnectionTokens::Linked(linked)) => *linked,
            other => panic!("{other:?}"),
        }
    }
}

async fn send(running: &Running, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
    let base = if path.starts_with("/v1/") {
        &running.management_url
    } else {
        &running.url
    };
    let request = wearlab_tests::http()
        .request(method, format!("{base}{path}"))
        .header("x-service-api-key", &running.sample.team_api_key)
        .header("x-management-key", &running.sample.management_key);
    let request = match body {
        Some(body) => request.json(&body),
        None => request,
    };
    let response = request.send().await.expect("a response");
    let status = response.status().as_u16();
    let bytes = response.bytes().await.expect("a body");
    (status, serde_json::from_slice(&bytes).unwrap_or_default())
}
