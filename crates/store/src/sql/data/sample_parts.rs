//! Writes of samples: parts of a day, the last of which are merged when there are many.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use chrono::NaiveDate;
use wearlab_ingest::{ArrivalSource, Sample};
use wearlab_models::ResourceName;

use super::samples::{Series, chunk, chunk_at, day_of, merged, series_chunk};
use crate::StoreError;
use crate::sql::Transaction;
use crate::sql::document::source_text;
use crate::sql::users::row::UserRow;
use crate::sql::value::{Row, params};

/// Number of parts of a day that are merged.
const PARTS: usize = 16;
/// Number of samples that are merged into the last parts, rather than added as a part of their own.
const MERGED_SAMPLES: usize = 1024;
/// Maximum size of the last parts to merge. Longer ones stay as they are: an append writes no more than this.
const MERGED_BYTES: i64 = 1024 * 1024;
/// Maximum size of the texts of a part, which a read has in memory. A part has one sample at least.
const TEXT_BYTES: usize = 4 * 1024 * 1024;
/// The last parts of a day, and their lengths: the parts that one append may merge.
const LAST_PARTS: &str = "SELECT part, octet_length(chunk) FROM samples
    WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND source = ?4 AND day = ?5
    ORDER BY part DESC LIMIT 15";

/// Splits samples into parts with bounded texts.
fn split_by_text(samples: &[Sample]) -> impl Iterator<Item = &[Sample]> {
    let text_of = |sample: &Sample| sample.rest.as_deref().map_or(0, str::len);
    let mut length = samples.first().map_or(0, text_of);
    samples.chunk_by(move |before, sample| {
        // A text that is equal to that of the previous sample is stored once.
        let added = match before.rest == sample.rest {
            true => 0,
            false => text_of(sample),
        };
        length += added;
        let fits = length <= TEXT_BYTES;
        if !fits {
            length = text_of(sample);
        }
        fits
    })
}

