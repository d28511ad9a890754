//! Responses of token endpoints: tokens in the formats of several providers, or an error.

use chrono::{DateTime, TimeDelta, Utc};
use http::StatusCode;
use serde_json::Value;
use wearlab_models::{ProviderSettings, Secret};

use super::refusal::{apply_body_rules, classify};
use super::scopes;
use super::token_error::TokenError;

/// Maximum length of a user's id at a provider.
const MAX_USER_ID: usize = 200;
/// Maximum lifetime of a token. It can be added to any current time without overflow.
const MAX_LIFETIME: TimeDelta = TimeDelta::days(3650);
/// Numbers from here on are milliseconds, not seconds: as seconds, they would be after the year 5000.
const MILLISECONDS: f64 = 1e11;

/// Tokens of a response.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TokenResponse {
    pub(super) access_token: Secret,
    pub(super) token_type: String,
    pub(super) refresh_token: Option<Secret>,
    pub(super) expires_at: Option<DateTime<Utc>>,
    /// Scopes, if it has any.
    pub(super) scopes: Option<Vec<String>>,
    /// Provider's own id of the user.
    pub(super) user_id: Option<String>,
}

/// Parses a response. `requested` are the scopes that were requested.
///
/// # Errors
///
/// The meaning of the response, if it has no tokens.
pub(super) fn read(
    settings: &ProviderSettings,
    status: StatusCode,
    body: &[u8],
    requested: &[String],
    now: DateTime<Utc>,
) -> Result<TokenResponse, TokenError> {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    if let Some(error) = apply_body_rules(&settings.token_errors, status, &body) {
        return Err(error);
    }
    let found = match &settings.token_response_path {
        Some(path) => body.pointer(path),
        None => Some(&body),
    };
    let found = found.filter(|found| status.is_success() && found.get("access_token").is_some());
    let Some(found) = found else {
        return Err(classify(&settings.token_errors, status, &body));
    };
    let malformed = |reason| TokenError::unavailable(true, reason);
    let access_token = found["access_token"].as_str().filter(|token| is_access_token(token));
    let access_token = access_token.ok_or(malformed("an access token that is empty or malformed"))?;
    let refresh_token = match &found["refresh_token"] {
        Value::Null => None,
        Value::String(token) if token.bytes().all(|byte| (b' '..=b'~').contains(&byte)) => {
            (!token.is_empty()).then(|| Secret::new(token))
        }
        _ => return Err(malformed("a refresh token that is malformed")),
    };
    let token_type = match &found["token_type"] {
        Value::Null => "Bearer",
        Value::String(name) if name.is_empty() || name.eq_ignore_ascii_case("bearer") => "Bearer",
        Value::String(name) if name.bytes().all(is_of_token_type) => name,
        _ => return Err(malformed("a token type that is malformed")),
    };
    let user_id = settings.provider_user_id_path.as_ref();
    let user_id = user_id.and_then(|path| user_id_of(body.pointer(path)?));
    if user_id.is_none() && settings.provider_user_id_path.is_some() {
        let provider = &settings.slug;
        tracing::debug!(provider, "a response with tokens has no id of the user");
    }
    Ok(TokenResponse {
        access_token: Secret::new(access_token),
        token_type: token_type.to_owned(),
        refresh_token,
        expires_at: expires_at(found, now),
        scopes: scopes_of(&found["scope"], requested),
        user_id,
    })
}

/// Returns whether a text can be sent in a header. RFC 6750 allows fewer characters, which providers do not keep to.
fn is_access_token(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}

fn is_of_token_type(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte)
}

/// Returns the expiry of a token: by its lifetime, since clocks differ, or else by its expiry time. A lifetime is a
/// number of seconds (RFC 6749, section 5.1). Providers write 0 for a token that does not expire; one with a negative
/// lifetime has expired.
fn expires_at(found: &Value, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    if let Some(seconds) = number(&found["expires_in"]).filter(|seconds| *seconds != 0.0) {
        let longest = MAX_LIFETIME.as_seconds_f64();
        return now.checked_add_signed(TimeDelta::milliseconds((seconds.clamp(0.0, longest) * 1000.0) as i64));
    }
    let end = &found["expires_at"];
    let at = match (number(end), end.as_str()) {
        (Some(0.0), _) => None,
        (Some(number), _) if number >= MILLISECONDS => DateTime::from_timestamp_millis(number as i64),
        (Some(number), _) => DateTime::from_timestamp_millis((number * 1000.0) as i64),
        (_, Some(text)) => DateTime::parse_from_rfc3339(text).ok().map(|at| at.to_utc()),
        _ => None,
    };
    at.map(|at| at.clamp(now, now + MAX_LIFETIME))
}

/// Parses a number, which may be written as a text.
fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

fn scopes_of(value: &Value, requested: &[String]) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(scopes::split(text, requested)),
        Value::Array(list) => list.iter().map(|one| one.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

fn user_id_of(value: &Value) -> Option<String> {
    let id = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if !number.is_f64() => number.to_string(),
        _ => return None,
    };
    let fits = !id.is_empty() && id.len() <= MAX_USER_ID && !id.chars().any(char::is_control);
    fits.then_some(id)
}

#[cfg(test)]
mod tests;
