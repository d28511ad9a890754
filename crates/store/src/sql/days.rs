//! The days that users have data of.

use super::value::params;
use chrono::NaiveDate;
use wearlab_models::ResourceName;

use super::Transaction;
use super::document::{decode, encode};
use super::user_row::UserRow;
use crate::{ArrivalSource, DataArrival, StoreError};

/// The kind of document that the source of data is.
const KIND: &str = "source";
const FIND: &str = "SELECT source, hash FROM days WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND day = ?4";

/// Bytes of the hash of values.
const HASH: usize = 32;
/// Separates the time zone from the time of the latest sample. It is not UTF-8, so that earlier versions take the zone for an
/// unknown one.
const END: u8 = 0xff;

/// Hash of the data that arrived last of a day, or as a chunk of a pull, and the time zone that those of its times without an offset
/// were read in. Of the samples of a day, also the time of the latest one that arrived.
pub(super) struct DayHash(pub(super) Vec<u8>);

impl DayHash {
    pub(super) fn new(values: &[u8; HASH], zone: Option<&str>) -> Self {
        Self([values, zone.unwrap_or_default().as_bytes()].concat())
    }

    /// Adds the time of the latest sample, in µs since 1970.
    pub(super) fn with_latest(mut self, latest: Option<i64>) -> Self {
        if let Some(latest) = latest {
            self.0.push(END);
            self.0.extend_from_slice(&latest.to_le_bytes());
        }
        self
    }

    /// Returns the time zone in which local times were read, if the hash is that of these values. The inner value is None where
    /// that zone is unknown.
    pub(super) fn zone_of(&self, values: &[u8; HASH]) -> Option<Option<&str>> {
        let rest = self.0.strip_prefix(values)?;
        let zone = rest.split(|byte| *byte == END).next()?;
        Some(std::str::from_utf8(zone).ok().filter(|zone| !zone.is_empty()))
    }

    /// Returns the time of the latest sample. Earlier versions did not note it.
    fn latest(&self) -> Option<i64> {
        let rest = self.0.get(HASH..)?;
        let end = rest.iter().position(|byte| *byte == END)?;
        Some(i64::from_le_bytes(rest.get(end + 1..)?.try_into().ok()?))
    }
}

/// What is known of a day's data.
#[derive(Default)]
pub(super) struct KnownDay {
    /// The source, as it is stored.
    source: String,
    /// The hash of the data of the source: empty where a historical pull or an import alone had any.
    hash: Option<DayHash>,
    /// Whether that is in the row of the source, or in one of an earlier version.
    has_row: bool,
    /// Whether there are data of another source.
    others: bool,
}

impl KnownDay {
    /// Whether there are data of the day, of whatever source.
    pub(super) fn has_data(&self) -> bool {
        self.hash.is_some() || self.others
    }

    /// Whether data of the day itself have arrived of the source, beside those of pulls and imports.
    pub(super) fn has_arrived(&self) -> bool {
        self.hash.as_ref().is_some_and(|hash| !hash.0.is_empty())
    }

    /// The time of the latest sample that arrived for the day.
    pub(super) fn latest(&self) -> Option<i64> {
        self.hash.as_ref()?.latest()
    }

    /// Where the same values arrived last, the time zone that times without an offset were read in, as far as it is known.
    pub(super) fn repeated(&self, values: &[u8; 32]) -> Option<Option<&str>> {
        self.hash.as_ref()?.zone_of(values)
    }
}

impl Transaction<'_> {
    /// Notes that a historical pull or an import has data of a day. What came of the day itself is newer than those.
    pub(super) fn note_pulled_day(
        &self,
        user_row: UserRow,
        arrival: &DataArrival,
        day: NaiveDate,
    ) -> Result<(), StoreError> {
        let known = self.known_day(user_row, arrival, day)?;
        match known.hash {
            Some(_) => Ok(()),
            None => self.put_day(user_row, arrival, day, &known, &DayHash(Vec::new())),
        }
    }

    /// What is known of the data of a day.
    pub(super) fn known_day(
        &self,
        user_row: UserRow,
        arrival: &DataArrival,
        day: NaiveDate,
    ) -> Result<KnownDay, StoreError> {
        let normalized = arrival.source.clone().normalized();
        let mut known = KnownDay {
            source: encode(KIND, &normalized)?,
            ..KnownDay::default()
        };
        let of_day = params![user_row, arrival.provider, arrival.resource.as_str(), day.to_string()];
        // As many rows as there are sources: they come together.
        let mut older_form = None;
        self.connection.all(FIND, of_day, |row| {
            let stored: String = row.get(0)?;
            if stored == known.source {
                known.hash = Some(DayHash(row.get(1)?));
            } else if decode::<ArrivalSource>(KIND, &stored)?.normalized() == normalized {
                older_form = Some(DayHash(row.get(1)?));
            } else {
                known.others = true;
            }
            Ok(())
        })?;
        known.has_row = known.hash.is_some();
        // Rows of earlier versions have the source as it was sent. They hold until there is one in today's form.
        known.hash = known.hash.or(older_form);
        Ok(known)
    }

    /// Puts the hash of the data that a day has of a source.
    pub(super) fn put_day(
        &self,
        user_row: UserRow,
        arrival: &DataArrival,
        day: NaiveDate,
        known: &KnownDay,
        DayHash(hash): &DayHash,
    ) -> Result<(), StoreError> {
        if known.hash.as_ref().is_some_and(|known| known.0 == *hash) {
            return Ok(());
        }
        let sql = match known.has_row {
            false => {
                "INSERT INTO days (user_row, provider, resource, day, source, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
            }
            true => {
                "UPDATE days SET hash = ?6
                WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND day = ?4 AND source = ?5"
            }
        };
        let (provider, resource) = (&arrival.provider, arrival.resource.as_str());
        let row = params![
            user_row,
            provider,
            resource,
            day.to_string(),
            known.source,
            hash.as_slice()
        ];
        Ok(self.connection.execute_later(sql, row)?)
    }

    /// Whether there are data of a day, of any source.
    pub(super) fn has_day(
        &self,
        user_row: UserRow,
        provider: &str,
        resource: &ResourceName,
        day: NaiveDate,
    ) -> Result<bool, StoreError> {
        let day = day.to_string();
        let found = self
            .connection
            .all(FIND, params![user_row, provider, resource.as_str(), day], |_| Ok(()))?;
        Ok(!found.is_empty())
    }

    /// Asks ahead what is known of the day of an arrival.
    pub(super) fn ask_day(&self, user_row: UserRow, arrival: &DataArrival) -> Result<(), StoreError> {
        let (day, resource) = (arrival.date.to_string(), arrival.resource.as_str());
        self.connection
            .ask_ahead(FIND, params![user_row, arrival.provider, resource, day])
    }
}

#[cfg(test)]
mod tests {
    use super::DayHash;

    #[test]
    fn a_hash_has_its_time_zone_and_the_latest_time() {
        let (values, others) = ([0; 32], [1; 32]);
        for zone in [None, Some("Europe/Oslo")] {
            for latest in [None, Some(0), Some(-1), Some(1_777_000_000_000_000)] {
                let hash = DayHash::new(&values, zone).with_latest(latest);
                assert_eq!(hash.zone_of(&values), Some(zone));
                assert_eq!((hash.zone_of(&others), hash.latest()), (None, latest));
            }
        }
        assert_eq!(DayHash(Vec::new()).latest(), None);
    }
}
