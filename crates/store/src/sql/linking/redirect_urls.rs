//! URLs that link tokens of a team may redirect to.

use crate::sql::connection::{Connection, missing};
use crate::sql::value::params;
use crate::sql::{Reader, Transaction};
use crate::{StoreError, TeamId};

impl Reader<'_> {
    pub(crate) fn redirect_urls(&self, team: TeamId) -> Result<Vec<String>, StoreError> {
        all(self.connection, team)
    }
}

fn all(connection: &Connection<'_>, team: TeamId) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT url FROM redirect_urls WHERE team_id = ?1 ORDER BY position";
    connection.all(sql, params![team.as_bytes()], |row| row.get(0))
}

impl Transaction<'_> {
    /// The URLs that link tokens of a team may name.
    pub fn redirect_urls(&self, team: TeamId) -> Result<Vec<String>, StoreError> {
        all(self.connection, team)
    }

    /// Puts the URLs that link tokens of a team may name, in place of the previous ones.
    pub fn put_redirect_urls(&self, team: TeamId, urls: &[String]) -> Result<(), StoreError> {
        let sql = "DELETE FROM redirect_urls WHERE team_id = ?1";
        self.connection.execute(sql, params![team.as_bytes()])?;
        let sql = "INSERT INTO redirect_urls (team_id, position, url) VALUES (?1, ?2, ?3)";
        for (position, url) in (0_u32..).zip(urls) {
            let params = params![team.as_bytes(), position, url];
            self.connection.execute(sql, params).map_err(missing("team"))?;
        }
        Ok(())
    }
}
