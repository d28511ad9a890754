//! Verification of webhooks, and their events.
//!
//! The service signs by [Standard Webhooks](https://www.standardwebhooks.com), so any library for it works. This
//! one returns an [`Event`]:
//!
//! ```
//! use std::collections::HashMap;
//! use std::time::SystemTime;
//! use wearlab_models::webhook::{SigningSecret, Verified, Verifier, VerifyError};
//!
//! /// Handler that a web framework calls with the headers (their names in lower case) and the body as received.
//! fn receive(headers: &HashMap<String, String>, body: &[u8], verifier: &Verifier) -> Result<Verified, VerifyError> {
//!     let header = |name: &str| headers.get(name).map(String::as_str);
//!     verifier.verify(header, body, SystemTime::now())
//! }
//!
//! // Once, at the start: the secret that `wearlab webhooks add` printed.
//! let secret: SigningSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=".parse()?;
//! # let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
//! # let body = br#"{"event_type": "lab.order.created"}"#;
//! # let headers = HashMap::from([
//! #     ("webhook-id".to_owned(), "evt_1".to_owned()),
//! #     ("webhook-timestamp".to_owned(), now.to_string()),
//! #     ("webhook-signature".to_owned(), secret.sign("evt_1", now, body)),
//! # ]);
//! let verified = receive(&headers, body, &Verifier::new(secret))?;
//! assert_eq!(verified.event.event_type(), "lab.order.created");
//! assert_eq!(verified.dedup_key().as_str(), "evt_1");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `http`, [`Verifier`] takes an `http::HeaderMap`; with `clock`, the system's clock.
//!
//! An event may arrive more than once, always with the same [key](Verified::dedup_key): remember the keys for a while,
//! and drop repeats, with the helpers of [`consume`](crate::consume); `examples/webhook_receiver.rs` is a complete
//! receiver.
//!
//! While a secret is being rotated, the service signs with both: give the verifier the new one, then rotate, or let it
//! take [both](Verifier::or).

mod error;
mod headers;
mod secret;
mod verifier;

use std::time::SystemTime;

use crate::Event;

pub use error::VerifyError;
pub use headers::{ID, SIGNATURE, TIMESTAMP};
pub use secret::{SecretError, SigningSecret};
pub use verifier::{Attempt, TOLERANCE, Verified, Verifier};

/// Checks the signature of a webhook, and reads its event, as a [`Verifier`] with this one secret does.
///
/// # Errors
///
/// As for [`Verifier::verify`].
pub fn verify<'h>(
    header: impl Fn(&str) -> Option<&'h str>,
    body: &[u8],
    secret: &SigningSecret,
    now: SystemTime,
) -> Result<Event, VerifyError> {
    let verified = Verifier::new(secret.clone()).verify(header, body, now)?;
    Ok(verified.event)
}

/// Checks the signature of a webhook as [`verify`] does, and leaves the body alone.
///
/// # Errors
///
/// As for [`Verifier::authenticate`].
pub fn authenticate<'h>(
    header: impl Fn(&str) -> Option<&'h str>,
    body: &[u8],
    secret: &SigningSecret,
    now: SystemTime,
) -> Result<(), VerifyError> {
    Verifier::new(secret.clone()).authenticate(header, body, now).map(drop)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{SigningSecret, VerifyError, authenticate, verify};

    const BODY: &[u8] = br#"{"event_type":"lab.order.created","data":{"value":"72 bpm"}}"#;
    const AT: u64 = 1_700_000_000;

    fn secret(byte: u8) -> SigningSecret {
        SigningSecret::from_bytes(&[byte; 32]).expect("long enough")
    }

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    /// Result of `verify` for an id, a time and signatures, at the time `AT`.
    fn check(id: &str, timestamp: &str, signatures: &str, body: &[u8]) -> Result<(), VerifyError> {
        let header = |name: &str| match name {
            "webhook-id" => Some(id),
            "webhook-timestamp" => Some(timestamp),
            "webhook-signature" => Some(signatures),
            _ => None,
        };
        verify(header, body, &secret(1), at(AT)).map(drop)
    }

    #[test]
    fn any_signature_by_the_secret_will_do() {
        let (own, other) = (secret(1).sign("e1", AT, BODY), secret(2).sign("e1", AT, BODY));
        for signatures in [
            own.clone(),
            format!("{other} {own}"),
            format!("v1a,AAAA nonsense v1,%% {own}"),
        ] {
            check("e1", &AT.to_string(), &signatures, BODY).expect("signed");
        }
        let shortened = own[..own.len() - 8].to_owned();
        let unversioned = own["v1,".len()..].to_owned();
        for signatures in [
            other,
            String::new(),
            own.replace("v1,", "v2,"),
            shortened,
            unversioned,
            "v1,".to_owned(),
        ] {
            let error = check("e1", &AT.to_string(), &signatures, BODY).expect_err("not signed");
            assert!(matches!(error, VerifyError::Signature), "{signatures}: {error}");
        }
    }

    #[test]
    fn id_time_and_body_are_signed() {
        let own = secret(1).sign("e1", AT, BODY);
        let signature = |result| matches!(result, Err(VerifyError::Signature));
        assert!(signature(check("e2", &AT.to_string(), &own, BODY)));
        assert!(signature(check("e1", &(AT + 1).to_string(), &own, BODY)));
        assert!(signature(check("e1", &format!("0{AT}"), &own, BODY)));
        assert!(signature(check("e1", &AT.to_string(), &own, &BODY[1..])));
    }

    #[test]
    fn five_minutes_are_tolerated_and_no_more() {
        for (seconds, taken) in [
            (AT - 300, true),
            (AT + 300, true),
            (AT - 301, false),
            (AT + 301, false),
            (0, false),
        ] {
            let result = check("e1", &seconds.to_string(), &secret(1).sign("e1", seconds, BODY), BODY);
            assert_eq!(result.is_ok(), taken, "{seconds}");
            assert!(taken || matches!(result, Err(VerifyError::Stale)));
        }
        for text in ["", "now", "-1", "1.5", &u64::MAX.to_string(), &"9".repeat(40)] {
            let error = check("e1", text, "v1,AAAA", BODY).expect_err("no time");
            assert!(
                matches!(error, VerifyError::Timestamp | VerifyError::Stale),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn headers_of_a_svix_server_are_read() {
        let (timestamp, signature) = (AT.to_string(), secret(1).sign("e1", AT, BODY));
        let header = |name: &str| match name {
            "svix-id" => Some("e1"),
            "svix-timestamp" => Some(timestamp.as_str()),
            "svix-signature" => Some(signature.as_str()),
            _ => None,
        };
        authenticate(header, BODY, &secret(1), at(AT)).expect("signed");
        let without_time = |name: &str| header(name).filter(|_| name != "svix-timestamp");
        let error = authenticate(without_time, BODY, &secret(1), at(AT)).expect_err("no time");
        assert!(matches!(error, VerifyError::Missing("webhook-timestamp")), "{error}");
    }

    #[test]
    fn errors_show_neither_body_nor_secret() {
        let body = br#"{"event_type":"daily.data.steps.created","data":"72 bpm"}"#;
        let own = secret(1).sign("e1", AT, body);
        let error = check("e1", &AT.to_string(), &own, body).expect_err("no such event");
        assert!(matches!(error, VerifyError::Event(_)));
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("72") && !shown.contains(&own), "{shown}");
    }
}
