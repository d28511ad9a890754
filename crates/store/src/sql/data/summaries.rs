//! Summaries: documents of a user, found by resource and day, or by their ids.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;
use wearlab_ingest::{ExactObject, Summary};
use wearlab_models::{Encoded, ProfileSummary, ResourceName};

use crate::sql::document::{SOURCE, decode, encode, of_user, source_text};
use crate::sql::users::row::UserRow;
use crate::sql::value::params;
use crate::sql::{Reader, Transaction};
use crate::{ArrivalSource, DataArrival, Session, StoreError, SummaryList, TeamId};

/// The kind of document.
pub(crate) const KIND: &str = "summary";
pub(crate) const FIND: &str =
    "SELECT summary_id, provider, source, day, starts, ends, document, derived_id FROM summaries
    WHERE user_row = ?1 AND resource = ?2 AND summary_id = ?3";
/// Maximum length of a provider id in lookups, in bytes.
const MAX_PROVIDER_ID: usize = 1_000;

pub(crate) const OF_DAYS: &str = "SELECT summaries.document FROM users
    LEFT JOIN summaries ON summaries.user_row = users.id AND summaries.resource = ?3
        AND summaries.day >= ?4 AND summaries.day <= ?5 AND (?6 = '' OR summaries.provider = ?6)
    WHERE users.team_id = ?1 AND users.user_id = ?2
    ORDER BY summaries.day, coalesce(summaries.starts, 0), summaries.summary_id";

const LENGTHS: &str = "SELECT octet_length(document), summary_id FROM summaries
    WHERE user_row = ?1 AND resource = ?2 AND day >= ?3 AND day <= ?4 AND (?5 = '' OR provider = ?5)
    ORDER BY day, coalesce(starts, 0), summary_id";

