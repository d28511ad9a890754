//! Reads beyond one team: owners of keys, the catalogue, and the data that dispatchers need of all teams.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use wearlab_models::{CancellationReason, Encoded, Environment, OAuthProvider, Pipeline, Region, SupportedProvider};

use crate::reads::reads;
use crate::sql::CURSOR_KEY;
use crate::{
    KeyFilter, KeyHash, KeyInfo, KeyOwner, KeyPage, OrganisationId, PipelineFilter, PipelinePage, Store, StoreError,
    TeamId, TeamPage, TeamPipeline, TeamRecord, WebhookEndpoint,
};

impl Store {
    /// Returns whether secrets and patient data are encrypted.
    pub fn has_secret_key(&self) -> bool {
        self.core().seal().has_key()
    }

    /// Makes later writes of tokens and client secrets of providers, and of orders, fail without a secret key
    /// ([`StoreError::NoSecretKey`]) instead of storing plain text. It applies to all clones.
    pub fn refuse_plaintext(&self) {
        self.core().seal().refuse_plaintext();
    }

    /// Fails if `what` would be stored in plain text, and that is [refused](Self::refuse_plaintext).
    pub fn require_secret_key(&self, what: &'static str) -> Result<(), StoreError> {
        self.core().seal().require_key(what)
    }

    /// Returns keys for one purpose, derived from the secret keys, the current one first. Empty without a secret key.
    pub fn derived_keys(&self, purpose: &str) -> Vec<[u8; 32]> {
        self.core().seal().derived_keys(purpose)
    }

    /// Returns the keys of cursors: the first signs, each verifies. They are derived from the secret keys. Without a
    /// secret key, the store keeps one key in plain text, which is created from the random bytes `fresh` if it is
    /// missing.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub async fn cursor_keys(&self, fresh: [u8; 32]) -> Result<Vec<Vec<u8>>, StoreError> {
        let derived = self.derived_keys("wearlab cursors 1");
        if !derived.is_empty() {
            return Ok(derived.into_iter().map(Vec::from).collect());
        }
        let kept = match self.meta(CURSOR_KEY).await? {
            Some(kept) => kept,
            None => {
                // Another process may do the same: the first write wins.
                let fresh = data_encoding::HEXLOWER.encode(&fresh);
                self.write(|write| write.put_meta_if_absent(CURSOR_KEY, &fresh)).await?
            }
        };
        Ok(vec![kept.into_bytes()])
    }

    /// Returns the key of hashes that reveal only whether a secret has changed. It is the same in every process on the
    /// store, unless the store has no secret key and was never served.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub async fn version_key(&self) -> Result<Vec<u8>, StoreError> {
        match self.derived_keys("wearlab versions 1").into_iter().next() {
            Some(derived) => Ok(derived.into()),
            None => Ok(self.meta(CURSOR_KEY).await?.unwrap_or_default().into_bytes()),
        }
    }

    /// Looks up the team of a team key, unless the key is unknown or revoked.
    pub async fn team_of_key(&self, key: &str) -> Result<Option<TeamId>, StoreError> {
        Ok(self.team_key(key).await?.map(|key| key.owner))
    }

    /// Looks up the team and the scopes of a team key, unless it is unknown or revoked.
    pub async fn team_key(&self, key: &str) -> Result<Option<KeyOwner<TeamId>>, StoreError> {
        let hash = KeyHash::of(key);
        let cached = async { self.core().cached_team_key(&hash) };
        self.read_cached("team_key", cached, |core| core.team_key(&hash)).await
    }

    /// Looks up the organisation of a management key, unless the key is unknown or revoked.
    pub async fn organisation_of_key(&self, key: &str) -> Result<Option<OrganisationId>, StoreError> {
        Ok(self.management_key(key).await?.map(|key| key.owner))
    }

    /// Looks up the id of a team, which grants access to its data, if it belongs to the organisation.
    pub async fn team_of(&self, organisation: &OrganisationId, team_id: Uuid) -> Result<Option<TeamId>, StoreError> {
        let team = self.organisation_team(organisation, team_id).await?;
        Ok(team.map(|team| TeamId::new(team.team_id)))
    }
}

