//! Settings of providers for linking, by organisation.

use sha2::{Digest, Sha256};
use wearlab_models::OAuthProvider;

use crate::seal::Seal;
use crate::sql::admin::sealing::{find, open};
use crate::sql::connection::{Connection, missing};
use crate::sql::document::{decode, encode};
use crate::sql::value::params;
use crate::sql::{Reader, Transaction};
use crate::{LinkableProvider, OrganisationId, StoreError, StoredProviderSettings, TeamId};

const KIND: &str = "provider settings";
/// Name in errors.
const SECRETS: &str = "client secrets of providers";

/// The id of settings, which their document is bound to: it cannot be decrypted for another organisation or provider.
fn id(organisation: &OrganisationId, slug: &str) -> [u8; 16] {
    let mut hash = Sha256::new();
    for text in ["provider settings 1", organisation.as_str(), slug] {
        hash.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(text);
    }
    let mut id = [0; 16];
    id.copy_from_slice(&hash.finalize()[..16]);
    id
}

fn one(
    connection: &Connection<'_>,
    seal: &Seal,
    organisation: &OrganisationId,
    slug: &str,
) -> Result<Option<StoredProviderSettings>, StoreError> {
    let sql = "SELECT id, document FROM provider_settings WHERE id = ?1";
    let id = id(organisation, slug);
    find(KIND, seal, connection, sql, params![id])
}

impl Reader<'_> {
    /// The settings of all providers that an organisation has configured, by slug.
    pub(crate) fn all_provider_settings(
        &self,
        organisation: &OrganisationId,
    ) -> Result<Vec<StoredProviderSettings>, StoreError> {
        let sql = "SELECT id, document FROM provider_settings WHERE organisation_id = ?1 ORDER BY slug";
        self.connection
            .all(sql, params![organisation.as_str()], |row| open(KIND, self.seal, row))
    }

    pub(crate) fn provider_settings(
        &self,
        organisation: &OrganisationId,
        slug: &str,
    ) -> Result<Option<StoredProviderSettings>, StoreError> {
        one(self.connection, self.seal, organisation, slug)
    }

    /// The providers that users of a team can link: those of the catalogue that their organisation has configured, by
    /// slug.
    pub(crate) fn linkable_providers(&self, team: TeamId) -> Result<Vec<LinkableProvider>, StoreError> {
        let sql = "SELECT provider_settings.id, provider_settings.document, providers.link,
                teams.organisation_id
            FROM teams
            JOIN provider_settings ON provider_settings.organisation_id = teams.organisation_id
            JOIN providers ON providers.slug = provider_settings.slug
            WHERE teams.team_id = ?1 AND providers.link IS NOT NULL ORDER BY providers.slug";
        self.connection.all(sql, params![team.as_bytes()], |row| {
            let link: OAuthProvider = decode("provider", &row.get::<String>(2)?)?;
            let settings = open(KIND, self.seal, row)?;
            let organisation = OrganisationId::new(row.get::<String>(3)?);
            Ok(LinkableProvider {
                link,
                organisation,
                settings,
            })
        })
    }
}

impl Transaction<'_> {
    /// The settings of a provider that an organisation has configured.
    pub fn provider_settings(
        &self,
        organisation: &OrganisationId,
        slug: &str,
    ) -> Result<Option<StoredProviderSettings>, StoreError> {
        one(self.connection, self.seal, organisation, slug)
    }

    /// Reads the description of a provider for linking by OAuth from the catalogue.
    pub fn oauth_provider(&self, slug: &str) -> Result<Option<OAuthProvider>, StoreError> {
        let sql = "SELECT link FROM providers WHERE slug = ?1 AND link IS NOT NULL";
        let found: Option<String> = self.connection.first(sql, params![slug], |row| row.get(0))?;
        found.map(|text| decode("provider", &text)).transpose()
    }

    /// Puts the settings of a provider of an organisation.
    pub fn put_provider_settings(
        &self,
        organisation: &OrganisationId,
        settings: &StoredProviderSettings,
    ) -> Result<(), StoreError> {
        let slug = &settings.settings.slug;
        let id = id(organisation, slug);
        let document = self.seal.close_required(SECRETS, &id, encode(KIND, settings)?)?;
        let sql = "INSERT INTO provider_settings (id, organisation_id, slug, document) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (id) DO UPDATE SET document = excluded.document";
        let params = params![id, organisation.as_str(), slug, document];
        self.connection.execute(sql, params).map_err(missing("organisation"))?;
        Ok(())
    }

    /// Deletes the settings of a provider of an organisation. False if there are none.
    pub fn delete_provider_settings(&self, organisation: &OrganisationId, slug: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM provider_settings WHERE id = ?1";
        Ok(self.connection.execute(sql, params![id(organisation, slug)])? > 0)
    }
}
