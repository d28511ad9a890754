//! Export of the store, in an order in which another store can import it.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use uuid::Uuid;
use wearlab_models::{Environment, Region};

use super::records::{Each, rows};
use super::sealing;
use crate::seal::Seal;
use crate::sql::Reader;
use crate::sql::access::keys;
use crate::sql::connection::Connection;
use crate::sql::data::value_pages;
use crate::sql::delivery::pipelines;
use crate::sql::document::{decode, id};
use crate::sql::labs::orders;
use crate::sql::users::row::UserRow;
use crate::sql::value::{Row, params};
use crate::{
    ConnectionRecord, DeviceRecord, LabAccountRecord, LabTestDetails, LabTestRecord, OrganisationRecord,
    ProviderRecord, Record, StoreError, TeamRecord,
};

impl Reader<'_> {
    /// All records. Those of one kind are sorted by id, and users as in their list.
    pub(crate) fn export(&self, each: &mut impl FnMut(Record) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let connection = self.connection;
        owners(connection, each)?;
        catalogue(connection, each)?;
        labs(connection, each)?;
        let sql = "SELECT team_id, document FROM pipelines ORDER BY team_id";
        rows(connection, sql, params![], |row| {
            each(Record::Pipeline(sealing::open(pipelines::KIND, self.seal, row)?))
        })?;
        users(connection, self.seal, each)
    }
}

/// Organisations, teams and keys.
fn owners(connection: &Connection<'_>, each: &mut impl Each) -> Result<(), StoreError> {
    let sql = "SELECT organisation_id FROM organisations ORDER BY organisation_id";
    rows(connection, sql, params![], |row| {
        let org_id = row.get(0)?;
        each(Record::Organisation(OrganisationRecord { org_id }))
    })?;
    let sql = "SELECT team_id, organisation_id, environment, region FROM teams ORDER BY team_id";
    rows(connection, sql, params![], |row| {
        each(Record::Team(TeamRecord {
            team_id: id(row)?,
            org_id: row.get(1)?,
            environment: named::<Environment>(row, 2)?,
            region: named::<Region>(row, 3)?,
        }))
    })?;
    for key in keys::all(connection)? {
        each(Record::Key(key.record))?;
    }
    Ok(())
}

fn catalogue(connection: &Connection<'_>, each: &mut impl Each) -> Result<(), StoreError> {
    let sql = "SELECT source_type, document, link FROM providers ORDER BY slug";
    rows(connection, sql, params![], |row| {
        let link: Option<String> = row.get(2)?;
        each(Record::Provider(ProviderRecord {
            source_type: row.get::<String>(0)?.as_str().into(),
            supported: document("provider", row, 1)?,
            link: link.map(|link| decode("provider", &link)).transpose()?,
        }))
    })?;
    let sql = "SELECT document FROM cancellation_reasons ORDER BY id";
    rows(connection, sql, params![], |row| {
        each(Record::CancellationReason(document("cancellation reason", row, 0)?))
    })
}

fn labs(connection: &Connection<'_>, each: &mut impl Each) -> Result<(), StoreError> {
    let markers = "SELECT document FROM lab_test_markers JOIN markers USING (marker_id)
        WHERE lab_test_id = ?1 ORDER BY marker_id";
    let sql = "SELECT lab_test_id, name, document FROM lab_tests ORDER BY lab_test_id";
    rows(connection, sql, params![], |row| {
        let lab_test_id: String = row.get(0)?;
        let markers = connection.all(markers, params![lab_test_id], |row| document("marker", row, 0))?;
        let name = row.get(1)?;
        let test: Option<String> = row.get(2)?;
        let test = test.map(|test| decode("lab test", &test)).transpose()?;
        each(Record::LabTest(LabTestRecord {
            lab_test_id,
            name,
            markers,
            details: test.map(LabTestDetails::of),
        }))
    })?;
    let tests = "SELECT lab_test_id FROM lab_account_tests WHERE account = ?1 ORDER BY lab_test_id";
    let markers =
        "SELECT marker_id FROM lab_account_markers WHERE account = ?1 AND lab_test_id = ?2 ORDER BY marker_id";
    let sql = "SELECT team_id, account_id, id FROM lab_accounts ORDER BY team_id, account_id";
    rows(connection, sql, params![], |row| {
        let account: i64 = row.get(2)?;
        let mut visible = BTreeMap::new();
        for test in connection.all(tests, params![account], |row| row.get::<String>(0))? {
            let markers = connection.all(markers, params![account, test], |row| row.get(0))?;
            visible.insert(test, markers);
        }
        each(Record::LabAccount(LabAccountRecord {
            team_id: id(row)?,
            lab_account_id: Uuid::from_bytes(row.get(1)?),
            visible,
        }))
    })
}

/// Users, each followed by their child rows.
fn users(connection: &Connection<'_>, seal: &Seal, each: &mut impl Each) -> Result<(), StoreError> {
    let sql = "SELECT team_id, user_id, document, id FROM users ORDER BY team_id, created_on, user_id";
    rows(connection, sql, params![], |row| {
        let team_id = id(row)?;
        let user_id = Uuid::from_bytes(row.get(1)?);
        each(Record::User(document("user", row, 2)?))?;
        let user_row = UserRow::of(row, 3)?;
        of_user(connection, seal, (team_id, user_id, user_row), each)?;
        value_pages::values(connection, (team_id, user_id, user_row), each)
    })
}

/// The connections, the devices and the orders of a user.
pub(crate) fn of_user(
    connection: &Connection<'_>,
    seal: &Seal,
    (team_id, user_id, user_row): (Uuid, Uuid, UserRow),
    each: &mut impl Each,
) -> Result<(), StoreError> {
    let connections = "SELECT document FROM connections WHERE user_row = ?1 ORDER BY created_on, slug";
    let devices = "SELECT document FROM devices WHERE user_row = ?1 ORDER BY device_id";
    let key = params![user_row];
    rows(connection, connections, key, |row| {
        let provider = document("connection", row, 0)?;
        each(Record::Connection(ConnectionRecord {
            team_id,
            user_id,
            provider,
        }))
    })?;
    rows(connection, devices, key, |row| {
        let device = document("device", row, 0)?;
        each(Record::Device(DeviceRecord { team_id, device }))
    })?;
    let orders = orders::of_user(connection, seal, user_row)?;
    orders
        .into_iter()
        .try_for_each(|order| each(Record::Order(Box::new(order))))
}

fn document<T: DeserializeOwned>(what: &'static str, row: &Row<'_>, index: usize) -> Result<T, StoreError> {
    decode(what, &row.get::<String>(index)?)
}

/// A value of a closed enum, by its name.
fn named<T: std::str::FromStr>(row: &Row<'_>, index: usize) -> Result<T, StoreError> {
    let name: String = row.get(index)?;
    name.parse().map_err(|_| StoreError::Document { what: "team" })
}
