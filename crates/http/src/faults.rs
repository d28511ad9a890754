//! Fault injection for tests of clients: `Prefer: code=503, delay=2` (RFC 7240).
//!
//! `code` returns a problem document with that status, 400 to 599, before credentials and parameters are checked.
//! `delay` delays the response by so many seconds, 30 at most. An invalid value is a 422, since a test that requests a
//! fault and gets none passes for the wrong reason. Other preferences are ignored, as the RFC has it:
//! `Preference-Applied` names the applied ones, and is absent if there are none.

use std::time::Duration;

use axum::extract::Request;
use axum::http::header::ALLOW;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use wearlab_models::Violation;
use wearlab_server::ApiError;

const PREFER: HeaderName = HeaderName::from_static("prefer");
const APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// Maximum delay.
const MAX_DELAY: Duration = Duration::from_secs(30);

/// Middleware that applies the requested fault, and names it in `Preference-Applied`.
pub async fn make_faults(request: Request, next: Next) -> Response {
    let wanted = match RequestedFaults::read(request.headers()) {
        Ok(wanted) => wanted,
        Err(violations) => return ApiError::invalid(violations).into_response(),
    };
    if let Some(delay) = wanted.delay {
        tokio::time::sleep(delay).await;
    }
    let mut response = match wanted.code {
        Some(code) => ApiError::of_status(code, "The request asked for this error.").into_response(),
        None => next.run(request).await,
    };
    if wanted.code == Some(StatusCode::METHOD_NOT_ALLOWED) {
        // A 405 must name the allowed methods.
        response
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET,HEAD"));
    }
    if let Some(applied) = wanted.applied() {
        response.headers_mut().insert(APPLIED, applied);
    }
    response
}

/// Requested faults.
#[derive(Debug, Default, PartialEq)]
struct RequestedFaults {
    code: Option<StatusCode>,
    delay: Option<Duration>,
}

impl RequestedFaults {
    /// Parses the headers. The first of several preferences with the same name counts.
    ///
    /// # Errors
    ///
    /// A violation for each preference of this module with an invalid value.
    fn read(headers: &HeaderMap) -> Result<Self, Vec<Violation>> {
        let values = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
        let mut preferences = Vec::new();
        for preference in values.flat_map(|value| split(value, ',')) {
            // Parameters of a preference follow a semicolon; these two have none.
            let own = split(preference, ';').next().unwrap_or_default();
            let (name, value) = own.split_once('=').unwrap_or((own, ""));
            let name = name.trim().to_ascii_lowercase();
            if !preferences.iter().any(|(known, _)| *known == name) {
                preferences.push((name, unquoted(value.trim())));
            }
        }
        let value = |name| {
            preferences
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.as_str())
        };
        let mut violations = Vec::new();
        let mut invalid = |name: &str, rule: &str| {
            let message = format!("the preference `{name}` must be {rule}");
            let violation = Violation::builder()
                .location("/header/Prefer")
                .code("invalid")
                .message(message);
            violations.push(violation.build());
        };
        let (code, delay) = (value("code").map(code), value("delay").map(delay));
        if code == Some(None) {
            invalid("code", "a status from 400 to 599, such as `code=503`");
        }
        if delay == Some(None) {
            invalid(
                "delay",
                "a number of seconds with at most three decimals, such as `delay=2`",
            );
        }
        let wanted = Self {
            code: code.flatten(),
            delay: delay.flatten(),
        };
        violations.is_empty().then_some(wanted).ok_or(violations)
    }

    fn applied(&self) -> Option<HeaderValue> {
        let code = self.code.map(|code| format!("code={}", code.as_u16()));
        let delay = self.delay.map(|delay| format!("delay={}", delay.as_secs_f64()));
        let applied: Vec<_> = code.into_iter().chain(delay).collect();
        let applied = (!applied.is_empty()).then(|| applied.join(", "))?;
        HeaderValue::from_str(&applied).ok()
    }
}

