//! Patient data: in no log, no error and no audit entry, and deleted with the user.

use serde_json::{Value, json};
use wearlab::config::log::LogFormat;
use wearlab_models::Uuid;
use wearlab_tests::write_requests::new_user;
use wearlab_tests::{Running, orders, owners};

use super::{Order, Team, events, in_hours, text};
use crate::administration::Admin;
use crate::http::log::listen;

/// Returns an order whose texts are all searched for.
fn order_to_hide(user: Uuid, test: &str) -> Value {
    let mut body = orders::new(user, test);
    body["patient_details"] = json!({"first_name": "Quokka", "last_name": "Wombat", "dob": "1961-07-13",
        "gender": "female", "phone_number": "+15035550177", "email": "quokka@example.com", "race": "wombat"});
    body["patient_address"]["first_line"] = json!("17 Quokka Street");
    body["physician"] = json!({"first_name": "Bilby", "last_name": "Quoll", "npi": "1234567893"});
    body["health_insurance"] = json!({"payer_name": "Quokka Health", "member_id": "bilby-7"});
    body["clinical_notes"] = json!("quokka notes");
    body["passthrough"] = json!("quokka case");
    body["aoe_answers"] = json!([{"marker_id": 1, "question_id": 1, "answer": "wombat"}]);
    body["icd_codes"] = json!(["F52.21"]);
    body
}

const HIDDEN: [&str; 8] = [
    "quokka",
    "wombat",
    "bilby",
    "quoll",
    "1961-07-13",
    "5550177",
    "f52.21",
    "1234567893",
];

fn hides(shown: &str, what: &str) {
    let shown = shown.to_lowercase();
    for hidden in HIDDEN {
        let found = shown.lines().find(|line| line.contains(hidden));
        assert_eq!(found, None, "{what}: {hidden}");
    }
}

/// Provokes every error of an order.
async fn errors(team: &Team, order: &Order<'_>) -> Vec<Value> {
    let mut seen = Vec::new();
    let good = order_to_hide(team.user, &team.test);
    for (pointer, value) in [
        ("/patient_details/dob", json!("quokka")),
        ("/patient_details/dob", json!("2961-07-13")),
        ("/patient_details/first_name", json!(["Quokka"])),
        ("/patient_details/quokka", json!("Quokka")),
        ("/patient_details/email", json!("quokka")),
        ("/patient_details/phone_number", json!("wombat")),
        ("/patient_address/state", json!("Quokka")),
        ("/patient_address/zip", json!("wombat")),
        ("/order_set/lab_test_ids", json!(["quokka"])),
        ("/icd_codes", json!(["quokka"])),
        ("/user_id", json!("quokka")),
        ("/user_id", json!(Uuid::nil())),
        ("/activate_by", json!("quokka")),
    ] {
        let mut body = good.clone();
        let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
        body.pointer_mut(parent).expect("an object")[name] = value;
        let refused = team.post("/v3/order", &body).await;
        assert!((400..500).contains(&refused.status), "{pointer}: {}", refused.status);
        let mut shown = refused.body;
        // The name of an unknown member comes from the request, not from the patient.
        if pointer.ends_with("/quokka") {
            shown["errors"][0]["location"] = Value::Null;
        }
        seen.push(shown);
    }
    let text_of = good.to_string();
    for (kind, body) in [
        ("text/plain", text_of.as_str()),
        ("application/json", &text_of[..text_of.len() - 9]),
    ] {
        let request = wearlab_tests::http().post(format!("{}/v3/order", team.url));
        let request = request
            .header("x-service-api-key", &team.key)
            .header("content-type", kind);
        let response = request.body(body.to_owned()).send().await.expect("a response");
        assert!(response.status().is_client_error(), "{kind}");
        seen.push(response.json().await.expect("JSON"));
    }
    let results = json!([{"name": "Quokka", "result": "wombat", "type": "comment"}]);
    let mut broken = order.results("final", 1, &results);
    broken["lab_result"]["metadata"]["date_reported"] = json!("quokka");
    let mut unknown = order.results("final", 1, &results);
    unknown["lab_result"]["order_id"] = json!(Uuid::nil());
    for line in [
        order.step("quokka", 1),
        order.step("completed.testkit.completed", 1),
        broken,
        unknown,
    ] {
        seen.extend(team.report(&[line]).await);
    }
    order.takes(order.results("final", 1, &results)).await;
    seen.push(
        order
            .refuses(order.step("failed.walk_in_test.sample_error", 3))
            .await
            .1
            .into(),
    );
    seen.push(team.act(&order.path("/cancel")).await.body);
    seen.push(team.post(&order.path("/test"), &json!({"to": "quokka"})).await.body);
    seen
}

