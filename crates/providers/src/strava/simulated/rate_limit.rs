//! Middleware that counts requests, and refuses those beyond a limit.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::api::Simulation;

/// Counts a request, and refuses it where a limit is exceeded. Refused requests count, too.
pub(super) async fn respond(State(simulation): State<Simulation>, request: Request, next: Next) -> Response {
    let limits = simulation.with_data(|data| {
        data.limits.quarter_used += 1;
        data.limits.day_used += 1;
        data.limits
    });
    let is_exceeded = limits.quarter_used > limits.quarter || limits.day_used > limits.day;
    let mut response = match is_exceeded {
        true => {
            let detail = json!({"resource": "Application", "field": "read rate limit", "code": "exceeded"});
            let fault = json!({"message": "Rate Limit Exceeded", "errors": [detail]});
            (StatusCode::TOO_MANY_REQUESTS, Json(fault)).into_response()
        }
        false => next.run(request).await,
    };
    let values = [
        ("x-ratelimit-limit", 2 * limits.quarter, 2 * limits.day),
        ("x-ratelimit-usage", limits.quarter_used, limits.day_used),
        ("x-readratelimit-limit", limits.quarter, limits.day),
        ("x-readratelimit-usage", limits.quarter_used, limits.day_used),
    ];
    for (name, quarter, day) in values {
        if let Ok(value) = HeaderValue::from_str(&format!("{quarter},{day}")) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
