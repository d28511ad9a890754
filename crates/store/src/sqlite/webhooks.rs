//! Endpoints of webhooks.

use rusqlite::{OptionalExtension, params};

use super::document::encode;
use super::error::missing;
use super::sealing::{find, open};
use super::{Engine, Writer};
use crate::{StoreError, WebhookEndpoint};

const KIND: &str = "webhook";

impl Engine {
    pub(crate) fn webhooks(&self) -> Result<Vec<WebhookEndpoint>, StoreError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT team_id, document FROM webhooks ORDER BY team_id, webhook_id")?;
            let mut rows = statement.query([])?;
            let mut webhooks = Vec::new();
            while let Some(row) = rows.next()? {
                webhooks.push(open(KIND, &self.seal, row)?);
            }
            Ok(webhooks)
        })
    }
}

impl Writer<'_> {
    pub(crate) fn webhook(&self, id: &str) -> Result<Option<WebhookEndpoint>, StoreError> {
        let sql = "SELECT team_id, document FROM webhooks WHERE webhook_id = ?1";
        find(KIND, self.seal, self.connection, sql, [id])
    }

    pub(crate) fn put_webhook(&self, webhook: &WebhookEndpoint) -> Result<(), StoreError> {
        let team_id = webhook.team_id.as_bytes();
        let document = self.seal.close(team_id, encode(KIND, webhook)?)?;
        let sql = "INSERT INTO webhooks (webhook_id, team_id, document) VALUES (?1, ?2, ?3)
            ON CONFLICT (webhook_id) DO UPDATE SET document = excluded.document WHERE team_id = excluded.team_id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let changed = statement
            .execute(params![webhook.webhook_id, team_id, document])
            .map_err(missing("team"))?;
        if changed == 0 {
            let what = "the webhook is another team's";
            return Err(StoreError::Conflict { what });
        }
        Ok(())
    }

    pub(crate) fn delete_webhook(&self, id: &str) -> Result<bool, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("DELETE FROM webhooks WHERE webhook_id = ?1 RETURNING 1")?;
        Ok(statement.query_row([id], |_| Ok(())).optional()?.is_some())
    }
}
