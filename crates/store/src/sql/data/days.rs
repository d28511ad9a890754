//! Days with data of users.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use chrono::NaiveDate;
use wearlab_models::ResourceName;

use super::samples::Series;
use crate::sql::Transaction;
use crate::sql::arrivals::day_hash::DayHash;
use crate::sql::document::{SOURCE, decode, encode};
use crate::sql::users::row::UserRow;
use crate::sql::value::params;
use crate::{ArrivalSource, StoreError};

const FIND: &str = "SELECT source, hash, has_data FROM days
    WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND day = ?4";

/// Row of a day.
///
/// A row of a day has the hash of the data that arrived last with that date, whatever the days of their values; and
/// whether values are of that day, whatever the date of their arrival.
#[derive(Default)]
pub(crate) struct StoredDay {
    /// The source, as it is stored.
    source: String,
    /// The hash of the data of the source: empty if only a pull, an import or data of another date had any.
    hash: Option<DayHash>,
    /// True if the hash is in the row of the source, or in one of an earlier version.
    has_row: bool,
    /// True if the day has data of the source.
    has_own: bool,
    /// True if the day has data of another source.
    has_others: bool,
}

impl StoredDay {
    /// Returns whether the day has data of any source.
    pub(crate) fn has_data(&self) -> bool {
        self.has_own || self.has_others
    }

    /// Returns whether data of this date arrived from the source, besides those of pulls and imports.
    pub(crate) fn has_arrived(&self) -> bool {
        self.hash.as_ref().is_some_and(|hash| !hash.0.is_empty())
    }

    /// Returns the hash of the data that arrived last from the source with this date.
    pub(crate) fn last(&self) -> Option<&DayHash> {
        self.hash.as_ref()
    }
}

