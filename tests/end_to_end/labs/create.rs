//! Creation of orders: a read returns the sent data, and a repeat creates nothing.

use serde_json::{Value, json};
use wearlab_models::Uuid;
use wearlab_tests::{Running, orders};

use super::{Team, events, text};

/// Returns an order with all fields.
fn whole(team: &Team, markers: &[i64], provider_ids: &[String]) -> Value {
    let mut patient = orders::patient();
    for name in ["race", "ethnicity", "sexual_orientation", "gender_identity"] {
        patient[name] = json!("not said");
    }
    let mut address = orders::address();
    address["receiver_name"] = json!("A. Winters");
    address["second_line"] = json!("Flat 2");
    address["access_notes"] = json!("The blue door.");
    address["phone_number"] = json!("+15035550143");
    json!({
        "user_id": team.user, "patient_details": patient, "patient_address": address,
        "order_set": {"lab_test_ids": [team.test], "add_on": {"marker_ids": markers, "provider_ids": provider_ids}},
        "collection_method": "on_site_collection",
        "physician": {"first_name": "Ines", "last_name": "Marlow", "npi": "1234567893",
            "email": "i.marlow@example.com", "licensed_states": ["OR", "WA"]},
        "health_insurance": {"payer_code": "60054", "payer_name": "Aetna", "member_id": "M-1", "group_id": "G-1",
            "relationship": "spouse", "insured": {"first_name": "Rune", "last_name": "Winters",
                "dob": "1988-02-02", "gender": "male"}},
        "priority": true, "billing_type": "commercial_insurance", "icd_codes": ["E785", "z00.00"],
        "consents": [{"consent_type": "terms_of_use", "version": "2", "time_of_consent": "2026-03-01T09:00:00Z"}],
        "activate_by": "2999-01-01",
        "aoe_answers": [{"marker_id": 1, "question_id": 4, "answer": "no"}],
        "passthrough": "case 9", "clinical_notes": "Fasted since the evening.",
    })
}

#[tokio::test]
async fn all_that_is_sent_is_read_again() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let test = team.get(&format!("/v3/lab_tests/{}", team.test)).await.ok(200);
    let marker = test["markers"][0]["id"].as_i64().expect("an id");
    let provider_id = text(&test["markers"][1], "provider_id").to_owned();
    let sent = whole(&team, &[marker], &[provider_id]);
    let created = team.post("/v3/order", &sent).await;
    let location = created.location().to_owned();
    let created = created.ok(201);
    assert_eq!(created["status"], "success");
    let order = &created["order"];
    assert_eq!(location, format!("/v3/order/{}", text(order, "id")));
    assert_eq!(&team.get(&location).await.ok(200), order);
    for (name, value) in sent.as_object().expect("an object") {
        match name.as_str() {
            "collection_method" => assert_eq!(&order["details"]["type"], value),
            "icd_codes" => assert_eq!(order[name], json!(["E78.5", "Z00.00"])),
            _ => assert_eq!(&order[name], value, "{name}"),
        }
    }
    assert_eq!(
        (&order["status"], &order["has_abn"]),
        (&json!("received"), &json!(false))
    );
    assert_eq!(order["events"], json!([order["last_event"]]));
    assert_eq!(order["last_event"]["status"], "received.on_site_collection.ordered");
    assert_eq!(order["created_at"], order["updated_at"]);
    let mut listed = test.clone();
    listed.as_object_mut().expect("an object").remove("markers");
    assert_eq!(order["lab_test"], listed);
    assert!(order.get("requisition_form_url").is_none_or(Value::is_null));
}

#[tokio::test]
async fn the_deprecated_lab_test_id_orders_the_same() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let mut body = orders::new(team.user, &team.test);
    let set = body
        .as_object_mut()
        .and_then(|body| body.remove("order_set"))
        .expect("a set");
    body["lab_test_id"] = json!(team.test);
    let created = team.post("/v3/order", &body).await.ok(201);
    assert_eq!(created["order"]["order_set"], set);
    assert_eq!(created["order"]["lab_test"]["id"], team.test);
    assert_eq!(created["order"]["details"]["type"], "walk_in_test");

    let with = |set: Value, id: Value| {
        let mut body = orders::new(team.user, &team.test);
        (body["order_set"], body["lab_test_id"]) = (set, id);
        body
    };
    for (body, location) in [
        (with(set, json!(team.test)), "/body/lab_test_id"),
        (with(Value::Null, Value::Null), "/body/order_set"),
        (with(json!({}), Value::Null), "/body/order_set/lab_test_ids"),
        (
            with(json!({"lab_test_ids": []}), Value::Null),
            "/body/order_set/lab_test_ids",
        ),
        (
            with(json!({"add_on": {"marker_ids": [1]}}), Value::Null),
            "/body/order_set/lab_test_ids",
        ),
        (with(Value::Null, json!("none")), "/body/lab_test_id"),
    ] {
        let refused = team.post("/v3/order", &body).await;
        assert_eq!(refused.locations(), [location], "{body}");
    }
}

#[tokio::test]
async fn a_repeat_is_the_same_order_and_one_event() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let body = orders::new(team.user, &team.test);
    let headers = [("idempotency-key", "order-1")];
    let send = async |body: &Value| {
        team.send(reqwest::Method::POST, "/v3/order", &headers, Some(body))
            .await
    };
    let first = send(&body).await;
    let location = first.location().to_owned();
    let first = first.ok(201);
    for _ in 0..3 {
        let again = send(&body).await;
        assert_eq!(again.location(), location);
        assert_eq!(again.ok(201), first);
    }
    let other = send(&orders::new(team.user, "metabolic")).await;
    assert_eq!(other.locations(), ["/header/Idempotency-Key"]);
    assert_eq!(events(&running, text(&first["order"], "id"), "labtest.").await.len(), 1);
    // Without an Idempotency-Key, each request creates an order.
    let second = team.post("/v3/order", &body).await.ok(201);
    assert_ne!(second["order"]["id"], first["order"]["id"]);
}

#[tokio::test]
async fn a_lab_account_orders_what_it_sees() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let second = running.sample.other_lab_account_id;
    let mut body = orders::new(team.user, &team.test);
    body["lab_account_id"] = json!(second);
    let created = team.post("/v3/order", &body).await.ok(201);
    assert_eq!(created["order"]["lab_account_id"], json!(second));
    body["order_set"]["lab_test_ids"] = json!(["metabolic"]);
    let refused = team.post("/v3/order", &body).await;
    assert_eq!(refused.locations(), ["/body/order_set/lab_test_ids/0"]);
    let strangers = wearlab_tests::owners::owners(&running).await[1].account;
    for account in [Uuid::nil(), strangers] {
        body["lab_account_id"] = json!(account);
        let refused = team.post("/v3/order", &body).await;
        assert_eq!(refused.status, 422, "{}", refused.body);
    }
}

#[tokio::test]
async fn a_user_who_is_not_there_is_a_404() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    for user in [Uuid::nil(), running.sample.other_team.user_id] {
        let refused = team.post("/v3/order", &orders::new(user, &team.test)).await;
        assert_eq!(refused.status, 404, "{}", refused.body);
    }
}
