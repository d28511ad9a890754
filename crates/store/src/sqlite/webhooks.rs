//! Endpoints of webhooks.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::document::{decode, encode};
use super::error::missing;
use super::{Engine, Writer};
use crate::seal::Seal;
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
                webhooks.push(open(&self.seal, row)?);
            }
            Ok(webhooks)
        })
    }
}

fn open(seal: &Seal, row: &Row<'_>) -> Result<WebhookEndpoint, StoreError> {
    let team_id: [u8; 16] = row.get(0)?;
    decode(KIND, &seal.open(&team_id, row.get(1)?)?)
}

fn find(connection: &Connection, seal: &Seal, id: &str) -> Result<Option<WebhookEndpoint>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT team_id, document FROM webhooks WHERE webhook_id = ?1")?;
    let mut rows = statement.query([id])?;
    rows.next()?.map(|row| open(seal, row)).transpose()
}

impl Writer<'_> {
    pub(crate) fn webhook(&self, id: &str) -> Result<Option<WebhookEndpoint>, StoreError> {
        find(self.connection, self.seal, id)
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
