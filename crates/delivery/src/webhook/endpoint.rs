//! Destinations of stored endpoints.

use chrono::{DateTime, Utc};
use wearlab_store::WebhookEndpoint;

use super::destination::Webhook;
use super::sender::Sender;
use super::signer::Signer;
use crate::egress::UrlError;

/// Error of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The settings do not allow its URL.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// A secret is invalid.
    #[error("its secret is not a Standard Webhooks secret")]
    Secret,
    /// All secrets have expired.
    #[error("it has no valid secret")]
    NoSecret,
}

impl Webhook {
    /// A stored endpoint, whose webhooks are signed with all secrets that are valid at a time.
    ///
    /// # Errors
    ///
    /// If nothing can be sent to it.
    pub fn of_endpoint(sender: &Sender, endpoint: &WebhookEndpoint, now: DateTime<Utc>) -> Result<Self, EndpointError> {
        let good = (endpoint.secrets.iter()).filter(|secret| secret.until.is_none_or(|until| now < until));
        let mut signer: Option<Signer> = None;
        for secret in good {
            let secret = secret.secret.expose().parse().map_err(|_| EndpointError::Secret)?;
            signer = Some(match signer {
                Some(signer) => signer.and(secret),
                None => Signer::new(secret),
            });
        }
        let signer = signer.ok_or(EndpointError::NoSecret)?;
        Ok(Self::new(sender, &endpoint.url, signer)?)
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};
    use wearlab_models::Uuid;
    use wearlab_store::{SigningSecret, WebhookEndpoint};

    use super::EndpointError;
    use crate::webhook::{Sender, Settings, UrlError, Webhook};

    #[test]
    fn only_secrets_that_are_good_are_signed_with() {
        let now = DateTime::UNIX_EPOCH;
        let sender = Sender::new(Settings::default(), || DateTime::UNIX_EPOCH).expect("a sender");
        let good = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
        let until = |secs| Some(now + TimeDelta::seconds(secs));
        let of = |url: &str, secrets: &[(&str, Option<i64>)]| {
            let endpoint = WebhookEndpoint {
                webhook_id: "wh_1".to_owned(),
                team_id: Uuid::from_u128(1),
                url: url.to_owned(),
                event_type_prefixes: Vec::new(),
                secrets: (secrets.iter())
                    .map(|(secret, seconds)| SigningSecret {
                        secret: (*secret).into(),
                        until: seconds.and_then(until),
                    })
                    .collect(),
                created_on: now,
                disabled: None,
            };
            let webhook = Webhook::of_endpoint(&sender, &endpoint, now);
            webhook.map(|webhook| format!("{:?}", webhook.signer))
        };
        let url = "https://hooks.example/events";
        let signer = |secrets| Ok(format!("Signer({secrets} secrets)"));
        assert_eq!(of(url, &[(good, None)]), signer(1));
        assert_eq!(of(url, &[(good, None), (good, Some(1))]), signer(2));
        assert_eq!(of(url, &[(good, None), ("nonsense", Some(0))]), signer(1));
        assert_eq!(
            of(url, &[(good, None), ("nonsense", Some(1))]),
            Err(EndpointError::Secret)
        );
        assert_eq!(of(url, &[(good, Some(0))]), Err(EndpointError::NoSecret));
        let refused = Err(EndpointError::Url(UrlError::Http {
            setting: "webhooks.allow_http",
        }));
        assert_eq!(of("http://hooks.example/", &[(good, None)]), refused);
    }
}
