//! Reads for the linking of providers.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    ConnectionFilter, ConnectionId, ConnectionPage, ConnectionTokens, KeyHash, LinkTokenOwner, LinkTokenPage,
    LinkableProvider, OrganisationId, Store, StoreError, StoredProviderSettings, TeamId,
};

impl Store {
    /// Reads the owner and the options of a link token, unless the token is unknown or expired at `now`.
    pub async fn link_token(&self, token: &str, now: DateTime<Utc>) -> Result<Option<LinkTokenOwner>, StoreError> {
        self.read("link_token", |reader| reader.link_token(token, now)).await
    }

    /// Reads the settings of the providers that an organisation configured, by slug, with their secrets.
    pub async fn all_provider_settings(
        &self,
        organisation: &OrganisationId,
    ) -> Result<Vec<StoredProviderSettings>, StoreError> {
        self.read("all_provider_settings", |reader| {
            reader.all_provider_settings(organisation)
        })
        .await
    }

    /// Reads the settings of a provider that an organisation configured, with its secret.
    pub async fn provider_settings(
        &self,
        organisation: &OrganisationId,
        slug: &str,
    ) -> Result<Option<StoredProviderSettings>, StoreError> {
        self.read("provider_settings", |reader| {
            reader.provider_settings(organisation, slug)
        })
        .await
    }

    /// Reads the providers that users of a team can link, by slug, with their secrets.
    pub async fn linkable_providers(&self, team: TeamId) -> Result<Vec<LinkableProvider>, StoreError> {
        self.read("linkable_providers", |reader| reader.linkable_providers(team))
            .await
    }

    /// Looks up a team of an organisation.
    pub async fn team_of_organisation(
        &self,
        organisation: &OrganisationId,
        team_id: Uuid,
    ) -> Result<Option<TeamId>, StoreError> {
        self.read("team_of_organisation", |reader| {
            reader.team_of_organisation(organisation, team_id)
        })
        .await
    }

    /// Reads the URLs that link tokens of a team may redirect to.
    pub async fn redirect_urls(&self, team: TeamId) -> Result<Vec<String>, StoreError> {
        self.read("redirect_urls", |reader| reader.redirect_urls(team)).await
    }

    /// Reads a page of the link tokens of a team that are valid at `now`, by hash.
    pub async fn link_tokens(
        &self,
        team: TeamId,
        now: DateTime<Utc>,
        after: Option<KeyHash>,
        limit: usize,
    ) -> Result<LinkTokenPage, StoreError> {
        self.read("link_tokens", |reader| reader.link_tokens(team, now, after, limit))
            .await
    }

    /// Reads a page of the connections of an organisation's users, in the order in which they were first created.
    pub async fn connections_of_organisation(
        &self,
        organisation: &OrganisationId,
        filter: &ConnectionFilter<'_>,
        limit: usize,
    ) -> Result<ConnectionPage, StoreError> {
        self.snapshot("connections_of_organisation", |reader| {
            reader.connections_of_organisation(organisation, filter, limit)
        })
        .await
    }

    /// Reads the tokens of a connection. None if the team has no such user, or the user no such connection.
    pub async fn connection_tokens(
        &self,
        team: TeamId,
        user_id: Uuid,
        slug: &str,
    ) -> Result<Option<ConnectionTokens>, StoreError> {
        self.snapshot("connection_tokens", |reader| {
            reader.connection_tokens(team, user_id, slug)
        })
        .await
    }

    /// Looks up the organisation of an authorization request by its `state`. None for an unknown state.
    pub async fn organisation_of_state(&self, state: &str) -> Result<Option<OrganisationId>, StoreError> {
        self.read("organisation_of_state", |reader| reader.organisation_of_state(state))
            .await
    }

    /// Reads the connections that are due for a refresh and that no process refreshes, longest due first.
    pub async fn due_refreshes(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<ConnectionId>, StoreError> {
        self.read("due_refreshes", |reader| reader.due_refreshes(now, limit))
            .await
    }

    /// Returns whether the exchange of a code began at a time or before, and has not ended.
    pub async fn has_interrupted_authorizations(&self, before: DateTime<Utc>) -> Result<bool, StoreError> {
        self.read("has_interrupted_authorizations", |reader| {
            reader.has_interrupted_authorizations(before)
        })
        .await
    }
}
