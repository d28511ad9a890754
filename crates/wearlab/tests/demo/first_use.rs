//! Tests of the first minutes with a demo: linking a provider, signing in to the console, and data of the first users
//! of a list.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use chrono::{DateTime, Days, Utc};
use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use serde_json::Value;
use wearlab_store::{EmbeddedSettings, SecretKey, Store};

use crate::{Demo, wearlab};

/// Maximum time until data arrive. A task whose result cannot be stored on a busy machine is repeated after two minutes.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Number of simulated providers.
const PROVIDERS: usize = 4;

/// Creates a client that follows no redirect: the tests check each.
fn client() -> Client {
    Client::builder().redirect(Policy::none()).build().expect("a client")
}

/// Returns the target of the link with a text on a page.
fn link(page: &str, text: &str) -> Url {
    let (before, _) = page.split_once(&format!(">{text}</a>")).expect("the link");
    let (_, target) = before.rsplit_once("href=\"").expect("a target");
    let target = target.split('"').next().unwrap_or_default().replace("&amp;", "&");
    Url::parse(&target).expect("a URL")
}

/// Goes from the link page of the printed user to the consent page; returns the page with the cookie of the browser.
async fn consent_page(demo: &Demo, client: &Client) -> (String, String) {
    let base = demo.says("base_url");
    let token = demo.says("link_token");
    let page = client
        .get(format!("{base}/link?token={token}"))
        .send()
        .await
        .expect("a page");
    let cookie = page.headers()[SET_COOKIE].to_str().expect("text").split(';').next();
    let cookie = cookie.unwrap_or_default().to_owned();
    let text = page.text().await.expect("text");
    assert!(text.contains("Oura") && !text.contains("nothing to link"), "{text}");
    let start = client.post(format!("{base}/link/oura")).header(COOKIE, &cookie);
    let form = format!("token={token}");
    let start = start
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form);
    let start = start.send().await.expect("a response");
    let consent = start
        .headers()
        .get(LOCATION)
        .expect("a redirect")
        .to_str()
        .expect("text")
        .to_owned();
    assert!(consent.starts_with(base), "the provider is the demo: {consent}");
    let page = client.get(consent).send().await.expect("a page");
    assert_eq!(page.status(), 200);
    let policy = page.headers()["content-security-policy"].to_str().expect("text");
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    (page.text().await.expect("text"), cookie)
}

/// Links Oura for the printed user.
pub(crate) async fn link_printed_user(demo: &Demo) {
    let client = client();
    let (page, cookie) = consent_page(demo, &client).await;
    let linked = client.get(link(&page, "Allow")).header(COOKIE, &cookie).send();
    let linked = linked.await.expect("a page").text().await.expect("text");
    assert!(linked.contains("Oura is linked"), "{linked}");
}

#[tokio::test]
async fn a_user_links_a_provider_of_the_demo_itself() {
    let demo = Demo::start(&[]);
    let client = client();
    let (page, cookie) = consent_page(&demo, &client).await;
    assert!(page.contains("Simulated by the demo"), "{page}");
    let back = |url: Url| client.get(url).header(COOKIE, &cookie).send();

    let denied = back(link(&page, "Do not allow")).await.expect("a page");
    assert!(denied.text().await.expect("text").contains("is not linked"));

    link_printed_user(&demo).await;
    let user = demo.says("user_id");
    let connections: Value = demo
        .get(&format!("/v2/user/providers/{user}"))
        .await
        .json()
        .await
        .expect("JSON");
    let mut providers = connections["providers"].as_array().into_iter().flatten();
    assert!(
        providers.any(|one| one["slug"] == "oura" && one["status"] == "connected"),
        "{connections}"
    );
}

