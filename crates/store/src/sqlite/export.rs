//! Everything in the store, in the order in which it can be put into another one.

use std::collections::BTreeMap;

use rusqlite::{Connection, Params, Row};
use serde::de::DeserializeOwned;
use uuid::Uuid;
use wearlab_models::{Environment, Region};

use super::document::{decode, id};
use super::{Engine, keys, pipelines, sealing, together};
use crate::{
    ConnectionRecord, DeviceRecord, LabAccountRecord, LabTestRecord, OrganisationRecord, ProviderRecord, Record,
    StoreError, TeamRecord,
};

/// Takes one record. A trait alias, in effect.
trait Each<E>: FnMut(Record) -> Result<(), E> {}
impl<E, F: FnMut(Record) -> Result<(), E>> Each<E> for F {}

impl Engine {
    /// All records, as of one moment. Those of one kind come in the order of their ids, users in that of their list.
    pub(crate) fn export<E: From<StoreError>>(&self, mut each: impl FnMut(Record) -> Result<(), E>) -> Result<(), E> {
        let mut each = |record| each(record).map_err(Ended::Caller);
        let outcome = self.readers.with(|connection| {
            together(connection, |connection| {
                owners(connection, &mut each)?;
                catalogue(connection, &mut each)?;
                labs(connection, &mut each)?;
                let sql = "SELECT team_id, document FROM pipelines ORDER BY team_id";
                rows(connection, sql, [], &mut |row| {
                    each(Record::Pipeline(sealing::open(pipelines::KIND, &self.seal, row)?))
                })?;
                users(connection, &mut each)
            })
        });
        outcome.map_err(|ended| match ended {
            Ended::Store(error) => self.noted(error).into(),
            Ended::Caller(error) => error,
        })
    }
}

/// Whose error ends an export.
enum Ended<E> {
    Store(StoreError),
    Caller(E),
}

impl<E> From<StoreError> for Ended<E> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Organisations, teams and keys.
fn owners<E: From<StoreError>>(connection: &Connection, each: &mut impl Each<E>) -> Result<(), E> {
    let sql = "SELECT organisation_id FROM organisations ORDER BY organisation_id";
    rows(connection, sql, [], &mut |row| {
        let org_id = column(row, 0)?;
        each(Record::Organisation(OrganisationRecord { org_id }))
    })?;
    let sql = "SELECT team_id, organisation_id, environment, region FROM teams ORDER BY team_id";
    rows(connection, sql, [], &mut |row| {
        each(Record::Team(TeamRecord {
            team_id: team_id(row)?,
            org_id: column(row, 1)?,
            environment: named::<Environment>(row, 2)?,
            region: named::<Region>(row, 3)?,
        }))
    })?;
    rows(connection, keys::ALL, [], &mut |row| {
        each(Record::Key(keys::info(row).map_err(StoreError::from)?.record))
    })
}

fn catalogue<E: From<StoreError>>(connection: &Connection, each: &mut impl Each<E>) -> Result<(), E> {
    let sql = "SELECT source_type, document, link FROM providers ORDER BY slug";
    rows(connection, sql, [], &mut |row| {
        let link: Option<String> = column(row, 2)?;
        each(Record::Provider(ProviderRecord {
            source_type: column::<String>(row, 0)?.as_str().into(),
            supported: document("provider", row, 1)?,
            link: link.map(|link| decode("provider", &link)).transpose()?,
        }))
    })?;
    let sql = "SELECT document FROM cancellation_reasons ORDER BY id";
    rows(connection, sql, [], &mut |row| {
        each(Record::CancellationReason(document("cancellation reason", row, 0)?))
    })
}

