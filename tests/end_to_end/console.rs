//! Access control of the console.

use chrono::{TimeDelta, Utc};
use reqwest::header::{CONTENT_TYPE, COOKIE, LOCATION, ORIGIN, SET_COOKIE};
use reqwest::{Client, Method, Response, StatusCode, redirect};
use wearlab_http::settings::HttpSettings;
use wearlab_models::Uuid;
use wearlab_store::{PullTaskUpdate, StoreError};
use wearlab_tests::{Running, linked};

/// Visitor with a browser.
struct Visitor {
    client: Client,
    url: String,
    cookie: String,
}

impl Visitor {
    /// Signs in with a key.
    async fn new(running: &Running, key: &str) -> Self {
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            .build()
            .expect("a client");
        let url = running.management_url.clone();
        let sent = client
            .post(format!("{url}/console/sign-in"))
            .header(ORIGIN, &url)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(format!("key={key}"));
        let response = sent.send().await.expect("a response");
        assert_eq!(response.status(), StatusCode::SEE_OTHER);
        let cookie = response.headers()[SET_COOKIE].to_str().expect("text");
        let cookie = cookie.split(';').next().expect("a cookie").to_owned();
        Self { client, url, cookie }
    }

    async fn send(&self, method: Method, path: &str) -> Response {
        let request = self.client.request(method, format!("{}/console{path}", self.url));
        let request = request.header(COOKIE, &self.cookie).header(ORIGIN, &self.url);
        request.send().await.expect("a response")
    }

    async fn get(&self, path: &str) -> (StatusCode, String) {
        let response = self.send(Method::GET, path).await;
        (response.status(), response.text().await.expect("a page"))
    }
}

/// Returns the pages of a team with a user.
fn pages_of(team: impl std::fmt::Display, user: impl std::fmt::Display) -> Vec<String> {
    let team = format!("/teams/{team}");
    let series = "chart=steps&provider=pocketvitals&from=1700000000&to=1700086400";
    [
        team.clone(),
        format!("{team}?q={user}"),
        format!("{team}/users/{user}"),
        format!("{team}/users/{user}/data"),
        format!("{team}/users/{user}/series?{series}"),
        format!("{team}/users/{user}/table?{series}"),
        format!("{team}/pulls"),
        format!("{team}/pulls?user_id={user}"),
        format!("{team}/orders"),
        format!("{team}/pipeline"),
        format!("{team}/webhooks"),
    ]
    .into()
}

#[tokio::test]
async fn a_page_is_about_the_organisation_of_the_key_alone() {
    let running = Running::start(20).await;
    let sample = &running.sample;
    let other = &sample.other_organisation;
    let theirs = &other.team;
    let visitor = Visitor::new(&running, &sample.management_key).await;
    for path in pages_of(sample.team_id, sample.user_id) {
        let (status, page) = visitor.get(&path).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        assert!(!page.contains(&theirs.team_id.to_string()), "{path}");
    }
    for path in pages_of(theirs.team_id, theirs.user_id) {
        let (status, page) = visitor.get(&path).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
        assert!(!page.contains(&theirs.user_id.to_string()), "{path}");
    }
    // Filters by another organisation's team find nothing either.
    for path in ["/events", "/undelivered", "/audit-log", "/keys"] {
        let (_, page) = visitor.get(&format!("{path}?team_id={}", theirs.team_id)).await;
        assert!(!page.contains(&theirs.user_id.to_string()), "{path}");
        assert!(!page.contains(&other.org_id), "{path}");
    }
    // A user of another team is not found in this one, whoever owns the other team.
    for path in pages_of(sample.team_id, theirs.user_id) {
        if path.contains("/users/") {
            assert_eq!(visitor.get(&path).await.0, StatusCode::NOT_FOUND, "{path}");
        }
    }
    for path in [
        "",
        "/teams",
        "/events",
        "/destinations",
        "/undelivered",
        "/keys",
        "/providers",
        "/audit-log",
        "/service",
    ] {
        let (status, page) = visitor.get(path).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        assert!(!page.contains(&theirs.team_id.to_string()), "{path}");
    }
}

#[tokio::test]
async fn nothing_is_seen_without_a_session() {
    let running = Running::start(2).await;
    let sample = &running.sample;
    let mut visitor = Visitor::new(&running, &sample.management_key).await;
    let session = visitor.cookie.clone();
    let (name, id) = session.split_once('=').expect("a cookie");
    let shouted = format!("{name}={}", id.to_uppercase());
    let secure = format!("__Host-{session}");
    for cookie in ["", "wearlab-console=", "wearlab-console=x", &shouted, &secure] {
        visitor.cookie = cookie.to_owned();
        for path in pages_of(sample.team_id, sample.user_id) {
            let response = visitor.send(Method::GET, &path).await;
            assert_eq!(response.status(), StatusCode::SEE_OTHER, "{path}");
            let to = response.headers()[LOCATION].to_str().expect("text");
            assert!(to.starts_with("/console/sign-in?to="), "{to}");
        }
        let response = visitor.send(Method::POST, "/keys").await;
        assert_eq!(response.status(), StatusCode::SEE_OTHER);
    }
    // The value of a cookie is not a key, and a key is not a cookie.
    visitor.cookie = format!("wearlab-console={}", sample.management_key);
    assert_eq!(visitor.get("/keys").await.0, StatusCode::SEE_OTHER);
    for header in ["x-management-key", "x-service-api-key"] {
        let url = format!("{}/v1/org/{}/keys", running.management_url, sample.org_id);
        let refused = visitor
            .client
            .get(url)
            .header(header, id)
            .send()
            .await
            .expect("a response");
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    }
}