impl Transaction<'_> {
    /// Puts samples of a series, in place of those with the same time and type.
    pub(crate) fn put_samples(&self, series: &Series<'_>, samples: Vec<Sample>) -> Result<(), StoreError> {
        let samples = merged(vec![samples]);
        for of_day in samples.chunk_by(|a, b| day_of(a.time) == day_of(b.time)) {
            let Some(first) = of_day.first() else { continue };
            self.put_day_samples(series, day_of(first.time), of_day)?;
        }
        Ok(())
    }

    /// Prefetches the last parts of a day of a series.
    pub(crate) fn prefetch_parts(&self, series: &Series<'_>, day: i64) -> Result<(), StoreError> {
        let Series {
            user_row,
            resource,
            provider,
            source,
        } = series;
        let source = source_text(source)?;
        let key = params![user_row, resource.as_str(), provider, source, day];
        self.connection.prefetch(LAST_PARTS, key)
    }

    fn put_day_samples(&self, series: &Series<'_>, day: i64, samples: &[Sample]) -> Result<(), StoreError> {
        let Series {
            user_row,
            resource,
            provider,
            source,
        } = series;
        let source = source_text(source)?;
        let key = params![user_row, resource.as_str(), provider, source, day];
        let parts = self
            .connection
            .all(LAST_PARTS, key, |row| Ok((row.get::<i64>(0)?, row.get::<i64>(1)?)))?;
        let mut bytes = 0;
        let small = parts.iter().take_while(|(_, length)| {
            bytes += length;
            bytes <= MERGED_BYTES
        });
        let small: Vec<i64> = small.map(|(part, _)| *part).collect();
        let is_due = samples.len() >= MERGED_SAMPLES || small.len() + 1 >= PARTS;
        match small.last() {
            Some(first) if is_due => {
                let mut merging = self.parts_from(series, &source, day, *first)?;
                merging.push(samples.to_vec());
                self.delete_parts_from(series, &source, day, *first)?;
                self.insert_parts(series, &source, day, *first, &merged(merging))
            }
            _ => {
                let next = parts.first().map_or(0, |(last, _)| last + 1);
                self.insert_parts(series, &source, day, next, samples)
            }
        }
    }

    /// Inserts samples as a part, or as several if they exceed a chunk.
    fn insert_parts(
        &self,
        series: &Series<'_>,
        source: &str,
        day: i64,
        first: i64,
        samples: &[Sample],
    ) -> Result<(), StoreError> {
        let parts = (first..).zip(samples.chunks(wearlab_samples::MAX_SAMPLES).flat_map(split_by_text));
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
        let chunk = wearlab_samples::encode(samples);
        let row = params![
            user_row,
            resource.as_str(),
            provider,
            source,
            day,
            part,
            chunk.as_slice()
        ];
        Ok(self.connection.execute_pipelined(sql, row)?)
    }

    /// The parts of a day from one on.
    fn parts_from(
        &self,
        series: &Series<'_>,
        source: &str,
        day: i64,
        first: i64,
    ) -> Result<Vec<Vec<Sample>>, StoreError> {
        let Series {
            user_row,
            resource,
            provider,
            ..
        } = series;
        let sql = "SELECT id, chunk FROM samples
            WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND source = ?4 AND day = ?5 AND part >= ?6
            ORDER BY part";
        let key = params![user_row, resource.as_str(), provider, source, day, first];
        self.connection.all(sql, key, |row| series_chunk(row, 0, resource))
    }

    /// All samples of a day.
    pub(crate) fn samples_of_day(
        &self,
        series: &Series<'_>,
        source: &str,
        day: i64,
    ) -> Result<Vec<Sample>, StoreError> {
        self.merged_parts(series, source, day, |row| series_chunk(row, 0, series.resource))
    }

    /// The samples of a day at some times.
    pub(crate) fn samples_at(
        &self,
        series: &Series<'_>,
        source: &str,
        day: i64,
        times: &HashSet<i64>,
    ) -> Result<Vec<Sample>, StoreError> {
        self.merged_parts(series, source, day, |row| chunk_at(row, 0, series.resource, times))
    }

    fn merged_parts(
        &self,
        series: &Series<'_>,
        source: &str,
        day: i64,
        read: impl Fn(&Row<'_>) -> Result<Vec<Sample>, StoreError>,
    ) -> Result<Vec<Sample>, StoreError> {
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
        Ok(merged(self.connection.all(sql, key, |row| read(row))?))
    }

    fn delete_parts_from(&self, series: &Series<'_>, source: &str, day: i64, first: i64) -> Result<(), StoreError> {
        let Series {
            user_row,
            resource,
            provider,
            ..
        } = series;
        let sql = "DELETE FROM samples
            WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND source = ?4 AND day = ?5 AND part >= ?6";
        let key = params![user_row, resource.as_str(), provider, source, day, first];
        Ok(self.connection.execute_pipelined(sql, key)?)
    }

    /// Deletes the samples of a span, of one source of a provider or of all of them. Returns the days of deleted
    /// samples, by source.
    pub(crate) fn delete_samples(
        &self,
        user_row: UserRow,
        (resource, provider): (&ResourceName, &str),
        source: Option<&ArrivalSource>,
        span: &Range<i64>,
        local_day: impl Fn(i64) -> Option<NaiveDate>,
    ) -> Result<BTreeMap<String, BTreeSet<NaiveDate>>, StoreError> {
        if span.is_empty() {
            return Ok(BTreeMap::new());
        }
        let sql = "SELECT id, source FROM samples
            WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND day >= ?4 AND day <= ?5";
        let (first, last) = (day_of(span.start), day_of(span.end - 1));
        let key = params![user_row, resource.as_str(), provider, first, last];
        let parts = self
            .connection
            .all(sql, key, |row| Ok((row.get::<i64>(0)?, row.get::<String>(1)?)))?;
        let wanted = source.map(source_text).transpose()?;
        let mut deleted = BTreeMap::<String, BTreeSet<NaiveDate>>::new();
        for (id, source) in parts {
            if wanted.as_ref().is_some_and(|wanted| *wanted != source) {
                continue;
            }
            // One part at a time is in memory.
            let sql = "SELECT id, chunk FROM samples WHERE id = ?1";
            let samples = self.connection.one(sql, params![id], |row| chunk(row, 0))?;
            let (gone, left): (Vec<_>, Vec<_>) = samples.into_iter().partition(|sample| span.contains(&sample.time));
            if gone.is_empty() {
                continue;
            }
            match left.is_empty() {
                true => self
                    .connection
                    .execute_pipelined("DELETE FROM samples WHERE id = ?1", params![id])?,
                false => {
                    let chunk = wearlab_samples::encode(&left);
                    let sql = "UPDATE samples SET chunk = ?2 WHERE id = ?1";
                    self.connection.execute_pipelined(sql, params![id, chunk.as_slice()])?;
                }
            }
            let days = gone.iter().filter_map(|sample| local_day(sample.time));
            deleted.entry(source).or_default().extend(days);
        }
        Ok(deleted)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use wearlab_ingest::{Sample, SampleValue};

    use super::{TEXT_BYTES, split_by_text};

    fn note(time: i64, text: &str) -> Sample {
        Sample {
            time,
            offset: 0,
            span: None,
            kind: None,
            value: SampleValue::None,
            unit: None,
            timezone_offset: None,
            rest: Some(Arc::from(text)),
        }
    }

    #[test]
    fn the_text_of_the_sample_that_begins_a_part_counts() {
        let texts: Vec<_> = (0..9).map(|number| number.to_string().repeat(TEXT_BYTES / 2)).collect();
        let samples: Vec<_> = (0..).zip(&texts).map(|(time, text)| note(time, text)).collect();
        let parts: Vec<_> = split_by_text(&samples).map(<[_]>::len).collect();
        assert_eq!(parts, [2, 2, 2, 2, 1]);
        let one = vec![note(0, &texts[0]); 9];
        let same: Vec<_> = (0..).zip(one).map(|(time, note)| Sample { time, ..note }).collect();
        assert_eq!(split_by_text(&same).map(<[_]>::len).collect::<Vec<_>>(), [9]);
        let long = texts[0].repeat(3);
        let alone = [note(0, &long), note(1, "short"), note(2, &long)];
        assert_eq!(split_by_text(&alone).map(<[_]>::len).collect::<Vec<_>>(), [1, 1, 1]);
    }
}
