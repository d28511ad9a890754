//! Requests of other clients for orders: other names of fields and headers, nulls, and times without an offset.

use reqwest::Method;
use serde_json::{Value, json};
use wearlab_tests::{Running, orders};

use super::Team;

async fn total(team: &Team) -> Value {
    team.get("/v3/orders?size=1").await.ok(200)["total"].clone()
}

#[tokio::test]
async fn a_request_sent_again_with_either_header_makes_one_order() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let body = orders::new(team.user, &team.test);
    let before = total(&team).await.as_i64().expect("a number");
    let send = async |headers: &[(&str, &str)]| team.send(Method::POST, "/v3/order", headers, Some(&body)).await;
    let first = send(&[("x-idempotency-key", "k1")]).await.ok(201);
    for headers in [
        &[("x-idempotency-key", "k1")][..],
        &[("idempotency-key", "k1")],
        &[("idempotency-key", "k1"), ("x-idempotency-key", "k1")],
    ] {
        assert_eq!(send(headers).await.ok(201), first, "{headers:?}");
    }
    assert_eq!(total(&team).await, before + 1);
    let refused = send(&[("idempotency-key", "k1"), ("x-idempotency-key", "k2")]).await;
    assert_eq!(refused.locations(), ["/header/Idempotency-Key"]);
    assert_eq!(refused.body["errors"][0]["code"], "conflicting");
    let refused = send(&[("x-idempotency-key", "not good")]).await;
    assert_eq!(refused.locations(), ["/header/Idempotency-Key"]);
    assert_eq!(total(&team).await, before + 1);
}

#[tokio::test]
async fn other_names_of_fields_are_those_of_the_document() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let mut body = orders::new(team.user, &team.test);
    let proxy = json!({"first_name": "Nora", "last_name": "Winters", "phone_number": "+15035550143",
        "address": {"first_line": "17 Alder Street", "city": "Portland", "state": "OR", "zip": "97205", "country": "US"},
        "household_income": 40000, "household_size": 3, "email": null});
    body["patient_details"]["medical_proxy"] = proxy.clone();
    body["patient_details"]["household_size"] = json!(3);
    body["health_insurance"] = json!({"payor_code": "60054", "insurance_id": "M-1"});
    body["consents"] = json!([{"consentType": "terms-of-use", "timeOfConsent": "2026-03-01T09:00:00"}]);
    body["creator_member_id"] = json!("member-7");
    body["clinical_notes"] = Value::Null;
    let order = &team.post("/v3/order", &body).await.ok(201)["order"];
    let mut kept = proxy;
    kept.as_object_mut().expect("an object").remove("email");
    assert_eq!(order["patient_details"]["medical_proxy"], kept);
    assert_eq!(order["patient_details"]["household_size"], 3);
    assert_eq!(
        order["health_insurance"],
        json!({"payer_code": "60054", "member_id": "M-1"})
    );
    assert_eq!(
        order["consents"],
        json!([{"consent_type": "terms-of-use", "time_of_consent": "2026-03-01T09:00:00Z"}])
    );
    assert_eq!(order["creator_member_id"], "member-7");

    body["health_insurance"]["payer_code"] = json!("another");
    body["consents"][0]["consent_type"] = json!("terms-of-use");
    let refused = team.post("/v3/order", &body).await;
    assert_eq!(refused.locations(), ["/body/health_insurance/payor_code"]);
    assert_eq!(refused.body["errors"][0]["code"], "conflicting");
}

#[tokio::test]
async fn the_lab_account_of_the_set_is_that_of_the_order() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let account = running.sample.lab_account_id;
    let mut body = orders::new(team.user, &team.test);
    body["order_set"]["lab_account_id"] = json!(account);
    let created = team.post("/v3/order", &body).await;
    match created.status {
        201 => assert_eq!(created.ok(201)["order"]["lab_account_id"], json!(account)),
        // An account that may not see the test.
        _ => assert_eq!(created.locations(), ["/body/order_set/lab_test_ids/0"]),
    }
    body["lab_account_id"] = json!("00000000-0000-0000-0000-000000000001");
    let refused = team.post("/v3/order", &body).await;
    let locations = refused.locations();
    assert!(locations.contains(&"/body/order_set/lab_account_id"), "{locations:?}");
}
