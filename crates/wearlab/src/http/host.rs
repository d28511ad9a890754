//! 400 for a request without its `Host`, with several, or with one that is none (RFC 9112, section 3.2).

use axum::extract::Request;
use axum::http::Version;
use axum::http::header::HOST;
use wearlab_server::ApiError;

/// # Errors
///
/// 400 where the header is missing, as it may be in HTTP/1.0 alone, or is not one host with perhaps a port.
pub(super) fn check(request: &Request) -> Result<(), ApiError> {
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if request.version() < Version::HTTP_11 => Ok(()),
        (None, _) => Err(ApiError::bad_request("The request has no Host header.")),
        (Some(_), Some(_)) => Err(ApiError::bad_request("The request has more than one Host header.")),
        (Some(host), None) if is_host(host.as_bytes()) => Ok(()),
        (Some(_), None) => Err(ApiError::bad_request(
            "The Host header is not a host with an optional port.",
        )),
    }
}

/// `uri-host [ ":" port ]` of RFC 3986; the host may be empty.
fn is_host(text: &[u8]) -> bool {
    let (literal, rest) = match text.strip_prefix(b"[") {
        Some(inner) => match inner.iter().position(|byte| *byte == b']') {
            Some(end) if end > 0 => (&inner[..end], &inner[end + 1..]),
            _ => return false,
        },
        None => (&[][..], text),
    };
    let in_literal = |byte: &u8| *byte == b':' || is_plain(*byte);
    if !literal.iter().all(in_literal) {
        return false;
    }
    let (name, port) = match rest.iter().position(|byte| *byte == b':') {
        Some(colon) => (&rest[..colon], &rest[colon + 1..]),
        None => (rest, &[][..]),
    };
    // Nothing stands between a literal and its port.
    let name_fits = if literal.is_empty() {
        is_name(name)
    } else {
        name.is_empty()
    };
    name_fits && port.iter().all(u8::is_ascii_digit)
}

/// A registered name or an IPv4 address: plain bytes, and percent with two digits.
fn is_name(mut name: &[u8]) -> bool {
    while let Some((first, rest)) = name.split_first() {
        name = match (first, rest) {
            (b'%', [high, low, rest @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => rest,
            (plain, rest) if is_plain(*plain) => rest,
            _ => return false,
        };
    }
    true
}

/// The unreserved characters and the sub-delimiters.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte)
}