fn labs<E: From<StoreError>>(connection: &Connection, each: &mut impl Each<E>) -> Result<(), E> {
    let markers = "SELECT document FROM lab_test_markers JOIN markers USING (marker_id)
        WHERE lab_test_id = ?1 ORDER BY marker_id";
    let sql = "SELECT lab_test_id, name FROM lab_tests ORDER BY lab_test_id";
    rows(connection, sql, [], &mut |row| {
        let lab_test_id: String = column(row, 0)?;
        let markers = list(connection, markers, [&lab_test_id], |row| document("marker", row, 0))?;
        let name = column(row, 1)?;
        each(Record::LabTest(LabTestRecord {
            lab_test_id,
            name,
            markers,
        }))
    })?;
    let tests = "SELECT lab_test_id FROM lab_account_tests WHERE account = ?1 ORDER BY lab_test_id";
    let markers =
        "SELECT marker_id FROM lab_account_markers WHERE account = ?1 AND lab_test_id = ?2 ORDER BY marker_id";
    let sql = "SELECT team_id, account_id, id FROM lab_accounts ORDER BY team_id, account_id";
    rows(connection, sql, [], &mut |row| {
        let account: i64 = column(row, 2)?;
        let mut visible = BTreeMap::new();
        for test in list(connection, tests, [account], |row| column::<String>(row, 0))? {
            let markers = list(connection, markers, (account, &test), |row| column(row, 0))?;
            visible.insert(test, markers);
        }
        each(Record::LabAccount(LabAccountRecord {
            team_id: team_id(row)?,
            lab_account_id: Uuid::from_bytes(column(row, 1)?),
            visible,
        }))
    })
}

/// Users, each followed by what hangs on them.
fn users<E: From<StoreError>>(connection: &Connection, each: &mut impl Each<E>) -> Result<(), E> {
    let connections = "SELECT document FROM connections WHERE team_id = ?1 AND user_id = ?2 ORDER BY created_on, slug";
    let devices = "SELECT document FROM devices WHERE team_id = ?1 AND user_id = ?2 ORDER BY device_id";
    let sql = "SELECT team_id, user_id, document FROM users ORDER BY team_id, created_on, user_id";
    rows(connection, sql, [], &mut |row| {
        let team_id = team_id(row)?;
        let user_id = Uuid::from_bytes(column(row, 1)?);
        each(Record::User(document("user", row, 2)?))?;
        let key = [team_id.as_bytes(), user_id.as_bytes()];
        rows(connection, connections, key, &mut |row| {
            let provider = document("connection", row, 0)?;
            each(Record::Connection(ConnectionRecord {
                team_id,
                user_id,
                provider,
            }))
        })?;
        rows(connection, devices, key, &mut |row| {
            let device = document("device", row, 0)?;
            each(Record::Device(DeviceRecord { team_id, device }))
        })
    })
}

fn rows<E: From<StoreError>>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    each: &mut dyn FnMut(&Row<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = connection.prepare_cached(sql).map_err(StoreError::from)?;
    let mut rows = statement.query(params).map_err(StoreError::from)?;
    while let Some(row) = rows.next().map_err(StoreError::from)? {
        each(row)?;
    }
    Ok(())
}

fn list<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    value: impl Fn(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let mut list = Vec::new();
    rows::<StoreError>(connection, sql, params, &mut |row| {
        list.push(value(row)?);
        Ok(())
    })?;
    Ok(list)
}

fn column<T: rusqlite::types::FromSql>(row: &Row<'_>, index: usize) -> Result<T, StoreError> {
    Ok(row.get(index)?)
}

fn team_id(row: &Row<'_>) -> Result<Uuid, StoreError> {
    Ok(id(row)?)
}

fn document<T: DeserializeOwned>(what: &'static str, row: &Row<'_>, index: usize) -> Result<T, StoreError> {
    decode(what, &column::<String>(row, index)?)
}

/// A value of a closed enum, by its name.
fn named<T: std::str::FromStr>(row: &Row<'_>, index: usize) -> Result<T, StoreError> {
    let name: String = column(row, index)?;
    name.parse().map_err(|_| StoreError::Document { what: "team" })
}
