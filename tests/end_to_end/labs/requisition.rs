//! Requisition form of an order, with the key of the team.

use serde_json::json;
use wearlab_models::Uuid;
use wearlab_tests::{Running, orders, owners};

use super::{Team, text};

async fn form(team: &Team, method: reqwest::Method, path: &str, headers: &[(&str, &str)]) -> reqwest::Response {
    let mut request = wearlab_tests::http().request(method, format!("{}{path}", team.url));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.header("x-service-api-key", &team.key);
    request.send().await.expect("a response")
}

#[tokio::test]
async fn the_form_is_a_pdf() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    let path = order.path("/requisition/pdf");
    for headers in [
        &[][..],
        &[("accept", "application/pdf")],
        &[("accept", "*/*"), ("accept-encoding", "gzip")],
    ] {
        let got = form(&team, reqwest::Method::GET, &path, headers).await;
        assert_eq!(got.status(), 200);
        assert_eq!(got.headers()["content-type"], "application/pdf");
        let cached = got.headers()["cache-control"].to_str().expect("text").to_owned();
        assert!(cached.contains("no-store") || cached.contains("private"), "{cached}");
        if got.headers().get("content-encoding").is_none() {
            let pdf = got.bytes().await.expect("a body");
            assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 2_000, "{} bytes", pdf.len());
            assert!(pdf.trim_ascii_end().ends_with(b"%%EOF"));
        }
    }
    let head = form(&team, reqwest::Method::HEAD, &path, &[]).await;
    assert_eq!(
        (head.status().as_u16(), &head.headers()["content-type"]),
        (200, &"application/pdf".parse().expect("a value"))
    );
    assert!(head.bytes().await.expect("a body").is_empty());
    let read = running
        .client()
        .get_order_requisition(order.id.parse::<Uuid>().expect("an id"))
        .send()
        .await;
    let mut read = read.expect("a form").into_inner();
    let mut pdf = Vec::new();
    while let Some(part) = read.try_next().await.expect("a part") {
        pdf.extend_from_slice(&part);
    }
    assert!(pdf.starts_with(b"%PDF-"));
}

#[tokio::test]
async fn orders_in_every_state_have_one() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let all = team.get("/v3/orders?size=100").await.ok(200);
    for order in all["orders"].as_array().expect("orders") {
        let path = format!("/v3/order/{}/requisition/pdf", text(order, "id"));
        assert_eq!(
            form(&team, reqwest::Method::GET, &path, &[]).await.status(),
            200,
            "{path}"
        );
    }
    // Any texts, with their maximum lengths.
    let mut body = orders::new(team.user, &team.test);
    body["patient_details"]["first_name"] = json!("李 Ω مرحبا".repeat(6));
    body["clinical_notes"] = json!("ﷺ\u{202e}long ".repeat(200));
    body["icd_codes"] = json!(["E78.5", "Z00.00", "E11.9"]);
    body["aoe_answers"] = (0..200)
        .map(|number| json!({"marker_id": number, "question_id": 1, "answer": "yes"}))
        .collect();
    let order = orders::create(&running, &team.key, &body).await;
    let path = format!("/v3/order/{order}/requisition/pdf");
    assert_eq!(form(&team, reqwest::Method::GET, &path, &[]).await.status(), 200);
}

#[tokio::test]
async fn a_form_is_its_teams_alone() {
    let running = Running::start(5).await;
    let (team, [_, sister, stranger]) = (Team::of(&running), owners::owners(&running).await);
    let order = team.order().await;
    let path = order.path("/requisition/pdf");
    for key in [sister.key, stranger.key] {
        let other = Team {
            key,
            ..Team::of(&running)
        };
        assert_eq!(other.get(&path).await.status, 404);
        assert_eq!(other.act(&order.path("/requisition/url")).await.status, 404);
    }
    let nobody = format!("/v3/order/{}/requisition/pdf", Uuid::nil());
    assert_eq!(team.get(&nobody).await.status, 404);
    assert_eq!(
        team.get("/v3/order/mine/requisition/pdf").await.locations(),
        ["/path/order_id"]
    );
    let [only_reads, _] = running.keys_that_only_read().await;
    let reader = Team {
        key: only_reads.to_owned(),
        ..Team::of(&running)
    };
    assert_eq!(
        reader.act(&order.path("/requisition/url")).await.status,
        403,
        "whoever may give it away writes"
    );
    let [without_read, _] = running.keys_that_do_not_read().await;
    let writer = Team {
        key: without_read.to_owned(),
        ..Team::of(&running)
    };
    assert_eq!(writer.get(&path).await.status, 403);
    let refused = form(&team, reqwest::Method::GET, &path, &[("accept", "text/html")]).await;
    assert_eq!(refused.status(), 406);
    let bare = wearlab_tests::http()
        .get(format!("{}{path}", team.url))
        .send()
        .await
        .expect("a response");
    assert_eq!(bare.status(), 401);
}
