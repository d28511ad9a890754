//! Samples of time series, in chunks of a UTC day.

use std::ops::ControlFlow;

use uuid::Uuid;
use wearlab_ingest::{ArrivalSource, Sample};
use wearlab_models::ResourceName;

use super::document::{decode, encode};
use super::user_row::UserRow;
use super::value::{Row, params};
use super::{Reader, neighbours};
use crate::samples::{self, Damaged};
use crate::{SampleFilter, SampleGroup, SamplePage, SamplePosition, Session, StoreError, TeamId};

/// The kind of document that the source of data is.
pub(super) const SOURCE: &str = "source";
/// The length of a day in µs.
const DAY: i64 = 86_400_000_000;

/// The samples of one source.
pub(super) struct Series<'a> {
    pub(super) user_row: UserRow,
    pub(super) resource: &'a ResourceName,
    pub(super) provider: &'a str,
    pub(super) source: &'a ArrivalSource,
}

/// Which samples of a series a page has.
struct Wanted<'a> {
    /// Those behind a position.
    after: Option<&'a SamplePosition>,
    /// No more than so many of a day.
    most: usize,
}

impl Wanted<'_> {
    const ALL: Self = Self {
        after: None,
        most: usize::MAX,
    };
}

/// The samples of a chunk that stands in a row, behind the number of that.
pub(crate) fn chunk(row: &Row<'_>, number: usize) -> Result<Vec<Sample>, StoreError> {
    wanted_chunk(row, number, |_, _| true, usize::MAX)
}

/// The first of them that are wanted by their time and type.
fn wanted_chunk(
    row: &Row<'_>,
    number: usize,
    is_wanted: impl Fn(i64, Option<&str>) -> bool,
    most: usize,
) -> Result<Vec<Sample>, StoreError> {
    let (id, chunk): (i64, Vec<u8>) = (row.get(number)?, row.get(number + 1)?);
    samples::decode_some(&chunk, is_wanted, most).map_err(|Damaged| StoreError::DamagedChunk { row: id })
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

pub(super) fn day_of(time: i64) -> i64 {
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
            let wanted = Wanted { after, most: left + 1 };
            self.each_day(user_row, filter, &group.provider, &source, &wanted, |mut samples| {
                is_full = samples.len() > left;
                samples.truncate(left);
                left -= samples.len();
                group.samples.append(&mut samples);
                match is_full {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
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
            self.each_day(
                user_row,
                &filter,
                &session.provider,
                &source,
                &Wanted::ALL,
                |mut of_day| {
                    samples.append(&mut of_day);
                    ControlFlow::Continue(())
                },
            )?;
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

    /// Hands on the samples of a series that are wanted, those of a day together.
    fn each_day(
        &self,
        user_row: UserRow,
        filter: &SampleFilter<'_>,
        provider: &str,
        source: &str,
        wanted: &Wanted<'_>,
        mut each: impl FnMut(Vec<Sample>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        if filter.span.is_empty() {
            return Ok(());
        }
        let Wanted { after, most } = wanted;
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
            if of_day != day && !parts.is_empty() && each(merged(std::mem::take(&mut parts))).is_break() {
                is_over = true;
                return Ok(ControlFlow::Break(()));
            }
            day = of_day;
            let is_wanted = |time: i64, kind: Option<&str>| {
                filter.span.contains(&time) && after.is_none_or(|after| after.is_before(time, kind))
            };
            // What replaces another sample takes no place beyond that of this.
            parts.push(wanted_chunk(row, 1, is_wanted, *most)?);
            Ok::<_, StoreError>(ControlFlow::Continue(()))
        })?;
        if !is_over && !parts.is_empty() {
            let _ = each(merged(parts));
        }
        Ok(())
    }
}