#[tokio::test]
async fn a_year_of_data_arrives_after_the_link_and_then_samples() {
    let demo = Demo::start(&["--days", "0"]);
    let linked = Utc::now();
    link_printed_user(&demo).await;
    let user = demo.says("user_id");
    let first = linked.date_naive() - Days::new(360);
    let path = format!("/v2/summary/activity/{user}?start_date={first}&provider=oura");
    // The ring is not worn on some days.
    let has_a_year = |read: &Value| read["activity"].as_array().is_some_and(|days| days.len() > 330);
    wait_for(&demo, &path, has_a_year).await;

    let base = demo.says("base_url");
    let refresh = client().post(format!("{base}/v2/user/refresh/{user}?timeout=0"));
    let refresh = refresh.header("x-service-api-key", demo.says("team_api_key")).send();
    let refreshed: Value = refresh.await.expect("a response").json().await.expect("JSON");
    let sources = [&refreshed["refreshed_sources"], &refreshed["in_progress_sources"]];
    let mut sources = sources
        .into_iter()
        .flat_map(|sources| sources.as_array().into_iter().flatten());
    assert!(sources.any(|slug| slug == "oura"), "{refreshed}");
    let metrics = demo.get("/metrics").await.text().await.expect("text");
    assert!(metrics.contains("wearlab_pulls_total{provider=\"oura\""), "{metrics}");

    let (from, to) = (linked.date_naive() - Days::new(1), linked.date_naive() + Days::new(2));
    let path = format!("/v2/timeseries/{user}/heartrate/grouped?start_date={from}&end_date={to}&provider=oura");
    let newest = |read: &Value| {
        let samples = read["groups"]["oura"][0]["data"].as_array()?.last()?;
        samples["timestamp"].as_str()?.parse::<DateTime<Utc>>().ok()
    };
    wait_for(&demo, &path, |read| newest(read).is_some_and(|newest| newest > linked)).await;
}

