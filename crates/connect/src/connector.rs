//! Connector of a provider in a service, and the secrets of the address of its notices.

use std::fmt;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use wearlab_linking::Linker;
use wearlab_models::Secret;
use wearlab_store::Store;

use crate::provider::Provider;
use crate::settings::ConnectorSettings;

/// Connector of a provider, with the operator's settings.
#[derive(Clone)]
pub struct Connector {
    /// Provider.
    pub provider: Arc<dyn Provider>,
    /// Client of the operator.
    pub settings: ConnectorSettings,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector")
            .field("slug", &self.provider.profile().slug)
            .finish_non_exhaustive()
    }
}

/// Use of a secret of notices.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NoticeSecret {
    /// In the path of their URL.
    Path,
    /// In checks of the URL.
    Verification,
}

impl Connector {
    /// Returns the days of history that are read.
    pub(crate) fn history_days(&self) -> u32 {
        let most = self.provider.profile().history_days;
        self.settings.history_days.map_or(most, |days| days.min(most))
    }

    /// Returns the URL at which its notices are received. It is a secret: who has it can send notices of a provider without
    /// signatures. None if there is no secret key, from which it is derived.
    pub fn notices_url(&self, linker: &Linker) -> Option<Secret> {
        let secrets = self.notice_secrets(&linker.store, NoticeSecret::Path);
        let secret = secrets.into_iter().next()?;
        Some(linker.linking.notices_url(self.provider.profile().slug, &secret))
    }

    /// Returns the secrets of its notices, derived from the secret keys of the store, the current one first. Empty without a
    /// secret key.
    pub(crate) fn notice_secrets(&self, store: &Store, of: NoticeSecret) -> Vec<Secret> {
        let purpose = match of {
            NoticeSecret::Path => "path",
            NoticeSecret::Verification => "verification",
        };
        let slug = self.provider.profile().slug;
        let client_id = self.settings.client_id.as_deref().unwrap_or_default();
        let keys = store.derived_keys(&format!("wearlab notices 1 {purpose} {slug} {client_id}"));
        keys.iter()
            .map(|key| Secret::new(HEXLOWER.encode(&key[..16])))
            .collect()
    }
}
