//! Access to the operator's application at a provider, for its subscriptions to notices.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use reqwest::Url;
use wearlab_models::Secret;

use crate::pace::Pace;
use crate::refusal::Refusal;

/// Access to the subscriptions of an application.
#[derive(Debug)]
pub struct Application {
    /// HTTP client, which connects only where the operator allows, and follows no redirects.
    pub http: reqwest::Client,
    /// Base URL of the API, in place of the provider's own.
    pub base_url: Option<String>,
    /// Id of the client.
    pub client_id: String,
    /// Secret of the client.
    pub client_secret: Secret,
    /// Limits of the client at the provider.
    pub pace: Arc<Pace>,
    /// URL of notices, whose path has a secret.
    pub notices_url: Secret,
    /// Token by which a check of the URL shows that it follows from a subscription of the service.
    pub verification_token: Secret,
    /// Time of the service.
    pub now: DateTime<Utc>,
}

impl Application {
    /// Waits until the limits of the client allow a request. Each request to the provider waits for it before.
    pub async fn permit(&self) {
        self.pace.permit().await;
    }
    /// Checks that the only subscription of an application is one of this service, which may be changed or deleted: its URL is
    /// that of notices, with any secret. An earlier secret key has another one.
    ///
    /// # Errors
    ///
    /// [`Refusal::Failed`] if it is one of another service, which may need it. The error has its host, and not its path, which
    /// may have a secret.
    pub fn check_own(&self, id: &str, url: Option<&str>) -> Result<(), Refusal> {
        let without_secret = |url: &str| url.rsplit_once('/').map(|(start, _)| start.to_owned());
        let own = without_secret(self.notices_url.expose());
        if own.is_some() && url.and_then(without_secret) == own {
            return Ok(());
        }
        let url = url.and_then(|url| Url::parse(url).ok());
        let host = url.as_ref().and_then(Url::host_str).unwrap_or("another service");
        Err(Refusal::Failed(format!(
            "the subscription {id} of the application sends notices to {host}, and an application has only one: delete it at the \
             provider, or use an application of its own"
        )))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::Utc;
    use wearlab_models::Secret;

    use super::Application;
    use crate::refusal::Refusal;

    #[test]
    fn a_subscription_of_another_service_is_not_touched() {
        let application = Application {
            http: reqwest::Client::new(),
            base_url: None,
            client_id: "client".to_owned(),
            client_secret: Secret::new("secret"),
            pace: Arc::default(),
            notices_url: Secret::new("https://one.example/v1/providers/strava/notices/current"),
            verification_token: Secret::new("token"),
            now: Utc::now(),
        };
        let check = |url: Option<&str>| application.check_own("55", url);
        for secret in ["current", "earlier"] {
            let url = format!("https://one.example/v1/providers/strava/notices/{secret}");
            assert_eq!(check(Some(&url)), Ok(()));
        }
        for (url, named) in [
            (
                Some("https://two.example/v1/providers/strava/notices/s-1"),
                "to two.example,",
            ),
            (Some("https://one.example/hook/s-1"), "to one.example,"),
            (Some("nowhere"), "to another service,"),
            (None, "to another service,"),
        ] {
            let Err(Refusal::Failed(reason)) = check(url) else {
                panic!("{url:?} is accepted");
            };
            assert!(reason.contains("55") && reason.contains(named), "{reason}");
            assert!(!reason.contains("s-1"), "{reason}");
        }
    }
}
