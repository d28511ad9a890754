//! Failed linking, with the response to the user in each case.

use std::time::Duration;

use reqwest::{Method, Url};
use serde_json::json;

use super::browser::Browser;
use super::provider::Consent;
use super::world::{APP, World};

/// Asserts that nothing was linked.
async fn assert_nothing(world: &World) {
    assert_eq!(world.connection().await, None);
    assert!(world.events().await.is_empty());
}

#[tokio::test]
async fn consent_that_is_refused_links_nothing() {
    let world = World::new().await;
    world.provider.behave(|behaviour| behaviour.consent = Consent::Refused);
    let page = world.page(json!({"redirect_url": APP})).await;
    let done = Browser::new().link(&page, &world.slug).await;
    assert_eq!(
        done.to(),
        format!("{APP}&state=error&provider={}&error=access_denied", world.slug)
    );
    let page = world.page(json!({})).await;
    let done = Browser::new().link(&page, &world.slug).await;
    assert!(done.title().ends_with("is not linked"), "{}", done.text);
    assert!(
        done.text.contains("Try again") && !done.text.contains("<b>"),
        "{}",
        done.text
    );
    assert_nothing(&world).await;
    assert_eq!(world.provider.token_requests("authorization_code"), 0);
}

#[tokio::test]
async fn a_state_that_is_wrong_links_nothing() {
    let world = World::new().await;
    let browser = Browser::new();
    let back = browser
        .up_to_callback(&world.page(json!({"redirect_url": APP})).await, &world.slug)
        .await;
    let url = Url::parse(&back).expect("a URL");
    let with = |state: Option<&str>| {
        let mut changed = url.clone();
        let kept: Vec<_> = url.query_pairs().filter(|(name, _)| name != "state").collect();
        changed.query_pairs_mut().clear().extend_pairs(kept);
        if let Some(state) = state {
            changed.query_pairs_mut().append_pair("state", state);
        }
        changed
    };
    let state = url.query_pairs().find(|(name, _)| name == "state").expect("a state").1;
    let flipped = format!("{}_", &state[..state.len() - 1]);
    let repeated = format!("{back}&state={state}");
    for wrong in [
        with(None).to_string(),
        with(Some("")).to_string(),
        with(Some(&flipped)).to_string(),
        repeated,
    ] {
        let page = browser.get(&wrong).await;
        assert_eq!(page.status, 400, "{wrong}");
        assert_eq!(page.title(), "This page is not valid any more");
    }
    assert_nothing(&world).await;
    assert_eq!(world.provider.token_requests("authorization_code"), 0);
    assert!(
        browser.get(&back).await.to().contains("state=success"),
        "the right one is still good"
    );
}

#[tokio::test]
async fn a_code_and_a_state_are_good_once() {
    let world = World::new().await;
    let browser = Browser::new();
    let back = browser
        .up_to_callback(&world.page(json!({"redirect_url": APP})).await, &world.slug)
        .await;
    assert!(browser.get(&back).await.to().contains("state=success"));
    for _ in 0..2 {
        let page = browser.get(&back).await;
        assert_eq!((page.status, page.title()), (400, "This page is not valid any more"));
    }
    // The code with the state of another attempt: the verifier does not match, and the provider no longer accepts it.
    let page = world.page(json!({"redirect_url": APP})).await;
    let other = browser.up_to_callback(&page, &world.slug).await;
    let code = Url::parse(&back).expect("a URL");
    let code = code
        .query_pairs()
        .find(|(name, _)| name == "code")
        .expect("a code")
        .1
        .into_owned();
    let mut replayed = Url::parse(&other).expect("a URL");
    let state = replayed
        .query_pairs()
        .find(|(name, _)| name == "state")
        .expect("a state")
        .1
        .into_owned();
    replayed
        .query_pairs_mut()
        .clear()
        .extend_pairs([("state", state.as_str()), ("code", code.as_str())]);
    let page = browser.get(replayed.as_str()).await;
    assert!(page.to().ends_with("&error=exchange_refused"), "{}", page.to());
    assert_eq!(world.events().await, ["provider.connection.created"], "once");
    assert_eq!(world.provider.token_requests("authorization_code"), 2);
}

#[tokio::test]
async fn a_code_of_another_attempt_does_not_fit_the_verifier() {
    let world = World::new().await;
    let browser = Browser::new();
    let page = world.page(json!({"redirect_url": APP})).await;
    let backs = [
        browser.up_to_callback(&page, &world.slug).await,
        browser.up_to_callback(&page, &world.slug).await,
    ];
    let [first, second] = backs.map(|back| Url::parse(&back).expect("a URL"));
    let of = |url: &Url, wanted: &str| {
        let found = url.query_pairs().find(|(name, _)| name == wanted);
        found.expect("a value").1.into_owned()
    };
    let mut injected = first.clone();
    injected
        .query_pairs_mut()
        .clear()
        .append_pair("state", &of(&first, "state"))
        .append_pair("code", &of(&second, "code"));
    let page = browser.get(injected.as_str()).await;
    assert!(page.to().ends_with("&error=exchange_refused"), "{}", page.to());
    assert_nothing(&world).await;
}

