//! Providers of configured connectors, in the catalogue and in the settings of organisations.

use wearlab_models::{
    OAuthProvider, ProviderAuthType, ProviderSettings, ProviderSourceType, RedirectUriMode, SupportedProvider,
};
use wearlab_store::{ProviderRecord, Store, StoreError, StoredProviderSettings};

use crate::connector::Connector;
use crate::provider::Profile;

/// Puts the providers of connectors into the catalogue, and their settings into those of each organisation that has none of
/// its own, so that users can link them. Settings that an organisation puts over the API are its own, and stay.
///
/// # Errors
///
/// If the store fails, or has no secret key to encrypt the client secret with.
pub(crate) async fn provision<'c>(
    store: &Store,
    connectors: impl Iterator<Item = &'c Connector>,
) -> Result<(), StoreError> {
    let organisations = store.organisations().await?;
    for connector in connectors {
        let wanted = stored(connector);
        let slug = &wanted.settings.slug;
        let mut stale = Vec::new();
        for organisation in &organisations {
            let known = store.provider_settings(organisation, slug).await?;
            if known.is_none_or(|known| known.is_provisioned && known != wanted) {
                stale.push(organisation);
            }
        }
        let record = record(connector.provider.profile());
        store
            .write(|write| {
                write.put_provider(&record)?;
                for organisation in stale {
                    write.put_provider_settings(organisation, &wanted)?;
                }
                Ok(())
            })
            .await?;
    }
    Ok(())
}

/// Returns the OAuth settings of a connector, with the operator's client.
fn stored(connector: &Connector) -> StoredProviderSettings {
    let configured = &connector.settings;
    let mut settings: ProviderSettings = connector.provider.settings();
    settings.client_id = configured.client_id.clone().unwrap_or_default();
    settings.redirect_uri_mode = Some(RedirectUriMode::Own);
    if let Some(url) = &configured.authorization_url {
        settings.authorization_url.clone_from(url);
    }
    if let Some(url) = &configured.token_url {
        settings.token_url.clone_from(url);
        // The provider's own one would get tokens of another.
        settings.revocation_url = None;
    }
    StoredProviderSettings {
        settings,
        client_secret: configured.client_secret.clone(),
        earlier_origins: None,
        is_provisioned: true,
    }
}

fn record(profile: &Profile) -> ProviderRecord {
    let resources: Vec<_> = profile
        .collections
        .iter()
        .flat_map(|collection| collection.resources)
        .cloned()
        .collect();
    ProviderRecord {
        source_type: ProviderSourceType::Provider,
        supported: SupportedProvider::builder()
            .name(profile.name)
            .slug(profile.slug)
            .description(profile.description)
            .auth_type(ProviderAuthType::Oauth)
            .supported_resources(resources)
            .build(),
        link: Some(
            OAuthProvider::builder()
                .name(profile.name)
                .slug(profile.slug)
                .description(profile.description)
                .id(profile.id)
                .auth_type(ProviderAuthType::Oauth)
                .source_type(ProviderSourceType::Device)
                .backfill_num_days(i64::from(profile.history_days))
                .build(),
        ),
    }
}
