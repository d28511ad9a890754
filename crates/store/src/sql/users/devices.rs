//! Devices of users.

use crate::sql::value::{Params, params};
use uuid::Uuid;
use wearlab_models::{Device, Encoded};

use crate::sql::connection::{Failure, missing};
use crate::sql::document::{encode, of_user, stored};
use crate::sql::{Reader, Transaction};
use crate::{StoreError, TeamId};

impl Reader<'_> {
    pub(crate) fn devices(&self, team: TeamId, user_id: Uuid) -> Result<Option<Vec<Encoded<Device>>>, StoreError> {
        let sql = "SELECT devices.document FROM users
            LEFT JOIN devices ON devices.user_row = users.id
            WHERE users.team_id = ?1 AND users.user_id = ?2
            ORDER BY devices.device_id";
        of_user(self.connection, sql, team, user_id, &[])
    }

    /// A device of a user.
    pub(crate) fn device(
        &self,
        team: TeamId,
        user_id: Uuid,
        device_id: Uuid,
    ) -> Result<Option<Encoded<Device>>, StoreError> {
        let sql = "SELECT devices.document FROM devices JOIN users ON users.id = devices.user_row
            WHERE devices.team_id = ?1 AND devices.device_id = ?2 AND users.team_id = ?1 AND users.user_id = ?3";
        let key = params![team.as_bytes(), device_id.as_bytes(), user_id.as_bytes()];
        self.connection.first(sql, key, stored)
    }
}

/// Maximum number of devices that arrivals may create for a user: a read of the user's devices has all of them.
const MAX_DEVICES: i64 = 1_000;

impl Transaction<'_> {
    /// Checks that a user may have a new device.
    pub(crate) fn check_device_count(&self, team: TeamId, device: &Device) -> Result<(), StoreError> {
        let others = "SELECT count(*) FROM devices WHERE user_row = ?1 AND device_id <> ?2";
        let key = params![self.require_user_row(team, device.user_id)?, device.id.as_bytes()];
        self.check_count(others, key, MAX_DEVICES, |most| StoreError::Refused {
            field: "device".into(),
            reason: format!("a user has at most {most} devices"),
        })
    }

    /// Puts a device of a user.
    pub fn put_device(&self, team: TeamId, device: &Device) -> Result<(), StoreError> {
        self.write_device(team, device, |insert, update, row| {
            self.connection.insert_or_update(insert, update, row).map(drop)
        })
    }

    /// Pipelined variant of [`Self::put_device`], which does not return whether it changes anything.
    pub(crate) fn put_device_later(&self, team: TeamId, device: &Device) -> Result<(), StoreError> {
        self.write_device(team, device, |insert, update, row| {
            self.connection
                .insert_or_update_pipelined(insert, update, row)
                .map(drop)
        })
    }

    fn write_device(
        &self,
        team: TeamId,
        device: &Device,
        write: impl FnOnce(&str, &str, Params<'_>) -> Result<(), Failure>,
    ) -> Result<(), StoreError> {
        let insert = "INSERT INTO devices (team_id, device_id, user_row, document) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (team_id, device_id) DO NOTHING";
        let update = "UPDATE devices SET user_row = ?3, document = ?4
            WHERE team_id = ?1 AND device_id = ?2 AND document IS DISTINCT FROM ?4";
        let row = params![
            team.as_bytes(),
            device.id.as_bytes(),
            self.require_user_row(team, device.user_id)?,
            encode("device", device)?,
        ];
        write(insert, update, row).map_err(missing("user"))
    }
}
