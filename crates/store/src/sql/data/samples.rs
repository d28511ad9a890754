//! Samples of time series, in chunks of a UTC day.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use uuid::Uuid;
use wearlab_ingest::{ArrivalSource, DataArrival, Sample, SampleForm};
use wearlab_models::ResourceName;
use wearlab_samples::{Budget, DamagedChunk, PageLimit};

use crate::sql::Reader;
use crate::sql::document::{SOURCE, decode, encode};
use crate::sql::users::row::UserRow;
use crate::sql::value::{Row, Value, params};
use crate::{SampleFilter, SampleGroup, SamplePage, SamplePosition, Session, StoreError, TeamId};

/// The type of samples without one, in reads.
pub(crate) const UNKNOWN: &str = "unknown";
/// The length of a day in µs.
const DAY: i64 = 86_400_000_000;

/// The values of a resource of one source.
pub(crate) struct Series<'a> {
    pub(crate) user_row: UserRow,
    pub(crate) resource: &'a ResourceName,
    pub(crate) provider: &'a str,
    pub(crate) source: &'a ArrivalSource,
}

impl<'a> Series<'a> {
    /// The series of an arrival.
    pub(crate) fn of(user_row: UserRow, arrival: &'a DataArrival) -> Self {
        Self {
            user_row,
            resource: &arrival.resource,
            provider: &arrival.provider,
            source: &arrival.source,
        }
    }
}

/// Selection of the samples of a page.
struct Wanted<'a> {
    /// Only samples after a position.
    after: Option<&'a SamplePosition>,
    /// Limit of the samples of a day.
    limit: PageLimit,
}

/// The samples of the chunk in a row, whose number is in the column before it.
pub(crate) fn chunk(row: &Row<'_>, number: usize) -> Result<Vec<Sample>, StoreError> {
    of_chunk(row, number, wearlab_samples::decode)
}

/// The samples of a chunk of a resource. Earlier versions stored a type `unknown`, which is absent now.
pub(crate) fn series_chunk(row: &Row<'_>, number: usize, resource: &ResourceName) -> Result<Vec<Sample>, StoreError> {
    chunk(row, number).map(|samples| normalized(samples, resource))
}

/// The first wanted samples by their time and type, and whether there are more.
pub(crate) fn wanted_chunk(
    row: &Row<'_>,
    number: usize,
    resource: &ResourceName,
    is_wanted: impl Fn(i64, Option<&str>) -> bool,
    limit: PageLimit,
) -> Result<(Vec<Sample>, bool), StoreError> {
    if !SampleForm::of(resource).typed {
        return of_chunk(row, number, |chunk| {
            wearlab_samples::decode_matching(chunk, is_wanted, limit)
        });
    }
    // A replaced type changes the order.
    let (mut found, mut budget) = (Vec::new(), Budget::of(limit));
    for sample in merged(vec![series_chunk(row, number, resource)?]) {
        if is_wanted(sample.time, sample.kind.as_deref()) {
            if !budget.take(wearlab_samples::size(&sample)) {
                return Ok((found, true));
            }
            found.push(sample);
        }
    }
    Ok((found, false))
}

/// Reads the samples of a chunk at some times.
pub(crate) fn chunk_at(
    row: &Row<'_>,
    number: usize,
    resource: &ResourceName,
    times: &HashSet<i64>,
) -> Result<Vec<Sample>, StoreError> {
    let found = of_chunk(row, number, |chunk| wearlab_samples::decode_at(chunk, times));
    found.map(|samples| normalized(samples, resource))
}

fn normalized(mut samples: Vec<Sample>, resource: &ResourceName) -> Vec<Sample> {
    let form = SampleForm::of(resource);
    if form.typed {
        samples.iter_mut().for_each(|sample| sample.normalize(form));
    }
    samples
}

/// Reads the chunk in a row, whose number is in the column before it.
fn of_chunk<T>(
    row: &Row<'_>,
    number: usize,
    read: impl FnOnce(&[u8]) -> Result<T, DamagedChunk>,
) -> Result<T, StoreError> {
    let id: i64 = row.get(number)?;
    let read = match row.raw(number + 1)? {
        Value::Bytes(chunk) => read(chunk),
        _ => Err(DamagedChunk),
    };
    read.map_err(|DamagedChunk| StoreError::DamagedChunk { row: id })
}

/// The first samples of a day, whose parts are added one after the other: only one part at a time is in
/// memory.
pub(crate) struct FirstOfDay {
    limit: PageLimit,
    samples: Vec<Sample>,
    /// Position after which samples were left out.
    end: Option<(i64, Option<Arc<str>>)>,
    is_cut: bool,
}

impl FirstOfDay {
    pub(crate) fn new(limit: PageLimit) -> Self {
        Self {
            limit,
            samples: Vec::new(),
            end: None,
            is_cut: false,
        }
    }

    /// Adds the first samples of a part. `is_cut` is true if it has more of them.
    pub(crate) fn add(&mut self, part: Vec<Sample>, is_cut: bool) {
        if is_cut {
            self.cut(part.last());
        }
        let before = std::mem::take(&mut self.samples);
        self.samples = merged(vec![before, part]);
        if let Some((time, kind)) = &self.end {
            let end = (*time, kind.as_deref());
            let count = self
                .samples
                .partition_point(|sample| (sample.time, sample.kind.as_deref()) <= end);
            self.samples.truncate(count);
        }
        let mut budget = Budget::of(self.limit);
        let fits = |sample: &&Sample| budget.take(wearlab_samples::size(sample));
        let count = self.samples.iter().take_while(fits).count();
        if count < self.samples.len() {
            self.samples.truncate(count);
            let last = self.samples.last().cloned();
            self.cut(last.as_ref());
        }
    }

