//! What is written of samples: parts of a day, which become one part when there are many.

use std::collections::BTreeMap;
use std::ops::Range;

use wearlab_ingest::{ArrivalSource, Sample};
use wearlab_models::ResourceName;

use super::Transaction;
use super::document::{decode, encode};
use super::samples::{SOURCE, Series, chunk, day_of, merged};
use super::user_row::UserRow;
use super::value::params;
use crate::StoreError;
use crate::samples;

/// How many parts of a day become one.
const PARTS: usize = 16;
/// So many samples are not added as a part of their own: they are put among those that are there.
const MANY: usize = 1024;
/// A part ends when the texts of its samples are longer than this, in bytes, so that a read has no more of it in memory.
const TEXTS: usize = 4 * 1024 * 1024;
/// Parts of a day that have more bytes than this are not put together any more: all of them would be in memory.
const MOST_BYTES: i64 = 8 * 1024 * 1024;
const BYTES_OF_PARTS: &str = "SELECT octet_length(chunk) FROM samples
    WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND source = ?4 AND day = ?5";
const PARTS_OF_DAY: &str = "SELECT count(*), coalesce(max(part), -1) FROM samples
    WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND source = ?4 AND day = ?5";

/// Samples in parts whose texts are not too long, each of one sample at least.
fn by_texts(samples: &[Sample]) -> impl Iterator<Item = &[Sample]> {
    let mut length = 0;
    samples.chunk_by(move |before, sample| {
        // A text that all samples have is kept once.
        let rest = sample
            .rest
            .as_deref()
            .filter(|rest| before.rest.as_deref() != Some(*rest));
        length += rest.map_or(0, str::len);
        let goes_on = length <= TEXTS;
        if !goes_on {
            length = 0;
        }
        goes_on
    })
}

