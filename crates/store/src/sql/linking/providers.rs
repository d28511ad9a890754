//! The catalogue of providers.

use crate::sql::value::params;
use wearlab_models::{Encoded, OAuthProvider, SupportedProvider};

use crate::sql::document::{encode, stored};
use crate::sql::{Reader, Transaction};
use crate::{ProviderRecord, StoreError};

const KIND: &str = "provider";

impl Reader<'_> {
    pub(crate) fn providers(&self, source_type: Option<&str>) -> Result<Vec<Encoded<SupportedProvider>>, StoreError> {
        let sql = "SELECT document FROM providers WHERE source_type = ?1 OR ?1 IS NULL ORDER BY slug";
        let providers = self.connection.all(sql, params![source_type], stored)?;
        Ok(providers)
    }

    pub(crate) fn oauth_provider(&self, slug: &str) -> Result<Option<Encoded<OAuthProvider>>, StoreError> {
        let sql = "SELECT link FROM providers WHERE slug = ?1 AND link IS NOT NULL";
        self.connection.first(sql, params![slug], stored)
    }
}

impl Transaction<'_> {
    /// Puts a provider into the catalogue.
    pub fn put_provider(&self, provider: &ProviderRecord) -> Result<(), StoreError> {
        let slug = &provider.supported.slug;
        if provider.link.as_ref().is_some_and(|link| link.slug != *slug) {
            let what = "the description for linking names another provider";
            return Err(StoreError::Conflict { what });
        }
        let link = provider.link.as_ref().map(|link| encode(KIND, link)).transpose()?;
        let sql = "INSERT INTO providers (slug, source_type, document, link) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (slug) DO UPDATE SET source_type = excluded.source_type, document = excluded.document,
                link = excluded.link
            WHERE (providers.source_type, providers.document, providers.link)
                IS DISTINCT FROM (excluded.source_type, excluded.document, excluded.link)";
        self.connection.execute(
            sql,
            params![
                slug,
                provider.source_type.as_str(),
                encode(KIND, &provider.supported)?,
                link
            ],
        )?;
        Ok(())
    }
}