/// Splits a text at a separator, except within quotes.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |c| {
        let within = quoted;
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        c == separator && !within
    })
}

/// Removes the quotes of a word, if it has them.
fn unquoted(word: &str) -> String {
    let inner = word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(word).replace('\\', "")
}

fn code(text: &str) -> Option<StatusCode> {
    let code = text.parse::<u16>().ok().filter(|_| is_digits(text))?;
    StatusCode::from_u16(code)
        .ok()
        .filter(|code| code.is_client_error() || code.is_server_error())
}

/// Parses seconds, with at most three decimals.
fn delay(text: &str) -> Option<Duration> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    if !is_digits(whole) || !is_digits(decimals) || decimals.len() > 3 {
        return None;
    }
    let seconds: f64 = text.parse().ok()?;
    Some(Duration::try_from_secs_f64(seconds).map_or(MAX_DELAY, |delay| delay.min(MAX_DELAY)))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> (RequestedFaults, Option<String>) {
        let headers = values
            .iter()
            .map(|value| (PREFER, HeaderValue::from_str(value).expect("a header")));
        let wanted = RequestedFaults::read(&headers.collect()).expect("valid preferences");
        let applied = wanted.applied().map(|value| value.to_str().expect("text").to_owned());
        (wanted, applied)
    }

    #[test]
    fn preferences_are_read_as_the_rfc_writes_them() {
        for (values, applied) in [
            (&["code=503"][..], "code=503"),
            (&["delay=2"], "delay=2"),
            (&["code=503, delay=2"], "code=503, delay=2"),
            (&["delay=0.25,code=\"429\""], "code=429, delay=0.25"),
            (&["respond-async", "Code = 404 ; x=y", "DELAY=1"], "code=404, delay=1"),
            (&["code=503, code=404", "code=400"], "code=503"),
            (&["foo=\"a, code=500; b\\\", c\", code=502"], "code=502"),
            (&["delay=31"], "delay=30"),
            (&["delay=99999999999999999999"], "delay=30"),
            (&["delay=0"], "delay=0"),
            (&["foo;code=500, code=418"], "code=418"),
            (&[",, code=599 ,"], "code=599"),
        ] {
            assert_eq!(read(values).1.as_deref(), Some(applied), "{values:?}");
        }
    }

    #[test]
    fn invalid_values_are_refused_with_their_place() {
        for value in [
            "code",
            "code=",
            "code=abc",
            "code=200",
            "code=304",
            "code=600",
            "code=+503",
            "code=5O3",
            "code=99999",
            "delay",
            "delay=-1",
            "delay=1e3",
            "delay=.5",
            "delay=1.",
            "delay=inf",
            "delay=2s",
            "delay=0.1234",
            // The first counts, even if it is invalid.
            "code=x, code=503",
            "respond-async, delay=soon, code=503",
        ] {
            let headers = HeaderMap::from_iter([(PREFER, HeaderValue::from_static(value))]);
            let violations = RequestedFaults::read(&headers).expect_err(value);
            assert_eq!(violations.len(), 1, "{value}");
            assert_eq!(violations[0].location, "/header/Prefer", "{value}");
            let name = if value.contains("delay") { "`delay`" } else { "`code`" };
            assert!(
                violations[0].message.contains(name),
                "{value}: {}",
                violations[0].message
            );
        }
        let headers = HeaderMap::from_iter([(PREFER, HeaderValue::from_static("code=x, delay=x"))]);
        assert_eq!(RequestedFaults::read(&headers).expect_err("two").len(), 2);
    }

    #[test]
    fn other_preferences_are_ignored() {
        for value in ["", "return=minimal", "code 503", "\"code=503\"", "foo=\"code=503"] {
            assert_eq!(read(&[value]), (RequestedFaults::default(), None), "{value:?}");
        }
    }
}
