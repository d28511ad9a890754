//! Errors of token endpoints, classified by the rules of a provider's settings, and by the error codes of OAuth, Fitbit
//! and Strava.

use http::StatusCode;
use serde_json::Value;
use wearlab_models::{TokenErrorMeaning, TokenErrorRule};

use super::token_error::TokenError;

/// Returns the error of the first rule that matches a value of the body.
pub(super) fn apply_body_rules(rules: &[TokenErrorRule], status: StatusCode, body: &Value) -> Option<TokenError> {
    let matches = |rule: &&TokenErrorRule| {
        let path = rule.path.as_ref();
        matches_status(rule, status) && path.is_some_and(|path| matches_value(rule, body.pointer(path)))
    };
    rules.iter().find(matches).map(error_of)
}

/// Returns the error of the first rule whose only condition is the status.
fn apply_status_rules(rules: &[TokenErrorRule], status: StatusCode) -> Option<TokenError> {
    let matches = |rule: &&TokenErrorRule| rule.path.is_none() && matches_status(rule, status);
    rules.iter().find(matches).map(error_of)
}

fn matches_status(rule: &TokenErrorRule, status: StatusCode) -> bool {
    rule.http_status
        .is_none_or(|wanted| wanted == i64::from(status.as_u16()))
}

fn matches_value(rule: &TokenErrorRule, value: Option<&Value>) -> bool {
    let text = match value {
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
        _ => return false,
    };
    rule.equals.as_ref().is_none_or(|wanted| text == *wanted)
        && rule.contains.as_ref().is_none_or(|part| text.contains(part.as_str()))
}

fn error_of(rule: &TokenErrorRule) -> TokenError {
    match rule.meaning {
        TokenErrorMeaning::LinkAgain => TokenError::Grant,
        TokenErrorMeaning::Client => TokenError::Client("a refusal of the client, by token_errors"),
        TokenErrorMeaning::UserAction => TokenError::UserAction,
        // A store may have meanings of a later version.
        _ => TokenError::unavailable(false, "a temporary refusal, by token_errors"),
    }
}

/// Classifies a response that no rule of the body matches. A known error code takes precedence over rules of the status
/// alone: an error of the client is not one of the user.
pub(super) fn classify(rules: &[TokenErrorRule], status: StatusCode, body: &Value) -> TokenError {
    let is_temporary = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() || status.is_redirection();
    let known = oauth_error(body)
        .or_else(|| listed_error(body))
        .filter(|_| !is_temporary);
    if let Some(error) = known.or_else(|| apply_status_rules(rules, status)) {
        return error;
    }
    match status {
        StatusCode::TOO_MANY_REQUESTS => TokenError::unavailable(false, "too many requests"),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            TokenError::Client("status 401 or 403 without a known code: see token_errors")
        }
        _ if status.is_server_error() => TokenError::unavailable(true, "an error of the server"),
        // A redirect is not followed: it would receive the secret of the client.
        _ if status.is_redirection() => TokenError::unavailable(true, "a redirect"),
        _ if status.is_success() => TokenError::unavailable(true, "a response without tokens"),
        _ => TokenError::unavailable(false, "an unknown error code: see token_errors"),
    }
}

/// Error of a response in the form of RFC 6749, section 5.2.
fn oauth_error(body: &Value) -> Option<TokenError> {
    error_of_code(body["error"].as_str()?)
}

fn error_of_code(code: &str) -> Option<TokenError> {
    Some(match code {
        "invalid_grant" => TokenError::Grant,
        "invalid_client" => TokenError::Client("invalid_client"),
        "invalid_request" => TokenError::Client("invalid_request"),
        "invalid_scope" => TokenError::Client("invalid_scope"),
        "unauthorized_client" => TokenError::Client("unauthorized_client"),
        "unsupported_grant_type" => TokenError::Client("unsupported_grant_type"),
        _ => return None,
    })
}

/// Error of a list: of codes of OAuth in `errorType` (Fitbit), or of resources that are `invalid` (Strava). An error of
/// the client takes precedence: the user cannot fix it.
fn listed_error(body: &Value) -> Option<TokenError> {
    let errors = body["errors"].as_array()?;
    let found = errors.iter().filter_map(|error| {
        if let Some(kind) = error["errorType"].as_str() {
            return error_of_code(kind);
        }
        let resource = error["resource"].as_str()?;
        match error["code"].as_str()? {
            "invalid" | "expired" if resource == "Application" => Some(TokenError::Client("invalid application")),
            "invalid" | "expired" if resource.ends_with("Token") || resource.ends_with("Code") => {
                Some(TokenError::Grant)
            }
            _ => None,
        }
    });
    found.max_by_key(|error| matches!(error, TokenError::Client(_)))
}
