//! Lab tests, orders, results and requisition forms, from the view of a team.

mod cancel;
mod catalogue;
mod checks;
mod create;
mod events;
mod filters;
mod lists;
mod privacy;
mod requisition;
mod results;
mod signed;
mod spellings;
mod steps;

use reqwest::Method;
use serde_json::{Value, json};
use wearlab_models::Uuid;
use wearlab_tests::{Running, orders};

use crate::administration::Answer;

/// Team that uses HTTP alone.
struct Team {
    url: String,
    key: String,
    test: String,
    team: Uuid,
    user: Uuid,
}

impl Team {
    fn of(running: &Running) -> Self {
        let sample = &running.sample;
        Self {
            url: running.url.clone(),
            key: sample.team_api_key.clone(),
            test: sample.lab_test_id.clone(),
            team: sample.team_id,
            user: sample.user_id,
        }
    }

    async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)], body: Option<&Value>) -> Answer {
        let mut request = wearlab_tests::http()
            .request(method, format!("{}{path}", self.url))
            .header("x-service-api-key", &self.key);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.expect("a response");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().await.expect("a body");
        let body = serde_json::from_slice(&body).unwrap_or_default();
        Answer { status, headers, body }
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], None).await
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, &[], Some(body)).await
    }

    /// Sends a POST without a body.
    async fn act(&self, path: &str) -> Answer {
        self.send(Method::POST, path, &[], None).await
    }

    /// Creates an order of a lab test for the sample's user.
    async fn order_of(&self, lab_test_id: &str) -> Order<'_> {
        let body = orders::new(self.user, lab_test_id);
        let created = self.post("/v3/order", &body).await.ok(201);
        let id = text(&created["order"], "id").to_owned();
        Order { team: self, id }
    }

    async fn order(&self) -> Order<'_> {
        self.order_of(&self.test).await
    }

    /// Sends lines of a lab, and returns the outcome of each.
    async fn report(&self, lines: &[Value]) -> Vec<Value> {
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let request = wearlab_tests::http().post(format!("{}/v1/ingest", self.url));
        let request = request.header("x-service-api-key", &self.key);
        let request = request.header("content-type", "application/x-ndjson").body(lines);
        let response = request.send().await.expect("a response");
        assert_eq!(response.status(), 200);
        let text = response.text().await.expect("text");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }
}

/// Order, from the view of its team and its lab.
struct Order<'t> {
    team: &'t Team,
    id: String,
}

impl Order<'_> {
    fn path(&self, of: &str) -> String {
        format!("/v3/order/{}{of}", self.id)
    }

    async fn get(&self) -> Value {
        self.team.get(&self.path("")).await.ok(200)
    }

    /// Returns the status of the last step.
    async fn at(&self) -> String {
        text(&self.get().await["last_event"], "status").to_owned()
    }

    /// Returns a line with a step of the order, at a time in `hours` hours.
    fn step(&self, status: &str, hours: i64) -> Value {
        self.line(
            "lab_order_updated",
            json!({"status": status, "created_at": in_hours(hours)}),
        )
    }

    /// Returns a line with results, reported at a time in `hours` hours.
    fn results(&self, status: &str, hours: i64, results: &Value) -> Value {
        let metadata = json!({"date_reported": in_hours(hours), "specimen_number": "S-7", "status": status});
        self.line("lab_result", json!({"metadata": metadata, "results": results}))
    }

    fn line(&self, kind: &str, mut fields: Value) -> Value {
        fields["team_id"] = json!(self.team.team);
        fields["user_id"] = json!(self.team.user);
        fields["order_id"] = json!(self.id);
        json!({ kind: fields })
    }

    /// Sends a line, which must be accepted.
    async fn takes(&self, line: Value) -> Value {
        let mut acknowledged = self.team.report(&[line]).await;
        let acknowledged = acknowledged.remove(0);
        assert!(acknowledged["accepted"].is_string(), "{acknowledged}");
        acknowledged["accepted"].clone()
    }

    /// Sends a line, which must be refused, and returns the field and the reason.
    async fn refuses(&self, line: Value) -> (String, String) {
        let before = self.get().await;
        let acknowledged = self.team.report(&[line]).await.remove(0);
        assert_eq!(self.get().await, before, "{acknowledged}");
        (
            text(&acknowledged, "field").to_owned(),
            text(&acknowledged, "reason").to_owned(),
        )
    }
}

fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member]
        .as_str()
        .unwrap_or_else(|| panic!("no {member} in {value}"))
}

/// Returns the time in `hours` hours. Tests take less than an hour.
fn in_hours(hours: i64) -> String {
    (chrono::Utc::now() + chrono::TimeDelta::hours(hours)).to_rfc3339()
}

/// Returns the data of the events of a type for an order, oldest first.
async fn events(running: &Running, order: &str, event_type: &str) -> Vec<Value> {
    let filter = wearlab_store::EventFilter {
        event_type_prefix: Some(event_type.to_owned()),
        ..wearlab_store::EventFilter::default()
    };
    let logged = running.store.events(&filter, usize::MAX).await.expect("the log");
    let payloads = logged
        .iter()
        .map(|event| serde_json::from_slice::<Value>(event.payload.as_bytes()).expect("JSON"));
    payloads
        .map(|payload| payload["data"].clone())
        .filter(|data| data["id"] == order || data["order_id"] == order)
        .collect()
}
