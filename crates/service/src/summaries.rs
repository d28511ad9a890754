//! Summaries and profiles of users.

use futures_util::stream;
use jiff::tz::TimeZone;
use serde::Serialize;
use wearlab_ingest::ExactObject;
use wearlab_models::{
    ActivityList, BodyList, ElectrocardiogramList, Encoded, MealList, MenstrualCycleList, ProfileSummary, ResourceName,
    SleepCycleList, SleepList, User, Uuid, WorkoutList,
};
use wearlab_server::{
    ApiError, ApiResult, GetProfileInput, ListActivityInput, ListBodyInput, ListElectrocardiogramsInput,
    ListMealsInput, ListMenstrualCyclesInput, ListSleepCyclesInput, ListSleepInput, ListWorkoutsInput, Reply,
    SummariesApi,
};
use wearlab_store::{SummaryList, TeamId};

use super::auth::Caller;
use super::dates::{Dates, are_days, zone};
use super::{Service, encoded, no_user, parts, store_error};

/// Filters of a request for summaries.
struct SummaryQuery {
    user_id: Uuid,
    start_date: String,
    end_date: Option<String>,
    provider: Option<String>,
}

/// Returns the summaries of a resource, in the field of its list.
macro_rules! summaries {
    ($self:ident, $team:ident, $input:ident, $resource:ident, $list:ident, $field:ident) => {{
        let query = SummaryQuery {
            user_id: $input.user_id,
            start_date: $input.start_date,
            end_date: $input.end_date,
            provider: $input.provider,
        };
        let envelope = $list::builder().$field(Vec::new()).build();
        let (resource, field) = (ResourceName::$resource, stringify!($field));
        $self.summaries($team.owner(), resource, query, envelope, field).await
    }};
}

impl SummariesApi for Service {
    async fn list_activity(&self, team: Caller<TeamId>, input: ListActivityInput) -> ApiResult<ActivityList> {
        summaries!(self, team, input, Activity, ActivityList, activity)
    }

    async fn list_body(&self, team: Caller<TeamId>, input: ListBodyInput) -> ApiResult<BodyList> {
        summaries!(self, team, input, Body, BodyList, body)
    }

    async fn list_sleep(&self, team: Caller<TeamId>, input: ListSleepInput) -> ApiResult<SleepList> {
        summaries!(self, team, input, Sleep, SleepList, sleep)
    }

    async fn list_sleep_cycles(&self, team: Caller<TeamId>, input: ListSleepCyclesInput) -> ApiResult<SleepCycleList> {
        summaries!(self, team, input, SleepCycle, SleepCycleList, sleep_cycle)
    }

    async fn list_workouts(&self, team: Caller<TeamId>, input: ListWorkoutsInput) -> ApiResult<WorkoutList> {
        summaries!(self, team, input, Workouts, WorkoutList, workouts)
    }

    async fn list_meals(&self, team: Caller<TeamId>, input: ListMealsInput) -> ApiResult<MealList> {
        summaries!(self, team, input, Meal, MealList, meals)
    }

    async fn list_menstrual_cycles(
        &self,
        team: Caller<TeamId>,
        input: ListMenstrualCyclesInput,
    ) -> ApiResult<MenstrualCycleList> {
        summaries!(self, team, input, MenstrualCycle, MenstrualCycleList, menstrual_cycle)
    }

    async fn list_electrocardiograms(
        &self,
        team: Caller<TeamId>,
        input: ListElectrocardiogramsInput,
    ) -> ApiResult<ElectrocardiogramList> {
        summaries!(
            self,
            team,
            input,
            Electrocardiogram,
            ElectrocardiogramList,
            electrocardiogram
        )
    }

    async fn get_profile(&self, team: Caller<TeamId>, input: GetProfileInput) -> ApiResult<ProfileSummary> {
        let (team, user_id) = (team.owner(), input.user_id);
        let store = self.store()?.team(team);
        let profile = store
            .profile(user_id, input.provider.as_deref())
            .await
            .map_err(store_error)?;
        let profile = profile.ok_or_else(no_user)?;
        let profile = profile.ok_or_else(|| ApiError::not_found("The user has no profile."))?;
        let details = self.source_details(team, user_id).await?;
        details.presented(&ResourceName::Profile, profile).map(Reply::Encoded)
    }
}

impl Service {
    /// Returns a list of summaries of some days. `envelope` is the list without them, and `field` the name of their
    /// field.
    ///
    /// A list that is too long to be in memory is sent in parts. A summary that changes meanwhile is in its old or its
    /// new form, and none is repeated.
    async fn summaries<L: Serialize>(
        &self,
        team: TeamId,
        resource: ResourceName,
        query: SummaryQuery,
        envelope: L,
        field: &'static str,
    ) -> ApiResult<L> {
        let (start, end) = (&query.start_date, query.end_date.as_deref());
        let zone = match are_days(start, end) {
            true => TimeZone::UTC,
            false => zone(&self.user(team, query.user_id).await?.fallback_time_zone.id),
        };
        let now = (self.now)();
        let dates = Dates { start, end, zone, now };
        let [first, last] = dates.days()?;
        let store = self.store()?.team(team);
        let (provider, most) = (query.provider.as_deref(), self.settings.limits.page_bytes);
        let list = store
            .summary_list::<ExactObject>(query.user_id, &resource, first..=last, provider, most)
            .await
            .map_err(store_error)?;
        let details = self.source_details(team, query.user_id).await?;
        let of = resource.clone();
        let within = move |summaries: Vec<Encoded<ExactObject>>| -> Result<Vec<_>, ApiError> {
            let presented = summaries.into_iter().map(|summary| details.presented(&of, summary));
            presented.collect()
        };
        let ids = match list.ok_or_else(no_user)? {
            SummaryList::Whole(summaries) => {
                return encoded(Encoded::with_list(&envelope, field, &within(summaries)?));
            }
            SummaryList::Ids(ids) => ids,
        };
        let (store, user_id) = (self.store()?.clone(), query.user_id);
        let pages = stream::try_unfold((ids, 0), move |(ids, at)| {
            let (store, resource, within) = (store.clone(), resource.clone(), within.clone());
            async move {
                if at == ids.len() {
                    return Ok(None);
                }
                let part = store
                    .team(team)
                    .some_summaries(user_id, &resource, &ids[at..], most)
                    .await;
                let (summaries, count) = part.map_err(store_error)?;
                Ok(Some((within(summaries)?, (ids, at + count))))
            }
        });
        parts::list(&envelope, field, pages).map(Reply::Parts)
    }

    /// Finds a user of the team.
    pub(super) async fn user(&self, team: TeamId, user_id: Uuid) -> Result<User, ApiError> {
        let user = self.store()?.team(team).user(user_id).await.map_err(store_error)?;
        let user = user.ok_or_else(no_user)?;
        serde_json::from_slice(user.as_bytes()).map_err(ApiError::internal)
    }
}
