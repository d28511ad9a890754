//! Historical pulls: chunks arrive in any order and may be repeated; the completed pull is one event.

use std::collections::BTreeSet;

use crate::sql::value::params;
use chrono::{DateTime, Utc};
use wearlab_models::{ConnectedProvider, User};

use super::day_hash::DayHash;
use super::repeats::in_zone;
use crate::sql::Transaction;
use crate::sql::data::samples::Series;
use crate::sql::document::{instant, source_text};
use crate::{DataArrival, Ingested, Ingestion, PullChunk, StoreError, TeamId};
use wearlab_ingest::{Kept, WantedValues};

/// Maximum size of the values of a pull: its event holds all of them, and is built in memory.
const MAX_BYTES: i64 = 32 * 1024 * 1024;
const TOO_LONG: StoreError = StoreError::Conflict {
    what: "the values of the pull are longer than 32 MiB: let it be several pulls",
};

/// A stored pull.
struct StoredPull {
    id: i64,
    chunks: u32,
    arrived: u32,
    /// Size of the waiting values.
    bytes: i64,
}

impl StoredPull {
    fn is_complete(&self) -> bool {
        self.arrived == self.chunks
    }
}

/// A stored chunk. An earlier version stored neither its hash nor its source.
struct StoredChunk {
    hash: Option<DayHash>,
    source: Option<String>,
}

/// A chunk, the hash of its values, and its pull.
struct Chunk<'a> {
    pull: &'a StoredPull,
    number: u32,
    values_hash: &'a [u8; 32],
    arrival: &'a DataArrival,
}

