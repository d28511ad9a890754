//! Samples of time series, in chunks of a UTC day.

use std::ops::{ControlFlow, Range};

use uuid::Uuid;
use wearlab_ingest::{ArrivalSource, Sample};
use wearlab_models::ResourceName;

use super::document::{decode, encode};
use super::user_row::UserRow;
use super::value::{Row, params};
use super::{Reader, Transaction, neighbours};
use crate::samples::{self, Damaged};
use crate::{SampleFilter, SampleGroup, SamplePage, SamplePosition, Session, StoreError, TeamId};

/// The kind of document that the source of data is.
const SOURCE: &str = "source";
/// The length of a day in µs.
const DAY: i64 = 86_400_000_000;
/// How many parts of a day become one.
const PARTS: usize = 16;
/// So many samples are not added as a part of their own: they are put among those that are there.
const MANY: usize = 1024;

/// The samples of one source.
pub(super) struct Series<'a> {
    pub(super) user_row: UserRow,
    pub(super) resource: &'a ResourceName,
    pub(super) provider: &'a str,
    pub(super) source: &'a ArrivalSource,
}

/// The samples of a chunk that stands in a row, behind the number of that.
pub(crate) fn chunk(row: &Row<'_>, number: usize) -> Result<Vec<Sample>, StoreError> {
    let (id, chunk): (i64, Vec<u8>) = (row.get(number)?, row.get(number + 1)?);
    samples::decode(&chunk).map_err(|Damaged| StoreError::DamagedChunk { row: id })
}

/// The samples of parts, in order. Of those that replace each other, the last one stays.
pub(super) fn merged(parts: Vec<Vec<Sample>>) -> Vec<Sample> {
    let mut all: Vec<Sample> = parts.into_iter().flatten().collect();
    let is_sorted = all.is_sorted_by(|a, b| a.order(b).is_lt());
    if !is_sorted {
        all.sort_by(Sample::order);
        all.reverse();
        // The first of those that are equal is the last one that came.
        all.dedup_by(|later, kept| later.order(kept).is_eq());
        all.reverse();
    }
    all
}

fn day_of(time: i64) -> i64 {
    time.div_euclid(DAY)
}

