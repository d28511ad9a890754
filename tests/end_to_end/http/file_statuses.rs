//! Statuses of the one operation that sends a file: each status of the document is provoked, and there is no other.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use wearlab_http::settings::{HttpSettings, Limits, RateLimit, Timeouts};
use wearlab_models::Uuid;
use wearlab_server::Operation;
use wearlab_server::operations::{self, GET_ORDER_REQUISITION};
use wearlab_service::Settings;
use wearlab_tests::{Running, orders};

use super::odd::{KEY, Served};
use super::statuses::{Seen, raw};
use super::{TIMEOUT, send};

#[tokio::test]
async fn every_status_of_the_form_of_an_order_is_provoked_and_no_other() {
    let quick = Timeouts {
        body: Duration::from_millis(300),
        ..Timeouts::default()
    };
    let running = Running::start_http(
        5,
        HttpSettings {
            timeouts: quick,
            ..HttpSettings::default()
        },
    )
    .await;
    let mut limited = Settings::default();
    limited.rate_limit = Some(RateLimit {
        per_second: NonZeroU32::MIN,
        burst: NonZeroU32::MIN,
    });
    let limited = Running::start_with(5, limited).await;
    let full = Served::start(HttpSettings {
        limits: Limits {
            requests: 1,
            ..Limits::default()
        },
        timeouts: Timeouts {
            handler: Duration::from_secs(3600),
            ..Timeouts::default()
        },
        ..HttpSettings::default()
    })
    .await;
    let slow = wearlab_tests::http()
        .get(full.slow(3_600_000))
        .header(KEY.0, KEY.1)
        .send();
    let endless = tokio::spawn(async move { slow.await.map(drop) });

    let order = orders::order_of(running.sample.user_id).to_string();
    let path = GET_ORDER_REQUISITION.path.replace("{order_id}", &order);
    let address = format!("{}{path}", running.url);
    let key = ("x-service-api-key", running.sample.team_api_key.as_str());
    let long = "x".repeat(16_385);
    let head = |fields: &str| format!("GET {path} HTTP/1.1\r\nhost: h\r\n{fields}\r\n");
    let of_form = |operation: &&Operation| operation.id == GET_ORDER_REQUISITION.id;
    let mut seen = Seen::of(operations::ALL.into_iter().find(of_form).expect("is there"));
    seen.note(200, &send("GET", &address, &[key]).await);
    let no_host = format!("GET {path} HTTP/1.1\r\nconnection: close\r\n\r\n");
    seen.note(400, &raw(&running.url, no_host).await);
    seen.note(401, &send("GET", &address, &[]).await);
    let [without, _] = running.keys_that_do_not_read().await;
    seen.note(403, &send("GET", &address, &[(key.0, without)]).await);
    let nothing = address.replace(&order, &Uuid::nil().to_string());
    seen.note(404, &send("GET", &nothing, &[key]).await);
    seen.note(405, &send("TRACE", &address, &[key]).await);
    seen.note(406, &send("GET", &address, &[key, ("accept", "text/html")]).await);
    seen.note(408, &raw(&running.url, head("content-length: 1\r\n")).await);
    seen.note(413, &raw(&running.url, head("content-length: 65537\r\n")).await);
    seen.note(414, &send("GET", &format!("{address}?{}", &long[..8192]), &[key]).await);
    seen.note(422, &send("GET", &address.replace(&order, "mine"), &[key]).await);
    seen.note(431, &send("GET", &address, &[key, ("x-long", &long)]).await);

    let begun = Instant::now();
    let refused = loop {
        let key = (key.0, limited.sample.team_api_key.as_str());
        let response = send("GET", &format!("{}{path}", limited.url), &[key]).await;
        if response.status == 429 {
            break response;
        }
        assert!(begun.elapsed() < TIMEOUT, "there is no rate limit");
    };
    seen.note(429, &refused);
    let begun = Instant::now();
    let shed = loop {
        let response = send("GET", &format!("{}{path}", full.url), &[(key.0, "any")]).await;
        if response.status == 503 {
            break response;
        }
        assert!(begun.elapsed() < TIMEOUT, "there is no bound on requests");
    };
    seen.note(503, &shed);
    seen.check();
    endless.abort();
}
