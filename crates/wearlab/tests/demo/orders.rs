//! Tests of orders of a demo, which progress like those of a lab.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde_json::{Value, json};

use super::Demo;
use crate::wearlab;

async fn send(demo: &Demo, method: Method, path: &str, body: Option<&Value>) -> (u16, Value) {
    asked(demo, method, path, body, None).await
}

async fn asked(demo: &Demo, method: Method, path: &str, body: Option<&Value>, prefer: Option<&str>) -> (u16, Value) {
    let mut request = reqwest::Client::new()
        .request(method, format!("{}{path}", demo.says("base_url")))
        .header("x-service-api-key", demo.says("team_api_key"));
    if let Some(prefer) = prefer {
        request = request.header("prefer", prefer);
    }
    if let Some(body) = body {
        request = request.json(body);
    }
    let response = request.send().await.expect("a response");
    (response.status().as_u16(), response.json().await.unwrap_or_default())
}

fn new(demo: &Demo, test: &str) -> Value {
    json!({
        "user_id": demo.says("user_id"),
        "patient_details": {"first_name": "Alma", "last_name": "Winters", "dob": "1990-01-01", "gender": "female",
            "phone_number": "+15035550142", "email": "alma.winters@example.com"},
        "patient_address": {"first_line": "17 Alder Street", "city": "Portland", "state": "OR", "zip": "97205",
            "country": "US"},
        "order_set": {"lab_test_ids": [test]},
    })
}

/// Creates an order, and returns its path.
async fn order(demo: &Demo, body: &Value) -> String {
    let (status, created) = send(demo, Method::POST, "/v3/order", Some(body)).await;
    assert_eq!(status, 201, "{created}");
    format!("/v3/order/{}", created["order"]["id"].as_str().expect("an id"))
}

/// Returns the events about orders in the demo's log.
async fn events(demo: &Demo) -> Vec<String> {
    let (url, org) = (demo.says("management_url"), demo.says("org_id"));
    let request = reqwest::Client::new()
        .get(format!("{url}/v1/org/{org}/events?event_type=labtest.&limit=500"))
        .header("x-management-key", demo.says("management_key"));
    let page: Value = request.send().await.expect("a response").json().await.expect("JSON");
    let events = page["events"].as_array().expect("events").iter();
    events
        .map(|event| event["event_type"].as_str().expect("a type").to_owned())
        .collect()
}

