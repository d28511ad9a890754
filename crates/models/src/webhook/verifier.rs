//! Verifies the requests of webhooks.

use std::time::{Duration, SystemTime};

use super::error::VerifyError;
use super::headers::{ID, SIGNATURE, TIMESTAMP};
use super::secret::SigningSecret;
use crate::Event;
use crate::consume::DedupKey;

/// The largest difference between the time of an attempt and now, unless a [`Verifier`] is configured otherwise: who
/// listens in must not be able to send it again later.
pub const TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// Checks requests by the secret of an endpoint, or by several. `Debug` does not show them.
#[derive(Clone, Debug)]
pub struct Verifier {
    secrets: Vec<SigningSecret>,
    tolerance: Duration,
}

/// An authentic attempt to deliver an event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The id of the delivery, the same at every attempt.
    pub id: String,
    /// Time of the attempt.
    pub sent_at: SystemTime,
}

/// An authentic event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verified {
    /// The event.
    pub event: Event,
    /// The attempt that brought it.
    pub attempt: Attempt,
}

impl Verifier {
    /// A verifier with one secret.
    pub fn new(secret: SigningSecret) -> Self {
        Self {
            secrets: vec![secret],
            tolerance: TOLERANCE,
        }
    }

    /// Takes signatures by another secret, too: an older one that is still in use, or that of another endpoint.
    #[must_use]
    pub fn or(mut self, secret: SigningSecret) -> Self {
        self.secrets.push(secret);
        self
    }

    /// Sets the largest difference between the time of an attempt and now; [`TOLERANCE`] by default. An eavesdropper
    /// can repeat a request for that long, so remember keys for longer.
    #[must_use]
    pub fn tolerance(mut self, tolerance: Duration) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Checks the signature of a webhook, and reads its event.
    ///
    /// `header` finds a header's value by its name in lower case, for example
    /// `|name| headers.get(name)?.to_str().ok()`. `body` is the body as received, byte for byte: JSON that was read and
    /// written again has another signature. Names that begin with `svix-` are read too, as Svix servers send them.
    ///
    /// # Errors
    ///
    /// If the request is not signed with a secret, not of these minutes, or carries no event. Respond with a 4xx.
    pub fn verify<'h>(
        &self,
        header: impl Fn(&str) -> Option<&'h str>,
        body: &[u8],
        now: SystemTime,
    ) -> Result<Verified, VerifyError> {
        let attempt = self.authenticate(header, body, now)?;
        let event = Event::from_bytes(body)?;
        Ok(Verified { event, attempt })
    }

    /// Checks a webhook as [`verify`](Self::verify) does, with its headers as web frameworks have them.
    ///
    /// # Errors
    ///
    /// As for [`verify`](Self::verify). A header that is not text is missing.
    #[cfg(feature = "http")]
    pub fn verify_headers(
        &self,
        headers: &http::HeaderMap,
        body: &[u8],
        now: SystemTime,
    ) -> Result<Verified, VerifyError> {
        self.verify(|name| headers.get(name)?.to_str().ok(), body, now)
    }

    /// Checks a webhook as [`verify`](Self::verify) does, by the system's clock. WebAssembly has none.
    ///
    /// # Errors
    ///
    /// As for [`verify`](Self::verify).
    #[cfg(feature = "clock")]
    pub fn verify_now<'h>(
        &self,
        header: impl Fn(&str) -> Option<&'h str>,
        body: &[u8],
    ) -> Result<Verified, VerifyError> {
        self.verify(header, body, SystemTime::now())
    }

    /// Checks a webhook as [`verify_headers`](Self::verify_headers) does, by the system's clock. WebAssembly has none.
    ///
    /// # Errors
    ///
    /// As for [`verify`](Self::verify).
    #[cfg(all(feature = "http", feature = "clock"))]
    pub fn verify_headers_now(&self, headers: &http::HeaderMap, body: &[u8]) -> Result<Verified, VerifyError> {
        self.verify_headers(headers, body, SystemTime::now())
    }

    /// Checks the signature of a webhook as [`verify`](Self::verify) does, and leaves the body alone.
    ///
    /// # Errors
    ///
    /// If the request is not signed with a secret, or not of these minutes.
    pub fn authenticate<'h>(
        &self,
        header: impl Fn(&str) -> Option<&'h str>,
        body: &[u8],
        now: SystemTime,
    ) -> Result<Attempt, VerifyError> {
        let find = |name: &'static str, other: &str| {
            let value = header(name).or_else(|| header(other));
            value.ok_or(VerifyError::Missing(name))
        };
        let id = find(ID, "svix-id")?;
        let timestamp = find(TIMESTAMP, "svix-timestamp")?;
        let signatures = find(SIGNATURE, "svix-signature")?;

        let seconds: u64 = timestamp.parse().map_err(|_| VerifyError::Timestamp)?;
        let sent_at = SystemTime::UNIX_EPOCH
            .checked_add(Duration::from_secs(seconds))
            .ok_or(VerifyError::Timestamp)?;
        let apart = now.duration_since(sent_at).unwrap_or_else(|future| future.duration());
        if apart > self.tolerance {
            return Err(VerifyError::Stale);
        }
        let signed = |secret: &SigningSecret| secret.made_any_of(signatures, id, timestamp, body);
        if !self.secrets.iter().any(signed) {
            return Err(VerifyError::Signature);
        }
        Ok(Attempt {
            id: id.to_owned(),
            sent_at,
        })
    }
}