impl Transaction<'_> {
    /// Keeps samples of a series, in place of those with the same time and type.
    pub(super) fn put_samples(&self, series: &Series<'_>, samples: Vec<Sample>) -> Result<(), StoreError> {
        let samples = merged(vec![samples]);
        for of_day in samples.chunk_by(|a, b| day_of(a.time) == day_of(b.time)) {
            let Some(first) = of_day.first() else { continue };
            self.put_day_samples(series, day_of(first.time), of_day)?;
        }
        Ok(())
    }

    /// Asks ahead how many parts a day of a series has.
    pub(super) fn ask_parts(&self, series: &Series<'_>, day: i64) -> Result<(), StoreError> {
        let Series {
            user_row,
            resource,
            provider,
            source,
        } = series;
        let source = encode(SOURCE, &(*source).clone().normalized())?;
        let key = params![user_row, resource.as_str(), provider, source, day];
        self.connection.ask_ahead(PARTS_OF_DAY, key)
    }

    fn put_day_samples(&self, series: &Series<'_>, day: i64, samples: &[Sample]) -> Result<(), StoreError> {
        let Series {
            user_row,
            resource,
            provider,
            source,
        } = series;
        let source = encode(SOURCE, &(*source).clone().normalized())?;
        let key = params![user_row, resource.as_str(), provider, source, day];
        let (parts, last) = self
            .connection
            .one(PARTS_OF_DAY, key, |row| Ok((row.get::<i64>(0)?, row.get::<i64>(1)?)))?;
        let is_many = samples.len() >= MANY || usize::try_from(parts).is_ok_and(|parts| parts + 1 >= PARTS);
        let is_small = || -> Result<bool, StoreError> {
            let bytes = self.connection.all(BYTES_OF_PARTS, key, |row| row.get::<i64>(0))?;
            Ok(bytes.iter().sum::<i64>() <= MOST_BYTES)
        };
        if parts == 0 || !is_many || !is_small()? {
            return self.insert_parts(series, &source, day, last + 1, samples);
        }
        let mut all = self.parts_of(series, &source, day)?;
        all.push(samples.to_vec());
        self.delete_parts(series, &source, day)?;
        self.insert_parts(series, &source, day, 0, &merged(all))
    }

    /// Inserts samples as a part, or as several where they are more than a chunk takes.
    fn insert_parts(
        &self,
        series: &Series<'_>,
        source: &str,
        day: i64,
        first: i64,
        samples: &[Sample],
    ) -> Result<(), StoreError> {
        let parts = (first..).zip(samples.chunks(samples::MOST).flat_map(by_texts));
        let mut each = parts.map(|(part, samples)| self.insert_part(series, source, day, part, samples));
        each.try_for_each(|inserted| inserted)
    }

    fn insert_part(
        &self,
        series: &Series<'_>,
        source: &str,
        day: i64,
        part: i64,
        samples: &[Sample],
    ) -> Result<(), StoreError> {
        let Series {
            user_row,
            resource,
            provider,
            ..
        } = series;
        let sql = "INSERT INTO samples (user_row, resource, provider, source, day, part, chunk)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let chunk = samples::encode(samples);
        let row = params![
            user_row,
            resource.as_str(),
            provider,
            source,
            day,
            part,
            chunk.as_slice()
        ];
        Ok(self.connection.execute_later(sql, row)?)
    }

    pub(super) fn parts_of(&self, series: &Series<'_>, source: &str, day: i64) -> Result<Vec<Vec<Sample>>, StoreError> {
        let Series {
            user_row,
            resource,
            provider,
            ..
        } = series;
        let sql = "SELECT id, chunk FROM samples
            WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND source = ?4 AND day = ?5
            ORDER BY part";
        let key = params![user_row, resource.as_str(), provider, source, day];
        self.connection.all(sql, key, |row| chunk(row, 0))
    }

    fn delete_parts(&self, series: &Series<'_>, source: &str, day: i64) -> Result<(), StoreError> {
        let Series {
            user_row,
            resource,
            provider,
            ..
        } = series;
        let sql = "DELETE FROM samples
            WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND source = ?4 AND day = ?5";
        let key = params![user_row, resource.as_str(), provider, source, day];
        Ok(self.connection.execute_later(sql, key)?)
    }

    /// Deletes the samples of a span, of one source of a provider or of all of them. Returns the times of what was deleted, by
    /// source.
    pub(super) fn delete_samples(
        &self,
        user_row: UserRow,
        resource: &ResourceName,
        provider: &str,
        source: Option<&ArrivalSource>,
        span: &Range<i64>,
    ) -> Result<BTreeMap<String, Vec<i64>>, StoreError> {
        if span.is_empty() {
            return Ok(BTreeMap::new());
        }
        let sql = "SELECT DISTINCT source, day FROM samples
            WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND day >= ?4 AND day <= ?5
            ORDER BY source, day";
        let (first, last) = (day_of(span.start), day_of(span.end - 1));
        let key = params![user_row, resource.as_str(), provider, first, last];
        let days = self
            .connection
            .all(sql, key, |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?)))?;
        let wanted = source
            .map(|source| encode(SOURCE, &source.clone().normalized()))
            .transpose()?;
        let mut deleted = BTreeMap::<_, Vec<_>>::new();
        for (source, day) in days {
            if wanted.as_ref().is_some_and(|wanted| *wanted != source) {
                continue;
            }
            let series = Series {
                user_row,
                resource,
                provider,
                source: &decode(SOURCE, &source)?,
            };
            let all = merged(self.parts_of(&series, &source, day)?).into_iter();
            let (gone, rest): (Vec<_>, Vec<_>) = all.partition(|sample| span.contains(&sample.time));
            if gone.is_empty() {
                continue;
            }
            self.delete_parts(&series, &source, day)?;
            if !rest.is_empty() {
                self.insert_parts(&series, &source, day, 0, &rest)?;
            }
            deleted
                .entry(source)
                .or_default()
                .extend(gone.iter().map(|sample| sample.time));
        }
        Ok(deleted)
    }
}
