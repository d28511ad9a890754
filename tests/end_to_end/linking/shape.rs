//! Deviations of providers from OAuth 2.0: in requests, in responses and in refusals.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// Provider whose deviations are imitated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Shape {
    #[default]
    OAuth,
    /// Wrapped responses that are always 200, scopes separated by commas, no PKCE, and `action`.
    Withings,
    /// Granted scopes in the redirect, `expires_at`, and errors in a list.
    Strava,
    /// `user_id`, and errors in another list.
    Fitbit,
    /// Refusals are a 400 without a code.
    Wahoo,
}

/// Error codes of a token endpoint in OAuth.
pub(super) type Refusal = (StatusCode, &'static str);

impl Shape {
    pub(super) fn separator(self) -> &'static str {
        match self {
            Self::Withings | Self::Strava => ",",
            _ => " ",
        }
    }

    pub(super) fn has_pkce(self) -> bool {
        !matches!(self, Self::Withings | Self::Strava)
    }

    /// Returns the additional settings of such a provider.
    pub(super) fn settings(self) -> Value {
        match self {
            Self::OAuth => json!({}),
            Self::Withings => json!({
                "token_auth_method": "client_secret_post", "scope_separator": "comma", "pkce": false,
                "authorization_parameters": {"mode": "demo"}, "token_parameters": {"action": "requesttoken"},
                "token_response_path": "/body", "provider_user_id_path": "/body/userid",
                "token_errors": [
                    {"path": "/error", "contains": "invalid refresh_token", "meaning": "link_again"},
                    {"path": "/error", "contains": "invalid code", "meaning": "link_again"},
                    {"path": "/error", "contains": "invalid client", "meaning": "client"},
                ],
            }),
            Self::Strava => json!({
                "token_auth_method": "client_secret_post", "revocation_auth_method": "client_secret_basic",
                "scope_separator": "comma", "pkce": false, "authorization_parameters": {"approval_prompt": "force"},
                "provider_user_id_path": "/athlete/id",
            }),
            Self::Fitbit => json!({"provider_user_id_path": "/user_id"}),
            Self::Wahoo => json!({"token_errors": [{"http_status": 400, "meaning": "link_again"}]}),
        }
    }

    /// Checks the provider's requirements of a token request.
    pub(super) fn check(self, form: &BTreeMap<String, String>) {
        if self == Self::Withings {
            assert_eq!(form.get("action").map(String::as_str), Some("requesttoken"));
        }
    }

    /// Returns a token response. `is_first` is true for the exchange of a code.
    pub(super) fn tokens(self, mut tokens: Value, is_first: bool) -> Response {
        match self {
            Self::OAuth | Self::Wahoo => {}
            Self::Withings => {
                let scopes = tokens["scope"].as_str().unwrap_or_default().replace(' ', ",");
                tokens["scope"] = scopes.into();
                tokens["userid"] = if is_first { json!("9001") } else { json!(9001) };
                tokens = json!({"status": 0, "body": tokens});
            }
            Self::Strava => {
                let lifetime = tokens["expires_in"].as_i64().unwrap_or_default();
                let members = tokens.as_object_mut().expect("an object");
                members.remove("scope");
                members.remove("expires_in");
                members.insert(
                    "expires_at".to_owned(),
                    (chrono::Utc::now().timestamp() + lifetime).into(),
                );
                if is_first {
                    members.insert("athlete".to_owned(), json!({"id": 31337, "resource_state": 2}));
                }
            }
            Self::Fitbit => {
                let members = tokens.as_object_mut().expect("an object");
                members.remove("token_type");
                let lifetime = members["expires_in"].to_string();
                members.insert("expires_in".to_owned(), lifetime.into());
                members.insert("user_id".to_owned(), "AB12CD".into());
            }
        }
        json_of(StatusCode::OK, &tokens)
    }

    /// Returns a refusal.
    pub(super) fn refused(self, (status, code): Refusal, grant_type: &str) -> Response {
        let is_refresh = grant_type == "refresh_token";
        match (self, code) {
            (Self::Withings, "invalid_grant") => {
                let what = if is_refresh { "refresh_token" } else { "code" };
                let error = format!("Invalid Params: invalid {what}");
                json_of(StatusCode::OK, &json!({"status": 503, "body": {}, "error": error}))
            }
            (Self::Withings, _) => {
                let body = json!({"status": 503, "body": {}, "error": "Invalid Params: invalid client"});
                json_of(StatusCode::OK, &body)
            }
            (Self::Strava, "invalid_grant") => {
                let resource = if is_refresh {
                    "RefreshToken"
                } else {
                    "AuthorizationCode"
                };
                let errors = json!([{"resource": resource, "field": "code", "code": "invalid"}]);
                json_of(status, &json!({"message": "Bad Request", "errors": errors}))
            }
            (Self::Strava, _) => {
                let errors = json!([{"resource": "Application", "field": "client_id", "code": "invalid"}]);
                json_of(
                    StatusCode::UNAUTHORIZED,
                    &json!({"message": "Authorization Error", "errors": errors}),
                )
            }
            (Self::Fitbit, code) => {
                let errors = json!([{"errorType": code, "message": "no"}]);
                json_of(StatusCode::UNAUTHORIZED, &json!({"errors": errors, "success": false}))
            }
            (Self::Wahoo, "invalid_grant") => (StatusCode::BAD_REQUEST, "Bad Request").into_response(),
            _ => json_of(status, &json!({"error": code, "error_description": "no"})),
        }
    }
}

fn json_of(status: StatusCode, body: &Value) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
