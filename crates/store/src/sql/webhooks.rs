//! Endpoints of webhooks.

use super::value::params;

use super::connection::missing;
use super::document::encode;
use super::revisions::ROUTES;
use super::sealing::{find, open};
use super::{Engine, Writer};
use crate::{StoreError, WebhookEndpoint};

const KIND: &str = "webhook";

impl Engine {
    pub(crate) fn webhooks(&self) -> Result<Vec<WebhookEndpoint>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT team_id, document FROM webhooks ORDER BY team_id, webhook_id";
            connection.all(sql, params![], |row| open(KIND, &self.seal, row))
        })
    }
}

impl Writer<'_> {
    pub(crate) fn webhook(&self, id: &str) -> Result<Option<WebhookEndpoint>, StoreError> {
        let sql = "SELECT team_id, document FROM webhooks WHERE webhook_id = ?1";
        find(KIND, self.seal, self.connection, sql, params![id])
    }

    pub(crate) fn put_webhook(&self, webhook: &WebhookEndpoint) -> Result<(), StoreError> {
        let team_id = webhook.team_id.as_bytes();
        let document = self.seal.close(team_id, encode(KIND, webhook)?)?;
        let sql = "INSERT INTO webhooks (webhook_id, team_id, document) VALUES (?1, ?2, ?3)
            ON CONFLICT (webhook_id) DO UPDATE SET document = excluded.document WHERE webhooks.team_id = excluded.team_id";
        let changed = self
            .connection
            .execute(sql, params![webhook.webhook_id, team_id, document])
            .map_err(missing("team"))?;
        if changed == 0 {
            let what = "the webhook is another team's";
            return Err(StoreError::Conflict { what });
        }
        self.bump(ROUTES)
    }

    pub(crate) fn delete_webhook(&self, id: &str) -> Result<bool, StoreError> {
        let found = self
            .connection
            .execute("DELETE FROM webhooks WHERE webhook_id = ?1", params![id])?
            > 0;
        self.bump(ROUTES)?;
        Ok(found)
    }
}
