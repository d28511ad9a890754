//! Linking of providers by OAuth 2.0: the authorization code flow with PKCE (RFC 6749, RFC 7636), by the practice of
//! RFC 9700. `docs/linking.md` lists the threats and their mitigations.
//!
//! 1. `Linker::authorize` sends a user to a provider's consent page, with a state that can be used once.
//! 2. `Linker::returned` handles the redirect back, exchanges the code, and creates the connection with its event.
//! 3. [`Refresher`] refreshes tokens before they expire, each in one process.

mod access;
mod authorize;
mod callback;
mod client;
mod exchange;
mod interrupted;
mod origins;
mod outcome;
mod refresh;
mod refresher;
mod refusal;
mod revoke;
mod scopes;
pub mod settings;
mod token_error;
mod token_request;
mod token_response;
mod urls;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::Url;
use tokio_util::task::TaskTracker;
use wearlab_delivery::egress::{self, Policy};
use wearlab_models::{ProviderSettings, RedirectUriMode, Secret};
use wearlab_store::{DeprecatedForms, Ingestion, OrganisationId, Store, StoreError};

pub use self::access::{Access, AccessNow};
pub use self::authorize::{LinkSession, random_text};
pub use self::callback::Callback;
pub use self::origins::{earlier_origins, origin};
pub use self::outcome::{ErrorCode, Finished, Outcome, redirect as redirect_of};
pub use self::refresher::Refresher;
pub use self::token_request::OAUTH_PARAMETERS;
pub use self::urls::check_redirect_url;
use crate::settings::LinkingSettings;

/// Time for a user at a provider's consent page.
const CONSENT: chrono::TimeDelta = chrono::TimeDelta::minutes(10);

/// Counter of refreshes, by outcome.
pub type RefreshObserver = Box<dyn Fn(&'static str) + Send + Sync>;

/// Settings of linking, and the HTTP client of requests to providers.
pub struct Linking {
    settings: LinkingSettings,
    public_url: String,
    policy: Policy,
    client: OnceLock<reqwest::Client>,
    /// Tasks that complete even if their caller is dropped.
    tasks: TaskTracker,
    observer: Option<RefreshObserver>,
}

impl Linking {
    /// Creates it from the operator's settings. `url` is the URL of the API, the default of the public URL.
    pub fn new(settings: LinkingSettings, url: &str) -> Self {
        let public_url = settings.public_url.clone().unwrap_or_else(|| url.to_owned());
        Self {
            policy: settings.policy(),
            settings,
            public_url,
            client: OnceLock::new(),
            tasks: TaskTracker::new(),
            observer: None,
        }
    }

    /// Sets the counter of refreshes.
    #[must_use]
    pub fn observed_by(self, observer: RefreshObserver) -> Self {
        Self {
            observer: Some(observer),
            ..self
        }
    }

    /// Returns the URL of the link page of a token.
    pub fn page_url(&self, token: &str) -> String {
        format!("{}/link?token={token}", self.public_url)
    }

    /// Returns the URL of the requisition form for a signed token.
    pub fn requisition_url(&self, token: &str) -> String {
        format!("{}/requisition?token={token}", self.public_url)
    }

    /// Returns the path of the page that redirects to a provider.
    pub fn start_path(&self, slug: &str) -> String {
        let mut url = Url::parse(&self.public_url).ok();
        if let Some(mut segments) = url.as_mut().and_then(|url| url.path_segments_mut().ok()) {
            segments.pop_if_empty().extend(["link", slug]);
        }
        url.map_or_else(String::new, |url| url.path().to_owned())
    }

    /// Returns the redirect URI of an organisation's provider: one of its own, so that a code can come back for this
    /// provider alone (RFC 9700, section 4.4), or else the shared one of settings of earlier versions.
    pub fn redirect_uri(&self, organisation: &OrganisationId, settings: &ProviderSettings) -> String {
        match has_own_redirect_uri(settings) {
            true => {
                let mut url = Url::parse(&self.public_url).ok();
                if let Some(mut segments) = url.as_mut().and_then(|url| url.path_segments_mut().ok()) {
                    segments
                        .pop_if_empty()
                        .extend(["link", "callback", organisation.as_str(), &settings.slug]);
                }
                url.map_or_else(String::new, String::from)
            }
            false => format!("{}/link/callback", self.public_url),
        }
    }

    /// Returns the URL of the notices of a provider, whose path ends with a secret.
    pub fn notices_url(&self, slug: &str, secret: &Secret) -> Secret {
        Secret::new(format!(
            "{}/v1/providers/{slug}/notices/{}",
            self.public_url,
            secret.expose()
        ))
    }

    /// Returns whether browsers reach the pages by https.
    pub fn is_secure(&self) -> bool {
        self.public_url.starts_with("https://")
    }

    /// Returns the policy of connections to providers.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Checks a URL of a provider. The error is the reason.
    pub fn check_url(&self, url: &str) -> Result<(), String> {
        let parsed = self.policy.check_url(url).map_err(|error| error.to_string())?;
        let plain = parsed.username().is_empty() && parsed.password().is_none() && parsed.fragment().is_none();
        match plain {
            true => Ok(()),
            false => Err("the URL must have neither userinfo nor a fragment".to_owned()),
        }
    }

    fn client(&self) -> reqwest::Result<&reqwest::Client> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = egress::client(&self.policy, &[])?.timeout(self.settings.timeout);
        let client = client.build()?;
        Ok(self.client.get_or_init(|| client))
    }

    /// Waits for tasks whose caller was dropped, such as the exchange of a code whose user has left.
    pub async fn finish(&self, limit: Duration) {
        self.tasks.close();
        if tokio::time::timeout(limit, self.tasks.wait()).await.is_err() {
            tracing::warn!(?limit, "requests to providers did not end in time");
        }
    }
}

/// Returns whether a provider has a redirect URI of its own. Settings of earlier versions do not have the field, and
/// share one.
pub fn has_own_redirect_uri(settings: &ProviderSettings) -> bool {
    settings
        .redirect_uri_mode
        .as_ref()
        .is_some_and(|mode| *mode != RedirectUriMode::Shared)
}

impl fmt::Debug for Linking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linking")
            .field("settings", &self.settings)
            .field("public_url", &self.public_url)
            .finish_non_exhaustive()
    }
}

/// Linking of providers, with a store.
#[derive(Clone, Debug)]
pub struct Linker {
    /// Settings, and the HTTP client.
    pub linking: Arc<Linking>,
    /// Store of the links.
    pub store: Store,
    /// Clock of the service.
    pub now: fn() -> DateTime<Utc>,
    /// Deprecated forms of events that are still sent.
    pub forms: DeprecatedForms,
}

impl Linker {
    /// Checks that tokens can be stored. Without a secret key, linking is refused, unless plain text is allowed.
    pub fn require_secret_key(&self) -> Result<(), StoreError> {
        self.store.require_secret_key("tokens of providers")
    }

    /// Returns the parameters of changes that the service makes itself.
    pub fn ingestion(&self) -> Ingestion {
        Ingestion {
            now: (self.now)(),
            fresh_id: wearlab_clock::fresh_id,
            forms: self.forms,
        }
    }
}