#[tokio::test]
async fn each_method_walks_from_its_order_to_its_results() {
    let demo = Demo::start(&[]);
    let large = demo.says("lab_test_id");
    let mut on_site = new(&demo, large);
    on_site["collection_method"] = json!("on_site_collection");
    for (method, body) in [
        ("walk_in_test", new(&demo, large)),
        ("at_home_phlebotomy", new(&demo, "metabolic")),
        ("testkit", new(&demo, "hormones")),
        ("on_site_collection", on_site),
    ] {
        let before = events(&demo).await.len();
        let path = order(&demo, &body).await;
        let test = format!("{path}/test");
        let (mut statuses, mut last) = (vec!["received".to_owned()], String::new());
        let mut reports = 0;
        loop {
            let (status, results) = send(&demo, Method::GET, &format!("{path}/result"), None).await;
            let has_results = last.ends_with(".partial_results") || last.ends_with(".completed");
            assert_eq!(status == 200, has_results, "{method}: {last}");
            if has_results {
                reports += 1;
                let kind = if last.ends_with(".completed") {
                    "final"
                } else {
                    "partial"
                };
                assert_eq!(results["metadata"]["status"], kind, "{method}");
            }
            let (moved, response) = send(&demo, Method::POST, &test, Some(&json!({}))).await;
            if moved == 409 {
                break;
            }
            assert_eq!(moved, 200, "{method}: {response}");
            let order = &response["order"];
            last = order["last_event"]["status"].as_str().expect("a step").to_owned();
            assert!(last.contains(&format!(".{method}.")), "{last}");
            statuses.push(order["status"].as_str().expect("a status").to_owned());
            assert!(statuses.len() < 20, "{statuses:?}");
        }
        let steps = statuses.len();
        statuses.dedup();
        assert_eq!(
            statuses,
            ["received", "collecting_sample", "sample_with_lab", "completed"],
            "{method}"
        );
        let (_, shown) = send(&demo, Method::GET, &path, None).await;
        let times: Vec<_> = shown["events"]
            .as_array()
            .expect("steps")
            .iter()
            .map(|step| {
                step["created_at"]
                    .as_str()
                    .and_then(|time| time.parse::<DateTime<Utc>>().ok())
            })
            .collect();
        assert!(times.is_sorted() && times.len() == steps, "{times:?}");

        let (_, results) = send(&demo, Method::GET, &format!("{path}/result"), None).await;
        let id = body["order_set"]["lab_test_ids"][0].as_str().expect("an id");
        let (_, lab_test) = send(&demo, Method::GET, &format!("/v3/lab_tests/{id}"), None).await;
        let count = |value: &Value| value.as_array().map(Vec::len);
        assert_eq!(count(&results["results"]), count(&lab_test["markers"]), "{method}");
        assert_eq!(
            (&results["metadata"]["status"], &results["metadata"]["patient"]),
            (&json!("final"), &json!("Alma Winters"))
        );
        let types = events(&demo).await;
        let count = |of: &str| types[before..].iter().filter(|event_type| *event_type == of).count();
        // Each step, and perhaps one more for the interpretation of the results.
        let updated = count("labtest.order.updated");
        assert!((steps - 1..steps + reports).contains(&updated), "{method}: {types:?}");
        assert_eq!(
            (types[before].as_str(), count("labtest.order.created")),
            ("labtest.order.created", 1)
        );
        assert_eq!(count("labtest.result.created"), reports, "{method}");
    }
}

#[tokio::test]
async fn an_order_goes_as_far_as_is_said() {
    let demo = Demo::start(&[]);
    for (to, status, last) in [
        ("completed", 200, "completed.testkit.completed"),
        ("collecting_sample", 200, "collecting_sample.testkit."),
        (
            "sample_with_lab.testkit.delivered_to_lab",
            200,
            "sample_with_lab.testkit.delivered_to_lab",
        ),
        ("cancelled", 200, "cancelled.testkit."),
        ("failed", 422, ""),
        ("collecting_sample.testkit.lost", 422, ""),
        ("failed.testkit.lost", 200, "failed.testkit.lost"),
        ("received.walk_in_test.requisition_created", 409, ""),
        ("received.testkit.ordered", 409, ""),
        ("nonsense", 422, ""),
        ("", 422, ""),
    ] {
        let path = order(&demo, &new(&demo, "hormones")).await;
        let test = format!("{path}/test");
        let (_, before) = send(&demo, Method::GET, &path, None).await;
        let (found, response) = send(&demo, Method::POST, &test, Some(&json!({"to": to}))).await;
        assert_eq!(found, status, "{to}: {response}");
        let (_, after) = send(&demo, Method::GET, &path, None).await;
        match status {
            200 => {
                assert!(
                    after["last_event"]["status"]
                        .as_str()
                        .expect("a step")
                        .starts_with(last),
                    "{to}: {after}"
                );
                assert_eq!(response["order"], after);
            }
            422 => {
                assert_eq!(response["errors"][0]["location"], "/body/to", "{to}");
                assert_eq!(after, before);
            }
            _ => assert_eq!(after, before),
        }
    }
    let nobody = "/v3/order/00000000-0000-0000-0000-000000000000/test";
    assert_eq!(send(&demo, Method::POST, nobody, Some(&json!({}))).await.0, 404);
    let path = order(&demo, &new(&demo, "hormones")).await;
    let (status, refused) = send(
        &demo,
        Method::POST,
        &format!("{path}/test"),
        Some(&json!({"until": "completed"})),
    )
    .await;
    assert_eq!(
        (status, &refused["errors"][0]["location"]),
        (422, &json!("/body/until"))
    );
}

