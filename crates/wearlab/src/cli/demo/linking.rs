//! Providers that users of a demo can link: some of the catalogue, simulated.

use wearlab_models::{OAuthProvider, Uuid};
use wearlab_store::{Record, Store, StoreError};
use wearlab_web::simulated_provider::{self, SimulatedProvider};

/// Number of providers on the link page.
const PROVIDERS: usize = 3;

/// Sets up providers of the organisation of a team for linking, and returns the simulated provider that serves them at
/// `base_url`. Other settings are kept.
///
/// `described` is the provider that the demo prints. It is one of them.
pub(super) async fn set_up(
    store: &Store,
    team_id: Uuid,
    described: Option<&str>,
    base_url: &str,
) -> Result<SimulatedProvider, StoreError> {
    let providers = select(store, described).await?;
    let organisation = store.organisation_of_team(team_id).await?;
    let organisation = organisation.ok_or(StoreError::Missing { what: "team" })?;
    store
        .write(|write| {
            for provider in &providers {
                let before = write.provider_settings(&organisation, &provider.slug)?;
                if before.is_none_or(|before| simulated_provider::is_simulated(&before)) {
                    let settings = simulated_provider::settings(base_url, provider);
                    write.put_provider_settings(&organisation, &settings)?;
                }
            }
            Ok(())
        })
        .await?;
    let keys = store.derived_keys("wearlab simulated refresh tokens 1");
    Ok(SimulatedProvider::new(base_url, &providers, keys))
}

/// Removes the settings of simulated providers, so that `wearlab serve` on a directory that is kept does not offer
/// them. Returns how many there were.
pub(in crate::cli) async fn remove(store: &Store) -> Result<usize, StoreError> {
    let mut found = Vec::new();
    for organisation in store.organisations().await? {
        let settings = store.all_provider_settings(&organisation).await?;
        let simulated = settings.into_iter().filter(simulated_provider::is_simulated);
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

/// Selects the described provider, and the first ones of the catalogue that link by OAuth.
async fn select(store: &Store, described: Option<&str>) -> Result<Vec<OAuthProvider>, StoreError> {
    /// Ends the scan.
    enum End {
        Complete,
        Failed(StoreError),
    }
    impl From<StoreError> for End {
        fn from(error: StoreError) -> Self {
            Self::Failed(error)
        }
    }
    let mut found = Vec::new();
    let scanned = store.export(|record| {
        match record {
            Record::Provider(provider) => found.extend(provider.link.filter(|link| link.is_active)),
            // Users are the last records.
            Record::User(_) => return Err(End::Complete),
            _ => {}
        }
        Ok(())
    });
    match scanned.await {
        Err(End::Failed(error)) => return Err(error),
        Ok(()) | Err(End::Complete) => {}
    }
    found.sort_by_key(|provider| Some(provider.slug.as_str()) != described);
    found.truncate(PROVIDERS);
    Ok(found)
}
