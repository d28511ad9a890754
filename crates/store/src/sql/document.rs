//! Encoding and decoding of documents in rows.

use super::connection::Connection;
use super::value::{Params, Row, params};
use chrono::{DateTime, TimeZone};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;
use wearlab_models::Encoded;

use crate::{ArrivalSource, StoreError, TeamId};

/// The text of a value. `what` names its kind in errors.
pub(super) fn encode<T: Serialize>(what: &'static str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|_| StoreError::Document { what })
}

/// The value of a text. `what` names its kind in errors.
pub(super) fn decode<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|_| StoreError::Document { what })
}

/// The document in the first column, as stored.
pub(super) fn stored<T>(row: &Row<'_>) -> Result<Encoded<T>, StoreError> {
    Ok(Encoded::from_stored(row.get::<String>(0)?))
}

/// Kind of document of a source.
pub(super) const SOURCE: &str = "source";

/// Returns the stored text of a source.
pub(super) fn source_text(source: &ArrivalSource) -> Result<String, StoreError> {
    encode(SOURCE, &source.clone().normalized())
}

/// The documents of a user's child rows. None if the team has no such user.
///
/// `sql` joins them to the user from the left, and reads them: a user without any is one
/// row without a document, a missing user is no row. Its parameters are the team, the user and the others.
pub(super) fn of_user<T>(
    connection: &Connection<'_>,
    sql: &str,
    team: TeamId,
    user_id: Uuid,
    others: Params<'_>,
) -> Result<Option<Vec<Encoded<T>>>, StoreError> {
    let key = params![team.as_bytes(), user_id.as_bytes()];
    let rows = connection.all(sql, &[key, others].concat(), |row| row.get::<Option<String>>(0))?;
    if rows.is_empty() {
        return Ok(None);
    }
    let documents = rows.into_iter().flatten();
    Ok(Some(documents.map(Encoded::from_stored).collect()))
}

/// The id in the first column.
pub(super) fn id(row: &Row<'_>) -> Result<Uuid, StoreError> {
    row.get(0).map(Uuid::from_bytes)
}

/// A point in time as an integer column. The years before 1677 and after 2262 are one moment each.
pub(super) fn instant<Z: TimeZone>(time: DateTime<Z>) -> i64 {
    let beyond = if time.timestamp() < 0 { i64::MIN } else { i64::MAX };
    time.timestamp_nanos_opt().unwrap_or(beyond)
}

/// A limit of rows as an integer.
pub(super) fn rows(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The condition that a column equals one of `count` parameters, from a number on.
pub(super) fn is_one_of(column: &str, first: usize, count: usize) -> String {
    match count {
        1 => format!("{column} = ?{first}"),
        _ => {
            let listed: Vec<_> = (first..first + count).map(|at| format!("?{at}")).collect();
            format!("{column} IN ({})", listed.join(", "))
        }
    }
}
