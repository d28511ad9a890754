//! Character NUL, which PostgreSQL cannot store: with both engines, no text of a request may contain it.

use reqwest::Method;
use serde_json::{Value, json};
use wearlab_tests::{Running, orders};

/// Sends a request with every key, and returns the status and the locations of errors.
async fn send(running: &Running, method: Method, path: &str, body: Option<&Value>) -> (u16, Vec<String>) {
    let mut request = wearlab_tests::http()
        .request(method, format!("{}{path}", running.url))
        .header("x-service-api-key", &running.sample.team_api_key)
        .header("x-management-key", &running.sample.management_key);
    if let Some(body) = body {
        request = request.json(body);
    }
    let response = request.send().await.expect("a response");
    let status = response.status().as_u16();
    let problem: Value = response.json().await.expect("JSON");
    let errors = problem["errors"].as_array().cloned().unwrap_or_default();
    let text = |error: &Value| error["location"].as_str().expect("text").to_owned();
    (status, errors.iter().map(text).collect())
}

/// Returns the outcome of each line.
async fn lines(running: &Running, path: &str, key: (&str, &str), lines: &str) -> Vec<Value> {
    let request = wearlab_tests::http()
        .post(format!("{}{path}", running.url))
        .header(key.0, key.1)
        .header("content-type", "application/x-ndjson")
        .body(lines.to_owned());
    let response = request.send().await.expect("a response");
    assert_eq!(response.status(), 200);
    let text = response.text().await.expect("text");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

async fn is_refused(running: &Running) {
    let sample = &running.sample;
    let (org, user) = (&sample.org_id, sample.user_id);
    let mut order = orders::new(user, &sample.lab_test_id);
    order["patient_details"]["first_name"] = json!("Al\0ma");
    let webhooks = format!("/v1/org/{org}/teams/{}/webhooks", sample.team_id);
    let keys = format!("/v1/org/{org}/keys");
    for (method, path, body, location) in [
        (Method::GET, "/v2/user/resolve/a%00b", None, "/path/client_user_id"),
        (
            Method::GET,
            "/v2/providers/?source_type=%00",
            None,
            "/query/source_type",
        ),
        (Method::GET, "/v3/lab_tests/%00/markers", None, "/path/lab_test_id"),
        (Method::GET, "/v3/orders?status=%00", None, "/query/status/0"),
        (
            Method::POST,
            "/v2/user/",
            Some(json!({"client_user_id": "a\0"})),
            "/body/client_user_id",
        ),
        (
            Method::POST,
            "/v3/order",
            Some(order),
            "/body/patient_details/first_name",
        ),
        (
            Method::POST,
            &webhooks,
            Some(json!({"url": "https://a.example/\0"})),
            "/body/url",
        ),
        (
            Method::POST,
            &keys,
            Some(json!({"name": "\0", "team_id": sample.team_id})),
            "/body/name",
        ),
    ] {
        let (status, locations) = send(running, method.clone(), path, body.as_ref()).await;
        assert_eq!((status, locations), (422, vec![location.to_owned()]), "{method} {path}");
    }
    let data = |fields: Value| {
        let mut arrival = json!({"team_id": sample.team_id, "user_id": user, "provider": "stridewell",
            "resource": "body", "date": "2026-04-09", "data": [{"weight": 71.5}]});
        let fields = fields.as_object().expect("an object").clone();
        arrival.as_object_mut().expect("an object").extend(fields);
        json!({ "data": arrival }).to_string()
    };
    let sent = [
        data(json!({"arrival_id": "a\0"})),
        data(json!({"source": {"type": "a\0"}})),
        data(json!({"raw": {"any": ["\0"]}})),
        data(json!({"arrival_id": "\\u0000 is four digits"})),
    ]
    .join("\n");
    let key = ("x-service-api-key", sample.team_api_key.as_str());
    let answers = lines(running, "/v1/ingest", key, &sent).await;
    let fields: Vec<_> = answers[..4].iter().map(|answer| answer["field"].as_str()).collect();
    assert_eq!(
        fields,
        [
            Some("data.arrival_id"),
            Some("data.source.type"),
            Some("data.raw.*[0]"),
            None
        ],
        "{answers:?}"
    );
    for answer in &answers[..3] {
        assert_eq!(answer["reason"], "must not contain the character NUL", "{answer}");
    }
    assert_eq!(answers[3]["accepted"], "data", "{answers:?}");
    let record = json!({"organisation": {"org_id": "a\0"}}).to_string();
    let key = ("x-management-key", sample.management_key.as_str());
    let answers = lines(running, "/v1/import", key, &record).await;
    assert_eq!(answers[0]["field"], "organisation.org_id", "{answers:?}");
}

#[tokio::test]
async fn a_nul_is_refused_with_its_location() {
    is_refused(&Running::start(5).await).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn on_postgres_a_nul_is_refused_with_its_location() {
    is_refused(&Running::start_on_database(5).await).await;
}
