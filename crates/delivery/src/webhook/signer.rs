//! Signature headers of webhooks.

use std::fmt;

use chrono::{DateTime, Utc};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use wearlab_models::webhook::{ID, SIGNATURE, SigningSecret, TIMESTAMP};

use crate::{Message, Reason};

/// Signs for one endpoint, with one secret or, during a rotation, with several. `Debug` shows their number.
#[derive(Clone)]
pub struct Signer(Vec<SigningSecret>);

impl Signer {
    /// Signs with a secret.
    pub fn new(secret: SigningSecret) -> Self {
        Self(vec![secret])
    }

    /// Signs with an older secret too, for as long as the receiver may still have that one.
    #[must_use]
    pub fn and(mut self, older: SigningSecret) -> Self {
        self.0.push(older);
        self
    }

    /// The three headers of an attempt at a time.
    pub(super) fn headers(&self, message: &Message, now: DateTime<Utc>) -> Result<HeaderMap, Reason> {
        let id = &message.event_id;
        // A full stop separates the parts that are signed.
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'.') {
            return Err(Reason::new(
                "the event id must be of ASCII letters, digits and signs, without a full stop",
            ));
        }
        let timestamp =
            u64::try_from(now.timestamp()).map_err(|_| Reason::new("this machine's clock is before 1970"))?;
        let signatures: Vec<_> = self
            .0
            .iter()
            .map(|secret| secret.sign(id, timestamp, &message.payload))
            .collect();

        let mut headers = HeaderMap::with_capacity(3);
        for (name, value) in [
            (ID, id.clone()),
            (TIMESTAMP, timestamp.to_string()),
            (SIGNATURE, signatures.join(" ")),
        ] {
            let mut value = HeaderValue::try_from(value).map_err(|_| Reason::new("a header cannot be written"))?;
            value.set_sensitive(name == SIGNATURE);
            headers.insert(HeaderName::from_static(name), value);
        }
        Ok(headers)
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({} secrets)", self.0.len())
    }
}
