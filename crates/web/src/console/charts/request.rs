//! Query of a chart.

use wearlab_models::Uuid;

use super::super::authenticated_page::parse_id;
use super::super::error::PageError;
use super::super::query::Query;
use super::kind::Chart;

/// Maximum points of a chart.
const MAX_POINTS: usize = 2_000;
/// Maximum span in seconds: a century.
const MAX_SPAN: i64 = 100 * 366 * 86_400;

/// User, provider, kind and span of a chart.
pub(super) struct Request {
    pub(super) team_id: Uuid,
    pub(super) user_id: Uuid,
    pub(super) chart: Chart,
    pub(super) provider: String,
    /// Start of the span, in s since 1970; `to` is its end.
    pub(super) from: i64,
    pub(super) to: i64,
    /// Maximum points.
    pub(super) points: usize,
}

impl Request {
    /// Parses the query. Not found if it is invalid.
    pub(super) fn read(team_id: &str, user_id: &str, query: &Query) -> Result<Self, PageError> {
        let read = || {
            let (from, to): (i64, i64) = (query.parse("from")?, query.parse("to")?);
            let ordered = from < to && to.checked_sub(from)? <= MAX_SPAN && from >= -MAX_SPAN && to <= 3 * MAX_SPAN;
            ordered.then_some(())?;
            Some((
                Chart::named(query.get("chart")?)?,
                query.get("provider")?.to_owned(),
                from,
                to,
            ))
        };
        let (chart, provider, from, to) = read().ok_or_else(PageError::not_found)?;
        Ok(Self {
            team_id: parse_id(team_id)?,
            user_id: parse_id(user_id)?,
            chart,
            provider,
            from,
            to,
            points: query.parse("points").unwrap_or(MAX_POINTS).clamp(1, MAX_POINTS),
        })
    }
}
