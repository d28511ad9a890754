//! The service: users who linked the provider, and what is read of them.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Request};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use chrono::{DateTime, Days, FixedOffset, NaiveDate, SubsecRound, Utc};
use serde_json::{Value, json};
use wearlab_client::models::Uuid;
use wearlab_tests::Running;

use crate::processes::Simulation;

/// A user with the provider's token.
#[derive(Clone)]
pub(crate) struct Linked {
    pub(crate) user: Uuid,
    pub(crate) token: String,
    created_on: DateTime<Utc>,
}

/// Lets users of the sample link the provider.
pub(crate) async fn link_users(running: &Running, simulation: &Simulation, count: usize) -> Vec<Linked> {
    let client = running.client();
    let mut users = client.list_users().stream();
    let (mut linked, mut lines) = (Vec::new(), String::new());
    while linked.len() < count {
        let user = users.try_next().await.expect("a page").expect("enough users");
        if user.user_id == running.sample.user_id {
            continue;
        }
        let created_on = Utc::now().trunc_subsecs(0);
        let line = json!({"connection_made": {
            "team_id": running.sample.team_id, "user_id": user.user_id,
            "provider": {"name": "Stridewell", "slug": "stridewell", "logo": "https://assets.example.com/s.png",
                "status": "connected", "created_on": created_on, "resource_availability": {}, "error_details": null},
        }});
        lines += &format!("{line}\n");
        let token = simulation.consent().await;
        linked.push(Linked {
            user: user.user_id,
            token,
            created_on,
        });
    }
    let mut acknowledged = client
        .ingest_arrivals(lines)
        .send()
        .await
        .expect("a stream")
        .into_inner();
    while let Some(line) = acknowledged.try_next().await.expect("an acknowledgement") {
        assert!(line.accepted.is_some(), "{line:?}");
    }
    linked
}

/// A time in any notation.
pub(crate) fn instant(value: &Value) -> DateTime<FixedOffset> {
    value.as_str().expect("text").parse().expect("a time")
}

/// The steps of a user from a day on, in their order.
pub(crate) async fn steps(running: &Running, user: Uuid, first: NaiveDate) -> Vec<(DateTime<FixedOffset>, Value)> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/v2/timeseries/{user}/steps/grouped?{}{cursor}", span(first));
        let page = running.json(&path).await;
        for group in page["groups"]["stridewell"].as_array().expect("a group") {
            let samples = group["data"].as_array().expect("samples");
            all.extend(
                samples
                    .iter()
                    .map(|sample| (instant(&sample["timestamp"]), sample["value"].clone())),
            );
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&next_cursor={next}"),
            None => return all,
        }
    }
}

/// What is asked for: days of the user's time zone, which may begin before those of the provider, and end after them.
fn span(first: NaiveDate) -> String {
    let (first, last) = (first - Days::new(1), Utc::now().date_naive() + Days::new(1));
    format!("start_date={first}&end_date={last}&provider=stridewell")
}

/// The nights of a user from a day on, in their order.
pub(crate) async fn nights(running: &Running, user: Uuid, first: NaiveDate) -> Vec<Value> {
    let path = format!("/v2/summary/sleep/{user}?{}", span(first));
    let mut found = running.json(&path).await["sleep"].as_array().expect("a list").clone();
    found.sort_by_key(|night| instant(&night["bedtime_start"]));
    found
}

/// The management API with connections and tokens, in front of the service.
pub(crate) struct StandIn {
    pub(crate) url: String,
}

struct Shared {
    ingest: String,
    team: Uuid,
    users: Vec<Linked>,
}

impl StandIn {
    pub(crate) async fn start(running: &Running, users: &[Linked]) -> Self {
        let shared = Shared {
            ingest: format!("{}/v1/ingest", running.management_url),
            team: running.sample.team_id,
            users: users.to_vec(),
        };
        let router = Router::new()
            .route("/v1/org/{org_id}/connections", get(connections))
            .route(
                "/v1/org/{org_id}/teams/{team_id}/users/{user_id}/connections/stridewell/access_token",
                get(access_token),
            )
            .route("/v1/ingest", post(ingest))
            .with_state(Arc::new(shared));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async { axum::serve(listener, router).await });
        Self { url }
    }
}

async fn connections(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let connection = |linked: &Linked| {
        json!({"team_id": shared.team, "user_id": linked.user, "provider": "stridewell", "status": "connected",
            "created_on": linked.created_on, "resource_availability": {}, "error_details": null})
    };
    let connections: Vec<_> = shared.users.iter().map(connection).collect();
    Json(json!({"connections": connections, "next_cursor": null}))
}

async fn access_token(
    State(shared): State<Arc<Shared>>,
    Path((_, _, user)): Path<(String, Uuid, Uuid)>,
) -> Json<Value> {
    let linked = shared.users.iter().find(|linked| linked.user == user).expect("a user");
    Json(json!({"access_token": linked.token, "token_type": "Bearer", "scopes": []}))
}

async fn ingest(State(shared): State<Arc<Shared>>, headers: HeaderMap, request: Request<Body>) -> Response {
    let body = reqwest::Body::wrap_stream(request.into_body().into_data_stream());
    let request = reqwest::Client::new().post(&shared.ingest).body(body);
    let request = request
        .header("x-service-api-key", &headers["x-service-api-key"])
        .header("content-type", &headers["content-type"]);
    let response = request.send().await.expect("a response");
    let status = response.status();
    let mut answer = Response::new(Body::from_stream(response.bytes_stream()));
    *answer.status_mut() = status;
    answer
}
