//! Retention of events and values.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use wearlab_models::ResourceName;

use crate::schema::EVENTS;
use crate::sql::Transaction;
use crate::sql::document::{decode, encode, instant, rows};
use crate::sql::value::params;
use crate::{ClockReading, EventRetention, Pruned, PrunedValues, StoreError, ValueRetention, retention_time};

/// Name of the note of the retention time.
const TIME: &str = "retention_time";

/// Name of the note of the first stored days of values: earlier values were deleted for their age.
const KEPT_VALUES: &str = "kept_values";

/// Name of the note of the last event of the log that was deleted for its age.
pub(crate) const PRUNED: &str = "pruned_events";

impl Transaction<'_> {
    /// The retention time: that of the clock, limited to the time that processes have really run since it was saved
    /// last. The store keeps it.
    ///
    /// If it is behind the clock, the clock has jumped, or no process ran for a while: the store cannot distinguish the
    /// two.
    pub fn retention_time(&self, reading: &ClockReading) -> Result<DateTime<Utc>, StoreError> {
        let stored = self.meta(TIME)?.and_then(|text| text.parse().ok());
        let created = |sql| -> Result<Option<_>, StoreError> {
            let nanos: Option<i64> = self.connection.first(sql, params![], |row| row.get(0))?;
            Ok(nanos.map(DateTime::from_timestamp_nanos))
        };
        let first = created("SELECT created_on FROM events ORDER BY number LIMIT 1")?;
        let last = created("SELECT created_on FROM events ORDER BY number DESC LIMIT 1")?;
        match retention_time::count(reading, stored, first.zip(last)) {
            Some(counted) => {
                self.set_retention_time(counted)?;
                Ok(counted)
            }
            // Nothing can be old.
            None => Ok(reading.now),
        }
    }

    /// Sets the retention time to the clock, which an operator has confirmed.
    pub fn set_retention_time(&self, time: DateTime<Utc>) -> Result<(), StoreError> {
        self.put_meta(TIME, &time.to_rfc3339_opts(SecondsFormat::Nanos, true))
    }

    /// Deletes the values of `limit` users after a position that are of days before the first day to keep.
    pub fn prune_values(
        &self,
        retention: &ValueRetention,
        after: i64,
        limit: usize,
    ) -> Result<PrunedValues, StoreError> {
        if after == 0 {
            self.note_value_retention(retention)?;
        }
        let sql = "SELECT id FROM users WHERE id > ?1 ORDER BY id LIMIT ?2";
        let users: Vec<i64> = self
            .connection
            .all(sql, params![after, rows(limit)], |row| row.get(0))?;
        let mut pruned = PrunedValues::default();
        for user in &users {
            let next = "SELECT min(resource) FROM summaries WHERE user_row = ?1 AND resource > ?2";
            let delete = "DELETE FROM summaries WHERE user_row = ?1 AND resource = ?2 AND day < ?3";
            pruned.summaries += self.prune_values_of(*user, retention, next, |resource, first| {
                let first = first.to_string();
                Ok(self.connection.execute(delete, params![user, resource, first])?)
            })?;
            let next = "SELECT min(resource) FROM samples WHERE user_row = ?1 AND resource > ?2";
            let delete = "DELETE FROM samples WHERE user_row = ?1 AND resource = ?2 AND day < ?3";
            pruned.chunks += self.prune_values_of(*user, retention, next, |resource, first| {
                let first = i64::from(first.to_epoch_days());
                Ok(self.connection.execute(delete, params![user, resource, first])?)
            })?;
        }
        pruned.next = users.last().copied().filter(|_| users.len() == limit);
        Ok(pruned)
    }

    /// The retention of the last deletion of values.
    pub(crate) fn value_retention(&self) -> Result<Option<ValueRetention>, StoreError> {
        let noted = self.meta(KEPT_VALUES)?;
        let noted: Option<(_, BTreeMap<String, _>)> = noted.map(|noted| decode(KEPT_VALUES, &noted)).transpose()?;
        Ok(noted.map(|(before, by_resource)| ValueRetention {
            before,
            by_resource: by_resource
                .into_iter()
                .map(|(name, day)| (ResourceName::from(name.as_str()), day))
                .collect(),
        }))
    }

    fn note_value_retention(&self, retention: &ValueRetention) -> Result<(), StoreError> {
        let by_resource: BTreeMap<_, _> = (retention.by_resource.iter())
            .map(|(resource, day)| (resource.as_str(), day))
            .collect();
        let note = encode(KEPT_VALUES, &(retention.before, by_resource))?;
        match self.meta(KEPT_VALUES)?.as_ref() == Some(&note) {
            true => Ok(()),
            false => self.put_meta(KEPT_VALUES, &note),
        }
    }

    /// Deletes the values of each resource of a user before the first day to keep. `next` selects
    /// the resource after another one. Returns the number of deleted rows.
    fn prune_values_of(
        &self,
        user: i64,
        retention: &ValueRetention,
        next: &str,
        mut delete: impl FnMut(&str, NaiveDate) -> Result<usize, StoreError>,
    ) -> Result<usize, StoreError> {
        let (mut resource, mut deleted) = (String::new(), 0);
        loop {
            let found: Option<String> = self.connection.one(next, params![user, resource], |row| row.get(0))?;
            let Some(found) = found else { return Ok(deleted) };
            if let Some(first) = retention.first_day(&ResourceName::from(found.as_str())) {
                deleted += delete(&found, first)?;
            }
            resource = found;
        }
    }

    /// Records the last event of the log that was deleted for its age, for readers of the log.
    fn note_pruned(&self, number: i64) -> Result<(), StoreError> {
        let noted = self.meta(PRUNED)?.and_then(|text| text.parse().ok());
        match noted < Some(number) {
            true => self.put_meta(PRUNED, &number.to_string()),
            false => Ok(()),
        }
    }

    /// Checks `limit` events after a position in the log, and deletes those beyond their retention.
    pub fn prune(&self, retention: &EventRetention, after: i64, limit: usize) -> Result<Pruned, StoreError> {
        let (delivered, undelivered) = (instant(retention.delivered), instant(retention.undelivered));
        // Whole days are dropped first, when a round begins.
        let (mut deleted, mut last_deleted) = match after {
            0 => self.connection.drop_partitions(&EVENTS, delivered.max(undelivered))?,
            _ => (0, 0),
        };
        let sql = "SELECT count(*), coalesce(max(number), 0), coalesce(min(created_on), 0)
            FROM (SELECT number, created_on FROM events WHERE number > ?1 ORDER BY number LIMIT ?2) AS next";
        let (looked_at, last, oldest): (i64, i64, i64) =
            self.connection.one(sql, params![after, rows(limit)], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        let some_old = looked_at > 0 && oldest < delivered.max(undelivered);
        let mut lost = Vec::new();
        if some_old {
            if oldest < undelivered {
                let sql = "SELECT event_id FROM events WHERE number > ?1 AND number <= ?2 AND created_on < ?3
                    AND (EXISTS (SELECT 1 FROM deliveries WHERE deliveries.number = events.number)
                        OR EXISTS (SELECT 1 FROM destinations
                            WHERE destinations.team_id = events.team_id AND cursor < events.number))
                    ORDER BY number";
                let old = params![after, last, undelivered];
                lost = self.connection.all(sql, old, |row| row.get(0))?;
            }
            let old = "number > ?1 AND number <= ?2 AND (created_on < ?3 OR created_on < ?4
                AND NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.number = events.number)
                AND NOT EXISTS (SELECT 1 FROM destinations
                    WHERE destinations.team_id = events.team_id AND cursor < events.number))";
            let params = params![after, last, undelivered, delivered];
            let sql = format!("SELECT coalesce(max(number), 0) FROM events WHERE {old}");
            last_deleted = last_deleted.max(self.connection.one(&sql, params, |row| row.get(0))?);
            deleted += (self.connection).execute(&format!("DELETE FROM events WHERE {old}"), params)?;
        }
        if deleted > 0 {
            self.note_pruned(last_deleted)?;
            self.release(retention.now)?;
        }
        Ok(Pruned {
            deleted,
            undelivered: lost,
            next: (some_old && looked_at == rows(limit)).then_some(last),
        })
    }
}