impl Reader<'_> {
    /// A page of samples, in the order of provider, source, time and type. None where the team has no such user.
    pub(crate) fn samples(
        &self,
        team: TeamId,
        user_id: Uuid,
        filter: &SampleFilter<'_>,
        limit: usize,
    ) -> Result<Option<SamplePage>, StoreError> {
        let Some(user_row) = self.user_row(team, user_id)? else {
            return Ok(None);
        };
        let mut page = SamplePage::default();
        let mut left = limit;
        let mut series = match filter.after {
            Some(after) => Some((after.provider.clone(), after.source.clone())),
            None => self.next_series(user_row, filter, None)?,
        };
        let index = "user_row, resource, provider, source, day, part";
        let key = params![user_row, filter.resource.as_str()];
        neighbours::check(self.connection, "samples", index, key)?;
        while let Some((provider, source)) = series {
            let after = filter
                .after
                .filter(|after| after.provider == provider && after.source == source);
            let mut group = SampleGroup {
                source: decode(SOURCE, &source)?,
                provider,
                samples: Vec::new(),
            };
            let mut is_full = false;
            self.each_day(user_row, filter, &group.provider, &source, after, |samples| {
                let wanted = samples.into_iter().filter(|sample| {
                    filter.span.contains(&sample.time) && after.is_none_or(|after| after.is_before(sample))
                });
                for sample in wanted {
                    if left == 0 {
                        is_full = true;
                        return ControlFlow::Break(());
                    }
                    left -= 1;
                    group.samples.push(sample);
                }
                ControlFlow::Continue(())
            })?;
            let last = group.samples.last().map(|last| SamplePosition {
                provider: group.provider.clone(),
                source: source.clone(),
                time: last.time,
                kind: last.kind.as_deref().map(str::to_owned),
            });
            let provider = group.provider.clone();
            if let Some(last) = last {
                page.next = Some(last);
                page.groups.push(group);
            }
            if is_full {
                return Ok(Some(page));
            }
            series = self.next_series(user_row, filter, Some((&provider, &source)))?;
        }
        page.next = None;
        Ok(Some(page))
    }

    /// The samples of a session, of its source, by resource.
    pub(crate) fn session_samples(
        &self,
        team: TeamId,
        session: &Session,
    ) -> Result<Vec<(ResourceName, Vec<Sample>)>, StoreError> {
        let Some(user_row) = self.user_row(team, session.user_id)? else {
            return Ok(Vec::new());
        };
        let source = encode(SOURCE, &session.source)?;
        let span = session.start..session.end.saturating_add(1);
        let mut found = Vec::new();
        let mut resource = String::new();
        loop {
            let sql = "SELECT resource FROM samples WHERE user_row = ?1 AND resource > ?2 ORDER BY resource LIMIT 1";
            let next = self
                .connection
                .first(sql, params![user_row, resource], |row| row.get(0))?;
            let Some(next) = next else {
                return Ok(found);
            };
            resource = next;
            let name = ResourceName::from(resource.as_str());
            let filter = SampleFilter {
                resource: &name,
                span: span.clone(),
                provider: None,
                after: None,
            };
            let mut samples = Vec::new();
            self.each_day(user_row, &filter, &session.provider, &source, None, |of_day| {
                samples.extend(of_day.into_iter().filter(|sample| span.contains(&sample.time)));
                ControlFlow::Continue(())
            })?;
            if !samples.is_empty() {
                found.push((name, samples));
            }
        }
    }

    /// The first series behind another one, by provider and source.
    fn next_series(
        &self,
        user_row: UserRow,
        filter: &SampleFilter<'_>,
        after: Option<(&str, &str)>,
    ) -> Result<Option<(String, String)>, StoreError> {
        let (provider, source) = match (after, filter.provider) {
            (Some(after), _) => after,
            (None, Some(provider)) => (provider, ""),
            (None, None) => ("", ""),
        };
        let sql = "SELECT provider, source FROM samples
            WHERE user_row = ?1 AND resource = ?2 AND (provider, source) > (?3, ?4)
            ORDER BY provider, source LIMIT 1";
        let key = params![user_row, filter.resource.as_str(), provider, source];
        let found = self
            .connection
            .first(sql, key, |row| Ok((row.get::<String>(0)?, row.get(1)?)))?;
        Ok(found.filter(|(provider, _)| filter.provider.is_none_or(|wanted| wanted == provider)))
    }

    /// Hands on the samples of a series, those of a day together, from the first day of the span or of a position on.
    fn each_day(
        &self,
        user_row: UserRow,
        filter: &SampleFilter<'_>,
        provider: &str,
        source: &str,
        after: Option<&SamplePosition>,
        mut each: impl FnMut(Vec<Sample>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        if filter.span.is_empty() {
            return Ok(());
        }
        let start = after.map_or(filter.span.start, |after| after.time.max(filter.span.start));
        let (first, last) = (day_of(start), day_of(filter.span.end - 1));
        let sql = "SELECT day, id, chunk FROM samples
            WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND source = ?4 AND day >= ?5 AND day <= ?6
            ORDER BY day, part";
        let key = params![user_row, filter.resource.as_str(), provider, source, first, last];
        let mut day = first;
        let mut parts: Vec<Vec<Sample>> = Vec::new();
        let mut is_over = false;
        self.connection.each(sql, key, |row| {
            let of_day: i64 = row.get(0)?;
            if of_day != day && !parts.is_empty() {
                if each(merged(std::mem::take(&mut parts))).is_break() {
                    is_over = true;
                    return Ok(ControlFlow::Break(()));
                }
            }
            day = of_day;
            parts.push(chunk(row, 1)?);
            Ok::<_, StoreError>(ControlFlow::Continue(()))
        })?;
        if !is_over && !parts.is_empty() {
            let _ = each(merged(parts));
        }
        Ok(())
    }
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

    fn put_day_samples(&self, series: &Series<'_>, day: i64, samples: &[Sample]) -> Result<(), StoreError> {
        let Series {
            user_row,
            resource,
            provider,
            source,
        } = series;
        let source = encode(SOURCE, &(*source).clone().normalized())?;
        let sql = "SELECT count(*), coalesce(max(part), -1) FROM samples
            WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND source = ?4 AND day = ?5";
        let key = params![user_row, resource.as_str(), provider, source, day];
        let (parts, last) = self
            .connection
            .one(sql, key, |row| Ok((row.get::<i64>(0)?, row.get::<i64>(1)?)))?;
        let is_many = samples.len() >= MANY || usize::try_from(parts).is_ok_and(|parts| parts + 1 >= PARTS);
        if parts == 0 || !is_many {
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
        let parts = (first..).zip(samples.chunks(samples::MOST));
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
        self.connection.execute(sql, row)?;
        Ok(())
    }

    fn parts_of(&self, series: &Series<'_>, source: &str, day: i64) -> Result<Vec<Vec<Sample>>, StoreError> {
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
        self.connection.execute(sql, key)?;
        Ok(())
    }

    /// Deletes the samples of a span, of one source of a provider or of all of them. Returns how many.
    pub(super) fn delete_samples(
        &self,
        user_row: UserRow,
        resource: &ResourceName,
        provider: &str,
        source: Option<&ArrivalSource>,
        span: &Range<i64>,
    ) -> Result<usize, StoreError> {
        if span.is_empty() {
            return Ok(0);
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
        let mut deleted = 0;
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
            let all = merged(self.parts_of(&series, &source, day)?);
            let before = all.len();
            let rest: Vec<_> = all.into_iter().filter(|sample| !span.contains(&sample.time)).collect();
            if rest.len() == before {
                continue;
            }
            deleted += before - rest.len();
            self.delete_parts(&series, &source, day)?;
            if !rest.is_empty() {
                self.insert_parts(&series, &source, day, 0, &rest)?;
            }
        }
        Ok(deleted)
    }
}
