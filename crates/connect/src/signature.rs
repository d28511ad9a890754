//! Signatures of notices.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use data_encoding::HEXLOWER_PERMISSIVE;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use wearlab_models::Secret;

use crate::notice::NoticeRequest;

/// Signature of a provider: an HMAC-SHA256 over the timestamp, if there is one, and the body.
#[derive(Clone, Copy, Debug)]
pub struct SignatureScheme {
    /// Header of the signature.
    pub header: &'static str,
    /// Encoding of the signature.
    pub encoding: Encoding,
    /// Timestamp that is signed before the body.
    pub timestamp: Option<Timestamp>,
}

/// Encoding of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Hexadecimal digits of either case.
    Hex,
    /// Base64 with padding.
    Base64,
}

/// Timestamp of a signature.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// Header of the timestamp, a number since 1970.
    pub header: &'static str,
    /// Unit of the timestamp.
    pub unit: TimestampUnit,
    /// Maximum time between the timestamp and the request, in both directions: clocks differ.
    pub tolerance: Duration,
}

/// Unit of a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimestampUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
}

impl SignatureScheme {
    /// Verifies a request with any of some secrets. Secrets are compared in constant time.
    ///
    /// # Errors
    ///
    /// The reason why the request is refused, without a part of it.
    pub fn verify(&self, request: &NoticeRequest<'_>, secrets: &[&Secret]) -> Result<(), &'static str> {
        let signature = request.header(self.header).ok_or("it has no signature")?;
        let signature = self.encoding.decode(signature).ok_or("its signature cannot be read")?;
        let timestamp = match &self.timestamp {
            Some(timestamp) => timestamp.check(request)?,
            None => "",
        };
        let message = [timestamp.as_bytes(), request.body];
        match secrets.iter().any(|secret| is_signed(secret, &message, &signature)) {
            true => Ok(()),
            false => Err("its signature is not that of the client's secret"),
        }
    }
}

/// Returns whether a signature is the HMAC-SHA256 of the parts of a message with a secret, in constant time.
pub(crate) fn is_signed(secret: &Secret, message: &[&[u8]], signature: &[u8]) -> bool {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()) else {
        return false;
    };
    message.iter().for_each(|part| mac.update(part));
    mac.verify_slice(signature).is_ok()
}

impl Encoding {
    pub(crate) fn decode(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Self::Base64 => STANDARD.decode(text).ok(),
            Self::Hex => HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok(),
        }
    }
}

impl Timestamp {
    /// Returns the text of a timestamp that is not too old.
    fn check<'r>(&self, request: &'r NoticeRequest<'_>) -> Result<&'r str, &'static str> {
        let text = request.header(self.header).ok_or("it has no timestamp")?;
        self.unit.check(text, self.tolerance, request.received)?;
        Ok(text)
    }
}

impl TimestampUnit {
    /// Checks that a timestamp is not too old.
    pub(crate) fn check(self, text: &str, tolerance: Duration, received: DateTime<Utc>) -> Result<(), &'static str> {
        let number: i64 = text.parse().map_err(|_| "its timestamp cannot be read")?;
        let sent = match self {
            Self::Seconds => DateTime::from_timestamp(number, 0),
            Self::Milliseconds => DateTime::from_timestamp_millis(number),
        };
        let sent: DateTime<Utc> = sent.ok_or("its timestamp cannot be read")?;
        let tolerance = TimeDelta::from_std(tolerance).unwrap_or(TimeDelta::MAX);
        match (received - sent).abs() <= tolerance {
            true => Ok(()),
            false => Err("its timestamp is too far from the clock of the service"),
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

    use super::{Encoding, SignatureScheme, Timestamp, TimestampUnit};
    use crate::notice::NoticeRequest;

    const PLAIN: SignatureScheme = SignatureScheme {
        header: "x-signature",
        encoding: Encoding::Hex,
        timestamp: None,
    };

    const TIMED: SignatureScheme = SignatureScheme {
        encoding: Encoding::Base64,
        timestamp: Some(Timestamp {
            header: "x-timestamp",
            unit: TimestampUnit::Milliseconds,
            tolerance: Duration::from_secs(300),
        }),
        ..PLAIN
    };

    fn now() -> DateTime<Utc> {
        "2026-03-10T12:00:00Z".parse().expect("a time")
    }

    fn verify(
        scheme: &SignatureScheme,
        fields: &[(&'static str, &'static str)],
        received: DateTime<Utc>,
        secrets: &[&str],
    ) -> Result<(), &'static str> {
        let fields = fields.iter().map(|(name, value)| {
            let name = name.parse().expect("a name");
            (name, HeaderValue::from_static(value))
        });
        let headers: HeaderMap = fields.collect();
        let request = NoticeRequest {
            method: &Method::POST,
            query: "",
            headers: &headers,
            body: b"what do ya want for nothing?",
            received,
        };
        let secrets: Vec<_> = secrets.iter().map(|secret| Secret::new(*secret)).collect();
        scheme.verify(&request, &secrets.iter().collect::<Vec<_>>())
    }

    /// Test case 2 of RFC 4231.
    const JEFE: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    const JEFE_UPPER: &str = "5BDCC146BF60754E6A042426089575C75A003F089D2739839DEC58B964EC3843";

    #[test]
    fn digits_have_either_case_and_secrets_may_be_several() {
        for signature in [JEFE, JEFE_UPPER] {
            let fields = [("x-signature", signature)];
            assert_eq!(verify(&PLAIN, &fields, now(), &["Jefe"]), Ok(()));
            assert_eq!(verify(&PLAIN, &fields, now(), &["other", "Jefe"]), Ok(()));
            assert!(verify(&PLAIN, &fields, now(), &["other"]).is_err());
            assert!(verify(&PLAIN, &fields, now(), &[]).is_err());
        }
        for signature in ["", "5b", "5bd", "+bdc", &JEFE[..62]] {
            assert!(verify(&PLAIN, &[("x-signature", signature)], now(), &["Jefe"]).is_err());
        }
        assert!(verify(&PLAIN, &[], now(), &["Jefe"]).is_err());
    }

    /// HMAC-SHA256 of `1773144000000` and the body, with the key `Jefe`.
    const SIGNATURE: &str = "xchLjXBt7o7C5bp7s4hV8gyyf/efGvBlD16wSlUbA44=";

    #[test]
    fn timestamps_are_signed_and_must_be_fresh() {
        let fields = [("x-signature", SIGNATURE), ("x-timestamp", "1773144000000")];
        for (seconds, is_fresh) in [(0, true), (300, true), (-300, true), (301, false), (-301, false)] {
            let received = now() + TimeDelta::seconds(seconds);
            assert_eq!(
                verify(&TIMED, &fields, received, &["Jefe"]).is_ok(),
                is_fresh,
                "{seconds}"
            );
        }
        let later = [("x-signature", SIGNATURE), ("x-timestamp", "1773144001000")];
        assert!(
            verify(&TIMED, &later, now(), &["Jefe"]).is_err(),
            "the timestamp is signed"
        );
        let without = [("x-signature", SIGNATURE)];
        assert!(verify(&TIMED, &without, now(), &["Jefe"]).is_err());
        let unreadable = [("x-signature", SIGNATURE), ("x-timestamp", "yesterday")];
        assert!(verify(&TIMED, &unreadable, now(), &["Jefe"]).is_err());
    }
}
