//! 400 for a request without `Host`, with several, or with an invalid one (RFC 9112, section 3.2).

use std::net::Ipv6Addr;

use axum::extract::Request;
use axum::http::Version;
use axum::http::header::HOST;
use wearlab_server::ApiError;

/// # Errors
///
/// 400 if the header is missing, unless the request is HTTP/1.0, or if it is not one host with an optional port.
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

/// Returns whether a text is `uri-host [ ":" port ]` of RFC 3986; the host may be empty.
fn is_host(text: &[u8]) -> bool {
    if let Some(inner) = text.strip_prefix(b"[") {
        let Some(end) = inner.iter().position(|byte| *byte == b']') else {
            return false;
        };
        // Only a port may follow a literal.
        return is_literal(&inner[..end])
            && match &inner[end + 1..] {
                [] => true,
                [b':', port @ ..] => is_port(port),
                _ => false,
            };
    }
    match text.iter().position(|byte| *byte == b':') {
        Some(colon) => is_name(&text[..colon]) && is_port(&text[colon + 1..]),
        None => is_name(text),
    }
}

/// Returns whether a text is an IP literal without its brackets: an IPv6 address, or one of a later version, such as
/// `v1.a:b`.
fn is_literal(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    let later = text.strip_prefix(['v', 'V']).and_then(|rest| rest.split_once('.'));
    match later {
        Some((version, address)) => {
            let (mut version, mut address) = (version.bytes().peekable(), address.bytes().peekable());
            version.peek().is_some()
                && version.all(|byte| byte.is_ascii_hexdigit())
                && address.peek().is_some()
                && address.all(|byte| byte == b':' || is_plain(byte))
        }
        None => text.parse::<Ipv6Addr>().is_ok(),
    }
}

/// Returns whether a text is a TCP port, which may be empty.
fn is_port(text: &[u8]) -> bool {
    let digits = text.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<u16>().ok());
    text.is_empty() || (digits && number.is_some())
}

/// Returns whether a text is a registered name or an IPv4 address: plain bytes, and percent with two digits.
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

/// Returns whether a byte is an unreserved character or a sub-delimiter.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte)
}
