//! Points of a chart.

use std::sync::Arc;

use axum::extract::Path;
use axum::response::Response;
use serde::Serialize;
use wearlab_ingest::SampleValue;
use wearlab_service::zone;
use wearlab_store::{SampleFilter, SamplePosition};

use super::super::authenticated_page::AuthenticatedPage;
use super::super::document::protect;
use super::super::error::PageError;
use super::super::query::Query;
use super::super::user;
use super::buckets::{Bucket, Buckets};
use super::kind::Chart;
use super::request::Request;
use super::sleep::{self, Sleep};

/// Samples that are read at a time.
const PAGE: usize = 10_000;
/// Maximum samples that are read for a chart.
const MAX_SAMPLES: usize = 5_000_000;

/// Points of a chart.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Points {
    Sleep(Sleep),
    Samples(Series),
}

/// Samples in buckets.
#[derive(Serialize)]
pub(super) struct Series {
    pub(super) unit: Option<String>,
    /// Number of samples.
    pub(super) count: u64,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    /// Sum of counts, or mean of other values.
    pub(super) total: Option<f64>,
    /// Starts of buckets, in s since 1970.
    pub(super) time: Vec<i64>,
    pub(super) value: Vec<Option<f64>>,
    /// Lowest and highest values, if `value` is their mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) low: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) high: Vec<Option<f64>>,
    /// Samples below the target range, within it, and above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) range: Option<[u64; 3]>,
    /// Target range, in the unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<[f64; 2]>,
}

impl Request {
    /// Reads the points.
    pub(super) async fn points(&self, auth: &AuthenticatedPage) -> Result<Points, PageError> {
        match self.chart {
            Chart::Sleep => Ok(Points::Sleep(sleep::read(auth, self).await?)),
            _ => Ok(Points::Samples(self.samples(auth).await?)),
        }
    }

    async fn samples(&self, auth: &AuthenticatedPage) -> Result<Series, PageError> {
        let user = user::read(auth, self.team_id, self.user_id).await?;
        let team = auth.service.console_team(&auth.organisation, self.team_id).await?;
        let mut buckets = match self.chart.adds_up() {
            true => Buckets::calendar(self.from, self.to, self.points, &zone(&user.fallback_time_zone.id)),
            false => Buckets::equal(self.from, self.to, self.points),
        };
        let (from, to) = buckets.span();
        let resource = self.chart.resource();
        let mut read = 0;
        let mut after: Option<SamplePosition> = None;
        let mut unit: Option<Arc<str>> = None;
        let mut range = [0; 3];
        loop {
            let filter = SampleFilter {
                resource: &resource,
                span: from * 1_000_000..to * 1_000_000,
                provider: Some(&self.provider),
                after: after.as_ref(),
            };
            let page = auth.service.console_samples(team, self.user_id, &filter, PAGE).await?;
            for sample in page.groups.iter().flat_map(|group| &group.samples) {
                let SampleValue::One(value) = &sample.value else {
                    continue;
                };
                let value = value.to_f64();
                if unit.is_none() {
                    unit.clone_from(&sample.unit);
                }
                if let Some([low, high]) = target(self.chart, unit.as_deref()) {
                    let place = usize::from(value >= low) + usize::from(value > high);
                    range[place] += 1;
                }
                buckets.add(sample.time.div_euclid(1_000_000), value);
            }
            read += page.groups.iter().map(|group| group.samples.len()).sum::<usize>();
            after = page.next;
            match after {
                None => break,
                Some(_) if read >= MAX_SAMPLES => return Err(PageError::too_many_samples()),
                Some(_) => {}
            }
        }
        Ok(self.series(buckets.into_vec(), unit, range))
    }

    fn series(&self, buckets: Vec<Bucket>, unit: Option<Arc<str>>, range: [u64; 3]) -> Series {
        let filled = || buckets.iter().filter(|bucket| bucket.count > 0);
        let count: u64 = filled().map(|bucket| bucket.count).sum();
        let sum: f64 = filled().map(|bucket| bucket.sum).sum();
        let adds_up = self.chart.adds_up();
        let total = if adds_up { sum } else { sum / count as f64 };
        let shown = self.shown(&buckets);
        let of = |value: fn(&Bucket) -> f64| -> Vec<Option<f64>> {
            let values = shown
                .iter()
                .map(|bucket| (bucket.count > 0).then(|| short(value(bucket))));
            values.collect()
        };
        let target = target(self.chart, unit.as_deref());
        Series {
            count,
            min: filled().map(|bucket| bucket.min).reduce(f64::min).map(short),
            max: filled().map(|bucket| bucket.max).reduce(f64::max).map(short),
            total: (count > 0).then(|| short(total)),
            time: shown.iter().map(|bucket| bucket.start).collect(),
            value: of(if adds_up { |bucket| bucket.sum } else { Bucket::mean }),
            low: if adds_up { Vec::new() } else { of(|bucket| bucket.min) },
            high: if adds_up { Vec::new() } else { of(|bucket| bucket.max) },
            range: target.map(|_| range),
            target,
            unit: unit.map(|unit| unit.to_string()),
        }
    }
}

impl Request {
    /// Returns the buckets to draw: all bars; for a line those with samples, and an empty one at each gap.
    fn shown<'b>(&self, buckets: &'b [Bucket]) -> Vec<&'b Bucket> {
        let mut shown: Vec<&Bucket> = Vec::new();
        for (index, bucket) in buckets.iter().enumerate() {
            let interrupted = |last: &&Bucket| {
                let gap = self.chart.interruption();
                last.count > 0 && gap.is_some_and(|gap| bucket.start - last.start >= gap)
            };
            let follows_samples = index > 0 && buckets[index - 1].count > 0;
            match bucket.count {
                0 if self.chart.adds_up() => shown.push(bucket),
                0 if !follows_samples && shown.last().is_some_and(interrupted) => shown.push(bucket),
                0 => {}
                _ => shown.push(bucket),
            }
        }
        shown
    }
}

/// Rounds to three decimals: a plot shows no more.
fn short(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

/// Returns the target range of glucose: 3.9 to 10.0 mmol/L, by the international consensus on time in range.
fn target(chart: Chart, unit: Option<&str>) -> Option<[f64; 2]> {
    match (chart, unit) {
        (Chart::Glucose, Some("mmol/L")) => Some([3.9, 10.0]),
        (Chart::Glucose, Some("mg/dL")) => Some([70.0, 180.0]),
        _ => None,
    }
}

/// `GET /console/teams/{team_id}/users/{user_id}/series`
pub(crate) async fn get(
    auth: AuthenticatedPage,
    Path((team_id, user_id)): Path<(String, String)>,
    query: Query,
) -> Result<Response, PageError> {
    let request = Request::read(&team_id, &user_id, &query)?;
    auth.check_admin()?;
    let points = serde_json::to_vec(&request.points(&auth).await?).map_err(PageError::internal)?;
    let mut response = wearlab_server::content("application/json", points);
    protect(&mut response);
    Ok(response)
}
