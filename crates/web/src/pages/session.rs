//! Session cookie, which binds linking at a provider to one browser.
//!
//! All tabs of a browser share it, so that two of them do not disturb each other.

use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, Response};
use wearlab_linking::random_text;

/// Length of a session id.
const LENGTH: usize = 43;

/// Returns the name of the cookie. The prefix restricts it to this host and to https (RFC 6265bis).
fn name(secure: bool) -> &'static str {
    match secure {
        true => "__Host-wearlab-link",
        false => "wearlab-link",
    }
}

/// Returns the session id that the browser sent, if it has a valid form.
pub(super) fn of(headers: &HeaderMap, secure: bool) -> Option<String> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).map(str::trim);
    let value = pairs.find_map(|pair| pair.strip_prefix(name(secure))?.strip_prefix('='))?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (value.len() == LENGTH && value.bytes().all(fits)).then(|| value.to_owned())
}

/// Sets a cookie with a new session id.
pub(super) fn begin<B>(response: &mut Response<B>, secure: bool) {
    let (name, value) = (name(secure), random_text());
    let secure = if secure { "; Secure" } else { "" };
    // Lax: browsers send it with the navigation from the provider back to this page.
    let cookie = format!("{name}={value}; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax{secure}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header::{COOKIE, SET_COOKIE};
    use axum::http::{HeaderMap, HeaderValue, Response};

    use super::{begin, of};

    fn headers(cookie: &str) -> HeaderMap {
        HeaderMap::from_iter([(COOKIE, HeaderValue::from_str(cookie).expect("a value"))])
    }

    #[test]
    fn what_is_given_comes_back() {
        for secure in [true, false] {
            let mut response = Response::new(());
            begin(&mut response, secure);
            let cookie = response.headers()[SET_COOKIE].to_str().expect("text");
            assert_eq!(cookie.starts_with("__Host-"), secure, "{cookie}");
            assert_eq!(cookie.contains("; Secure"), secure, "{cookie}");
            for attribute in ["; Path=/;", "; HttpOnly;", "; SameSite=Lax"] {
                assert!(cookie.contains(attribute), "{cookie}");
            }
            let pair = cookie.split(';').next().expect("a pair");
            let value = pair.split_once('=').expect("a value").1;
            let sent = headers(&format!("a=b; {pair}; c=d"));
            assert_eq!(of(&sent, secure).as_deref(), Some(value));
            assert_eq!(of(&sent, !secure), None, "that of the other scheme is another one");
        }
    }

    #[test]
    fn other_cookies_are_no_session() {
        for cookie in [
            "",
            "a=b",
            "wearlab-link",
            "wearlab-link=",
            "wearlab-link=short",
            "xwearlab-link=1",
        ] {
            assert_eq!(of(&headers(cookie), false), None, "{cookie}");
        }
        let long = "x".repeat(44);
        assert_eq!(of(&headers(&format!("wearlab-link={long}")), false), None);
    }
}
