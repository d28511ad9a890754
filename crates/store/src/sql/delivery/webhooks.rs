//! Endpoints of webhooks.

use crate::sql::value::params;
use uuid::Uuid;

use crate::sql::admin::sealing::{find, open};
use crate::sql::connection::missing;
use crate::sql::document::{encode, rows};
use crate::sql::events::revisions::ROUTES;
use crate::sql::{Reader, Transaction};
use crate::{OrganisationId, StoreError, TeamId, WebhookEndpoint, WebhookPage};

const KIND: &str = "webhook";
const OF_TEAM: &str = "SELECT team_id, document FROM webhooks WHERE webhook_id = ?1 AND team_id = ?2";

impl Reader<'_> {
    pub(crate) fn webhooks(&self) -> Result<Vec<WebhookEndpoint>, StoreError> {
        let sql = "SELECT team_id, document FROM webhooks ORDER BY team_id, webhook_id";
        self.connection.all(sql, params![], |row| open(KIND, self.seal, row))
    }

    /// The endpoints of the teams of an organisation, or of one of them.
    pub(crate) fn organisation_webhooks(
        &self,
        organisation: &OrganisationId,
        team_id: Option<Uuid>,
    ) -> Result<Vec<WebhookEndpoint>, StoreError> {
        let sql = "SELECT teams.team_id, webhooks.document FROM teams JOIN webhooks ON webhooks.team_id = teams.team_id
            WHERE organisation_id = ?1 AND (teams.team_id = ?2 OR ?2 IS NULL) ORDER BY teams.team_id, webhook_id";
        let params = params![organisation.as_str(), team_id.as_ref().map(|id| id.as_bytes())];
        self.connection.all(sql, params, |row| open(KIND, self.seal, row))
    }

    /// A page of the endpoints of a team, by id.
    pub(crate) fn team_webhooks(
        &self,
        team: TeamId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<WebhookPage, StoreError> {
        let sql = "SELECT team_id, document FROM webhooks WHERE team_id = ?1 AND (webhook_id > ?2 OR ?2 IS NULL)
            ORDER BY webhook_id LIMIT ?3";
        // One more row shows whether there is another page.
        let params = params![team.as_bytes(), after, rows(limit.saturating_add(1))];
        let mut webhooks: Vec<WebhookEndpoint> = self.connection.all(sql, params, |row| open(KIND, self.seal, row))?;
        let more = webhooks.len() > limit;
        webhooks.truncate(limit);
        let last = webhooks.last().map(|webhook| webhook.webhook_id.clone());
        let next = if more { last } else { None };
        Ok(WebhookPage { webhooks, next })
    }

    pub(crate) fn team_webhook(&self, team: TeamId, id: &str) -> Result<Option<WebhookEndpoint>, StoreError> {
        find(KIND, self.seal, self.connection, OF_TEAM, params![id, team.as_bytes()])
    }
}

impl Transaction<'_> {
    /// An endpoint of webhooks.
    pub fn webhook(&self, id: &str) -> Result<Option<WebhookEndpoint>, StoreError> {
        let sql = "SELECT team_id, document FROM webhooks WHERE webhook_id = ?1";
        find(KIND, self.seal, self.connection, sql, params![id])
    }

    /// An endpoint of webhooks of the team.
    pub fn team_webhook(&self, team: TeamId, id: &str) -> Result<Option<WebhookEndpoint>, StoreError> {
        find(KIND, self.seal, self.connection, OF_TEAM, params![id, team.as_bytes()])
    }

    /// Puts an endpoint of webhooks.
    pub fn put_webhook(&self, webhook: &WebhookEndpoint) -> Result<(), StoreError> {
        let team_id = webhook.team_id.as_bytes();
        let document = self.seal.close(team_id, encode(KIND, webhook)?)?;
        let sql = "INSERT INTO webhooks (webhook_id, team_id, document) VALUES (?1, ?2, ?3)
            ON CONFLICT (webhook_id) DO UPDATE SET document = excluded.document WHERE webhooks.team_id = excluded.team_id";
        let changed = self
            .connection
            .execute(sql, params![webhook.webhook_id, team_id, document])
            .map_err(missing("team"))?;
        if changed == 0 {
            let what = "the webhook belongs to another team";
            return Err(StoreError::Conflict { what });
        }
        self.bump(ROUTES)
    }

    /// Deletes an endpoint of webhooks, with its undelivered events. False if there is none.
    pub fn delete_webhook(&self, id: &str) -> Result<bool, StoreError> {
        let found = self
            .connection
            .execute("DELETE FROM webhooks WHERE webhook_id = ?1", params![id])?
            > 0;
        self.bump(ROUTES)?;
        Ok(found)
    }
}