/// Reads until the response has what is waited for.
async fn wait_for(demo: &Demo, path: &str, has: impl Fn(&Value) -> bool) {
    let began = Instant::now();
    loop {
        let read: Value = demo.get(path).await.json().await.expect("JSON");
        if has(&read) {
            break;
        }
        assert!(began.elapsed() < TIMEOUT, "{path}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn simulated_providers_send_nobody_elsewhere() {
    let demo = Demo::start(&[]);
    let (page, _) = consent_page(&demo, &client()).await;
    let own = link(&page, "Allow");
    let base = demo.says("base_url");
    for elsewhere in ["https://example.com/", "http://127.0.0.1:1/link/callback"] {
        let mut url = Url::parse(&format!("{base}/simulated/oura/oauth/authorize")).expect("a URL");
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", "simulated-by-the-demo")
            .append_pair("redirect_uri", elsewhere)
            .append_pair("state", "s")
            .append_pair("code_challenge", "c")
            .append_pair("code_challenge_method", "S256");
        let page = client().get(url).send().await.expect("a page");
        assert_eq!(page.status(), 400, "{elsewhere}");
        assert!(!page.text().await.expect("text").contains(elsewhere), "{elsewhere}");
    }
    // A code that was not exchanged is useless without the verifier.
    let pairs: HashMap<_, _> = own.query_pairs().collect();
    let form = format!(
        "grant_type=authorization_code&code={}&code_verifier=guessed&client_id=simulated-by-the-demo&client_secret=simulated",
        pairs["code"]
    );
    let token = client().post(format!("{base}/simulated/oura/oauth/token"));
    let token = token
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form);
    assert_eq!(token.send().await.expect("a response").status(), 400);
}

#[cfg(unix)]
#[tokio::test]
async fn a_directory_that_is_kept_has_no_simulated_providers() {
    let directory = tempfile::tempdir().expect("a directory");
    let data = directory.path().join("data");
    let data = data.to_str().expect("a path");
    let mut demo = Demo::start(&["--data", data]);
    let management = format!("{}/v1/org/{}/providers", demo.says("base_url"), demo.says("org_id"));
    let listed = client()
        .get(management)
        .header("x-management-key", demo.says("management_key"));
    let listed: Value = listed.send().await.expect("a response").json().await.expect("JSON");
    assert_eq!(
        listed["providers"].as_array().map(Vec::len),
        Some(PROVIDERS),
        "{listed}"
    );
    assert!(demo.interrupt().success());
    let key = std::fs::read_to_string(directory.path().join("data/secret.keys")).expect("the key of the demo");
    let key = key
        .lines()
        .map(SecretKey::from_base64)
        .collect::<Result<Vec<_>, _>>()
        .expect("keys");
    let store = Store::open_with(data.as_ref(), &EmbeddedSettings::default(), &key).expect("a store");
    let team = demo.says("team_id").parse().expect("an id");
    let organisation = store
        .organisation_of_team(team)
        .await
        .expect("reads")
        .expect("an organisation");
    assert!(
        store
            .all_provider_settings(&organisation)
            .await
            .expect("reads")
            .is_empty()
    );
}

/// Requests the page for signing in, like a browser at a host.
async fn sign_in_page(demo: &Demo, host: &str) -> Response {
    let url = format!("{}/console/sign-in", demo.says("base_url"));
    client().get(url).header("host", host).send().await.expect("a page")
}

#[tokio::test]
async fn the_console_of_a_demo_has_its_key_filled_in() {
    let demo = Demo::start(&[]);
    let key = demo.says("management_key");
    for local in ["localhost:8080", "127.0.0.1:8080"] {
        let page = sign_in_page(&demo, local).await;
        assert_eq!(page.headers()["cache-control"], "no-store");
        assert!(page.text().await.expect("text").contains(key), "{local}");
    }
    // A name that somebody else may own, and that resolves to this address.
    let page = sign_in_page(&demo, "rebound.example.com").await;
    assert!(!page.text().await.expect("text").contains(key));
    // Another machine on the network.
    let page = sign_in_page(&demo, "192.168.1.7:8080").await;
    assert!(!page.text().await.expect("text").contains(key));
    let url = format!("{}/console/sign-in", demo.says("base_url"));
    let form = client()
        .post(url)
        .header("content-type", "application/x-www-form-urlencoded");
    let signed_in = form.body(format!("key={key}")).send().await.expect("a response");
    assert_eq!(signed_in.status(), 303);
    assert!(signed_in.headers().contains_key(SET_COOKIE));
}

#[tokio::test]
async fn the_first_users_of_the_list_have_data() {
    let demo = Demo::start(&["--days", "5"]);
    let list: Value = demo.get("/v2/user/?limit=5").await.json().await.expect("JSON");
    let users = list["users"].as_array().expect("users");
    assert_eq!(
        users[0]["user_id"],
        demo.says("user_id"),
        "the printed user is the first"
    );
    let from = Utc::now().date_naive() - Days::new(4);
    for user in users {
        let user = user["user_id"].as_str().expect("an id");
        let read: Value = demo
            .get(&format!("/v2/summary/activity/{user}?start_date={from}"))
            .await
            .json()
            .await
            .expect("JSON");
        assert!(
            read["activity"].as_array().is_some_and(|days| days.len() >= 3),
            "{user}: {read}"
        );
    }
}

#[tokio::test]
async fn nothing_waits_on_a_demo_that_nobody_uses() {
    let demo = Demo::start(&["--days", "2"]);
    let url = format!("{}/v1/org/{}/destinations", demo.says("base_url"), demo.says("org_id"));
    let listed = client()
        .get(url)
        .header("x-management-key", demo.says("management_key"));
    let listed: Value = listed.send().await.expect("a response").json().await.expect("JSON");
    let destinations = listed["destinations"].as_array().expect("destinations");
    assert!(!destinations.is_empty());
    for destination in destinations {
        assert_eq!(destination["status"], "not_enabled", "{destination}");
        assert!(
            destination["reason"]
                .as_str()
                .is_some_and(|reason| reason.contains("demo")),
            "{destination}"
        );
    }
    let top = wearlab(&["top", "--once", "--url", demo.says("base_url")])
        .output()
        .expect("the binary runs");
    let top = String::from_utf8(top.stdout).expect("text");
    assert!(top.contains("undelivered 0"), "{top}");
}