impl Verified {
    /// Identifies the event, to recognise repeats.
    pub fn dedup_key(&self) -> DedupKey {
        DedupKey::of(&self.event, Some(&self.attempt.id))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{SigningSecret, Verified, Verifier, VerifyError};

    const BODY: &[u8] = br#"{"event_type":"lab.order.created"}"#;
    const AT: u64 = 1_700_000_000;

    fn secret(byte: u8) -> SigningSecret {
        SigningSecret::from_bytes(&[byte; 32]).expect("long enough")
    }

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    /// Result of a verifier at the time `AT` for a request that is signed with some secrets at another.
    fn check(verifier: &Verifier, secrets: &[u8], seconds: u64, body: &[u8]) -> Result<Verified, VerifyError> {
        let signatures = secrets.iter().map(|byte| secret(*byte).sign("msg_1", seconds, body));
        let signatures = signatures.collect::<Vec<_>>().join(" ");
        let timestamp = seconds.to_string();
        let header = |name: &str| match name {
            "webhook-id" => Some("msg_1"),
            "webhook-timestamp" => Some(timestamp.as_str()),
            "webhook-signature" => Some(signatures.as_str()),
            _ => None,
        };
        verifier.verify(header, body, at(AT))
    }

    #[test]
    fn any_of_its_secrets_will_do() {
        let one = Verifier::new(secret(1));
        let both = Verifier::new(secret(1)).or(secret(2));
        for (verifier, secrets, taken) in [
            (&one, &[1][..], true),
            (&one, &[2, 1], true),
            (&one, &[2], false),
            (&both, &[1], true),
            (&both, &[2], true),
            (&both, &[3, 2], true),
            (&both, &[3, 4], false),
            (&both, &[], false),
        ] {
            assert_eq!(check(verifier, secrets, AT, BODY).is_ok(), taken, "{secrets:?}");
        }
        assert!(!format!("{both:?}").contains("01"), "{both:?}");
    }

    #[cfg(all(feature = "http", feature = "clock"))]
    #[test]
    fn headers_of_frameworks_and_the_systems_clock_are_taken() {
        let verifier = Verifier::new(secret(1));
        let now = SystemTime::now();
        let seconds = now.duration_since(SystemTime::UNIX_EPOCH).expect("later").as_secs();
        for (names, seconds, taken) in [
            (["webhook-id", "webhook-timestamp", "webhook-signature"], seconds, true),
            (["svix-id", "svix-timestamp", "svix-signature"], seconds, true),
            (["webhook-id", "webhook-timestamp", "webhook-signature"], AT, false),
        ] {
            let values = [
                "msg_1".to_owned(),
                seconds.to_string(),
                secret(1).sign("msg_1", seconds, BODY),
            ];
            let mut headers = http::HeaderMap::new();
            for (name, value) in names.into_iter().zip(values) {
                headers.insert(name, value.parse().expect("a value"));
            }
            assert_eq!(verifier.verify_headers_now(&headers, BODY).is_ok(), taken);
            assert_eq!(verifier.verify_headers(&headers, BODY, now).is_ok(), taken);
            let header = |name: &str| headers.get(name)?.to_str().ok();
            assert_eq!(verifier.verify_now(header, BODY).is_ok(), taken);
            assert!(verifier.verify_headers(&headers, BODY, at(seconds)).is_ok());
            let other = Verifier::new(secret(2));
            assert!(matches!(
                other.verify_headers_now(&headers, BODY),
                Err(VerifyError::Signature | VerifyError::Stale)
            ));
            headers.remove(names[2]);
            let error = verifier
                .verify_headers(&headers, BODY, at(seconds))
                .expect_err("no signature");
            assert!(matches!(error, VerifyError::Missing("webhook-signature")), "{error}");
        }
    }

    #[test]
    fn the_tolerance_is_a_setting() {
        for (tolerance, late, taken) in [
            (300, 300, true),
            (300, 301, false),
            (0, 0, true),
            (0, 1, false),
            (900, 900, true),
        ] {
            let verifier = Verifier::new(secret(1)).tolerance(Duration::from_secs(tolerance));
            for seconds in [AT - late, AT + late] {
                let result = check(&verifier, &[1], seconds, BODY);
                assert_eq!(result.is_ok(), taken, "{tolerance}: {seconds}");
                assert!(taken || matches!(result, Err(VerifyError::Stale)));
            }
        }
    }

    #[test]
    fn an_event_comes_with_its_id_and_time() {
        let verifier = Verifier::new(secret(1));
        let verified = check(&verifier, &[1], AT - 7, BODY).expect("signed");
        assert_eq!(verified.event.event_type(), "lab.order.created");
        assert_eq!(
            (verified.attempt.id.as_str(), verified.attempt.sent_at),
            ("msg_1", at(AT - 7))
        );
        assert_eq!(verified.dedup_key().as_str(), "msg_1");
        let body = br#"{"event_type":"lab.order.created","event_id":"evt_1"}"#;
        let verified = check(&verifier, &[1], AT, body).expect("signed");
        assert_eq!(verified.dedup_key().as_str(), "evt_1", "by whichever kind it comes");
    }
}
