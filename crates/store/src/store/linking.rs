//! What linking providers reads.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    ConnectionFilter, ConnectionId, ConnectionPage, ConnectionTokens, KeyHash, LinkTokenOwner, LinkTokenPage,
    LinkableProvider, OrganisationId, Store, StoreError, StoredProviderSettings, TeamId,
};

impl Store {
    /// Whose a link token is and what it is for, unless the token is unknown or expired at `now`.
    pub async fn link_token(&self, token: &str, now: DateTime<Utc>) -> Result<Option<LinkTokenOwner>, StoreError> {
        self.read("link_token", |reader| reader.link_token(token, now)).await
    }

    /// The settings of the providers that an organisation has set up, by slug, with their secrets.
    pub async fn all_provider_settings(
        &self,
        organisation: &OrganisationId,
    ) -> Result<Vec<StoredProviderSettings>, StoreError> {
        self.read("all_provider_settings", |reader| {
            reader.all_provider_settings(organisation)
        })
        .await
    }

    /// The settings of a provider that an organisation has set up, with its secret.
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

    /// The providers that users of a team can link, by slug, with their secrets.
    pub async fn linkable_providers(&self, team: TeamId) -> Result<Vec<LinkableProvider>, StoreError> {
        self.read("linkable_providers", |reader| reader.linkable_providers(team))
            .await
    }

    /// A team of an organisation.
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

    /// The URLs that link tokens of a team may name.
    pub async fn redirect_urls(&self, team: TeamId) -> Result<Vec<String>, StoreError> {
        self.read("redirect_urls", |reader| reader.redirect_urls(team)).await
    }

    /// A page of the link tokens of a team that are good at `now`, by hash.
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

    /// A page of the connections of an organisation's users, in the order in which they were first made.
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

    /// What there is of the tokens of a connection. None if the team has no such user, or the user no such connection.
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

    /// The organisation of the user who was sent to a provider with a state. None for an unknown state.
    pub async fn organisation_of_state(&self, state: &str) -> Result<Option<OrganisationId>, StoreError> {
        self.read("organisation_of_state", |reader| reader.organisation_of_state(state))
            .await
    }

    /// The connections whose tokens are to be refreshed, and that nobody refreshes, those that are due longest first.
    pub async fn due_refreshes(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<ConnectionId>, StoreError> {
        self.read("due_refreshes", |reader| reader.due_refreshes(now, limit))
            .await
    }

    /// Returns whether the exchange of some code began at a time or before, and has not ended.
    pub async fn has_interrupted_authorizations(&self, before: DateTime<Utc>) -> Result<bool, StoreError> {
        self.read("has_interrupted_authorizations", |reader| {
            reader.has_interrupted_authorizations(before)
        })
        .await
    }
}