#[tokio::test]
async fn nothing_of_a_patient_is_logged_or_in_an_error() {
    for format in [LogFormat::Text, LogFormat::Json] {
        let (lines, guard) = listen("trace,reqwest=off,hyper_util=off", format);
        let running = Running::start(5).await;
        let team = Team::of(&running);
        let created = team
            .post("/v3/order", &order_to_hide(team.user, &team.test))
            .await
            .ok(201);
        let order = Order {
            team: &team,
            id: text(&created["order"], "id").to_owned(),
        };
        let url = team.act(&order.path("/requisition/url")).await.ok(200);
        let token = text(&url, "url").split_once("token=").expect("a token").1.to_owned();
        for seen in errors(&team, &order).await {
            hides(&seen.to_string(), "an error");
        }
        for of in ["", "/result", "/result/metadata", "/requisition/pdf"] {
            assert_eq!(team.get(&order.path(of)).await.status, 200, "{of}");
        }
        for address in [text(&url, "url").to_owned(), format!("{}A", text(&url, "url"))] {
            wearlab_tests::http().get(&address).send().await.expect("a response");
        }
        let log = Admin::of(&running).get("/audit_log").await.ok(200);
        hides(&log.to_string(), "the audit log");
        assert!(!log.to_string().contains(&token));
        drop(guard);
        let logged = lines.text();
        assert!(logged.matches("request completed").count() > 20, "{logged}");
        hides(&logged, "the log");
        assert!(!logged.contains(&token), "a token is in the log");
    }
}

#[tokio::test]
async fn who_did_what_with_an_order_is_in_the_audit_log() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    team.act(&order.path("/requisition/url")).await.ok(200);
    team.post(&order.path("/test"), &json!({})).await.ok(200);
    team.act(&order.path("/cancel")).await.ok(200);
    assert_eq!(team.act(&order.path("/cancel")).await.status, 409);
    let log = Admin::of(&running).get("/audit_log").await.ok(200);
    let entries = log["entries"].as_array().expect("entries");
    let of_order: Vec<_> = entries
        .iter()
        .filter(|entry| entry["subject"] == order.id)
        .map(|entry| text(entry, "operation"))
        .collect();
    assert_eq!(
        of_order,
        [
            "create_order",
            "create_requisition_url",
            "simulate_order",
            "cancel_order"
        ]
    );
}

#[tokio::test]
async fn with_the_user_all_of_their_orders_is_deleted() {
    let running = Running::start(5).await;
    let owner = &owners::owners(&running).await[0];
    let user = new_user(&running, owner).await;
    let team = Team {
        user,
        ..Team::of(&running)
    };
    let order = team.order().await;
    let results = json!([{"name": "Quokka", "result": "wombat", "type": "comment"}]);
    order.takes(order.results("final", 1, &results)).await;
    let exported = running.json(&format!("/v3/orders?user_id={user}")).await;
    assert_eq!(exported["total"], 1);
    team.send(reqwest::Method::DELETE, &format!("/v2/user/{user}"), &[], None)
        .await
        .ok(200);
    for of in ["", "/result", "/result/metadata", "/result/fhir", "/requisition/pdf"] {
        assert_eq!(team.get(&order.path(of)).await.status, 404, "{of}");
    }
    for of in ["/cancel", "/requisition/url"] {
        assert_eq!(team.act(&order.path(of)).await.status, 404, "{of}");
    }
    assert_eq!(team.post(&order.path("/test"), &json!({})).await.status, 404);
    assert_eq!(running.json(&format!("/v3/orders?user_id={user}")).await["total"], 0);
    assert_eq!(events(&running, &order.id, "labtest.").await, Vec::<Value>::new());
    let late = json!({"lab_order_updated": {"team_id": team.team, "user_id": user, "order_id": order.id,
        "status": "received.walk_in_test.requisition_created", "created_at": in_hours(2)}});
    assert!(team.report(&[late]).await[0]["accepted"].is_null());
    let mut held = Vec::new();
    let export = running.store.export(|record: wearlab_store::Record| {
        held.push(serde_json::to_string(&record).expect("JSON"));
        Ok::<_, wearlab_store::StoreError>(())
    });
    export.await.expect("an export");
    assert!(
        held.iter()
            .all(|record| !record.contains(&user.to_string()) && !record.contains("wombat"))
    );
}