    fn cut(&mut self, last: Option<&Sample>) {
        self.is_cut = true;
        let last = last.map(|last| (last.time, last.kind.clone()));
        self.end = match (self.end.take(), last) {
            (Some(end), Some(last)) => Some(end.min(last)),
            (end, last) => end.or(last),
        };
    }

    /// The samples, and whether the day has more of them.
    pub(crate) fn finish(self) -> (Vec<Sample>, bool) {
        (self.samples, self.is_cut)
    }
}

/// The samples of parts, in order. The last of several with the same time and type stays.
pub(crate) fn merged(parts: Vec<Vec<Sample>>) -> Vec<Sample> {
    let mut all: Vec<Sample> = parts.into_iter().flatten().collect();
    let is_sorted = all.is_sorted_by(|a, b| a.order(b).is_lt());
    if !is_sorted {
        all.sort_by(Sample::order);
        all.reverse();
        // The first of equal ones is the latest.
        all.dedup_by(|later, kept| later.order(kept).is_eq());
        all.reverse();
    }
    all
}

pub(crate) fn day_of(time: i64) -> i64 {
    time.div_euclid(DAY)
}

/// The samples of a resource.
type SeriesSamples = (ResourceName, Vec<Sample>);

impl Reader<'_> {
    /// A page of samples, in the order of provider, source, time and type. None if the team has no such user.
    pub(crate) fn samples(
        &self,
        team: TeamId,
        user_id: Uuid,
        filter: &SampleFilter<'_>,
        limit: PageLimit,
    ) -> Result<Option<SamplePage>, StoreError> {
        let Some(user_row) = self.user_row(team, user_id)? else {
            return Ok(None);
        };
        let mut page = SamplePage::default();
        let mut budget = Budget::of(limit);
        let mut series = match filter.after {
            Some(after) => Some((after.provider.clone(), after.source.clone())),
            None => self.next_series(user_row, filter, None)?,
        };
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
            let limit = budget.left();
            let wanted = Wanted { after, limit };
            self.each_day(
                user_row,
                filter,
                &group.provider,
                &source,
                &wanted,
                |samples, is_cut| {
                    let count = group.samples.len() + samples.len();
                    let fitting = samples
                        .into_iter()
                        .take_while(|sample| budget.take(wearlab_samples::size(sample)));
                    group.samples.extend(fitting);
                    is_full = is_cut || group.samples.len() < count;
                    match is_full {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                },
            )?;
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

    /// The samples of a session, of its source, by resource. None if they exceed a size in bytes.
    pub(crate) fn session_samples(
        &self,
        team: TeamId,
        session: &Session,
        bytes: usize,
    ) -> Result<Option<Vec<SeriesSamples>>, StoreError> {
        let Some(user_row) = self.user_row(team, session.user_id)? else {
            return Ok(Some(Vec::new()));
        };
        let mut left = bytes;
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
                return Ok(Some(found));
            };
            resource = next;
            let name = ResourceName::from(resource.as_str());
            let filter = SampleFilter {
                resource: &name,
                span: span.clone(),
                provider: None,
                after: None,
            };
            let (mut samples, mut is_cut) = (Vec::new(), false);
            let limit = PageLimit {
                bytes: left,
                ..PageLimit::NONE
            };
            let wanted = Wanted { after: None, limit };
            self.each_day(
                user_row,
                &filter,
                &session.provider,
                &source,
                &wanted,
                |mut of_day, is_more| {
                    let bytes = of_day.iter().map(wearlab_samples::size).sum::<usize>();
                    is_cut = is_more || bytes > left;
                    left = left.saturating_sub(bytes);
                    samples.append(&mut of_day);
                    match is_cut {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                },
            )?;
            if is_cut {
                return Ok(None);
            }
            if !samples.is_empty() {
                found.push((name, samples));
            }
        }
    }

    /// The first series after another one, by provider and source.
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

    /// Calls `each` with the first wanted samples of each day of a series, and whether the day has more of them.
    fn each_day(
        &self,
        user_row: UserRow,
        filter: &SampleFilter<'_>,
        provider: &str,
        source: &str,
        wanted: &Wanted<'_>,
        mut each: impl FnMut(Vec<Sample>, bool) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        if filter.span.is_empty() {
            return Ok(());
        }
        let Wanted { after, limit } = wanted;
        let start = after.map_or(filter.span.start, |after| after.time.max(filter.span.start));
        let (first, last) = (day_of(start), day_of(filter.span.end - 1));
        let sql = "SELECT day, id, chunk FROM samples
            WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND source = ?4 AND day >= ?5 AND day <= ?6
            ORDER BY day, part";
        let key = params![user_row, filter.resource.as_str(), provider, source, first, last];
        let mut current: Option<(i64, FirstOfDay)> = None;
        self.connection.each(sql, key, |row| {
            let day: i64 = row.get(0)?;
            if let Some((_, before)) = current.take_if(|(before, _)| *before != day) {
                let (samples, is_cut) = before.finish();
                if each(samples, is_cut).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            let is_wanted = |time: i64, kind: Option<&str>| {
                filter.span.contains(&time) && after.is_none_or(|after| after.is_before(time, kind))
            };
            // Replacements of a sample take no additional place.
            let (part, is_cut) = wanted_chunk(row, 1, filter.resource, is_wanted, *limit)?;
            let (_, of_day) = current.get_or_insert_with(|| (day, FirstOfDay::new(*limit)));
            of_day.add(part, is_cut);
            Ok::<_, StoreError>(ControlFlow::Continue(()))
        })?;
        if let Some((_, last)) = current {
            let (samples, is_cut) = last.finish();
            let _ = each(samples, is_cut);
        }
        Ok(())
    }
}
