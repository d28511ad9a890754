//! What responses without tokens mean: by the rules of a provider's settings, or else by the codes of OAuth and of providers
//! whose own codes are public.

use axum::http::StatusCode;
use serde_json::Value;
use wearlab_models::{TokenErrorMeaning, TokenErrorRule};

use super::token_response::TokenError;

/// What the first rule that fits a body says.
pub(super) fn of_body(rules: &[TokenErrorRule], status: StatusCode, body: &Value) -> Option<TokenError> {
    let fits = |rule: &&TokenErrorRule| {
        let path = rule.path.as_ref();
        is_of(rule, status) && path.is_some_and(|path| holds(rule, body.pointer(path)))
    };
    rules.iter().find(fits).map(meaning)
}

/// What the first rule says that looks at nothing but the status.
fn by_status(rules: &[TokenErrorRule], status: StatusCode) -> Option<TokenError> {
    let fits = |rule: &&TokenErrorRule| rule.path.is_none() && is_of(rule, status);
    rules.iter().find(fits).map(meaning)
}

fn is_of(rule: &TokenErrorRule, status: StatusCode) -> bool {
    rule.http_status
        .is_none_or(|wanted| wanted == i64::from(status.as_u16()))
}

fn meaning(rule: &TokenErrorRule) -> TokenError {
    match rule.meaning {
        TokenErrorMeaning::LinkAgain => TokenError::Grant,
        TokenErrorMeaning::Client => TokenError::Client("a refusal of the client, by token_errors"),
        // What else a store of a later version may have is for that version.
        _ => TokenError::unavailable(false, "a refusal that will pass, by token_errors"),
    }
}

/// Whether a value is there and as a rule has it.
fn holds(rule: &TokenErrorRule, value: Option<&Value>) -> bool {
    let text = match value {
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
        _ => return false,
    };
    rule.equals.as_ref().is_none_or(|wanted| text == *wanted)
        && rule.contains.as_ref().is_none_or(|part| text.contains(part.as_str()))
}

/// What a response means whose body no rule fits. What a provider says by a known code comes before rules that look at the
/// status alone: an error of the client is never one of the user.
pub(super) fn refusal(rules: &[TokenErrorRule], status: StatusCode, body: &Value) -> TokenError {
    let will_pass = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() || status.is_redirection();
    let known = of_oauth(body).or_else(|| of_list(body)).filter(|_| !will_pass);
    if let Some(error) = known.or_else(|| by_status(rules, status)) {
        return error;
    }
    match status {
        StatusCode::TOO_MANY_REQUESTS => TokenError::unavailable(false, "too many requests"),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            TokenError::Client("status 401 or 403 without a known code: see token_errors")
        }
        _ if status.is_server_error() => TokenError::unavailable(true, "an error of the server"),
        // It is not followed: the secret of the client would go with it.
        _ if status.is_redirection() => TokenError::unavailable(true, "a redirect"),
        _ if status.is_success() => TokenError::unavailable(true, "a response without tokens"),
        _ => TokenError::unavailable(false, "an unknown error code: see token_errors"),
    }
}

/// RFC 6749, section 5.2.
fn of_oauth(body: &Value) -> Option<TokenError> {
    code(body["error"].as_str()?)
}

fn code(code: &str) -> Option<TokenError> {
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

/// A list of errors: with the codes of OAuth as `errorType`, as Fitbit has it, or with what is `invalid`, as Strava has it. An
/// error of the client comes first: the user can do nothing about it.
fn of_list(body: &Value) -> Option<TokenError> {
    let errors = body["errors"].as_array()?;
    let found = errors.iter().filter_map(|error| {
        if let Some(kind) = error["errorType"].as_str() {
            return code(kind);
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