#[tokio::test]
async fn the_console_is_on_the_management_address() {
    let http = HttpSettings {
        management_listen: Some(HttpSettings::default().listen),
        ..HttpSettings::default()
    };
    let running = Running::start_http(1, http).await;
    let elsewhere = wearlab_tests::http()
        .get(format!("{}/console/sign-in", running.url))
        .send()
        .await;
    assert_eq!(elsewhere.expect("a response").status(), StatusCode::NOT_FOUND);
    let with_session = Visitor::new(&running, &running.sample.management_key).await;
    for (method, path) in [
        (Method::PUT, "/keys"),
        (Method::DELETE, ""),
        (Method::POST, "/audit-log"),
    ] {
        let response = with_session.send(method, path).await;
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED, "{path}");
    }
    assert_eq!(with_session.get("/nothing").await.0, StatusCode::NOT_FOUND);
    assert_eq!(
        with_session.get("/assets/console.css").await.0,
        StatusCode::NOT_FOUND,
        "only with its version"
    );
}

#[tokio::test]
async fn pulls_of_a_user_are_shown_and_begun_anew() {
    let running = Running::start(3).await;
    let sample = &running.sample;
    let (user, slug) = (sample.user_id, linked::CONNECTOR);
    let put = running.store.write(|write| {
        let team = write
            .team(sample.team_id)?
            .ok_or(StoreError::Missing { what: "team" })?;
        linked::put(write, &sample.org_id, team, user, slug)?;
        linked::put_pulls(write, team, user, slug)?;
        Ok(team)
    });
    let team = put.await.expect("pulls");
    let visitor = Visitor::new(&running, &sample.management_key).await;
    let path = format!("/teams/{}/users/{user}", sample.team_id);
    let (status, page) = visitor.get(&path).await;
    assert_eq!(status, StatusCode::OK);
    for text in [
        "The provider does not permit it",
        "History: The provider does not respond now.",
        "1 of 2 parts",
        "up to date",
        "Pull everything again",
        "data-live",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let token = page.split("name=\"form_token\" value=\"").nth(1).expect("a form");
    let token = token.split('"').next().expect("a token");
    let post = async |action: &str, body: String| {
        let request = visitor
            .client
            .post(format!("{}/console{path}/connections/{slug}/{action}", visitor.url))
            .header(COOKIE, &visitor.cookie)
            .header(ORIGIN, &visitor.url)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        request.body(body).send().await.expect("a response").status()
    };
    let due = async || {
        let tasks = running.store.pull_tasks(team, user).await.expect("reads");
        let due = tasks
            .iter()
            .filter(|task| task.provider == slug && task.due.is_some_and(|due| due <= Utc::now()));
        due.map(|task| task.name.clone()).collect::<Vec<_>>()
    };
    let before = due().await;
    assert_eq!(post("pull", "form_token=other".to_owned()).await, StatusCode::FORBIDDEN);
    assert_eq!(post("drop", format!("form_token={token}")).await, StatusCode::NOT_FOUND);
    assert_eq!(due().await, before);
    assert_eq!(post("pull", format!("form_token={token}")).await, StatusCode::SEE_OTHER);
    assert_eq!(due().await, ["recent:activity", "recent:heart", "recent:sleep"]);
    let (_, page) = visitor.get(&path).await;
    assert!(
        page.contains(&format!("The last days of {slug} are pulled again.")),
        "{page}"
    );
    assert_eq!(
        post("pull_all", format!("form_token={token}")).await,
        StatusCode::SEE_OTHER
    );
    assert_eq!(due().await, ["link"]);
    let (_, page) = visitor.get(&path).await;
    assert!(
        page.contains(&format!("Everything of {slug} is pulled again.")),
        "{page}"
    );
    let failed = running.store.write(|write| {
        let now = Utc::now();
        for link in write.lease_pull_tasks(&[slug], now, now + TimeDelta::minutes(1), 100, Uuid::now_v7)? {
            let update = PullTaskUpdate {
                due: Some(now + TimeDelta::days(1)),
                state: link.state.clone(),
                failures: 1,
                reason: Some("forbidden".to_owned()),
            };
            write.finish_pull_task(&link, &update, now)?;
        }
        Ok(())
    });
    failed.await.expect("writes");
    assert!(due().await.is_empty());
    let (_, page) = visitor.get(&path).await;
    assert!(
        page.contains("Pull again") && page.contains("is not read yet"),
        "{page}"
    );
    assert_eq!(post("pull", format!("form_token={token}")).await, StatusCode::SEE_OTHER);
    assert_eq!(due().await, ["link"]);
    let (_, log) = visitor.get("/audit-log").await;
    assert!(log.contains("pull_again") && log.contains(&user.to_string()), "{log}");
}