#[tokio::test]
async fn another_browser_links_nothing_and_spoils_the_attempt() {
    let world = World::new().await;
    let (browser, other) = (Browser::new(), Browser::new());
    let page = world.page(json!({"redirect_url": APP})).await;
    let back = browser.up_to_callback(&page, &world.slug).await;
    // One browser that opened a link page, and one that did not.
    other.get(&page).await;
    let shown = other.get(&back).await;
    assert_eq!(
        (shown.status, shown.title()),
        (400, "This is not the browser that you began in")
    );
    assert_eq!(
        browser.get(&back).await.status,
        400,
        "whoever has the state has it from somebody"
    );
    let back = browser.up_to_callback(&page, &world.slug).await;
    assert_eq!(Browser::new().get(&back).await.status, 400);
    assert_nothing(&world).await;
    assert_eq!(world.provider.token_requests("authorization_code"), 0);
}

#[tokio::test]
async fn a_button_needs_the_cookie_and_a_page_of_this_site() {
    let world = World::new().await;
    let page = world.page(json!({})).await;
    let refused = Browser::new().choose(&page, &world.slug).await;
    assert_eq!(
        (refused.status, refused.title()),
        (400, "Your browser keeps no cookies")
    );
    let browser = Browser::new();
    browser.get(&page).await;
    for site in ["cross-site", "same-site"] {
        let refused = browser
            .choose_with(&page, &world.slug, &[("sec-fetch-site", site)])
            .await;
        assert_eq!(refused.status, 404, "{site}");
    }
    let headers = [("sec-fetch-site", "same-origin"), ("sec-fetch-mode", "navigate")];
    let passing = browser.choose_with(&page, &world.slug, &headers).await;
    assert_eq!(passing.status, 200);
    assert!(passing.text.contains("http-equiv=\"refresh\""), "{}", passing.text);
}

#[tokio::test]
async fn a_link_token_that_is_expired_or_deleted_links_nothing() {
    let world = World::new().await;
    let browser = Browser::new();
    let running = &world.running;
    for token in [
        "",
        "wl_link_unknown",
        wearlab_tests::EXPIRED_LINK_TOKEN,
        wearlab_tests::LINK_TOKEN,
    ] {
        let url = format!("{}/link?token={token}", running.url);
        let page = browser.get(&url).await;
        assert_eq!((page.status, page.title()), (404, "This link is not valid"), "{token}");
        assert_eq!(browser.choose(&url, &world.slug).await.status, 404, "{token}");
    }
    assert_eq!(browser.get(&format!("{}/link", running.url)).await.status, 404);

    // The user is deleted during the visit to the provider.
    let page = world.page(json!({"redirect_url": APP})).await;
    let back = browser.up_to_callback(&page, &world.slug).await;
    let sample = &running.sample;
    let path = format!("/v1/org/{}/teams/{}/link_tokens", sample.org_id, sample.team_id);
    let (status, list) = world.send(Method::GET, &path, None).await;
    assert_eq!(status, 200);
    let tokens = list["link_tokens"].as_array().expect("a list");
    assert!(!list.to_string().contains("wl_link_"), "the tokens are not known");
    let id = tokens
        .iter()
        .find(|token| token["redirect_url"] == APP)
        .expect("the token")["id"]
        .as_str()
        .expect("an id");
    assert_eq!(world.send(Method::DELETE, &format!("{path}/{id}"), None).await.0, 204);
    assert_eq!(browser.get(&back).await.status, 400);
    assert_eq!(browser.get(&page).await.status, 404);
    assert_nothing(&world).await;
    assert_eq!(world.provider.token_requests("authorization_code"), 0);
}

#[tokio::test]
async fn a_redirect_url_that_is_not_allowed_gets_no_token() {
    let world = World::new().await;
    for url in [
        "https://evil.example/",
        "https://app.example.com/linked",
        "https://app.example.com/linked?from=wearlab&",
        "HTTPS://app.example.com/linked?from=wearlab",
        "https://app.example.com.evil.example/linked?from=wearlab",
        "javascript:alert(1)",
    ] {
        let body = json!({"user_id": world.user, "redirect_url": url});
        let (status, problem) = world.send(Method::POST, "/v2/link/token", Some(body)).await;
        assert_eq!(status, 422, "{url}");
        assert_eq!(problem["errors"][0]["location"], "/body/redirect_url", "{url}");
        assert!(!problem.to_string().contains("evil"), "{problem}");
    }
    for (field, value) in [("provider", "nobody"), ("on_error", "redirect"), ("on_close", "stay")] {
        let body = json!({"user_id": world.user, field: value});
        let (status, problem) = world.send(Method::POST, "/v2/link/token", Some(body)).await;
        assert_eq!(status, 422, "{field}");
        assert_eq!(problem["errors"][0]["location"], format!("/body/{field}"));
    }
}

