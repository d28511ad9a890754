//! Signed URLs of requisition forms, which need no key and are valid for seven days.

use std::sync::atomic::{AtomicI64, Ordering};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use wearlab_store::{DeprecatedForms, KeyHash, SecretKey};
use wearlab_tests::write_requests::new_user;
use wearlab_tests::{Running, orders, owners};

use super::{Team, text};
use crate::administration::Admin;

/// Offset of the clock of the other process, in seconds.
static AHEAD: AtomicI64 = AtomicI64::new(0);

fn clock() -> DateTime<Utc> {
    Utc::now() + TimeDelta::seconds(AHEAD.load(Ordering::Relaxed))
}

async fn get(url: &str) -> (u16, Vec<u8>) {
    let response = wearlab_tests::http().get(url).send().await.expect("a response");
    let status = response.status().as_u16();
    (status, response.bytes().await.expect("a body").to_vec())
}

/// Returns the same URL at another process.
fn at(other: &Running, url: &str) -> String {
    let (_, path) = url.split_once("/requisition").expect("the page");
    format!("{}/requisition{path}", other.url)
}

#[tokio::test]
async fn it_is_good_without_a_key_until_seven_days_are_over() {
    const DAYS: i64 = 7 * 24 * 3600;
    let running = Running::start(5).await;
    let other = running.beside_with(clock, DeprecatedForms::default()).await;
    let team = Team::of(&running);
    let order = team.order().await;
    let made = team.act(&order.path("/requisition/url")).await.ok(200);
    let expires: DateTime<Utc> = text(&made, "expires_at").parse().expect("a time");
    let lives = expires - Utc::now();
    assert!((TimeDelta::days(7) - lives).abs() < TimeDelta::minutes(2), "{lives}");
    let url = text(&made, "url");
    assert!(
        url.starts_with(&format!("{}/requisition?token=", running.url)),
        "it is at the public URL"
    );

    let response = wearlab_tests::http().get(url).send().await.expect("a response");
    assert_eq!(response.status(), 200);
    for (name, value) in [
        ("content-type", "application/pdf"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(response.headers()[name], value);
    }
    assert!(response.bytes().await.expect("a body").starts_with(b"%PDF-"));
    let head = wearlab_tests::http().head(url).send().await.expect("a response");
    assert_eq!(
        (head.status().as_u16(), &head.headers()["content-type"]),
        (200, &"application/pdf".parse().expect("a value"))
    );
    assert!(head.bytes().await.expect("a body").is_empty());

    // Clocks may differ by up to five minutes.
    for (ahead, status) in [
        (0, 200),
        (-240, 200),
        (-360, 410),
        (DAYS - 60, 200),
        (DAYS + 1, 410),
        (400 * DAYS, 410),
        (-400 * DAYS, 410),
    ] {
        AHEAD.store(ahead, Ordering::Relaxed);
        let (found, body) = get(&at(&other, url)).await;
        assert_eq!(found, status, "{ahead} seconds ahead");
        assert_eq!(body.starts_with(b"%PDF-"), status == 200);
    }
    // A URL from a clock that is ahead would be valid for too long.
    let elsewhere = Team {
        url: other.url.clone(),
        ..Team::of(&running)
    };
    for (ahead, status) in [(240, 200), (3600, 410), (DAYS, 410)] {
        AHEAD.store(ahead, Ordering::Relaxed);
        let made = elsewhere.act(&order.path("/requisition/url")).await.ok(200);
        assert_eq!(
            get(&at(&running, text(&made, "url"))).await.0,
            status,
            "{ahead} seconds ahead"
        );
    }
}

#[tokio::test]
async fn nobody_makes_one_up() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    let made = team.act(&order.path("/requisition/url")).await.ok(200);
    let (page, token) = text(&made, "url").split_once("?token=").expect("a token");
    let bytes = URL_SAFE_NO_PAD.decode(token).expect("base64");
    let shown = String::from_utf8_lossy(&bytes).to_lowercase();
    for hidden in ["alma", "winters", "1990"] {
        assert!(!shown.contains(hidden), "{hidden}");
    }
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        let changed = URL_SAFE_NO_PAD.encode(changed);
        assert_eq!(get(&format!("{page}?token={changed}")).await.0, 404, "byte {place}");
    }
    // A cursor of a list is signed with the same secret, but for another purpose.
    let list = team.get("/v3/lab_test?lab_test_limit=1").await.ok(200);
    let cursor = text(&list, "next_cursor");
    for query in [
        String::new(),
        "?token=".to_owned(),
        "?token=none".to_owned(),
        format!("?token={token}A"),
        format!("?token={}", &token[..token.len() - 1]),
        format!("?token={token}&token={token}"),
        format!("?token={cursor}"),
        format!("?Token={token}"),
    ] {
        let (status, body) = get(&format!("{page}{query}")).await;
        assert_eq!(status, 404, "{query}");
        let body = String::from_utf8_lossy(&body).into_owned();
        assert!(
            body.contains("This link is not valid") && !body.contains(token),
            "{body}"
        );
    }
    // Another store has another secret.
    let stranger = Running::start(5).await;
    assert_eq!(get(&at(&stranger, text(&made, "url"))).await.0, 404);
    let posted = wearlab_tests::http()
        .post(text(&made, "url"))
        .send()
        .await
        .expect("a response");
    assert_eq!(posted.status(), 405);
    assert_eq!(get(text(&made, "url")).await.0, 200);
}

