//! Devices of users.

use super::value::params;
use uuid::Uuid;
use wearlab_models::{Device, Encoded};

use super::connection::missing;
use super::document::{encode, of_user};
use super::{Reader, Transaction};
use crate::{StoreError, TeamId};

impl Reader<'_> {
    pub(crate) fn devices(&self, team: TeamId, user_id: Uuid) -> Result<Option<Vec<Encoded<Device>>>, StoreError> {
        let sql = "SELECT devices.document, users.id FROM users
            LEFT JOIN devices ON devices.user_row = users.id
            WHERE users.team_id = ?1 AND users.user_id = ?2
            ORDER BY devices.device_id";
        of_user(self.connection, sql, ("devices", "user_row, device_id"), team, user_id)
    }
}

impl Transaction<'_> {
    /// Puts a device of a user.
    pub fn put_device(&self, team: TeamId, device: &Device) -> Result<(), StoreError> {
        let sql = "INSERT INTO devices (team_id, device_id, user_row, document) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (team_id, device_id) DO UPDATE SET user_row = excluded.user_row, document = excluded.document
            WHERE devices.document IS DISTINCT FROM excluded.document";
        self.connection
            .execute(
                sql,
                params![
                    team.as_bytes(),
                    device.id.as_bytes(),
                    self.known_user_row(team, device.user_id)?,
                    encode("device", device)?,
                ],
            )
            .map_err(missing("user"))?;
        Ok(())
    }
}