impl Reader<'_> {
    /// The summaries of a resource and of days, in order of day, then of start and id. None if the team has no such
    /// user.
    pub(crate) fn summaries<T>(
        &self,
        team: TeamId,
        user_id: Uuid,
        resource: &ResourceName,
        days: &RangeInclusive<NaiveDate>,
        provider: Option<&str>,
    ) -> Result<Option<Vec<Encoded<T>>>, StoreError> {
        let [first, last] = [days.start(), days.end()].map(NaiveDate::to_string);
        let others = params![resource.as_str(), first, last, provider.unwrap_or_default()];
        of_user(self.connection, OF_DAYS, team, user_id, others)
    }

    /// The same, or their ids if they exceed a size in bytes.
    pub(crate) fn summary_list<T>(
        &self,
        team: TeamId,
        user_id: Uuid,
        resource: &ResourceName,
        days: &RangeInclusive<NaiveDate>,
        (provider, bytes): (Option<&str>, usize),
    ) -> Result<Option<SummaryList<T>>, StoreError> {
        let Some(user_row) = self.user_row(team, user_id)? else {
            return Ok(None);
        };
        let [first, last] = [days.start(), days.end()].map(NaiveDate::to_string);
        let key = params![user_row, resource.as_str(), first, last, provider.unwrap_or_default()];
        let found = self.connection.all(LENGTHS, key, |row| {
            Ok((row.get::<i64>(0)?.unsigned_abs(), Uuid::from_bytes(row.get(1)?)))
        })?;
        let length: u64 = found.iter().map(|(length, _)| length).sum();
        if length <= bytes as u64 {
            let summaries = self.summaries(team, user_id, resource, days, provider)?;
            return Ok(summaries.map(SummaryList::Whole));
        }
        Ok(Some(SummaryList::Ids(found.into_iter().map(|(_, id)| id).collect())))
    }

    /// The first of some summaries of a user and a resource, up to a size in bytes but at least
    /// one, and the number of processed ids. Deleted ones are left out.
    pub(crate) fn some_summaries<T>(
        &self,
        team: TeamId,
        user_id: Uuid,
        resource: &ResourceName,
        ids: &[Uuid],
        bytes: usize,
    ) -> Result<(Vec<Encoded<T>>, usize), StoreError> {
        let Some(user_row) = self.user_row(team, user_id)? else {
            return Ok((Vec::new(), ids.len()));
        };
        let (mut found, mut length) = (Vec::new(), 0);
        for (count, id) in ids.iter().enumerate() {
            let key = params![user_row, resource.as_str(), id.as_bytes()];
            let document: Option<String> = self.connection.first(FIND, key, |row| row.get(6))?;
            let Some(document) = document else { continue };
            length += document.len();
            if length > bytes && !found.is_empty() {
                return Ok((found, count));
            }
            found.push(Encoded::from_stored(document));
        }
        Ok((found, ids.len()))
    }

    /// The profile of a user that changed last. None if the team has no such user.
    pub(crate) fn profile(
        &self,
        team: TeamId,
        user_id: Uuid,
        provider: Option<&str>,
    ) -> Result<Option<Option<Encoded<ProfileSummary>>>, StoreError> {
        let Some(user_row) = self.user_row(team, user_id)? else {
            return Ok(None);
        };
        let sql = "SELECT document FROM summaries
            WHERE user_row = ?1 AND resource = ?3 AND (?2 = '' OR provider = ?2)
            ORDER BY summary_id";
        let key = params![user_row, provider.unwrap_or_default(), ResourceName::Profile.as_str()];
        let documents: Vec<String> = self.connection.all(sql, key, |row| row.get(0))?;
        let mut latest: Option<(DateTime<Utc>, String)> = None;
        for document in documents {
            let changed = decode::<ProfileSummary>(KIND, &document)?.updated_at.to_utc();
            if latest.as_ref().is_none_or(|(before, _)| *before < changed) {
                latest = Some((changed, document));
            }
        }
        Ok(Some(latest.map(|(_, document)| Encoded::from_stored(document))))
    }

    /// The session of sleep or the workout of a team, by the id of its summary. If several users have one of that
    /// id, the first two.
    pub(crate) fn sessions(
        &self,
        team: TeamId,
        resource: &ResourceName,
        summary_id: Uuid,
    ) -> Result<Vec<Session>, StoreError> {
        let sql = "SELECT users.user_id, summaries.provider, summaries.source, summaries.starts, summaries.ends
            FROM summaries JOIN users ON users.id = summaries.user_row
            WHERE summaries.summary_id = ?1 AND summaries.resource IN ('sleep', 'workouts')
                AND summaries.resource = ?2 AND users.team_id = ?3
            ORDER BY summaries.user_row LIMIT 2";
        let key = params![summary_id.as_bytes(), resource.as_str(), team.as_bytes()];
        self.connection.all(sql, key, |row| {
            Ok(Session {
                user_id: Uuid::from_bytes(row.get(0)?),
                provider: row.get(1)?,
                source: decode(SOURCE, &row.get::<String>(2)?)?,
                start: row.get::<Option<i64>>(3)?.unwrap_or_default(),
                end: row.get::<Option<i64>>(4)?.unwrap_or_default(),
            })
        })
    }
}

