//! Tests of responses in the formats of several providers.

use chrono::{DateTime, TimeDelta, Utc};
use http::StatusCode;
use serde_json::{Value, json};
use wearlab_models::ProviderSettings;

use super::{TokenError, TokenResponse, read};

/// Returns settings with additional members.
fn settings(more: Value) -> ProviderSettings {
    let mut settings = json!({
        "slug": "stridewell", "client_id": "id", "authorization_url": "", "token_url": "", "scopes": {},
        "extra_scopes": [], "token_auth_method": "none",
    });
    let members = settings.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    serde_json::from_value(settings).expect("settings")
}

fn withings() -> ProviderSettings {
    settings(json!({
        "token_response_path": "/body", "provider_user_id_path": "/body/userid", "scope_separator": "comma",
        "token_errors": [
            {"path": "/error", "contains": "invalid refresh_token", "meaning": "link_again"},
            {"path": "/error", "contains": "invalid code", "meaning": "link_again"},
            {"path": "/status", "equals": "601", "meaning": "temporary"},
        ],
    }))
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_772_600_000, 0).expect("a time")
}

fn reads(settings: &ProviderSettings, status: u16, body: &Value) -> Result<TokenResponse, TokenError> {
    let requested = ["read".to_owned(), "activity:read_all".to_owned(), "a,b".to_owned()];
    let status = StatusCode::from_u16(status).expect("a status");
    read(settings, status, body.to_string().as_bytes(), &requested, now())
}

fn seconds(tokens: &TokenResponse) -> Option<i64> {
    tokens.expires_at.map(|end| (end - now()).num_seconds())
}

#[test]
fn a_wrapped_response_is_read() {
    let body = json!({"status": 0, "body": {"userid": "363", "access_token": "a075", "refresh_token": "b2a6",
        "expires_in": 10800, "scope": "user.info,user.metrics", "csrf_token": "x", "token_type": "Bearer"}});
    let tokens = reads(&withings(), 200, &body).expect("tokens");
    assert_eq!(tokens.access_token.expose(), "a075");
    assert_eq!(tokens.refresh_token.as_ref().map(|token| token.expose()), Some("b2a6"));
    assert_eq!(seconds(&tokens), Some(10_800));
    assert_eq!(
        tokens.scopes,
        Some(vec!["user.info".to_owned(), "user.metrics".to_owned()])
    );
    assert_eq!(tokens.user_id.as_deref(), Some("363"));
    let mut refreshed = body;
    refreshed["body"]["userid"] = json!(363);
    let tokens = reads(&withings(), 200, &refreshed).expect("tokens");
    assert_eq!(tokens.user_id.as_deref(), Some("363"), "a number, after a refresh");
}

#[test]
fn a_response_of_strava_is_read() {
    let settings = settings(json!({"provider_user_id_path": "/athlete/id", "scope_separator": "comma"}));
    let body = json!({"token_type": "Bearer", "access_token": "a", "refresh_token": "r", "expires_at": 1_772_621_600,
        "athlete": {"id": 31_337_000_000_000_000_u64}});
    let tokens = reads(&settings, 200, &body).expect("tokens");
    assert_eq!(seconds(&tokens), Some(21_600));
    assert_eq!(tokens.user_id.as_deref(), Some("31337000000000000"));
    assert_eq!(tokens.scopes, None, "the redirect names them");
}

#[test]
fn members_that_are_absent_or_texts_are_read() {
    let bare = reads(&settings(json!({})), 200, &json!({"access_token": "a"})).expect("tokens");
    assert_eq!((bare.token_type.as_str(), seconds(&bare)), ("Bearer", None));
    assert_eq!((bare.refresh_token, bare.scopes, bare.user_id), (None, None, None));
    for (more, wanted) in [
        (json!({"expires_in": "3600"}), Some(3600)),
        (json!({"expires_in": 3600.5}), Some(3600)),
        (json!({"expires_in": null, "expires_at": "1772603600"}), Some(3600)),
        (json!({"expires_at": 1_772_603_600_000_u64}), Some(3600)),
        (json!({"expires_at": "2026-03-04T05:53:20Z"}), Some(3600)),
        (json!({"expires_in": 60, "expires_at": 1}), Some(60)),
        (json!({"expires_in": "soon"}), None),
        (json!({"expires_in": 0}), None),
        (json!({"expires_in": "0"}), None),
        (json!({"expires_in": -1}), Some(0)),
        (json!({"expires_in": 0, "expires_at": 1_772_603_600}), Some(3600)),
        (json!({"expires_at": 1}), Some(0)),
        (json!({"expires_at": 0}), None),
        (json!({"expires_in": 1e300}), Some(TimeDelta::days(3650).num_seconds())),
    ] {
        let mut body = json!({"access_token": "a", "token_type": "bearer", "refresh_token": ""});
        let members = body.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        let tokens = reads(&settings(json!({})), 200, &body).expect("tokens");
        assert_eq!(seconds(&tokens), wanted, "{body}");
        assert_eq!((tokens.token_type.as_str(), tokens.refresh_token), ("Bearer", None));
    }
    for (scope, wanted) in [
        (json!("read activity:read_all"), vec!["read", "activity:read_all"]),
        (json!("read,activity:read_all"), vec!["read", "activity:read_all"]),
        (json!("read a,b"), vec!["read", "a,b"]),
        (json!(["read", "x y"]), vec!["read", "x y"]),
        (json!(""), vec![]),
    ] {
        let body = json!({"access_token": "a", "scope": scope});
        let tokens = reads(&settings(json!({})), 200, &body).expect("tokens");
        assert_eq!(
            tokens.scopes,
            Some(wanted.into_iter().map(str::to_owned).collect()),
            "{scope}"
        );
    }
}

