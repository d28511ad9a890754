//! Console: pages of the management listener for holders of a management key.
//!
//! The console is a client of the API: pages and forms call operations in this process, with the key that the browser
//! signed in with (`api_client.rs`). So scopes, validation and the audit log are those of the API. Charts alone read
//! the store (`charts`), since they draw more samples than a page of the API has.

mod api_client;
mod audit_log;
mod authenticated_page;
mod charts;
mod connection;
mod destinations;
mod document;
mod error;
mod events;
mod form;
mod keys;
mod orders;
mod overview;
mod page;
mod parts;
mod providers;
mod pulls;
mod query;
mod service;
mod sign_in;
mod teams;
mod undelivered;
mod user;
mod users;
mod webhooks;

use std::sync::Arc;

use axum::routing::{get, post};
use axum::{Extension, Router};
use wearlab_service::Service;

use self::api_client::ApiClient;

/// Returns the routes of the console.
pub fn routes(service: Arc<Service>) -> Router<Arc<Service>> {
    Router::new()
        .route("/console", get(overview::show))
        .route("/console/sign-in", get(sign_in::show).post(sign_in::begin))
        .route("/console/sign-out", post(sign_in::end))
        .route("/console/assets/{name}", get(document::asset))
        .route("/console/teams", get(teams::list).post(teams::create))
        .route("/console/teams/{team_id}", get(users::list))
        .route("/console/teams/{team_id}/users/{user_id}", get(user::show))
        .route(
            "/console/teams/{team_id}/users/{user_id}/connections/{slug}/{action}",
            post(connection::act),
        )
        .route("/console/teams/{team_id}/users/{user_id}/data", get(charts::show))
        .route("/console/teams/{team_id}/users/{user_id}/series", get(charts::series))
        .route("/console/teams/{team_id}/users/{user_id}/table", get(charts::table))
        .route("/console/teams/{team_id}/pulls", get(pulls::list))
        .route("/console/teams/{team_id}/orders", get(orders::list))
        .route("/console/teams/{team_id}/orders/{order_id}", get(orders::show))
        .route("/console/teams/{team_id}/pipeline", get(destinations::pipeline))
        .route(
            "/console/teams/{team_id}/pipeline/test",
            post(destinations::test_pipeline),
        )
        .route(
            "/console/teams/{team_id}/webhooks",
            get(webhooks::list).post(webhooks::create),
        )
        .route(
            "/console/teams/{team_id}/webhooks/{webhook_id}/{action}",
            post(webhooks::act),
        )
        .route("/console/events", get(events::list))
        .route("/console/events/{event_id}", get(events::show))
        .route("/console/events/{event_id}/replay", post(events::replay))
        .route("/console/destinations", get(destinations::list))
        .route("/console/undelivered", get(undelivered::list))
        .route("/console/undelivered/replay", post(undelivered::replay))
        .route("/console/keys", get(keys::list).post(keys::create))
        .route("/console/keys/{key_id}/revoke", post(keys::revoke))
        .route("/console/providers", get(providers::list).post(providers::put))
        .route("/console/providers/{slug}/delete", post(providers::delete))
        .route("/console/service", get(service::show))
        .route("/console/audit-log", get(audit_log::list))
        .layer(Extension(ApiClient::new(service)))
}
