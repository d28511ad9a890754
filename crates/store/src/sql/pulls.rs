//! Historical pulls: their chunks come in any order and again, and their completion is one event.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::value::params;
use chrono::{DateTime, NaiveDate, Utc};
use wearlab_models::{ConnectedProvider, ResourceName, User};

use super::Transaction;
use super::document::{decode, instant};
use crate::{DataArrival, ExactObject, Ingested, Ingestion, PullChunk, StoreError, TeamId};
use wearlab_ingest::payload::{self, Pull};
use wearlab_ingest::{Completed, WantedValues, has_hypnogram};

/// How long the values of a pull may be together: its event holds all of them, and is made in memory.
const LONGEST: i64 = 32 * 1024 * 1024;

/// The kind of document that the values of a chunk are.
const KIND: &str = "chunk of a pull";

/// A pull that is known.
struct Known {
    id: i64,
    chunks: u32,
    arrived: u32,
    /// How long the values that wait are.
    bytes: i64,
    /// When the last chunk came, in ns since 1970.
    touched_on: i64,
}

impl Transaction<'_> {
    /// Takes a chunk of a pull, without the values of days that the user does not want ingested. One with none of other days
    /// counts as fetched.
    pub(super) fn chunk(
        &self,
        team: TeamId,
        user: &User,
        connection: Option<&ConnectedProvider>,
        completed: &Completed<'_>,
        (chunk, is_local): (&PullChunk, bool),
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let arrival = &*completed.arrival;
        let refused = |what| Err(StoreError::Conflict { what });
        let pull = self.pull(team, arrival, chunk, ingestion)?;
        if pull.chunks != chunk.chunks {
            return refused("the pull has another number of chunks");
        }
        if pull.arrived == pull.chunks || self.has_chunk(pull.id, chunk)? {
            // Where the user has another time zone now, times without an offset would be others than those that came before.
            let zone_since = user.fallback_time_zone.updated_at.to_utc();
            return match is_local && instant(zone_since) > pull.touched_on {
                true => Ok(Ingested::Known),
                false => self.chunk_again(&pull, team, user, connection, completed, ingestion),
            };
        }
        let wanted = WantedValues::of(user, arrival);
        let data = match wanted.any {
            true => Some(completed.values(|place| wanted.places.contains(&place))?),
            false => None,
        };
        let length = i64::try_from(data.as_ref().map_or(0, String::len)).unwrap_or(i64::MAX);
        if pull.bytes.saturating_add(length) > LONGEST {
            return refused("the values of the pull are longer than 32 MiB: let it be several pulls");
        }
        let sql = "UPDATE pulls SET arrived = arrived + 1, bytes = bytes + ?2, touched_on = ?3,
                first_day = CASE WHEN first_day <= ?4 THEN first_day ELSE ?4 END,
                last_day = CASE WHEN last_day >= ?5 THEN last_day ELSE ?5 END
            WHERE id = ?1";
        let (first, last) = days_of(&wanted.span);
        self.connection
            .execute(sql, params![pull.id, length, instant(ingestion.now), first, last])?;
        let sql = "INSERT INTO pull_chunks (pull, chunk, day, data) VALUES (?1, ?2, ?3, ?4)";
        self.connection
            .execute(sql, params![pull.id, chunk.chunk, wanted.span, data])?;
        let user_row = self.known_user_row(team, arrival.user_id)?;
        for day in &wanted.days {
            self.note_pulled_day(user_row, arrival, *day)?;
        }
        let mut events = 0;
        if data.is_some() {
            let is_wanted = |index: usize| wanted.places.contains(&index);
            self.keep(user_row, completed, is_wanted)?;
            self.set_available(team, arrival, connection)?;
            events += self.emit_replaced(team, user, completed, is_wanted, ingestion)?;
        }
        if pull.arrived + 1 == pull.chunks {
            events += self.complete(pull.id, team, user, arrival, ingestion)?;
        }
        self.note_success(user_row, arrival, ingestion.now, events)?;
        Ok(match (data.is_some(), wanted.dropped) {
            (false, _) => Ingested::OutOfBounds,
            (true, 0) => Ingested::Taken,
            (true, days) => Ingested::Partly(days),
        })
    }

    /// Takes a chunk that came before: the first values count, but those that were deleted since are taken again. Where the pull
    /// is complete, these have an event of their own.
    fn chunk_again(
        &self,
        pull: &Known,
        team: TeamId,
        user: &User,
        connection: Option<&ConnectedProvider>,
        completed: &Completed<'_>,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let arrival = &*completed.arrival;
        let user_row = self.known_user_row(team, arrival.user_id)?;
        let wanted = WantedValues::of(user, arrival);
        let mut missing: BTreeSet<_> = self.missing(user_row, completed)?.into_iter().collect();
        missing.retain(|place| wanted.places.contains(place));
        if missing.is_empty() {
            return Ok(Ingested::Known);
        }
        for day in &wanted.days {
            self.note_pulled_day(user_row, arrival, *day)?;
        }
        self.keep(user_row, completed, |index| missing.contains(&index))?;
        self.set_available(team, arrival, connection)?;
        let mut events = 0;
        if pull.arrived == pull.chunks {
            let values = completed.values(|place| missing.contains(&place))?;
            let days = [wanted.days.first(), wanted.days.last()];
            let [start_date, end_date] = days.map(|day| day.copied().unwrap_or(arrival.date));
            let again = Pull {
                provider: arrival.provider.clone(),
                resource: arrival.resource.clone(),
                start_date,
                end_date,
                data: decode(KIND, &values)?,
                is_final: ingestion.forms.is_final.holds(ingestion.now),
            };
            events += self.emit_pull(again, team, user, ingestion)?;
        }
        self.note_success(user_row, arrival, ingestion.now, events)?;
        Ok(Ingested::Taken)
    }

    /// Deletes the historical pulls that wait for chunks of which none has come since a time, with the values that they
    /// hold. Returns how many.
    pub fn delete_unfinished_pulls(&self, since: DateTime<Utc>) -> Result<usize, StoreError> {
        let sql = "DELETE FROM pulls WHERE arrived < chunks AND touched_on < ?1";
        Ok(self.connection.execute(sql, params![instant(since)])?)
    }

    /// The pull of a chunk, which is made if the chunk is its first.
    fn pull(
        &self,
        team: TeamId,
        arrival: &DataArrival,
        chunk: &PullChunk,
        ingestion: &Ingestion,
    ) -> Result<Known, StoreError> {
        let sql = "INSERT INTO pulls (user_row, provider, resource, pull_id, chunks, touched_on, started_on)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
            ON CONFLICT (user_row, provider, resource, pull_id) DO NOTHING";
        let user_row = self.known_user_row(team, arrival.user_id)?;
        let (provider, resource) = (&arrival.provider, arrival.resource.as_str());
        self.connection.execute(
            sql,
            params![
                user_row,
                provider,
                resource,
                chunk.id,
                chunk.chunks,
                instant(ingestion.now)
            ],
        )?;
        let sql = "SELECT id, chunks, arrived, bytes, touched_on FROM pulls
            WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND pull_id = ?4";
        let pull = self
            .connection
            .one(sql, params![user_row, provider, resource, chunk.id], |row| {
                Ok(Known {
                    id: row.get(0)?,
                    chunks: row.get(1)?,
                    arrived: row.get(2)?,
                    bytes: row.get(3)?,
                    touched_on: row.get(4)?,
                })
            })?;
        Ok(pull)
    }

    fn has_chunk(&self, pull: i64, chunk: &PullChunk) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM pull_chunks WHERE pull = ?1 AND chunk = ?2";
        Ok(self
            .connection
            .first(sql, params![pull, chunk.chunk], |_| Ok(()))?
            .is_some())
    }

    /// Appends the events of a completed pull, and drops its chunks. Returns how many they are.
    fn complete(
        &self,
        id: i64,
        team: TeamId,
        user: &User,
        last: &DataArrival,
        ingestion: &Ingestion,
    ) -> Result<i64, StoreError> {
        let pull = self.whole(id, last, ingestion.forms.is_final.holds(ingestion.now))?;
        let events = self.emit_pull(pull, team, user, ingestion)?;
        self.connection
            .execute("DELETE FROM pull_chunks WHERE pull = ?1", params![id])?;
        Ok(events)
    }

    /// Appends the events of a pull. Returns how many they are.
    fn emit_pull(&self, pull: Pull, team: TeamId, user: &User, ingestion: &Ingestion) -> Result<i64, StoreError> {
        let resource = pull.resource.clone();
        let also_older = has_hypnogram(&resource) && ingestion.forms.hypnogram_events.holds(ingestion.now);
        let older = also_older.then(|| pull.clone());
        let mut events = 0;
        if resource != ResourceName::Hypnogram {
            self.emit(team, user, ingestion, |envelope| {
                Ok(payload::historical(envelope, pull)?)
            })?;
            events += 1;
        }
        if let Some(older) = older {
            self.emit(team, user, ingestion, |envelope| {
                Ok(payload::historical_hypnogram(envelope, older)?)
            })?;
            events += 1;
        }
        Ok(events)
    }

    /// All of a pull, in the order of its chunks: the days that were kept, or where none was, those that were fetched.
    fn whole(&self, id: i64, last: &DataArrival, is_final: bool) -> Result<Pull, StoreError> {
        let (mut kept, mut fetched): (Vec<NaiveDate>, Vec<NaiveDate>) = Default::default();
        let mut data = Vec::new();
        let sql = "SELECT day, data FROM pull_chunks WHERE pull = ?1 ORDER BY chunk";
        self.connection.each(sql, params![id], |row| {
            let span: String = row.get(0)?;
            let (first, last) = days_of(&span);
            for day in [first, last] {
                fetched.push(day.parse().map_err(|_| StoreError::Document { what: KIND })?);
            }
            if let Some(values) = row.get::<Option<String>>(1)? {
                kept.extend_from_slice(&fetched[fetched.len() - 2..]);
                data.extend(decode::<Vec<ExactObject>>(KIND, &values)?);
            }
            Ok::<_, StoreError>(ControlFlow::Continue(()))
        })?;
        let days = if kept.is_empty() { fetched } else { kept };
        Ok(Pull {
            provider: last.provider.clone(),
            resource: last.resource.clone(),
            start_date: days.iter().min().copied().unwrap_or(last.date),
            end_date: days.iter().max().copied().unwrap_or(last.date),
            data,
            is_final,
        })
    }
}

/// The first and the last day of a span.
fn days_of(span: &str) -> (&str, &str) {
    span.split_once('/').unwrap_or((span, span))
}