#[tokio::test]
async fn it_ends_with_the_user() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let owner = &owners::owners(&running).await[0];
    let user = new_user(&running, owner).await;
    let order = orders::create(&running, &team.key, &orders::new(user, &team.test)).await;
    let made = team.act(&format!("/v3/order/{order}/requisition/url")).await.ok(200);
    let url = text(&made, "url");
    assert_eq!(get(url).await.0, 200);
    let repeatable = [("idempotency-key", "form")];
    let path = format!("/v3/order/{order}/requisition/url");
    team.send(reqwest::Method::POST, &path, &repeatable, None).await.ok(200);
    let deleted = team
        .send(reqwest::Method::DELETE, &format!("/v2/user/{user}"), &[], None)
        .await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    assert_eq!(get(url).await.0, 404);
    assert_eq!(team.act(&path).await.status, 404);
    // The kept response of a repeat is deleted, too.
    let again = team.send(reqwest::Method::POST, &path, &repeatable, None).await;
    assert_eq!(again.status, 422, "{}", again.body);
    assert_eq!(again.body["errors"][0]["location"], "/header/Idempotency-Key");
    let nothing: Value = team.get(&format!("/v3/orders?user_id={user}")).await.ok(200);
    assert_eq!(nothing["total"], 0);
}

/// Returns a token signed like in versions before secret keys.
fn forged(key: &str, grant: &Value) -> String {
    let grant = grant.to_string().into_bytes();
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("a key");
    mac.update(&(grant.len() as u64).to_be_bytes());
    mac.update(&grant);
    mac.update(br#"["requisition",null]"#);
    let mut token = mac.finalize().into_bytes()[..16].to_vec();
    token.extend(grant);
    URL_SAFE_NO_PAD.encode(token)
}

const OLD_KEY: &str = "aadcaa8fc8cc84f89f738d88ae575c7afc1d051e34fdd5c7bdb2f334bf972594";

async fn note(running: &Running) -> Option<String> {
    running.store.meta("cursor_key").await.expect("reads")
}

#[tokio::test]
async fn the_key_of_a_store_from_before_signs_nothing() {
    let without = Running::start_without_key(5).await;
    let team = Team::of(&without);
    let order = team.order().await;
    // Without a secret key, only cursors are signed, with a key in the store.
    let list = team.get("/v3/lab_test?lab_test_limit=1").await.ok(200);
    assert!(list["next_cursor"].is_string());
    let grant = serde_json::json!({"team_id": team.team, "order_id": order.id, "key_id": "local",
        "expires": (Utc::now() + TimeDelta::days(6)).timestamp()});
    let kept = note(&without).await.expect("the key of cursors");
    for key in [kept.as_str(), "", OLD_KEY] {
        let url = format!("{}/requisition?token={}", without.url, forged(key, &grant));
        assert_eq!(get(&url).await.0, 404, "{key}");
    }
    let refused = team.act(&order.path("/requisition/url")).await;
    assert_eq!(refused.status, 403);
    let detail = text(&refused.body, "detail");
    assert!(
        detail.contains("secret_key_file") && detail.contains("/requisition/pdf"),
        "{detail}"
    );
    assert_eq!(team.get(&order.path("/requisition/pdf")).await.status, 200);

    // A key in plain text is deleted when the store is first opened with a secret key, also from its file.
    let noted = without.store.write(|write| write.put_meta("cursor_key", OLD_KEY)).await;
    noted.expect("writes");
    let with = without.beside_with_keys(&[SecretKey::from([7; 32])]).await;
    assert_eq!(note(&with).await, None);
    let bytes = std::fs::read(with.directory().join("wearlab.db")).expect("reads");
    assert!(!bytes.windows(OLD_KEY.len()).any(|part| part == OLD_KEY.as_bytes()));
    let url = format!("{}/requisition?token={}", with.url, forged(OLD_KEY, &grant));
    assert_eq!(get(&url).await.0, 404);
    // An older backup restores it, but it still signs nothing.
    let noted = with.store.write(|write| write.put_meta("cursor_key", OLD_KEY)).await;
    noted.expect("writes");
    let restored = with.beside_with_keys(&[SecretKey::from([7; 32])]).await;
    assert_eq!(note(&restored).await, None);
    assert_eq!(get(&at(&restored, &url)).await.0, 404);
}

#[tokio::test]
async fn it_ends_with_the_secret_key_and_with_the_key_that_asked_for_it() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    let made = team.act(&order.path("/requisition/url")).await.ok(200);
    let url = text(&made, "url");
    let list = team.get("/v3/lab_test?lab_test_limit=1").await.ok(200);
    let cursor = text(&list, "next_cursor");
    let [old, new] = [[7; 32], [8; 32]].map(SecretKey::from);
    // Orders are encrypted again: from here on, the first service cannot read them.
    let rotated = running.beside_with_keys(&[new.clone(), old]).await;
    assert_eq!(get(&at(&rotated, url)).await.0, 404, "the secret key was rotated");
    let there = Team {
        url: rotated.url.clone(),
        ..Team::of(&running)
    };
    let next = there
        .get(&format!("/v3/lab_test?lab_test_limit=1&next_cursor={cursor}"))
        .await;
    assert_eq!(next.status, 200, "cursors go on while the old key is listed");
    let made = there.act(&order.path("/requisition/url")).await.ok(200);
    let url = text(&made, "url");
    assert_eq!(get(url).await.0, 200);
    let key_id = KeyHash::of(&there.key).id();
    let revoked = rotated.store.write(|write| write.revoke_key(&key_id, Utc::now())).await;
    assert!(revoked.expect("writes"));
    assert_eq!(get(url).await.0, 404, "the key was revoked");
}

