//! Events of orders: each is delivered once, and contains no patient data.

use serde_json::{Value, json};
use wearlab_tests::{Running, orders};

use super::{Team, text};
use crate::administration::Admin;
use crate::administration::deliveries::{deliver, until};
use crate::administration::receiver::Receiver;

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_follows_an_order_without_its_patient() {
    let running = Running::start(5).await;
    let (team, admin, receiver) = (Team::of(&running), Admin::of(&running), Receiver::start().await);
    let webhook = json!({"url": receiver.url(), "event_type_prefixes": ["labtest."]});
    let path = format!("/teams/{}/webhooks", running.sample.team_id);
    let secret = admin.post(&path, &webhook).await.ok(201);
    // This service can only deliver to webhooks.
    let pipeline = json!({"preferences": {"preferred": "svix", "enabled": ["svix"]}, "svix": {"regional": false},
        "push_historical_data": false, "provider_raw_data": false});
    admin
        .put(&format!("/teams/{}/pipeline", running.sample.team_id), &pipeline)
        .await
        .ok(200);
    let delivering = deliver(&running);

    let mut body = orders::new(team.user, &team.test);
    body["patient_details"]["last_name"] = json!("Quokka");
    body["patient_address"]["first_line"] = json!("17 Quokka Street");
    body["passthrough"] = json!("quokka case");
    body["clinical_notes"] = json!("Likes quokkas.");
    body["icd_codes"] = json!(["E78.5"]);
    body["physician"] = json!({"first_name": "Q", "last_name": "Quokka", "npi": "1234567893"});
    body["health_insurance"] = json!({"payer_name": "Quokka Health"});
    let created = team.post("/v3/order", &body).await.ok(201);
    let order = super::Order {
        team: &team,
        id: text(&created["order"], "id").to_owned(),
    };
    let mut drawn = order.step("collecting_sample.walk_in_test.draw_completed", 1);
    drawn["lab_order_updated"]["notes"] = json!("The quokka was late.");
    order.takes(drawn).await;
    let results = json!([{"name": "Quokka antibodies", "result": "quokka 7", "type": "comment"}]);
    order.takes(order.results("partial", 2, &results)).await;
    order.takes(order.results("final", 3, &results)).await;

    let types = || -> Vec<String> {
        let delivered = receiver.delivered();
        delivered
            .iter()
            .map(|event| text(&event.event(), "event_type").to_owned())
            .collect()
    };
    until("all events of an order", async || types().len() >= 6).await;
    let expected = [
        "labtest.order.created",
        "labtest.order.updated",
        "labtest.order.updated",
        "labtest.result.created",
        "labtest.order.updated",
        "labtest.result.created",
    ];
    let mut sorted = (types(), expected.map(str::to_owned).to_vec());
    sorted.0.sort();
    sorted.1.sort();
    assert_eq!(sorted.0, sorted.1);
    for delivered in receiver.delivered() {
        assert!(delivered.is_signed(text(&secret, "secret")));
        let event = delivered.event();
        assert_eq!(
            (&event["team_id"], &event["user_id"]),
            (&json!(team.team), &json!(team.user))
        );
        let shown = event.to_string().to_lowercase();
        for hidden in [
            "quokka",
            "alma",
            "1990-01-01",
            "5550142",
            "e78.5",
            "97205",
            "1234567893",
        ] {
            assert!(!shown.contains(hidden), "{hidden}: {shown}");
        }
        let data = &event["data"];
        assert_eq!(data["user_id"], json!(team.user));
        match text(&event, "event_type") {
            "labtest.result.created" => {
                let mut members: Vec<_> = data
                    .as_object()
                    .expect("an object")
                    .keys()
                    .map(String::as_str)
                    .collect();
                members.sort_unstable();
                assert_eq!(members, ["date_reported", "order_id", "status", "user_id"]);
                assert_eq!(data["order_id"], json!(order.id));
            }
            _ => {
                assert_eq!(
                    (&data["id"], &data["lab_test"]["id"]),
                    (&json!(order.id), &json!(team.test))
                );
                assert_eq!(
                    data["events"].as_array().and_then(|steps| steps.last()),
                    Some(&data["last_event"])
                );
            }
        }
    }
    // The log has the same ones, in order.
    let log = admin.get("/events?event_type=labtest.&full=true").await.ok(200);
    let logged: Vec<_> = log["events"]
        .as_array()
        .expect("events")
        .iter()
        .map(|event| text(event, "event_type"))
        .collect();
    assert_eq!(logged, expected);
    assert!(!log.to_string().to_lowercase().contains("quokka"));
    delivering.abort();
}

#[tokio::test]
async fn events_of_orders_can_be_made_up() {
    let running = Running::start(5).await;
    let (team, admin) = (Team::of(&running), Admin::of(&running));
    let path = format!("/teams/{}/users/{}/trigger", team.team, team.user);
    for event_type in [
        "labtest.order.created",
        "labtest.order.updated",
        "labtest.result.created",
    ] {
        let made = admin.post(&path, &json!({"event_type": event_type})).await;
        assert_eq!(made.status, 201, "{}", made.body);
        let event = admin
            .get(&format!("/events/{}?full=true", text(&made.body, "event_id")))
            .await
            .ok(200);
        assert_eq!(event["payload"]["event_type"], event_type);
        assert_ne!(event["payload"]["data"], Value::Null);
    }
    let unknown = admin.post(&path, &json!({"event_type": "labtest.order.lost"})).await;
    assert_eq!(unknown.locations(), ["/body/event_type"]);
}