#[test]
fn tokens_that_cannot_be_sent_are_none() {
    for (name, bad) in [
        ("access_token", json!("")),
        ("access_token", json!("a b")),
        ("access_token", json!("a\r\nX: y")),
        ("access_token", json!("a\u{0}")),
        ("access_token", json!("\u{e9}")),
        ("access_token", json!(7)),
        ("access_token", json!(null)),
        ("access_token", json!({"token": "a"})),
        ("refresh_token", json!("r\n")),
        ("refresh_token", json!(7)),
        ("token_type", json!("Bearer\r\nX: y")),
        ("token_type", json!(7)),
    ] {
        let mut body = json!({"access_token": "a", "token_type": "Bearer", "refresh_token": "r"});
        body[name] = bad;
        let error = reads(&settings(json!({})), 200, &body).expect_err("none");
        assert!(
            matches!(error, TokenError::Unavailable { sent: true, .. }),
            "{body}: {error:?}"
        );
    }
}

#[test]
fn refusals_of_providers_are_told_apart() {
    let plain = settings(json!({}));
    let wahoo = settings(json!({"token_errors": [{"http_status": 400, "meaning": "link_again"}]}));
    let oura = settings(json!({"token_errors": [
        {"http_status": 400, "path": "/error", "equals": "invalid_request", "meaning": "link_again"},
    ]}));
    let grant = |found: &TokenError| *found == TokenError::Grant;
    let client = |found: &TokenError| matches!(found, TokenError::Client(_));
    let later = |found: &TokenError| matches!(found, TokenError::Unavailable { .. });
    let withings = withings();
    let strava = |resource: &str| {
        json!({"message": "Bad Request",
            "errors": [{"resource": resource, "field": "refresh_token", "code": "invalid"}]})
    };
    let fitbit = |kind: &str| json!({"errors": [{"errorType": kind, "message": "m"}], "success": false});
    let of_withings = |status: i32, error: &str| json!({"status": status, "body": {}, "error": error});
    let oauth = |code: &str| json!({"error": code, "error_description": "d"});
    type Fits<'a> = &'a dyn Fn(&TokenError) -> bool;
    let cases: Vec<(&ProviderSettings, u16, Value, Fits<'_>)> = vec![
        (&plain, 400, oauth("invalid_grant"), &grant),
        (&plain, 200, oauth("invalid_grant"), &grant),
        (&plain, 401, oauth("invalid_client"), &client),
        (&plain, 400, oauth("invalid_request"), &client),
        (&plain, 400, oauth("temporarily_unavailable"), &later),
        (&plain, 400, oauth("slow_down"), &later),
        (&plain, 401, json!("<html>"), &client),
        (&plain, 400, json!({}), &later),
        (&plain, 429, oauth("invalid_grant"), &later),
        (&plain, 503, oauth("invalid_grant"), &later),
        (&plain, 302, json!({"access_token": "a"}), &later),
        (&plain, 200, json!({}), &later),
        (&plain, 200, json!([]), &later),
        (&plain, 401, fitbit("invalid_grant"), &grant),
        (&plain, 400, fitbit("invalid_grant"), &grant),
        (&plain, 401, fitbit("invalid_client"), &client),
        (&plain, 400, fitbit("invalid_request"), &client),
        (&plain, 400, fitbit("something"), &later),
        (&plain, 400, strava("RefreshToken"), &grant),
        (&plain, 401, strava("RefreshToken"), &grant),
        (&plain, 400, strava("AuthorizationCode"), &grant),
        (&plain, 401, strava("Application"), &client),
        (&plain, 400, strava("Weather"), &later),
        (&wahoo, 400, Value::Null, &grant),
        (&wahoo, 401, oauth("invalid_client"), &client),
        (&wahoo, 400, oauth("invalid_client"), &client),
        (&wahoo, 500, Value::Null, &later),
        (&oura, 400, oauth("invalid_request"), &grant),
        (&oura, 401, oauth("invalid_request"), &client),
        (
            &withings,
            200,
            of_withings(503, "Invalid Params: invalid refresh_token"),
            &grant,
        ),
        (&withings, 200, of_withings(503, "Invalid Params: invalid code"), &grant),
        (
            &withings,
            200,
            of_withings(503, "Invalid Params: invalid client_id"),
            &later,
        ),
        (&withings, 200, of_withings(601, "Too many requests"), &later),
        (&withings, 200, of_withings(522, "Timeout"), &later),
    ];
    for (settings, status, body, fits) in cases {
        let error = reads(settings, status, &body).expect_err("a refusal");
        assert!(fits(&error), "{status} {body}: {error:?}");
    }
}
