//! The days that users have data of.

use super::value::params;
use chrono::NaiveDate;

use super::Transaction;
use super::document::{decode, encode};
use super::user_row::UserRow;
use crate::{ArrivalSource, DataArrival, StoreError, TeamId};

/// The kind of document that the source of data is.
const KIND: &str = "source";
const FIND: &str = "SELECT source, hash FROM days WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND day = ?4";

/// What data of a day are.
pub(super) enum Day {
    /// There were none before, of any source.
    New,
    /// There were others before, of this source or another one.
    Changed,
    /// There were the same before.
    Same,
}

/// What was known of a day's data.
#[derive(Default)]
struct Known {
    /// The hash of those of the source.
    hash: Option<Vec<u8>>,
    /// Whether there are some of another source.
    others: bool,
}

impl Transaction<'_> {
    /// Notes that there are data of a day, by the hash of their values, and says whether they are news.
    pub(super) fn note_day(&self, team: TeamId, arrival: &DataArrival, hash: [u8; 32]) -> Result<Day, StoreError> {
        let known = self.put_day(team, arrival, arrival.date, &hash)?;
        Ok(match known.hash {
            Some(before) if before == hash => Day::Same,
            None if !known.others => Day::New,
            _ => Day::Changed,
        })
    }

    /// Notes that a historical pull has data of a day. What came of the day itself is newer than those.
    pub(super) fn note_pulled_day(
        &self,
        team: TeamId,
        arrival: &DataArrival,
        day: NaiveDate,
    ) -> Result<(), StoreError> {
        self.put_day(team, arrival, day, &[]).map(drop)
    }

    /// Puts the hash of the data that a day has of a source; an empty one replaces none. Returns what was known before.
    fn put_day(&self, team: TeamId, arrival: &DataArrival, day: NaiveDate, hash: &[u8]) -> Result<Known, StoreError> {
        let (user_row, day) = (self.known_user_row(team, arrival.user_id)?, day.to_string());
        let (provider, resource) = (&arrival.provider, arrival.resource.as_str());
        let normalized = arrival.source.clone().normalized();
        let source = encode(KIND, &normalized)?;
        let of_day = params![user_row, provider, resource, day];
        let mut known = Known::default();
        // As many rows as there are sources: they come together.
        let mut older_form = None;
        self.connection.all(FIND, of_day, |row| {
            let stored: String = row.get(0)?;
            if stored == source {
                known.hash = Some(row.get(1)?);
            } else if decode::<ArrivalSource>(KIND, &stored)?.normalized() == normalized {
                older_form = Some(row.get(1)?);
            } else {
                known.others = true;
            }
            Ok(())
        })?;
        let is_there = known.hash.is_some();
        // Rows of earlier versions have the source as it was sent. They hold until there is one in today's form.
        known.hash = known.hash.or(older_form);
        if known
            .hash
            .as_ref()
            .is_some_and(|before| before == hash || hash.is_empty())
        {
            return Ok(known);
        }
        let sql = match is_there {
            false => {
                "INSERT INTO days (user_row, provider, resource, day, source, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
            }
            true => {
                "UPDATE days SET hash = ?6
                WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND day = ?4 AND source = ?5"
            }
        };
        let row = params![user_row, provider, resource, day, source, hash];
        self.connection.execute_later(sql, row)?;
        Ok(known)
    }

    /// Asks ahead what is known of the day of an arrival.
    pub(super) fn ask_day(&self, user_row: UserRow, arrival: &DataArrival) -> Result<(), StoreError> {
        let (day, resource) = (arrival.date.to_string(), arrival.resource.as_str());
        self.connection
            .ask_ahead(FIND, params![user_row, arrival.provider, resource, day])
    }
}
