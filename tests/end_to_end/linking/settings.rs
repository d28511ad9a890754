//! Settings of linking, and their hidden secrets.

use reqwest::Method;
use serde_json::json;
use wearlab::config::log::LogFormat;
use wearlab_tests::Running;

use super::browser::Browser;
use super::provider::CLIENT_SECRET;
use super::world::World;
use crate::http::log::listen;

#[tokio::test]
async fn urls_of_providers_are_public_and_https() {
    let world = World::new().await;
    let path = world.provider_path();
    let (_, before) = world.send(Method::GET, &path, None).await;
    for field in ["authorization_url", "token_url", "revocation_url"] {
        for url in [
            "http://10.0.0.1/",
            "https://169.254.169.254/latest/meta-data",
            "https://[::1]/",
            "https://0x0a000001/",
            "https://me:word@auth.example.com/",
            "https://auth.example.com/#x",
            "ftp://auth.example.com/",
            "/authorize",
            "",
        ] {
            let mut settings = world.provider.settings();
            settings[field] = json!(url);
            let (status, problem) = world.send(Method::PUT, &path, Some(settings)).await;
            assert_eq!(status, 422, "{field}: {url}");
            assert_eq!(problem["errors"][0]["location"], format!("/body/{field}"), "{url}");
        }
    }
    for (field, value, location) in [
        ("slug", json!("another"), "/body/slug"),
        ("token_auth_method", json!("private_key_jwt"), "/body/token_auth_method"),
        ("extra_scopes", json!(["a b"]), "/body/extra_scopes"),
        (
            "scopes",
            json!({"sleep": {"required": ["a\"b"], "optional": []}}),
            "/body/scopes/sleep/required",
        ),
        ("client_secrets", json!("x"), "/body/client_secrets"),
    ] {
        let mut settings = world.provider.settings();
        settings[field] = value;
        let (status, problem) = world.send(Method::PUT, &path, Some(settings)).await;
        assert_eq!(status, 422, "{field}: {problem}");
        assert_eq!(problem["errors"][0]["location"], location);
    }
    assert_eq!(
        world.send(Method::GET, &path, None).await.1,
        before,
        "nothing has changed"
    );
}

#[tokio::test]
async fn a_secret_is_required_once_and_never_shown() {
    let running = Running::start(12).await;
    let world = World::of(running).await;
    let (status, shown) = world.send(Method::GET, &world.provider_path(), None).await;
    assert_eq!(status, 200);
    assert!(!shown.to_string().contains("secret\":"), "{shown}");
    let mut settings = world.provider.settings();
    settings.as_object_mut().expect("an object").remove("client_secret");
    world.set_up(&settings).await;
    let page = world.page(json!({})).await;
    let done = Browser::new().link(&page, &world.slug).await;
    assert_eq!(done.status, 200, "the secret stays: {}", done.text);

    let (_, providers) = world.send(Method::GET, "/v2/providers/", None).await;
    let oauth = providers.as_array().expect("a list").iter();
    let mut other = oauth.filter(|one| one["auth_type"] == "oauth" && one["slug"] != world.slug.as_str());
    let other = other.next().expect("another")["slug"].as_str().expect("a slug");
    let path = format!("/v1/org/{}/providers/{other}", world.running.sample.org_id);
    let (status, problem) = world.send(Method::PUT, &path, Some(settings)).await;
    assert_eq!(status, 422);
    assert_eq!(problem["errors"][0]["location"], "/body/client_secret");
}

#[tokio::test]
async fn redirect_urls_are_checked_one_by_one() {
    let world = World::new().await;
    let sample = &world.running.sample;
    let path = format!("/v1/org/{}/teams/{}/redirect_urls", sample.org_id, sample.team_id);
    for (urls, at) in [
        (json!(["https://app.example.com/", "javascript:alert(1)"]), 1),
        (json!(["https://app.example.com/#x"]), 0),
        (
            json!(["https://a.example/", "https://b.example/", "https://a.example/"]),
            2,
        ),
    ] {
        let (status, problem) = world
            .send(Method::PUT, &path, Some(json!({ "redirect_urls": urls })))
            .await;
        assert_eq!(status, 422);
        assert_eq!(problem["errors"][0]["location"], format!("/body/redirect_urls/{at}"));
    }
    let urls = json!({"redirect_urls": ["https://b.example/", "com.example.app:/linked", "https://a.example/"]});
    assert_eq!(
        world.send(Method::PUT, &path, Some(urls.clone())).await,
        (200, urls.clone())
    );
    assert_eq!(
        world.send(Method::GET, &path, None).await,
        (200, urls),
        "in their order"
    );
}

#[tokio::test]
async fn no_secret_is_in_the_log() {
    let (lines, _guard) = listen("trace", LogFormat::Text);
    let world = World::new().await;
    let browser = Browser::new();
    let page = world.page(json!({})).await;
    let back = browser.up_to_callback(&page, &world.slug).await;
    browser.get(&back).await;
    let tokens = world.linked().await.tokens;
    let value = |url: &str, name: &str| {
        let url = reqwest::Url::parse(url).expect("a URL");
        let found = url.query_pairs().find(|(found, _)| found == name);
        found.expect("a value").1.into_owned()
    };
    world.provider.behave(|behaviour| behaviour.failure = Some(500));
    browser.link(&page, &world.slug).await;
    world.provider.behave(|behaviour| behaviour.failure = None);
    world
        .send(Method::DELETE, &format!("/v2/user/{}", world.user), None)
        .await;
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let text = lines.text();
    assert!(
        text.contains("route=\"/link/callback/{organisation}/{provider}\""),
        "{text}"
    );
    for secret in [
        value(&page, "token"),
        value(&back, "state"),
        value(&back, "code"),
        browser.session(),
        tokens.access_token.expose().to_owned(),
        tokens.refresh_token.expect("one").expose().to_owned(),
        CLIENT_SECRET.to_owned(),
        world.user.to_string(),
    ] {
        assert!(!text.contains(&secret), "{secret} is in the log");
        let encoded = secret.replace(' ', "+");
        assert!(!text.contains(&encoded), "{encoded} is in the log");
    }
}
