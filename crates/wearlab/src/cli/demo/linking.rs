//! Providers that users of a demo can link: some of the catalogue, by the simulated provider.

use wearlab_models::{OAuthProvider, Uuid};
use wearlab_store::{Record, Store, StoreError};

use crate::simulated_provider::{self, SimulatedProvider};

/// How many providers the link page offers.
const OFFERED: usize = 3;

/// Sets up providers of the organisation of a team for linking, and returns the provider that serves them at `base_url`. Settings that
/// somebody else made stay.
///
/// `described` is the provider that the demo prints, which is among them.
pub(super) async fn set_up(
    store: &Store,
    team_id: Uuid,
    described: Option<&str>,
    base_url: &str,
) -> Result<SimulatedProvider, StoreError> {
    let providers = offered(store, described).await?;
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
    Ok(SimulatedProvider::new(base_url, &providers))
}

/// Removes what [`set_up`] made, so that a later `wearlab serve` on a directory that is kept does not offer it.
pub(super) async fn take_down(store: &Store, team_id: Uuid) -> Result<(), StoreError> {
    let Some(organisation) = store.organisation_of_team(team_id).await? else {
        return Ok(());
    };
    let settings = store.all_provider_settings(&organisation).await?;
    let simulated = settings
        .iter()
        .filter(|stored| simulated_provider::is_simulated(stored));
    let slugs: Vec<_> = simulated.map(|stored| stored.settings.slug.clone()).collect();
    store
        .write(|write| {
            for slug in &slugs {
                write.delete_provider_settings(&organisation, slug)?;
            }
            Ok(())
        })
        .await
}

/// The first providers of the catalogue that link by OAuth, and the described one before them.
async fn offered(store: &Store, described: Option<&str>) -> Result<Vec<OAuthProvider>, StoreError> {
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
            // They come last.
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
    found.truncate(OFFERED);
    Ok(found)
}