impl Transaction<'_> {
    /// Records that days have data. Returns whether all of them had data before.
    pub(crate) fn note_days(&self, series: &Series<'_>, days: &BTreeSet<NaiveDate>) -> Result<bool, StoreError> {
        // Each answer is taken before its day is written, so that none is outdated.
        self.prefetch_days(series, days)?;
        let known = days.iter().map(|day| Ok((*day, self.known_day(series, *day)?)));
        let known = known.collect::<Result<Vec<_>, StoreError>>()?;
        let mut had_data = true;
        for (day, known) in known {
            had_data &= known.has_data();
            if !known.has_own {
                let hash = known.hash.clone().unwrap_or_default();
                self.put_day(series, day, &known, &hash, true)?;
            }
        }
        Ok(had_data)
    }

    /// Reads the row of a day.
    pub(crate) fn known_day(&self, series: &Series<'_>, day: NaiveDate) -> Result<StoredDay, StoreError> {
        let normalized = series.source.clone().normalized();
        let mut known = StoredDay {
            source: encode(SOURCE, &normalized)?,
            ..StoredDay::default()
        };
        let of_day = params![
            series.user_row,
            series.provider,
            series.resource.as_str(),
            day.to_string()
        ];
        // One row for each source: they are read together.
        let mut older_form = None;
        self.connection.all(FIND, of_day, |row| {
            let (stored, has_data): (String, bool) = (row.get(0)?, row.get(2)?);
            if stored == known.source {
                known.hash = Some(DayHash(row.get(1)?));
                known.has_own |= has_data;
            } else if decode::<ArrivalSource>(SOURCE, &stored)?.normalized() == normalized {
                older_form = Some(DayHash(row.get(1)?));
                known.has_own |= has_data;
            } else {
                known.has_others |= has_data;
            }
            Ok(())
        })?;
        known.has_row = known.hash.is_some();
        // Rows of earlier versions have the source as sent. They are valid until there is one in the current form.
        known.hash = known.hash.or(older_form);
        Ok(known)
    }

    /// Puts the hash of arrived data of a source with a date, and whether any of them are of that day.
    pub(crate) fn put_day(
        &self,
        series: &Series<'_>,
        day: NaiveDate,
        known: &StoredDay,
        hash: &DayHash,
        has_data: bool,
    ) -> Result<(), StoreError> {
        if known.hash.as_ref() == Some(hash) && (known.has_own || !has_data) {
            return Ok(());
        }
        let sql = match known.has_row {
            false => {
                "INSERT INTO days (user_row, provider, resource, day, source, hash, has_data)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
            }
            true => {
                "UPDATE days SET hash = ?6, has_data = ?7
                WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND day = ?4 AND source = ?5"
            }
        };
        let row = params![
            series.user_row,
            series.provider,
            series.resource.as_str(),
            day.to_string(),
            known.source,
            hash.0.as_slice(),
            i64::from(has_data || known.has_own)
        ];
        Ok(self.connection.execute_pipelined(sql, row)?)
    }

    /// Clears the days without data: of a source, as it is stored, or of each. The dates of arrived data
    /// remain recorded.
    pub(crate) fn clear_days(
        &self,
        (user_row, provider, resource): (UserRow, &str, &ResourceName),
        source: Option<&str>,
        days: RangeInclusive<NaiveDate>,
        has_data: impl Fn(NaiveDate) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let sql = "SELECT day, source FROM days WHERE user_row = ?1 AND provider = ?2 AND resource = ?3
            AND day >= ?4 AND day <= ?5 AND has_data = 1 ORDER BY day";
        let [first, last] = [days.start(), days.end()].map(NaiveDate::to_string);
        let key = params![user_row, provider, resource.as_str(), first, last];
        let noted: Vec<(String, String)> = self.connection.all(sql, key, |row| Ok((row.get(0)?, row.get(1)?)))?;
        for (day, of) in noted {
            let is_of_source = source.is_none_or(|source| is_source(&of, source));
            let parsed = day.parse().map_err(|_| StoreError::Document { what: "day" })?;
            if is_of_source && !has_data(parsed)? {
                let sql = "UPDATE days SET has_data = 0
                    WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND day = ?4 AND source = ?5";
                let key = params![user_row, provider, resource.as_str(), day, of];
                self.connection.execute(sql, key)?;
            }
        }
        Ok(())
    }

    /// Clears the hashes of the last data of a source, as it is stored, with any date, since some values were deleted:
    /// a line may have values of any days. The time zones remain recorded.
    pub(crate) fn forget_last_values(
        &self,
        (user_row, provider, resource): (UserRow, &str, &ResourceName),
        source: &str,
    ) -> Result<(), StoreError> {
        let sql = "SELECT day, source, hash FROM days
            WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND hash >= ?4 ORDER BY day";
        let least = DayHash::least_with_values();
        let key = params![user_row, provider, resource.as_str(), least.as_slice()];
        let noted: Vec<(String, String, DayHash)> = self
            .connection
            .all(sql, key, |row| Ok((row.get(0)?, row.get(1)?, DayHash(row.get(2)?))))?;
        for (day, of, hash) in noted {
            if is_source(&of, source) {
                let sql = "UPDATE days SET hash = ?6
                    WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND day = ?4 AND source = ?5";
                let hash = hash.without_values();
                let key = params![user_row, provider, resource.as_str(), day, of, hash.0.as_slice()];
                self.connection.execute(sql, key)?;
            }
        }
        Ok(())
    }

    /// Returns whether a day has data of any source.
    pub(crate) fn has_day(
        &self,
        user_row: UserRow,
        provider: &str,
        resource: &ResourceName,
        day: NaiveDate,
    ) -> Result<bool, StoreError> {
        let key = params![user_row, provider, resource.as_str(), day.to_string()];
        let found: Vec<bool> = self.connection.all(FIND, key, |row| row.get(2))?;
        Ok(found.contains(&true))
    }

    /// Prefetches the rows of days.
    pub(crate) fn prefetch_days<'d>(
        &self,
        series: &Series<'_>,
        days: impl IntoIterator<Item = &'d NaiveDate>,
    ) -> Result<(), StoreError> {
        let Series {
            user_row,
            provider,
            resource,
            ..
        } = series;
        for day in days {
            let key = params![user_row, provider, resource.as_str(), day.to_string()];
            self.connection.prefetch(FIND, key)?;
        }
        Ok(())
    }
}

/// Returns whether the text of a source is the stored one in its current form.
fn is_source(text: &str, stored: &str) -> bool {
    let same = || -> Result<bool, StoreError> {
        let [text, stored] = [text, stored].map(|text| decode::<ArrivalSource>(SOURCE, text));
        Ok(text?.normalized() == stored?)
    };
    text == stored || same().unwrap_or(false)
}
