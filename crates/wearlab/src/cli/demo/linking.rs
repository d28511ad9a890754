//! Providers that users of a demo link: simulated ones, on made-up data of a person, whose connectors pull from them.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::response::Response;
use chrono::{DateTime, Days, FixedOffset, SubsecRound, Utc};
use wearlab_connect::settings::ConnectorSettings;
use wearlab_connect::{Connector, Provider};
use wearlab_providers::oura::generated::models::{DataType, EventType};
use wearlab_providers::simulated::oauth::{ConsentRequest, Grants};
use wearlab_providers::{dexcom, oura, simulated, whoop, withings};
use wearlab_store::{Store, StoreError, StoredProviderSettings};
use wearlab_web::simulated_consent;

/// Slug of the provider that the demo prints.
pub(super) const PROVIDER: &str = "oura";
/// Id of the client at simulated providers. A real provider does not issue such an id.
const CLIENT_ID: &str = "simulated-by-the-demo";
/// Secret of the client.
const CLIENT_SECRET: &str = "simulated";
/// Lifetime of access tokens, in s.
const TOKEN_SECONDS: u32 = 3600;
/// Days of data of a person, up to yesterday.
const DAYS: u32 = 365;
/// Interval of the samples that arrive while one looks.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(5);
/// Seed of the data.
const SEED: u64 = 1;

/// Offset of the people.
const UTC: FixedOffset = FixedOffset::east_opt(0).expect("an offset");

/// Function that creates the consents of a client.
type NewGrants = fn(&'static str, &'static str, u32) -> Grants;

/// Simulated providers.
pub(super) struct SimulatedProviders {
    /// Their connectors.
    pub(super) connectors: Vec<Connector>,
    /// Their APIs and consent pages, for a demo's own listener.
    pub(super) routes: Router,
    oura: oura::simulated::Simulation,
}

impl SimulatedProviders {
    /// Creates the providers of a demo at a URL. Tokens of an earlier demo on the same store stay valid.
    pub(super) fn new(store: &Store, demo_url: &str, now: DateTime<Utc>) -> Self {
        let keys = store.derived_keys("wearlab simulated tokens 1");
        let yesterday = now.date_naive() - Days::new(1);
        let with_consent = |name: &'static str, grants: NewGrants| {
            let callback = format!("{demo_url}/link/callback");
            grants(CLIENT_ID, CLIENT_SECRET, TOKEN_SECONDS)
                .with_keys(keys.clone())
                .with_consent_page(Arc::new(move |request| consent(name, &callback, request)))
        };
        let data = oura::simulated::Data::generate(SEED, UTC, yesterday, DAYS);
        let oura = oura::simulated::Simulation::new(data, with_consent("Oura", Grants::new));
        let data = whoop::simulated::Data::generate(SEED, UTC, yesterday, DAYS);
        let whoop = whoop::simulated::Simulation::new(data, with_consent("WHOOP", whoop::simulated::grants));
        let data = withings::simulated::Data::generate(SEED, "UTC", yesterday, DAYS);
        let withings =
            withings::simulated::Simulation::new(data, with_consent("Withings", withings::simulated::grants));
        let data = dexcom::simulated::Data::generate(SEED, UTC, yesterday, DAYS);
        let dexcom = dexcom::simulated::Simulation::new(data, with_consent("Dexcom", Grants::new));

