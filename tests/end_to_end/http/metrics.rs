//! Probes and metrics, and their addresses.

use std::sync::atomic::Ordering;

use wearlab_http::settings::HttpSettings;
use wearlab_tests::Running;

use super::odd::Served;
use super::{operations, send};

#[tokio::test]
async fn the_management_side_stands_apart_where_it_has_an_address() {
    let running = Running::start_http(
        5,
        HttpSettings {
            management_listen: Some(HttpSettings::default().listen),
            ..HttpSettings::default()
        },
    )
    .await;
    assert_ne!(running.url, running.management_url);
    for (id, address, (name, key)) in operations(&running) {
        assert_eq!(send("GET", &address, &[(name, &key)]).await.status, 200, "{id}");
        let elsewhere = if address.starts_with(&running.url) {
            address.replace(&running.url, &running.management_url)
        } else {
            address.replace(&running.management_url, &running.url)
        };
        assert_eq!(send("GET", &elsewhere, &[(name, &key)]).await.status, 404, "{id}");
    }
    for path in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(
            send("GET", &format!("{}{path}", running.management_url), &[])
                .await
                .status,
            200
        );
        assert_eq!(send("GET", &format!("{}{path}", running.url), &[]).await.status, 404);
    }
}

#[tokio::test]
async fn readiness_is_that_of_the_back_end() {
    let served = Served::start(HttpSettings::default()).await;
    let at = |path: &str| format!("{}{path}", served.url);
    assert_eq!(send("GET", &at("/readyz"), &[]).await.status, 200);
    served.api.0.away.store(true, Ordering::Relaxed);
    let away = send("GET", &at("/readyz"), &[]).await;
    assert_eq!(
        (away.status, &*away.problem(), away.header("retry-after")),
        (503, "service-unavailable", Some("3"))
    );
    assert_eq!(send("GET", &at("/livez"), &[]).await.status, 200, "alive all the same");
}

#[tokio::test]
async fn metrics_count_by_operation_and_hold_nobodys_name() {
    let running = Running::start(5).await;
    let sample = &running.sample;
    for (_, address, (name, key)) in operations(&running) {
        assert_eq!(send("GET", &address, &[(name, &key)]).await.status, 200);
        assert_eq!(send("GET", &address, &[]).await.status, 401);
    }
    let key = ("x-service-api-key", sample.team_api_key.as_str());
    assert_eq!(
        send("GET", &format!("{}/v2/user", running.url), &[key]).await.status,
        200
    );
    assert_eq!(
        send("BREW", &format!("{}/v2/user", running.url), &[key]).await.status,
        405
    );
    assert_eq!(
        send("GET", &format!("{}/wl_path_of_a_caller", running.url), &[key])
            .await
            .status,
        404
    );

    // The `Accept` header of a scraper is ignored.
    let scraper = ("accept", "text/plain;version=0.0.4");
    let response = send("GET", &format!("{}/metrics", running.management_url), &[scraper]).await;
    assert!(
        response
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("application/openmetrics-text"))
    );
    let text = String::from_utf8(response.body).expect("text");
    let version = env!("CARGO_PKG_VERSION");
    for line in [
        "wearlab_http_requests_total{operation=\"get_user\",method=\"GET\",status=\"200\"} 1",
        "wearlab_http_requests_total{operation=\"list_users\",method=\"GET\",status=\"200\"} 2",
        "wearlab_http_requests_total{operation=\"none\",method=\"other\",status=\"405\"} 1",
        "wearlab_http_requests_total{operation=\"list_team_pipelines\",method=\"GET\",status=\"401\"} 1",
        "wearlab_http_requests_total{operation=\"none\",method=\"GET\",status=\"404\"} 1",
        "wearlab_http_request_duration_seconds_count{operation=\"get_user\"} 2",
        "wearlab_store_operation_duration_seconds_count{operation=\"user\"} 4",
        "wearlab_store_operation_duration_seconds_count{operation=\"users\"} 2",
        "wearlab_store_operation_duration_seconds_count{operation=\"pipelines\"} 1",
        "wearlab_http_requests_in_flight 1",
        &format!("wearlab_build_info{{version=\"{version}\"}} 1"),
        "# EOF",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(text.contains("\nwearlab_http_connections "));
    for hidden in [
        sample.team_api_key.as_str(),
        &sample.management_key,
        &sample.org_id,
        &sample.user_id.to_string(),
        &sample.team_id.to_string(),
        "BREW",
        "wl_path_of_a_caller",
        "/v2/",
    ] {
        assert!(!text.contains(hidden), "{hidden}");
    }
}
