//! Ids of users at providers.

use uuid::Uuid;

use crate::sql::Transaction;
use crate::sql::value::params;
use crate::{StoreError, TeamId};

impl Transaction<'_> {
    /// Puts the provider's own id of the user of a connection, or removes it.
    pub fn put_provider_user(
        &self,
        team: TeamId,
        user_id: Uuid,
        slug: &str,
        provider_user_id: Option<&str>,
    ) -> Result<(), StoreError> {
        let user_row = self.require_user_row(team, user_id)?;
        let sql = "SELECT id FROM connections WHERE user_row = ?1 AND slug = ?2";
        let connection: Option<i64> = self.connection.first(sql, params![user_row, slug], |row| row.get(0))?;
        let what = "connection between the user and the provider";
        let connection = connection.ok_or(StoreError::Missing { what })?;
        let Some(provider_user_id) = provider_user_id else {
            let sql = "DELETE FROM provider_users WHERE connection = ?1";
            self.connection.execute(sql, params![connection])?;
            return Ok(());
        };
        let sql = "INSERT INTO provider_users (connection, provider, provider_user_id) VALUES (?1, ?2, ?3)
            ON CONFLICT (connection) DO UPDATE SET provider_user_id = excluded.provider_user_id";
        self.connection
            .execute(sql, params![connection, slug, provider_user_id])?;
        Ok(())
    }
}
