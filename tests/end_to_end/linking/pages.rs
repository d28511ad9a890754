//! Security policies and content of the link pages.

use reqwest::Method;
use serde_json::json;
use wearlab_tests::Running;

use super::browser::{Browser, Page};
use super::world::{APP, World};

/// Returns the directives of a page's content security policy.
fn policy(page: &Page) -> Vec<String> {
    let policy = page.headers["content-security-policy"].to_str().expect("text");
    policy.split("; ").map(str::to_owned).collect()
}

#[tokio::test]
async fn every_page_is_locked_down() {
    let world = World::new().await;
    let browser = Browser::new();
    let url = world.page(json!({})).await;
    let not_valid = format!("{}/link?token=x", world.running.url);
    let callback = format!("{}/link/callback?state=x", world.running.url);
    let mut pages = vec![
        browser.get(&url).await,
        browser.get(&not_valid).await,
        browser.get(&callback).await,
        browser.choose(&url, "nobody").await,
        browser.choose(&url, &world.slug).await,
        browser.link(&url, &world.slug).await,
    ];
    let navigates = [("sec-fetch-mode", "navigate")];
    pages.push(browser.choose_with(&url, &world.slug, &navigates).await);
    for page in &pages {
        let policy = policy(page);
        assert_eq!(policy[0], "default-src 'none'");
        assert!(policy[1].starts_with("style-src 'sha256-"), "{policy:?}");
        assert!(policy[2].starts_with("form-action 'self'"), "{policy:?}");
        assert_eq!(policy[3..], ["frame-ancestors 'none'", "base-uri 'none'"]);
        for (name, value) in [
            ("cache-control", "no-store"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(page.headers[name], value, "{}", page.status);
        }
        if page.status != 303 {
            assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
            assert!(page.text.starts_with("<!DOCTYPE html><html lang=\"en\">"));
            assert!(
                page.text.contains("<main>") && page.text.contains("<h1>"),
                "{}",
                page.text
            );
            for nothing in ["<script", "<img", "<link", "src=", "javascript:", " style=", " on"] {
                let found = page.text.find(nothing).filter(|_| nothing != " on");
                assert_eq!(found, None, "{nothing} in {}", page.text);
            }
        }
    }
    assert_eq!(
        policy(&pages[0])[2],
        format!("form-action 'self' {}", world.provider.url)
    );
}

#[tokio::test]
async fn the_page_offers_what_the_token_is_for() {
    let world = World::new().await;
    let browser = Browser::new();
    let slug = &world.slug;
    let offers = async |more| {
        let page = browser.get(&world.page(more).await).await;
        assert_eq!(page.status, 200);
        page.text.matches("<button").count()
    };
    assert_eq!(offers(json!({})).await, 1, "the others are not set up");
    assert_eq!(offers(json!({"provider": slug})).await, 1);
    assert_eq!(offers(json!({"filter_on_providers": ["other", slug]})).await, 1);
    assert_eq!(offers(json!({"filter_on_providers": ["other"]})).await, 0);

    let url = world.page(json!({"filter_on_providers": ["other"]})).await;
    let refused = browser.choose(&url, slug).await;
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains("role=\"alert\""), "{}", refused.text);
    let more =
        json!({"filter_on_providers": ["other"], "redirect_url": APP, "on_error": "redirect", "on_close": "redirect"});
    let url = world.page(more).await;
    let refused = browser.choose(&url, slug).await;
    assert!(
        refused.to().ends_with("&error=provider_not_available"),
        "{}",
        refused.to()
    );
    let closing = browser.get(&url).await.text;
    assert!(closing.contains("state=error&amp;error=closed"), "{closing}");
}

#[tokio::test]
async fn without_settings_nothing_can_be_linked() {
    let world = World::new().await;
    let browser = Browser::new();
    let url = world.page(json!({})).await;
    let back = browser.up_to_callback(&url, &world.slug).await;
    assert_eq!(world.send(Method::DELETE, &world.provider_path(), None).await.0, 204);
    let page = browser.get(&url).await;
    assert_eq!((page.status, page.title()), (200, "There is nothing to link"));
    let done = browser.get(&back).await;
    assert_eq!(done.status, 400, "a user who is back meanwhile");
    assert_eq!(world.connection().await, None);
}

#[tokio::test]
async fn looking_ahead_uses_nothing_up() {
    let world = World::new().await;
    let browser = Browser::new();
    let back = browser.up_to_callback(&world.page(json!({})).await, &world.slug).await;
    let head = wearlab_tests::http().head(&back).send().await.expect("a response");
    assert_eq!(head.status(), 204);
    assert_eq!(browser.get(&back).await.status, 200);
}

#[tokio::test]
async fn pages_are_at_the_address_of_the_interface() {
    let running = Running::start(12).await;
    let response = wearlab_tests::http()
        .get(format!("{}/link/other", running.url))
        .send()
        .await
        .expect("a response");
    assert_eq!(response.status(), 405);
}
