//! Signatures that have their timestamp in the same header.

use std::time::Duration;

use wearlab_models::Secret;

use crate::notice::NoticeRequest;
use crate::signature::{Encoding, TimestampUnit, is_signed};

/// Signature such as `t=1773144000,v1=5bdcc1..`: an HMAC-SHA256 over the timestamp in seconds, a dot and the body, in hexadecimal
/// digits. There may be several `v1`, of which one must be right.
#[derive(Clone, Copy, Debug)]
pub struct TimestampedSignature {
    /// Header of the signature.
    pub header: &'static str,
    /// Maximum time between the timestamp and the request, in both directions: clocks differ.
    pub tolerance: Duration,
}

impl TimestampedSignature {
    /// Verifies a request with any of some secrets. Secrets are compared in constant time.
    ///
    /// # Errors
    ///
    /// The reason why the request is refused, without a part of it.
    pub fn verify(&self, request: &NoticeRequest<'_>, secrets: &[&Secret]) -> Result<(), &'static str> {
        let header = request.header(self.header).ok_or("it has no signature")?;
        let fields = || header.split(',').filter_map(|field| field.trim().split_once('='));
        let timestamp = fields().find(|(name, _)| *name == "t");
        let (_, timestamp) = timestamp.ok_or("it has no timestamp")?;
        TimestampUnit::Seconds.check(timestamp, self.tolerance, request.received)?;
        let message = [timestamp.as_bytes(), b".", request.body];
        let is_right = |text: &str| {
            let signature = Encoding::Hex.decode(text);
            signature.is_some_and(|signature| secrets.iter().any(|secret| is_signed(secret, &message, &signature)))
        };
        match fields().any(|(name, text)| name == "v1" && is_right(text)) {
            true => Ok(()),
            false => Err("its signature is not that of the client's secret"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::{DateTime, TimeDelta, Utc};
    use reqwest::Method;
    use reqwest::header::{HeaderMap, HeaderValue};
    use wearlab_models::Secret;

    use super::TimestampedSignature;
    use crate::notice::NoticeRequest;

    const SCHEME: TimestampedSignature = TimestampedSignature {
        header: "x-signature",
        tolerance: Duration::from_secs(300),
    };
    /// HMAC-SHA256 of `1773144000.{}` with the key `secret`.
    const SIGNATURE: &str = "0027ca0f323d5f9d0fd4a6792e58ebb3480f57b739cae7a89bbff9a59e3c3f7a";

    fn verify(header: &str, body: &[u8], late: i64) -> Result<(), &'static str> {
        let now: DateTime<Utc> = "2026-03-10T12:00:00Z".parse().expect("a time");
        let mut headers = HeaderMap::new();
        headers.insert("x-signature", HeaderValue::from_str(header).expect("a value"));
        let request = NoticeRequest {
            method: &Method::POST,
            query: "",
            headers: &headers,
            body,
            received: now + TimeDelta::seconds(late),
        };
        SCHEME.verify(&request, &[&Secret::new("other"), &Secret::new("secret")])
    }

    #[test]
    fn the_timestamp_and_the_body_are_signed() {
        let header = format!("t=1773144000,v1={SIGNATURE}");
        for late in [0, 300, -300] {
            assert_eq!(verify(&header, b"{}", late), Ok(()));
        }
        for late in [301, -301] {
            assert!(verify(&header, b"{}", late).is_err());
        }
        assert!(verify(&header, b"{ }", 0).is_err());
        assert!(verify(&header.replace("4000", "4001"), b"{}", 0).is_err());
    }

    #[test]
    fn one_of_several_signatures_must_be_right() {
        for header in [
            format!("t=1773144000, v1=00, v1={SIGNATURE}, v0=1"),
            format!("v1={},t=1773144000", SIGNATURE.to_uppercase()),
        ] {
            assert_eq!(verify(&header, b"{}", 0), Ok(()), "{header}");
        }
        for header in [
            String::new(),
            SIGNATURE.to_owned(),
            format!("v1={SIGNATURE}"),
            format!("t=,v1={SIGNATURE}"),
            format!("t=1773144000,v0={SIGNATURE}"),
            "t=1773144000".to_owned(),
            "t=1773144000,v1=".to_owned(),
        ] {
            assert!(verify(&header, b"{}", 0).is_err(), "{header}");
        }
    }
}