#[tokio::test]
async fn every_read_of_a_form_is_in_the_audit_log() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    let made = team.act(&order.path("/requisition/url")).await.ok(200);
    assert_eq!(team.get(&order.path("/requisition/pdf")).await.status, 200);
    assert_eq!(get(text(&made, "url")).await.0, 200);
    // Neither is accepted.
    assert_eq!(get(&format!("{}A", text(&made, "url"))).await.0, 404);
    assert_eq!(
        team.get("/v3/order/00000000-0000-0000-0000-000000000000/requisition/pdf")
            .await
            .status,
        404
    );
    let log = Admin::of(&running).get("/audit_log").await.ok(200);
    let entries = log["entries"].as_array().expect("entries");
    let entries = entries.iter().filter(|entry| entry["subject"] == order.id);
    let key = KeyHash::of(&team.key).id();
    let by_url = format!("url:{}", text(&made, "id"));
    let found: Vec<_> = entries
        .map(|entry| {
            (
                text(entry, "operation"),
                text(entry, "key_id"),
                text(entry, "request_id").is_empty(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("create_order", key.as_str(), false),
            ("create_requisition_url", key.as_str(), false),
            ("get_order_requisition", key.as_str(), false),
            ("get_order_requisition", by_url.as_str(), false),
        ]
    );
}