#[tokio::test]
async fn faults_are_what_a_tester_asks_for() {
    let demo = Demo::start(&[]);
    let path = order(&demo, &new(&demo, "metabolic")).await;
    let (_, before) = send(&demo, Method::GET, &path, None).await;
    for (method, of, body) in [
        (Method::POST, "/test", Some(json!({}))),
        (Method::POST, "/cancel", None),
        (Method::POST, "/requisition/url", None),
        (Method::GET, "/result", None),
        (Method::GET, "/requisition/pdf", None),
        (Method::GET, "", None),
    ] {
        let (status, _) = asked(&demo, method, &format!("{path}{of}"), body.as_ref(), Some("code=503")).await;
        assert_eq!(status, 503, "{of}");
    }
    let (status, _) = asked(
        &demo,
        Method::POST,
        "/v3/order",
        Some(&new(&demo, "metabolic")),
        Some("code=429"),
    )
    .await;
    assert_eq!(status, 429);
    assert_eq!(
        send(&demo, Method::GET, &path, None).await.1,
        before,
        "nothing was done"
    );
}

#[tokio::test]
async fn a_form_is_written_to_a_file() {
    let demo = Demo::start(&[]);
    let path = order(&demo, &new(&demo, "metabolic")).await;
    let id = path.rsplit('/').next().expect("an id");
    let output = wearlab(&["api", "get-order-requisition", "--order-id", id])
        .env("WEARLAB_BASE_URL", demo.says("base_url"))
        .env("WEARLAB_API_KEY", demo.says("team_api_key"))
        .output()
        .expect("it runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert!(output.stdout.starts_with(b"%PDF-"), "{message}");
    assert!(output.stdout.trim_ascii_end().ends_with(b"%%EOF"));
}

#[tokio::test]
async fn an_order_moves_without_a_body_and_by_the_query_and_its_results_are_as_asked() {
    let demo = Demo::start(&[]);
    let path = order(&demo, &new(&demo, demo.says("lab_test_id"))).await;
    let test = format!("{path}/test");
    // Existing clients send a media type without a body.
    let request = reqwest::Client::new()
        .post(format!("{}{test}", demo.says("base_url")))
        .header("x-service-api-key", demo.says("team_api_key"))
        .header("content-type", "application/json");
    let response = request.send().await.expect("a response");
    assert_eq!(response.status(), 200);
    let moved: Value = response.json().await.expect("JSON");
    let order = &moved["order"];
    assert_eq!(
        order["last_event"]["status"],
        "received.walk_in_test.requisition_created"
    );
    assert_eq!(
        order["details"]["data"],
        json!({"id": order["id"], "created_at": order["created_at"], "updated_at": order["updated_at"]})
    );
    let differs = format!("{test}?final_status=completed");
    let (status, refused) = send(&demo, Method::POST, &differs, Some(&json!({"to": "cancelled"}))).await;
    assert_eq!(
        (status, &refused["errors"][0]["location"]),
        (422, &json!("/query/final_status"))
    );
    let by_query = format!("{test}?final_status=completed.walk_in_test.completed&delay=0");
    let asked = json!({"interpretation": "critical", "has_missing_results": true, "result_types": ["numeric"]});
    let (status, moved) = send(&demo, Method::POST, &by_query, Some(&asked)).await;
    assert_eq!(
        (status, &moved["order"]["status"]),
        (200, &json!("completed")),
        "{moved}"
    );
    let (_, read) = send(&demo, Method::GET, &path, None).await;
    assert_eq!(read["details"], moved["order"]["details"]);
    let (_, listed) = send(&demo, Method::GET, "/v3/orders?size=1", None).await;
    assert_eq!(listed["orders"][0]["details"], read["details"]);
    let (_, results) = send(&demo, Method::GET, &format!("{path}/result"), None).await;
    assert_eq!(results["metadata"]["interpretation"], "critical");
    assert_eq!(
        results["missing_results"].as_array().map(Vec::len),
        Some(1),
        "{results}"
    );
    let types = results["results"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|result| &result["type"]);
    assert!(
        types.clone().count() > 0 && types.clone().all(|of| of == "numeric"),
        "{results}"
    );
}