reads! { Store => self;
    /// Reads a note that [`Transaction::put_meta`](crate::Transaction::put_meta) stored.
    read fn meta(&self, name: &str) -> Option<String> = |reader| reader.meta(name);

    /// Returns whether the store holds nothing except notes.
    read fn is_empty(&self) -> bool = |reader| reader.is_empty();

    /// Looks up the organisation and the scopes of a management key, unless it is unknown or revoked.
    read fn management_key(&self, key: &str) -> Option<KeyOwner<OrganisationId>> = |reader| reader.management_key(key);

    /// Looks up the team of a link token, unless the token is unknown or expired at `now`.
    read fn team_of_link_token(&self, token: &str, now: DateTime<Utc>) -> Option<TeamId> =
        |reader| reader.team_of_link_token(token, now);

    /// Reads the catalogue of providers by slug, or the providers with one source type.
    read fn providers(&self, source_type: Option<&str>) -> Vec<Encoded<SupportedProvider>> =
        |reader| reader.providers(source_type);

    /// Reads the description of a provider for linking, if there is such a provider and it links by OAuth.
    read fn oauth_provider(&self, slug: &str) -> Option<Encoded<OAuthProvider>> = |reader| reader.oauth_provider(slug);

    /// Reads all reasons for cancelling an appointment, by name.
    read fn cancellation_reasons(&self) -> Vec<Encoded<CancellationReason>> = |reader| reader.cancellation_reasons();

    /// Reads the pipelines of an organisation's teams in one environment and region, by team id.
    read fn pipelines(
        &self,
        organisation: &OrganisationId,
        environment: Environment,
        region: Region,
        filter: &PipelineFilter,
        limit: usize,
    ) -> PipelinePage =
        |reader| reader.pipelines(organisation, environment, region, filter, limit);

    /// Reads all webhook endpoints, by team.
    read fn webhooks(&self) -> Vec<WebhookEndpoint> = |reader| reader.webhooks();

    /// Reads the pipeline of a team, with its secrets.
    read fn pipeline(&self, team_id: Uuid) -> Option<Pipeline> = |reader| reader.pipeline(team_id);

    /// Reads the pipelines of all teams, with their secrets.
    read fn all_pipelines(&self) -> Vec<TeamPipeline> = |reader| reader.all_pipelines();

    /// Reads all organisations, by id, for an operator of the store.
    read fn organisations(&self) -> Vec<OrganisationId> = |reader| reader.organisations();

    /// Looks up the organisation of a team, for an operator of the store.
    read fn organisation_of_team(&self, team_id: Uuid) -> Option<OrganisationId> =
        |reader| reader.organisation_of_team(team_id);

    /// Reads the teams of an organisation, by id, after one of them.
    read fn teams(&self, organisation: &OrganisationId, after: Option<Uuid>, limit: usize) -> TeamPage =
        |reader| reader.teams(organisation, after, limit);

    /// Reads a team, if it belongs to the organisation.
    read fn organisation_team(&self, organisation: &OrganisationId, team_id: Uuid) -> Option<TeamRecord> =
        |reader| reader.organisation_team(organisation, team_id);

    /// Looks up the id of a team in a signature of this service, which grants access to its data. None if the team no
    /// longer exists.
    read fn signed_team(&self, team_id: Uuid) -> Option<TeamId> = |reader| reader.signed_team(team_id);

    /// Reads the keys of an organisation and of its teams, by [id](KeyInfo::id).
    read fn organisation_keys(&self, organisation: &OrganisationId, filter: &KeyFilter, limit: usize) -> KeyPage =
        |reader| reader.organisation_keys(organisation, filter, limit);

    /// Reads a key of an organisation or of one of its teams, by its [id](KeyInfo::id).
    read fn organisation_key(&self, organisation: &OrganisationId, id: &str) -> Option<KeyInfo> =
        |reader| reader.organisation_key(organisation, id);

    /// Reads all keys, by owner and then by age. The store has only their hashes.
    read fn keys(&self) -> Vec<KeyInfo> = |reader| reader.keys();
}
