//! Operations of the simulated API.

use chrono::NaiveDate;
use wearlab_kit_server::{ApiError, ApiResult, Scoped};

use super::super::generated::models::{CivilDateTime, DataPointPage, Identity, RollUpPage};
use super::super::generated::server::{
    Auth, ListDataPointsInput, PartialApi, ReconcileDataPointsInput, RollUpDaysInput,
};
use super::filter::Filter;
use super::simulation::Simulation;
use crate::simulated::oauth::Grant;

/// Points of a page by default, and of sleep and exercise.
const PAGE: usize = 1_440;
const MAX_PAGE: usize = 10_000;
const SMALL_PAGE: usize = 25;
/// Maximum days of sums, and of types that have many points.
const MAX_DAYS: i64 = 90;
const SHORT_DAYS: i64 = 14;
const SHORT: [&str; 3] = ["heart-rate", "total-calories", "active-minutes"];
/// Types that have sums alone.
const SUMS: [&str; 3] = ["total-calories", "floors", "active-energy-burned"];

/// Application that has the grant of the person.
#[derive(Clone, Debug)]
pub struct Caller(Grant);

impl Scoped for Caller {
    fn has_scope(&self, scope: &str) -> bool {
        self.0.scopes.contains(scope)
    }
}

impl Auth for Simulation {
    type Oauth = Caller;
    type ServiceAccount = ();

    async fn oauth(&self, credential: &str) -> Result<Caller, ApiError> {
        let grant = self.grants().check(credential);
        grant
            .map(Caller)
            .ok_or_else(|| ApiError::unauthorized("the access token has ended, or was never valid"))
    }

    async fn service_account(&self, _: &str) -> Result<(), ApiError> {
        Err(ApiError::unauthorized("the simulation has no subscribers"))
    }
}

impl PartialApi for Simulation {
    async fn get_identity(&self, _: Caller) -> ApiResult<Identity> {
        Ok(self.with_data(|data| data.identity.clone()).into())
    }

    async fn list_data_points(&self, caller: Caller, input: ListDataPointsInput) -> ApiResult<DataPointPage> {
        let filter = Filter::read(&input.data_type, input.filter.as_deref())?;
        check_scope(&caller, &input.data_type)?;
        let page = self.page(&input.data_type, &filter, input.page_size, input.page_token.as_deref())?;
        Ok(page.into())
    }

    /// Returns the points of all sources, without their sources.
    async fn reconcile_data_points(&self, caller: Caller, input: ReconcileDataPointsInput) -> ApiResult<DataPointPage> {
        let filter = Filter::read(&input.data_type, input.filter.as_deref())?;
        check_scope(&caller, &input.data_type)?;
        let mut page = self.page(&input.data_type, &filter, input.page_size, input.page_token.as_deref())?;
        for point in &mut page.data_points {
            point.data_source = None;
            point.data_point_name = point.name.take();
        }
        Ok(page.into())
    }

    async fn roll_up_days(&self, caller: Caller, input: RollUpDaysInput) -> ApiResult<RollUpPage> {
        check_scope(&caller, &input.data_type)?;
        let days = |time: &CivilDateTime| {
            let parts = (
                i32::try_from(time.date.year),
                u32::try_from(time.date.month),
                u32::try_from(time.date.day),
            );
            let (Ok(year), Ok(month), Ok(day)) = parts else {
                return None;
            };
            NaiveDate::from_ymd_opt(year, month, day)
        };
        let range = &input.body.range;
        let (Some(first), Some(end)) = (days(&range.start), days(&range.end)) else {
            return Err(ApiError::bad_request("the range has no days"));
        };
        let longest = if SHORT.contains(&input.data_type.as_str()) {
            SHORT_DAYS
        } else {
            MAX_DAYS
        };
        if (end - first).num_days() > longest {
            return Err(ApiError::bad_request("the range is too long"));
        }
        let sums = self.with_data(|data| {
            let sums = data.sums.get(input.data_type.as_str());
            let within = sums.into_iter().flat_map(|days| days.range(first..end));
            within.map(|(_, sum)| sum.clone()).collect()
        });
        let page = RollUpPage {
            rollup_data_points: sums,
            next_page_token: None,
        };
        Ok(page.into())
    }
}

impl Simulation {
    /// Returns a page of the points of a type, newest first. The first of several is empty.
    fn page(
        &self,
        data_type: &str,
        filter: &Filter,
        size: Option<i64>,
        token: Option<&str>,
    ) -> Result<DataPointPage, ApiError> {
        if SUMS.contains(&data_type) {
            return Err(ApiError::bad_request("the type has no points"));
        }
        let size = match data_type {
            "sleep" | "exercise" => SMALL_PAGE,
            _ => size
                .and_then(|size| usize::try_from(size).ok())
                .unwrap_or(PAGE)
                .min(MAX_PAGE),
        };
        let selected = self.with_data(|data| {
            let points = data.points.get(data_type).into_iter().flatten().rev();
            let selected = points.filter(|(key, _)| filter.selects(key));
            selected.map(|(_, point)| point.clone()).collect::<Vec<_>>()
        });
        let (before, is_first) = match token {
            None => (0, true),
            Some(token) => {
                let before = token.strip_prefix("p-").and_then(|before| before.parse().ok());
                (
                    before.ok_or_else(|| ApiError::bad_request("pageToken is not one that the API returned"))?,
                    false,
                )
            }
        };
        let data_points: Vec<_> = match is_first && selected.len() > size {
            true => Vec::new(),
            false => selected.iter().skip(before).take(size).cloned().collect(),
        };
        let read = before + data_points.len();
        Ok(DataPointPage {
            data_points,
            next_page_token: (read < selected.len()).then(|| format!("p-{read}")),
        })
    }
}

/// Fails unless a caller has the scope of a type.
fn check_scope(caller: &Caller, data_type: &str) -> Result<(), ApiError> {
    let area = match data_type {
        "sleep" => "sleep",
        "steps"
        | "distance"
        | "floors"
        | "exercise"
        | "active-energy-burned"
        | "total-calories"
        | "active-minutes"
        | "daily-vo2-max" => "activity_and_fitness",
        "hydration-log" => "nutrition",
        _ => "health_metrics_and_measurements",
    };
    let scope = format!("https://www.googleapis.com/auth/googlehealth.{area}.readonly");
    match caller.has_scope(&scope) {
        true => Ok(()),
        false => Err(ApiError::forbidden("the access token lacks a scope")),
    }
}