#[tokio::test]
async fn a_provider_that_is_down_links_nothing_and_can_be_tried_again() {
    let world = World::new().await;
    let browser = Browser::new();
    let page = world.page(json!({"redirect_url": APP})).await;
    let failing = |status| world.provider.behave(|behaviour| behaviour.failure = status);
    for status in [500, 503, 429, 302] {
        failing(Some(status));
        let done = browser.link(&page, &world.slug).await;
        assert!(
            done.to().ends_with("&error=provider_unavailable"),
            "{status}: {}",
            done.to()
        );
    }
    failing(None);
    world
        .provider
        .behave(|behaviour| behaviour.delay = Duration::from_secs(5));
    let done = browser.link(&page, &world.slug).await;
    assert!(
        done.to().ends_with("&error=provider_unavailable"),
        "slow: {}",
        done.to()
    );
    let without = world.page(json!({})).await;
    let done = browser.link(&without, &world.slug).await;
    assert_eq!(done.status, 502);
    assert!(done.title().ends_with("does not respond"), "{}", done.title());
    assert_nothing(&world).await;
    world.provider.behave(|behaviour| behaviour.delay = Duration::ZERO);
    assert!(browser.link(&page, &world.slug).await.to().contains("state=success"));
}

#[tokio::test]
async fn a_provider_that_refuses_the_client_links_nothing() {
    let world = World::new().await;
    let mut settings = world.provider.settings();
    settings["client_secret"] = json!("another one");
    world.set_up(&settings).await;
    let page = world.page(json!({"redirect_url": APP})).await;
    let done = Browser::new().link(&page, &world.slug).await;
    assert!(done.to().ends_with("&error=exchange_refused"), "{}", done.to());
    assert_nothing(&world).await;
    settings["client_secret"] = world.provider.settings()["client_secret"].clone();
    settings["token_auth_method"] = json!("client_secret_post");
    world.set_up(&settings).await;
    let done = Browser::new().link(&page, &world.slug).await;
    assert!(done.to().contains("state=success"), "{}", done.to());
}

#[tokio::test]
async fn a_response_of_another_issuer_links_nothing() {
    let world = World::new().await;
    let mut settings = world.provider.settings();
    settings["issuer"] = json!("https://issuer.example");
    world.set_up(&settings).await;
    let browser = Browser::new();
    let page = world.page(json!({"redirect_url": APP})).await;
    for issuer in [None, Some("https://other.example"), Some("https://issuer.example/")] {
        world
            .provider
            .behave(|behaviour| behaviour.issuer = issuer.map(str::to_owned));
        for consent in [Consent::All, Consent::Refused] {
            world.provider.behave(|behaviour| behaviour.consent = consent);
            let done = browser.link(&page, &world.slug).await;
            assert!(done.to().ends_with("&error=wrong_issuer"), "{issuer:?}: {}", done.to());
        }
    }
    assert_nothing(&world).await;
    assert_eq!(
        world.provider.token_requests("authorization_code"),
        0,
        "no code went out"
    );
    world.provider.behave(|behaviour| {
        behaviour.issuer = Some("https://issuer.example".to_owned());
        behaviour.consent = Consent::All;
    });
    assert!(browser.link(&page, &world.slug).await.to().contains("state=success"));
}

#[tokio::test]
async fn a_user_who_is_deleted_meanwhile_is_not_linked() {
    let world = World::new().await;
    let browser = Browser::new();
    let back = browser
        .up_to_callback(&world.page(json!({"redirect_url": APP})).await, &world.slug)
        .await;
    world
        .provider
        .behave(|behaviour| behaviour.delay = Duration::from_millis(500));
    let deleting = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        world
            .send(Method::DELETE, &format!("/v2/user/{}", world.user), None)
            .await
            .0
    };
    let (done, deleted) = tokio::join!(browser.get(&back), deleting);
    assert_eq!(deleted, 200);
    assert!(done.to().ends_with("&error=expired"), "{}", done.to());
    let given = world.provider.last_access_token().expect("tokens were given");
    let refresh = given.replace("access-", "refresh ");
    for _ in 0..100 {
        if world.provider.is_revoked(&refresh) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("tokens that nobody has are still good");
}