impl Transaction<'_> {
    /// Takes a chunk of a pull, without the values of days that the user excludes from ingest. One with no other
    /// days counts as fetched.
    pub(crate) fn chunk(
        &self,
        team: TeamId,
        user: &User,
        connection: Option<&ConnectedProvider>,
        arrival: &DataArrival,
        (chunk, values_hash): (&PullChunk, &[u8; 32]),
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let pull = self.pull(team, arrival, chunk, ingestion)?;
        if pull.chunks != chunk.chunks {
            let what = "the pull has another number of chunks";
            return Err(StoreError::Conflict { what });
        }
        let before = self.find_chunk(pull.id, chunk.chunk)?;
        let source = source_text(&arrival.source)?;
        let source_before = before.as_ref().and_then(|before| before.source.as_ref());
        if source_before.is_some_and(|before| *before != source) {
            let what = "the chunk came before from another source: send what is of several sources as several pulls";
            return Err(StoreError::Conflict { what });
        }
        let chunk = Chunk {
            pull: &pull,
            number: chunk.chunk,
            values_hash,
            arrival,
        };
        if before.is_some() || pull.is_complete() {
            let before = before.and_then(|before| before.hash);
            return self.chunk_again(&chunk, before, team, user, connection, ingestion);
        }
        let user_row = self.require_user_row(team, arrival.user_id)?;
        let located = arrival.with_offsets(user)?;
        let completed = self.completed(user_row, user, &located, ingestion)?;
        completed.check_order()?;
        let wanted = WantedValues::of(user, &completed);
        let data = match wanted.any {
            true => Some(completed.values(|place| wanted.has(place))?),
            false => None,
        };
        let length = data.as_deref().map_or(0, length);
        if pull.bytes.saturating_add(length) > MAX_BYTES {
            return Err(TOO_LONG);
        }
        let sql = "UPDATE pulls SET arrived = arrived + 1, bytes = bytes + ?2, touched_on = ?3,
                first_day = CASE WHEN first_day <= ?4 THEN first_day ELSE ?4 END,
                last_day = CASE WHEN last_day >= ?5 THEN last_day ELSE ?5 END
            WHERE id = ?1";
        let [first, last] = wanted.span.map(|day| day.to_string());
        self.connection
            .execute(sql, params![pull.id, length, instant(ingestion.now), first, last])?;
        self.put_chunk(&chunk, user, &span_of(&wanted), data.as_deref())?;
        self.note_days(&Series::of(user_row, arrival), &wanted.days)?;
        let mut events = 0;
        if data.is_some() {
            let is_wanted = |index: usize| wanted.has(index);
            self.keep(user_row, &completed, is_wanted)?;
            self.set_available(team, arrival, connection)?;
            events += self.emit_replaced(team, user, &completed, is_wanted, ingestion)?;
        }
        if pull.arrived + 1 == pull.chunks {
            events += self.complete_pull(pull.id, (team, user_row), user, arrival, ingestion)?;
        }
        self.note_success(user_row, arrival, ingestion.now, events)?;
        Ok(match (data.is_some(), wanted.dropped) {
            (false, _) => Ingested::OutOfBounds,
            (true, 0) => Ingested::Taken,
            (true, days) => Ingested::Partly(days),
        })
    }

    /// Takes a chunk that came before. The same values again bring back those that were deleted since, and leave those
    /// that were changed since. Other values are taken where they are not stored as they are. Before the pull is
    /// complete, its event has them; afterwards, they have an event of their own.
    fn chunk_again(
        &self,
        chunk: &Chunk<'_>,
        before: Option<DayHash>,
        team: TeamId,
        user: &User,
        connection: Option<&ConnectedProvider>,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let Chunk { pull, arrival, .. } = chunk;
        let user_row = self.require_user_row(team, arrival.user_id)?;
        // None if an earlier version took it: the same values are assumed, with an unknown time zone.
        let repeated = before.as_ref().map_or(Some(None), |before| {
            before.is_of(chunk.values_hash).then(|| before.zone())
        });
        let is_of_unknown_zone = before.is_none() && arrival.has_local_times();
        if is_of_unknown_zone && self.is_stored_by_clock(user_row, user, arrival, ingestion)? {
            return Ok(Ingested::Duplicate);
        }
        let read_as = in_zone(user, repeated.flatten());
        let located = arrival.with_offsets(&read_as)?;
        let completed = self.completed(user_row, &read_as, &located, ingestion)?;
        let wanted = WantedValues::of(&read_as, &completed);
        let places = match (repeated, &completed.kept) {
            (Some(_), _) => self.news(user_row, &completed)?.missing,
            // Such values exist only in events.
            (None, Kept::Nothing) => (0..completed.arrival.data.len()).collect(),
            (None, _) => {
                let news = self.news(user_row, &completed)?;
                [news.missing, news.changed].concat()
            }
        };
        let places: BTreeSet<_> = places.into_iter().filter(|place| wanted.has(*place)).collect();
        if places.is_empty() {
            return Ok(Ingested::Duplicate);
        }
        completed.check_order()?;
        let is_wanted = |place: usize| places.contains(&place);
        self.note_days(&Series::of(user_row, arrival), &wanted.days)?;
        self.keep(user_row, &completed, is_wanted)?;
        self.set_available(team, arrival, connection)?;
        let mut events = self.emit_replaced(team, user, &completed, is_wanted, ingestion)?;
        match pull.is_complete() {
            true => {
                self.put_chunk(chunk, &read_as, &span_of(&wanted), None)?;
                events += self.emit_again(team, user, &completed, &wanted, is_wanted, ingestion)?;
            }
            false => {
                let values = completed.values(is_wanted)?;
                let (data, span) = match &completed.kept {
                    Kept::Nothing => {
                        let sql = "SELECT octet_length(data) FROM pull_chunks WHERE pull = ?1 AND chunk = ?2";
                        let key = params![pull.id, chunk.number];
                        let before: Option<i64> = self.connection.one(sql, key, |row| row.get(0))?;
                        self.count_bytes(chunk, length(&values) - before.unwrap_or_default(), ingestion.now)?;
                        (values, span_of(&wanted))
                    }
                    _ => self.with_chunk_values(chunk, values, &span_of(&wanted), ingestion.now)?,
                };
                self.put_chunk(chunk, &read_as, &span, Some(&data))?;
            }
        }
        self.note_success(user_row, arrival, ingestion.now, events)?;
        Ok(Ingested::Taken)
    }

    /// Adds to the size of a waiting pull.
    fn count_bytes(&self, chunk: &Chunk<'_>, added: i64, now: DateTime<Utc>) -> Result<(), StoreError> {
        if chunk.pull.bytes.saturating_add(added) > MAX_BYTES {
            return Err(TOO_LONG);
        }
        let sql = "UPDATE pulls SET bytes = bytes + ?2, touched_on = ?3 WHERE id = ?1";
        self.connection
            .execute(sql, params![chunk.pull.id, added, instant(now)])?;
        Ok(())
    }

    /// Appends values to a waiting chunk, and their days. The pull counts these.
    fn with_chunk_values(
        &self,
        chunk: &Chunk<'_>,
        more: String,
        days: &str,
        now: DateTime<Utc>,
    ) -> Result<(String, String), StoreError> {
        self.count_bytes(chunk, length(&more), now)?;
        let sql = "SELECT day, data FROM pull_chunks WHERE pull = ?1 AND chunk = ?2";
        let (span, data) = self.connection.one(sql, params![chunk.pull.id, chunk.number], |row| {
            Ok((row.get::<String>(0)?, row.get::<Option<String>>(1)?))
        })?;
        let Some(data) = data.filter(|data| data != "[]") else {
            return Ok((more, days.to_owned()));
        };
        let [(first, last), (more_first, more_last)] = [days_of(&span), days_of(days)];
        let span = format!("{}/{}", first.min(more_first), last.max(more_last));
        // Concatenates two JSON arrays.
        let data = format!("{},{}", &data[..data.len() - 1], &more[1..]);
        Ok((data, span))
    }

    /// Deletes the historical pulls that wait for chunks, and got none since a time, with their
    /// values. Those of a task of a connector stay: it goes on with them, however long it has to wait. Returns their number.
    pub fn delete_unfinished_pulls(&self, since: DateTime<Utc>) -> Result<usize, StoreError> {
        // The state of such a task begins with the id of its pull, a UUID. Senders choose other ids as they like.
        let sql = "DELETE FROM pulls WHERE arrived < chunks AND touched_on < ?1
            AND NOT EXISTS (SELECT 1 FROM connections JOIN pull_tasks ON pull_tasks.connection = connections.id
                WHERE connections.user_row = pulls.user_row AND connections.slug = pulls.provider
                    AND pull_tasks.due IS NOT NULL AND substr(pull_tasks.state, 1, 46) = '{\"pull\":\"' || pulls.pull_id || '\"')";
        Ok(self.connection.execute(sql, params![instant(since)])?)
    }

    /// The pull of a chunk, created by its first chunk.
    fn pull(
        &self,
        team: TeamId,
        arrival: &DataArrival,
        chunk: &PullChunk,
        ingestion: &Ingestion,
    ) -> Result<StoredPull, StoreError> {
        let sql = "INSERT INTO pulls (user_row, provider, resource, pull_id, chunks, touched_on, started_on)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
            ON CONFLICT (user_row, provider, resource, pull_id) DO NOTHING";
        let user_row = self.require_user_row(team, arrival.user_id)?;
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
        let sql = "SELECT id, chunks, arrived, bytes FROM pulls
            WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND pull_id = ?4";
        let pull = self
            .connection
            .one(sql, params![user_row, provider, resource, chunk.id], |row| {
                Ok(StoredPull {
                    id: row.get(0)?,
                    chunks: row.get(1)?,
                    arrived: row.get(2)?,
                    bytes: row.get(3)?,
                })
            })?;
        Ok(pull)
    }

    fn find_chunk(&self, pull: i64, chunk: u32) -> Result<Option<StoredChunk>, StoreError> {
        let sql = "SELECT hash, source FROM pull_chunks WHERE pull = ?1 AND chunk = ?2";
        self.connection.first(sql, params![pull, chunk], |row| {
            Ok(StoredChunk {
                hash: row.get::<Option<Vec<u8>>>(0)?.map(DayHash),
                source: row.get(1)?,
            })
        })
    }

    /// Puts a chunk whose times were read in the time zone of a user.
    fn put_chunk(&self, chunk: &Chunk<'_>, read_as: &User, span: &str, data: Option<&str>) -> Result<(), StoreError> {
        let Chunk { pull, arrival, .. } = chunk;
        let zone = arrival.has_local_times().then_some(&*read_as.fallback_time_zone.id);
        let DayHash(hash) = DayHash::new(chunk.values_hash, zone);
        let source = source_text(&arrival.source)?;
        let sql = "INSERT INTO pull_chunks (pull, chunk, day, data, source, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (pull, chunk) DO UPDATE SET
                day = excluded.day, data = excluded.data, source = excluded.source, hash = excluded.hash";
        let row = params![pull.id, chunk.number, span, data, source, hash.as_slice()];
        self.connection.execute(sql, row)?;
        Ok(())
    }
}

fn length(values: &str) -> i64 {
    i64::try_from(values.len()).unwrap_or(i64::MAX)
}

/// The text of the days of a chunk: `2026-05-01/2026-05-03`, or the only one.
fn span_of(wanted: &WantedValues) -> String {
    match wanted.span {
        [first, last] if first == last => first.to_string(),
        [first, last] => format!("{first}/{last}"),
    }
}

/// The first and the last day of a span.
pub(crate) fn days_of(span: &str) -> (&str, &str) {
    span.split_once('/').unwrap_or((span, span))
}
