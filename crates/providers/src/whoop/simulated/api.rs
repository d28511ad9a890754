//! Operations of the simulated API.

use wearlab_kit_server::{ApiError, ApiResult, Scoped};
use wearlab_models::{DateTime, Uuid};

use super::super::generated::models::{
    BodyMeasurement, Cycle, CyclePage, Notice, NoticeType, Profile, Recovery, RecoveryPage, Sleep, SleepPage, Workout,
    WorkoutPage,
};
use super::super::generated::server::{
    Auth, GetCycleInput, GetRecoveryInput, GetSleepInput, GetWorkoutInput, ListCyclesInput, ListRecoveriesInput,
    ListSleepInput, ListWorkoutsInput, PartialApi,
};
use super::data::Data;
use super::webhook::Webhook;
use crate::simulated::oauth::Grant;
use crate::simulated::pages::page;

/// Records of a page, where the request names no number.
const PAGE_RECORDS: i64 = 10;

/// Simulated WHOOP of one person. Clones share their state.
pub type Simulation = crate::simulated::simulation::Simulation<Data, Webhook>;

impl Simulation {
    /// Sets the URL of notices in the dashboard of the application.
    pub fn set_notices_url(&self, url: Option<String>) {
        self.extra().set(url);
    }

    /// Sends a notice of a record, once, and returns the status of the response. None without a URL, or without a response.
    pub async fn notify(&self, type_: NoticeType, id: Uuid) -> Option<u16> {
        let notice = Notice {
            user_id: self.with_data(|data| data.profile.user_id),
            id,
            type_,
            trace_id: Some(Uuid::new_v4().to_string()),
        };
        self.extra().send(&notice, self.grants().client_secret()).await
    }
}

/// Times of a request, and the page.
struct Query {
    start: Option<DateTime>,
    end: Option<DateTime>,
    limit: Option<i64>,
    token: Option<String>,
}

impl Query {
    /// Returns whether a record overlaps the span. The end of the span is exclusive, and the current cycle has no end.
    fn contains(&self, start: DateTime, end: Option<DateTime>) -> bool {
        self.end.is_none_or(|limit| start < limit) && self.start.is_none_or(|first| end.is_none_or(|end| end > first))
    }

    /// Returns a page of the records that overlap the span, newest first.
    fn page<T: Clone>(
        &self,
        records: &[T],
        times: impl Fn(&T) -> Option<(DateTime, Option<DateTime>)>,
    ) -> Result<(Vec<T>, Option<String>), ApiError> {
        let of_span = |record: &&T| times(record).is_some_and(|(start, end)| self.contains(start, end));
        let mut found: Vec<&T> = records.iter().filter(of_span).collect();
        found.sort_by_key(|record| std::cmp::Reverse(times(record)));
        let size = usize::try_from(self.limit.unwrap_or(PAGE_RECORDS)).unwrap_or_default();
        page(found.into_iter(), self.token.as_deref(), size)
    }
}

/// Returns the query of the input of a list.
macro_rules! query {
    ($input:ident) => {
        Query {
            start: $input.start,
            end: $input.end,
            limit: $input.limit,
            token: $input.next_token,
        }
    };
}

fn found<T>(record: Option<T>) -> ApiResult<T> {
    let record = record.ok_or_else(|| ApiError::not_found("the record is gone, or not there yet"))?;
    Ok(record.into())
}

impl Auth for Simulation {
    type Oauth = Caller;

    async fn oauth(&self, credential: &str) -> Result<Caller, ApiError> {
        let grant = self.authenticate(credential)?;
        let token = credential.to_owned();
        Ok(Caller { grant, token })
    }
}

/// Application that has the grant of the person.
#[derive(Clone, Debug)]
pub struct Caller {
    grant: Grant,
    token: String,
}

impl Scoped for Caller {
    fn has_scope(&self, scope: &str) -> bool {
        self.grant.has_scope(scope)
    }
}

impl PartialApi for Simulation {
    async fn get_profile(&self, _: Caller) -> ApiResult<Profile> {
        Ok(self.with_data(|data| data.profile.clone()).into())
    }

    async fn get_body_measurement(&self, _: Caller) -> ApiResult<BodyMeasurement> {
        found(self.with_data(|data| data.body.clone()))
    }

    async fn revoke_access(&self, caller: Caller) -> Result<(), ApiError> {
        self.grants().revoke(&caller.token);
        Ok(())
    }

    async fn list_cycles(&self, _: Caller, input: ListCyclesInput) -> ApiResult<CyclePage> {
        let query = query!(input);
        let (records, next_token) =
            self.with_data(|data| query.page(&data.cycles, |cycle| Some((cycle.start, cycle.end))))?;
        Ok(CyclePage { records, next_token }.into())
    }

    async fn get_cycle(&self, _: Caller, input: GetCycleInput) -> ApiResult<Cycle> {
        found(self.with_data(|data| data.cycles.iter().find(|cycle| cycle.id == input.cycle_id).cloned()))
    }

    async fn get_recovery(&self, _: Caller, input: GetRecoveryInput) -> ApiResult<Recovery> {
        let is_found = |recovery: &&Recovery| recovery.cycle_id == input.cycle_id;
        found(self.with_data(|data| data.recoveries.iter().find(is_found).cloned()))
    }

    async fn list_recoveries(&self, _: Caller, input: ListRecoveriesInput) -> ApiResult<RecoveryPage> {
        let query = query!(input);
        let (records, next_token) = self.with_data(|data| {
            let sleep = |recovery: &Recovery| data.sleep.iter().find(|sleep| sleep.id == recovery.sleep_id);
            query.page(&data.recoveries, |recovery| {
                sleep(recovery).map(|sleep| (sleep.start, Some(sleep.end)))
            })
        })?;
        Ok(RecoveryPage { records, next_token }.into())
    }

    async fn list_sleep(&self, _: Caller, input: ListSleepInput) -> ApiResult<SleepPage> {
        let query = query!(input);
        let (records, next_token) =
            self.with_data(|data| query.page(&data.sleep, |sleep| Some((sleep.start, Some(sleep.end)))))?;
        Ok(SleepPage { records, next_token }.into())
    }

    async fn get_sleep(&self, _: Caller, input: GetSleepInput) -> ApiResult<Sleep> {
        found(self.with_data(|data| data.sleep.iter().find(|sleep| sleep.id == input.sleep_id).cloned()))
    }

    async fn list_workouts(&self, _: Caller, input: ListWorkoutsInput) -> ApiResult<WorkoutPage> {
        let query = query!(input);
        let (records, next_token) =
            self.with_data(|data| query.page(&data.workouts, |workout| Some((workout.start, Some(workout.end)))))?;
        Ok(WorkoutPage { records, next_token }.into())
    }

    async fn get_workout(&self, _: Caller, input: GetWorkoutInput) -> ApiResult<Workout> {
        let is_found = |workout: &&Workout| workout.id == input.workout_id;
        found(self.with_data(|data| data.workouts.iter().find(is_found).cloned()))
    }
}