impl Transaction<'_> {
    /// Prefetches a summary that may be stored.
    pub(crate) fn prefetch_summary(
        &self,
        user_row: UserRow,
        resource: &ResourceName,
        summary_id: Uuid,
    ) -> Result<(), StoreError> {
        self.connection
            .prefetch(FIND, params![user_row, resource.as_str(), summary_id.as_bytes()])
    }

    /// Puts a summary, in place of one with the same id and of those that it replaces.
    pub(crate) fn put_summary(
        &self,
        user_row: UserRow,
        arrival: &DataArrival,
        summary: &Summary,
        document: &ExactObject,
    ) -> Result<(), StoreError> {
        let insert = "INSERT INTO summaries
                (user_row, summary_id, resource, provider, source, day, starts, ends, document, derived_id, provider_id)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            ON CONFLICT (user_row, resource, summary_id) DO NOTHING";
        let micros = |time: Option<DateTime<Utc>>| time.map(|time| time.timestamp_micros());
        let row = params![
            user_row,
            summary.id.as_bytes(),
            arrival.resource.as_str(),
            arrival.provider,
            source_text(&arrival.source)?,
            summary.day.to_string(),
            micros(summary.start),
            micros(summary.end),
            encode(KIND, document)?,
            i64::from(summary.has_derived_id),
            summary.provider_id.as_deref().filter(|id| id.len() <= MAX_PROVIDER_ID),
        ];
        let update = "UPDATE summaries
            SET provider = ?4, source = ?5, day = ?6, starts = ?7, ends = ?8, document = ?9, derived_id = ?10, provider_id = ?11
            WHERE user_row = ?1 AND resource = ?3 AND summary_id = ?2
                AND (document IS DISTINCT FROM ?9 OR day <> ?6 OR provider <> ?4 OR source <> ?5
                    OR derived_id IS DISTINCT FROM ?10)";
        self.connection.insert_or_update_pipelined(insert, update, row)?;
        for replaced in &summary.replaces {
            self.delete_summary(user_row, &arrival.resource, *replaced)?;
        }
        if !summary.replaces.is_empty() {
            // Deleted rows may be prefetched for later lines.
            self.connection.clear_prefetched();
        }
        Ok(())
    }

    /// Returns the days and sources of stored summaries, and of those that they replace.
    pub(crate) fn days_of_summaries<'s>(
        &self,
        user_row: UserRow,
        resource: &ResourceName,
        summaries: impl Iterator<Item = &'s Summary>,
    ) -> Result<BTreeSet<(NaiveDate, String)>, StoreError> {
        let sql = "SELECT day, source FROM summaries WHERE user_row = ?1 AND resource = ?2 AND summary_id = ?3";
        let mut days = BTreeSet::new();
        for summary in summaries {
            for id in [summary.id].iter().chain(&summary.replaces) {
                let key = params![user_row, resource.as_str(), id.as_bytes()];
                let found: Option<(String, String)> =
                    self.connection.first(sql, key, |row| Ok((row.get(0)?, row.get(1)?)))?;
                if let Some((day, source)) = found {
                    days.insert((day.parse().map_err(|_| StoreError::Document { what: KIND })?, source));
                }
            }
        }
        Ok(days)
    }

    /// Clears the days and sources without summaries.
    pub(crate) fn clear_summary_days(
        &self,
        (user_row, provider, resource): (UserRow, &str, &ResourceName),
        days: impl IntoIterator<Item = (NaiveDate, String)>,
    ) -> Result<(), StoreError> {
        let sql = "SELECT 1 FROM summaries
            WHERE user_row = ?1 AND resource = ?2 AND day = ?3 AND provider = ?4 AND source = ?5 LIMIT 1";
        for (day, source) in days {
            self.clear_days((user_row, provider, resource), Some(&source), day..=day, |day| {
                let key = params![user_row, resource.as_str(), day.to_string(), provider, source];
                Ok(self.connection.first(sql, key, |_| Ok(()))?.is_some())
            })?;
        }
        Ok(())
    }

    /// Deletes the summaries of a source of some days, or of all its sources. Returns their number.
    pub(crate) fn delete_summaries(
        &self,
        user_row: UserRow,
        resource: &ResourceName,
        provider: &str,
        source: Option<&ArrivalSource>,
        days: &RangeInclusive<NaiveDate>,
    ) -> Result<usize, StoreError> {
        let source = source.map(source_text).transpose()?;
        let [first, last] = [days.start(), days.end()].map(NaiveDate::to_string);
        let sql = "DELETE FROM summaries
            WHERE user_row = ?1 AND resource = ?2 AND day >= ?3 AND day <= ?4
                AND provider = ?5 AND (?6 = '' OR source = ?6)";
        let key = params![
            user_row,
            resource.as_str(),
            first,
            last,
            provider,
            source.unwrap_or_default()
        ];
        Ok(self.connection.execute(sql, key)?)
    }

    /// Deletes one summary. False if there is none.
    pub(crate) fn delete_summary(
        &self,
        user_row: UserRow,
        resource: &ResourceName,
        id: Uuid,
    ) -> Result<bool, StoreError> {
        let sql = "DELETE FROM summaries WHERE user_row = ?1 AND summary_id = ?2 AND resource = ?3";
        let deleted = self
            .connection
            .execute(sql, params![user_row, id.as_bytes(), resource.as_str()])?;
        Ok(deleted > 0)
    }
}