        let mut made = Self {
            connectors: Vec::new(),
            routes: Router::new(),
            oura: oura.clone(),
        };
        let usual = ["/oauth/authorize", "/oauth/token"];
        made.add(Arc::new(oura::Oura), simulated::oura(&oura), usual, demo_url);
        made.add(Arc::new(whoop::Whoop), simulated::whoop(&whoop), usual, demo_url);
        let other = ["/oauth2_user/authorize2", "/v2/oauth2"];
        made.add(
            Arc::new(withings::Withings),
            simulated::withings(&withings),
            other,
            demo_url,
        );
        made.add(Arc::new(dexcom::Dexcom), simulated::dexcom(&dexcom), usual, demo_url);
        made
    }

    /// Returns a task that adds a sample of heart rate every few seconds once a user is linked, and sends the notices by which
    /// they arrive. It does not end.
    pub(super) fn live(&self) -> impl Future<Output = Infallible> + Send + use<> {
        let oura = self.oura.clone();
        async move {
            loop {
                tokio::time::sleep(SAMPLE_INTERVAL).await;
                if !oura.grants().is_used() {
                    continue;
                }
                let now = wearlab_clock::now().trunc_subsecs(0).fixed_offset();
                oura.with_data(|data| data.add_heart_rate_sample(now));
                // The provider has no notices of heart rate: it comes with other data.
                oura.notify(EventType::Update, DataType::DailyActivity, "today").await;
            }
        }
    }

    /// Adds a provider with its API, whose consent page and tokens have some paths.
    fn add(&mut self, provider: Arc<dyn Provider>, api: Router, [consent, tokens]: [&str; 2], demo_url: &str) {
        let path = format!("/simulated/{}", provider.profile().slug);
        let url = format!("{demo_url}{path}");
        let settings = ConnectorSettings {
            client_id: Some(CLIENT_ID.to_owned()),
            client_secret: Some(CLIENT_SECRET.into()),
            authorization_url: Some(format!("{url}{consent}")),
            token_url: Some(format!("{url}{tokens}")),
            base_url: Some(url),
            notices: Some(true),
            ..ConnectorSettings::default()
        };
        self.connectors.push(Connector { provider, settings });
        self.routes = std::mem::take(&mut self.routes).nest(&path, api);
    }
}

/// Returns the consent page of a provider. Codes are sent to the demo's own callback alone.
fn consent(name: &str, callback: &str, request: &ConsentRequest) -> Response {
    let rest = request.redirect_uri.as_str().strip_prefix(callback);
    match rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
        true => simulated_consent::page(name, &request.scopes, request.allow.as_str(), request.deny.as_str()),
        false => simulated_consent::refusal(),
    }
}

/// Removes the settings of simulated providers, so that `wearlab serve` on a directory that is kept does not offer
/// them. Returns how many there were.
pub(in crate::cli) async fn remove(store: &Store) -> Result<usize, StoreError> {
    let mut found = Vec::new();
    for organisation in store.organisations().await? {
        let settings = store.all_provider_settings(&organisation).await?;
        let simulated = settings.into_iter().filter(is_simulated);
        found.extend(simulated.map(|stored| (organisation.clone(), stored.settings.slug)));
    }
    if !found.is_empty() {
        let removed = store.write(|write| {
            for (organisation, slug) in &found {
                write.delete_provider_settings(organisation, slug)?;
            }
            Ok(())
        });
        removed.await?;
    }
    Ok(found.len())
}

fn is_simulated(stored: &StoredProviderSettings) -> bool {
    stored.settings.client_id == CLIENT_ID
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use wearlab_providers::simulated::oauth::ConsentRequest;

    use super::consent;

    #[test]
    fn users_are_sent_back_to_the_demo_alone() {
        let status = |redirect_uri: &str| {
            let redirect_uri: reqwest::Url = redirect_uri.parse().expect("a URL");
            let request = ConsentRequest {
                scopes: vec!["daily".to_owned()],
                allow: redirect_uri.clone(),
                deny: redirect_uri.clone(),
                redirect_uri,
            };
            consent("Oura", "http://127.0.0.1:8080/link/callback", &request).status()
        };
        for own in [
            "http://127.0.0.1:8080/link/callback",
            "http://127.0.0.1:8080/link/callback/org/oura",
        ] {
            assert_eq!(status(own), StatusCode::OK, "{own}");
        }
        for other in [
            "http://127.0.0.1:8080/",
            "http://127.0.0.1:8080/link/callbacks",
            "http://127.0.0.1:8081/link/callback",
            "http://127.0.0.1:8080@example.com/link/callback",
        ] {
            assert_eq!(status(other), StatusCode::BAD_REQUEST, "{other}");
        }
    }
}
