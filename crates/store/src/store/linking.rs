//! Reads for the linking of providers.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::reads::reads;
use crate::{
    ConnectionFilter, ConnectionId, ConnectionPage, ConnectionTokens, KeyHash, LinkTokenOwner, LinkTokenPage,
    LinkableProvider, OrganisationId, PullBacklog, PullTask, Store, StoredProviderSettings, TeamId,
};

reads! { Store => self;
    /// Reads the owner and the options of a link token, unless the token is unknown or expired at `now`.
    read fn link_token(&self, token: &str, now: DateTime<Utc>) -> Option<LinkTokenOwner> =
        |reader| reader.link_token(token, now);

    /// Reads the settings of the providers that an organisation configured, by slug, with their secrets.
    read fn all_provider_settings(&self, organisation: &OrganisationId) -> Vec<StoredProviderSettings> =
        |reader| reader.all_provider_settings(organisation);

    /// Reads the settings of a provider that an organisation configured, with its secret.
    read fn provider_settings(&self, organisation: &OrganisationId, slug: &str) -> Option<StoredProviderSettings> =
        |reader| reader.provider_settings(organisation, slug);

    /// Reads the providers that users of a team can link, by slug, with their secrets.
    read fn linkable_providers(&self, team: TeamId) -> Vec<LinkableProvider> = |reader| reader.linkable_providers(team);

    /// Looks up a team of an organisation.
    read fn team_of_organisation(&self, organisation: &OrganisationId, team_id: Uuid) -> Option<TeamId> =
        |reader| reader.team_of_organisation(organisation, team_id);

    /// Reads the URLs that link tokens of a team may redirect to.
    read fn redirect_urls(&self, team: TeamId) -> Vec<String> = |reader| reader.redirect_urls(team);

    /// Reads a page of the link tokens of a team that are valid at `now`, by hash.
    read fn link_tokens(
        &self,
        team: TeamId,
        now: DateTime<Utc>,
        after: Option<KeyHash>,
        limit: usize,
    ) -> LinkTokenPage =
        |reader| reader.link_tokens(team, now, after, limit);

    /// Reads a page of the connections of an organisation's users, in the order in which they were first created.
    snapshot fn connections_of_organisation(
        &self,
        organisation: &OrganisationId,
        filter: &ConnectionFilter<'_>,
        limit: usize,
    ) -> ConnectionPage =
        |reader| reader.connections_of_organisation(organisation, filter, limit);

    /// Reads the tokens of a connection. None if the team has no such user, or the user no such connection.
    snapshot fn connection_tokens(&self, team: TeamId, user_id: Uuid, slug: &str) -> Option<ConnectionTokens> =
        |reader| reader.connection_tokens(team, user_id, slug);

    /// Looks up the organisation of an authorization request by its `state`. None for an unknown state.
    read fn organisation_of_state(&self, state: &str) -> Option<OrganisationId> =
        |reader| reader.organisation_of_state(state);

    /// Reads the connections that are due for a refresh and that no process refreshes, longest due first.
    read fn due_refreshes(&self, now: DateTime<Utc>, limit: usize) -> Vec<ConnectionId> =
        |reader| reader.due_refreshes(now, limit);

    /// Returns whether the exchange of a code began at a time or before, and has not ended.
    read fn has_interrupted_authorizations(&self, before: DateTime<Utc>) -> bool =
        |reader| reader.has_interrupted_authorizations(before);

    /// Reads the tasks of connectors for the connections of a user, by provider and in the order of their priority.
    read fn pull_tasks(&self, team: TeamId, user_id: Uuid) -> Vec<PullTask> = |reader| reader.pull_tasks(team, user_id);

    /// Reads the time at which a task of these providers is due next, or its lease ends. The time may be too early after
    /// tasks were deleted, until the next [lease](crate::Transaction::lease_pull_tasks).
    read fn next_pull_task_due(&self, slugs: &[&str]) -> Option<DateTime<Utc>> =
        |reader| reader.next_pull_task_due(slugs);

    /// Reads how many tasks of these providers are due, without providers that have none.
    read fn pull_backlogs(&self, slugs: &[&str], now: DateTime<Utc>) -> Vec<PullBacklog> =
        |reader| reader.pull_backlogs(slugs, now);
}
