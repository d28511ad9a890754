//! CORS, off and on.

use std::time::Duration;

use wearlab_http::settings::{CorsSettings, HttpSettings};

use super::odd::{KEY, Served};
use super::send;

const PAGE: (&str, &str) = ("origin", "https://app.example.com");

fn settings(origins: &[&str]) -> HttpSettings {
    HttpSettings {
        cors: Some(CorsSettings {
            origins: origins.iter().map(|origin| (*origin).to_owned()).collect(),
            max_age: Duration::from_secs(60),
        }),
        header_prefix: "acme".to_owned(),
        ..HttpSettings::default()
    }
}

#[tokio::test]
async fn nothing_is_permitted_unless_it_is_configured() {
    let served = Served::start(HttpSettings::default()).await;
    let response = send("GET", &served.slow(0), &[KEY, PAGE]).await;
    let asked = [PAGE, ("access-control-request-method", "GET")];
    let preflight = send("OPTIONS", &served.slow(0), &asked).await;
    assert_eq!((response.status, preflight.status), (200, 405));
    for response in [response, preflight] {
        assert!(
            response
                .headers
                .keys()
                .all(|name| !name.as_str().starts_with("access-control"))
        );
    }
}

#[tokio::test]
async fn listed_origins_may_ask_with_their_keys_and_read_errors() {
    let served = Served::start(settings(&["https://app.example.com", "http://localhost:3000"])).await;
    let asked = [
        PAGE,
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "x-acme-api-key,if-none-match"),
    ];
    let preflight = send("OPTIONS", &served.slow(0), &asked).await;
    assert_eq!(preflight.status, 200);
    assert_eq!(preflight.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(preflight.header("access-control-allow-origin"), Some(PAGE.1));
    assert_eq!(preflight.header("access-control-allow-methods"), Some("GET,HEAD"));
    assert_eq!(preflight.header("access-control-max-age"), Some("60"));
    let headers = preflight.header("access-control-allow-headers").expect("headers");
    for name in [
        "x-acme-api-key",
        "x-acme-link-token",
        "x-management-key",
        "if-none-match",
        "x-request-id",
    ] {
        assert!(headers.split(',').any(|known| known == name), "{name}: {headers}");
    }
    assert!(!headers.contains("x-service"));
    assert_eq!(preflight.header("access-control-allow-credentials"), None);

    for (key, status) in [(Some(("x-acme-api-key", "any")), 200), (None, 401)] {
        let headers: Vec<_> = key.into_iter().chain([PAGE]).collect();
        let response = send("GET", &served.slow(0), &headers).await;
        assert_eq!(response.status, status);
        assert_eq!(response.header("access-control-allow-origin"), Some(PAGE.1));
        assert!(response.header("vary").is_some_and(|vary| vary.contains("origin")));
        assert!(
            response
                .header("access-control-expose-headers")
                .is_some_and(|list| list.contains("etag"))
        );
    }
    let stranger = send("GET", &served.slow(0), &[("origin", "https://evil.example")]).await;
    assert_eq!(stranger.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn a_star_lets_every_page_ask() {
    let served = Served::start(settings(&["*"])).await;
    let response = send(
        "GET",
        &served.slow(0),
        &[("x-acme-api-key", "any"), ("origin", "https://any.example")],
    )
    .await;
    assert_eq!(response.header("access-control-allow-origin"), Some("*"));
}
