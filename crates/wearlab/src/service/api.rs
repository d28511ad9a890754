//! The operations, all in one place.

use wearlab_models::{
    Acknowledgement, ActivityList, BloodPressurePage, BodyList, CancellationReason, ConnectedProviderList, Device,
    Diagnosis, ElectrocardiogramList, Encoded, HistoricalPulls, IntrospectedResources, MarkerList, MealList,
    MenstrualCycleList, NotePage, OAuthProvider, PipelineList, ProfileSummary, ResourceName, SamplePage, SessionStream,
    SleepCycleList, SleepList, SupportedProvider, User, UserList, Violation, WorkoutList,
};
use wearlab_server::{
    Api, ApiError, ApiResult, GetOauthProviderInput, GetProfileInput, GetSleepStreamInput, GetUserInput,
    GetWorkoutStreamInput, ImportRecordsInput, IngestArrivalsInput, Lines, ListActivityInput, ListBloodPressureInput,
    ListBodyInput, ListElectrocardiogramsInput, ListHistoricalPullsInput, ListIntrospectedResourcesInput,
    ListLabTestMarkersInput, ListMealsInput, ListMenstrualCyclesInput, ListNotesInput, ListProvidersInput,
    ListSamplesInput, ListSleepCyclesInput, ListSleepInput, ListTeamPipelinesInput, ListUserDevicesInput,
    ListUserProvidersInput, ListUsersInput, ListWorkoutsInput, Reply, Scoped, SearchDiagnosesInput,
};
use wearlab_store::{KeyScope, OrganisationId, PipelineFilter, TeamId};

use super::auth::Caller;
use super::cursor::Listing;
use super::intake::{Owner, Sender};
use super::introspection::IntrospectionQuery;
use super::summaries::SummaryQuery;
use super::timeseries::{self, SampleQuery};
use super::{Opened, Service, store_error};
use crate::served;

/// The most hits of a diagnosis search.
const DIAGNOSES: usize = 50;
/// The pipelines of a page.
const PIPELINES: usize = 50;

/// What a request asks: the same fields of each operation's input.
macro_rules! query {
    ($query:ident, $input:ident, $($field:ident),*) => {
        $query { $($field: $input.$field,)* }
    };
}

impl Api for Service {
    async fn list_user_providers(
        &self,
        team: Caller<TeamId>,
        input: ListUserProvidersInput,
    ) -> ApiResult<ConnectedProviderList> {
        let providers = self
            .store()?
            .team(team.owner())
            .connections(input.user_id)
            .await
            .map_err(store_error)?;
        let providers = providers.ok_or_else(no_user)?;
        let envelope = ConnectedProviderList::builder().providers(Vec::new()).build();
        encoded(Encoded::with_list(&envelope, "providers", &providers))
    }

    async fn get_user(&self, team: Caller<TeamId>, input: GetUserInput) -> ApiResult<User> {
        let user = self
            .store()?
            .team(team.owner())
            .user(input.user_id)
            .await
            .map_err(store_error)?;
        user.map(Reply::Encoded).ok_or_else(no_user)
    }

    async fn list_users(&self, team: Caller<TeamId>, input: ListUsersInput) -> ApiResult<UserList> {
        let (offset, limit) = (input.offset, input.limit);
        let page = self
            .store()?
            .team(team.owner())
            .users(offset, limit)
            .await
            .map_err(store_error)?;
        let envelope = UserList::builder()
            .users(Vec::new())
            .total(page.total)
            .offset(offset)
            .limit(limit)
            .build();
        encoded(Encoded::page(&envelope, &page.users))
    }

    async fn list_user_devices(&self, team: Caller<TeamId>, input: ListUserDevicesInput) -> ApiResult<Vec<Device>> {
        let devices = self
            .store()?
            .team(team.owner())
            .devices(input.user_id)
            .await
            .map_err(store_error)?;
        devices
            .map(|devices| Reply::Encoded(Encoded::list(&devices)))
            .ok_or_else(no_user)
    }

    async fn list_providers(&self, _: Caller<TeamId>, input: ListProvidersInput) -> ApiResult<Vec<SupportedProvider>> {
        let providers = self
            .store()?
            .providers(input.source_type.as_deref())
            .await
            .map_err(store_error)?;
        Ok(Reply::Encoded(Encoded::list(&providers)))
    }

    async fn get_oauth_provider(
        &self,
        team: Option<Caller<TeamId>>,
        linking: Option<TeamId>,
        input: GetOauthProviderInput,
    ) -> ApiResult<OAuthProvider> {
        // A link token does not replace the scope that the key lacks.
        let team = team.filter(|team| team.has_scope("read")).map(Caller::owner);
        match (team, linking) {
            (Some(team), Some(linking)) if team != linking => {
                return Err(ApiError::unauthorized(
                    "The link token is not of the same team as the API key.",
                ));
            }
            (None, _) if !self.settings.link_token_suffices => {
                return Err(ApiError::unauthorized(
                    "A link token alone does not suffice here: send the API key.",
                ));
            }
            _ => {}
        }
        let slug = input.oauth_provider.as_str();
        let provider = self.store()?.oauth_provider(slug).await.map_err(store_error)?;
        provider
            .map(Reply::Encoded)
            .ok_or_else(|| ApiError::not_found("No such OAuth provider."))
    }

    async fn list_activity(&self, team: Caller<TeamId>, input: ListActivityInput) -> ApiResult<ActivityList> {
        let envelope = ActivityList::builder().activity(Vec::new()).build();
        self.summaries(
            team.owner(),
            ResourceName::Activity,
            query!(SummaryQuery, input, user_id, start_date, end_date, provider),
            envelope,
            "activity",
        )
        .await
    }

    async fn list_body(&self, team: Caller<TeamId>, input: ListBodyInput) -> ApiResult<BodyList> {
        let envelope = BodyList::builder().body(Vec::new()).build();
        self.summaries(
            team.owner(),
            ResourceName::Body,
            query!(SummaryQuery, input, user_id, start_date, end_date, provider),
            envelope,
            "body",
        )
        .await
    }

    async fn list_sleep(&self, team: Caller<TeamId>, input: ListSleepInput) -> ApiResult<SleepList> {
        let envelope = SleepList::builder().sleep(Vec::new()).build();
        self.summaries(
            team.owner(),
            ResourceName::Sleep,
            query!(SummaryQuery, input, user_id, start_date, end_date, provider),
            envelope,
            "sleep",
        )
        .await
    }

    async fn list_sleep_cycles(&self, team: Caller<TeamId>, input: ListSleepCyclesInput) -> ApiResult<SleepCycleList> {
        let envelope = SleepCycleList::builder().sleep_cycle(Vec::new()).build();
        self.summaries(
            team.owner(),
            ResourceName::SleepCycle,
            query!(SummaryQuery, input, user_id, start_date, end_date, provider),
            envelope,
            "sleep_cycle",
        )
        .await
    }

    async fn list_workouts(&self, team: Caller<TeamId>, input: ListWorkoutsInput) -> ApiResult<WorkoutList> {
        let envelope = WorkoutList::builder().workouts(Vec::new()).build();
        self.summaries(
            team.owner(),
            ResourceName::Workouts,
            query!(SummaryQuery, input, user_id, start_date, end_date, provider),
            envelope,
            "workouts",
        )
        .await
    }

    async fn list_meals(&self, team: Caller<TeamId>, input: ListMealsInput) -> ApiResult<MealList> {
        let envelope = MealList::builder().meals(Vec::new()).build();
        self.summaries(
            team.owner(),
            ResourceName::Meal,
            query!(SummaryQuery, input, user_id, start_date, end_date, provider),
            envelope,
            "meals",
        )
        .await
    }

    async fn list_menstrual_cycles(
        &self,
        team: Caller<TeamId>,
        input: ListMenstrualCyclesInput,
    ) -> ApiResult<MenstrualCycleList> {
        let envelope = MenstrualCycleList::builder().menstrual_cycle(Vec::new()).build();
        self.summaries(
            team.owner(),
            ResourceName::MenstrualCycle,
            query!(SummaryQuery, input, user_id, start_date, end_date, provider),
            envelope,
            "menstrual_cycle",
        )
        .await
    }

    async fn list_electrocardiograms(
        &self,
        team: Caller<TeamId>,
        input: ListElectrocardiogramsInput,
    ) -> ApiResult<ElectrocardiogramList> {
        let envelope = ElectrocardiogramList::builder().electrocardiogram(Vec::new()).build();
        self.summaries(
            team.owner(),
            ResourceName::Electrocardiogram,
            query!(SummaryQuery, input, user_id, start_date, end_date, provider),
            envelope,
            "electrocardiogram",
        )
        .await
    }

    async fn get_profile(&self, team: Caller<TeamId>, input: GetProfileInput) -> ApiResult<ProfileSummary> {
        self.profile(team.owner(), input.user_id, input.provider).await
    }

    async fn list_samples(&self, team: Caller<TeamId>, input: ListSamplesInput) -> ApiResult<SamplePage> {
        let resource = timeseries::resource_of(input.resource.as_str())?;
        self.samples(
            team.owner(),
            resource,
            query!(SampleQuery, input, user_id, start_date, end_date, provider, next_cursor),
        )
        .await
    }

    async fn list_blood_pressure(
        &self,
        team: Caller<TeamId>,
        input: ListBloodPressureInput,
    ) -> ApiResult<BloodPressurePage> {
        let query = query!(SampleQuery, input, user_id, start_date, end_date, provider, next_cursor);
        self.samples(team.owner(), ResourceName::BloodPressure, query).await
    }

    async fn list_notes(&self, team: Caller<TeamId>, input: ListNotesInput) -> ApiResult<NotePage> {
        self.samples(
            team.owner(),
            ResourceName::Note,
            query!(SampleQuery, input, user_id, start_date, end_date, provider, next_cursor),
        )
        .await
    }

    async fn get_sleep_stream(&self, team: Caller<TeamId>, input: GetSleepStreamInput) -> ApiResult<SessionStream> {
        self.session_stream(
            team.owner(),
            ResourceName::Sleep,
            input.sleep_id,
            "No such session of sleep.",
        )
        .await
    }

    async fn get_workout_stream(&self, team: Caller<TeamId>, input: GetWorkoutStreamInput) -> ApiResult<SessionStream> {
        self.session_stream(
            team.owner(),
            ResourceName::Workouts,
            input.workout_id,
            "No such workout.",
        )
        .await
    }

    async fn list_introspected_resources(
        &self,
        team: Caller<TeamId>,
        input: ListIntrospectedResourcesInput,
    ) -> ApiResult<IntrospectedResources> {
        let query = query!(IntrospectionQuery, input, user_id, provider, user_limit, next_cursor);
        let team = team.owner();
        let listing = query.listing("introspected_resources", team);
        let filter = self.introspection_filter(&query, &listing)?;
        let page = self
            .store()?
            .team(team)
            .introspected_resources(&filter, query.limit())
            .await;
        let (users, next) = self.introspected(page, &listing)?;
        let page = IntrospectedResources::builder().data(users).maybe_next_cursor(next);
        Ok(page.build().into())
    }

    async fn list_historical_pulls(
        &self,
        team: Caller<TeamId>,
        input: ListHistoricalPullsInput,
    ) -> ApiResult<HistoricalPulls> {
        let query = query!(IntrospectionQuery, input, user_id, provider, user_limit, next_cursor);
        let team = team.owner();
        let listing = query.listing("historical_pulls", team);
        let filter = self.introspection_filter(&query, &listing)?;
        let page = self.store()?.team(team).historical_pulls(&filter, query.limit()).await;
        let (users, next) = self.introspected(page, &listing)?;
        let page = HistoricalPulls::builder().data(users).maybe_next_cursor(next);
        Ok(page.build().into())
    }

    async fn list_lab_test_markers(
        &self,
        team: Caller<TeamId>,
        input: ListLabTestMarkersInput,
    ) -> ApiResult<MarkerList> {
        let (page, size) = (input.page, input.size);
        let team = self.store()?.team(team.owner());
        let markers = team
            .markers(&input.lab_test_id, input.lab_account_id, page, size)
            .await
            .map_err(store_error)?;
        let markers = markers.ok_or_else(|| ApiError::not_found("No such lab test, or no such lab account."))?;
        let envelope = MarkerList::builder()
            .markers(Vec::new())
            .total(markers.total)
            .page(page)
            .size(size)
            .build();
        encoded(Encoded::page(&envelope, &markers.markers))
    }

    async fn search_diagnoses(&self, _: Caller<TeamId>, input: SearchDiagnosesInput) -> ApiResult<Vec<Diagnosis>> {
        Ok(wearlab_diagnoses::search(&input.diagnosis_query, DIAGNOSES).into())
    }

    async fn list_cancellation_reasons(&self, _: Caller<TeamId>) -> ApiResult<Vec<CancellationReason>> {
        let reasons = self.store()?.cancellation_reasons().await.map_err(store_error)?;
        Ok(Reply::Encoded(Encoded::list(&reasons)))
    }

    async fn list_team_pipelines(
        &self,
        organisation: Caller<OrganisationId>,
        input: ListTeamPipelinesInput,
    ) -> ApiResult<PipelineList> {
        let organisation = organisation.owner();
        if organisation.as_str() != input.org_id {
            return Err(ApiError::not_found("No such organisation."));
        }
        let (env, region, team_id) = (input.env, input.region, input.team_id);
        let listing = Listing::new("pipelines", (organisation.as_str(), env, region, team_id));
        let Opened { store, cursors } = self.opened()?;
        let after = match &input.next_cursor {
            Some(cursor) => Some(cursors.open(cursor, &listing).ok_or_else(bad_cursor)?),
            None => None,
        };
        let filter = PipelineFilter { team_id, after };
        let page = store
            .pipelines(&organisation, env, region, &filter, PIPELINES)
            .await
            .map_err(store_error)?;
        let next = page.next.map(|after| cursors.seal(&after, &listing));
        let pipelines = page.pipelines.into_iter().map(served::pipeline).collect();
        Ok(PipelineList::builder()
            .pipelines(pipelines)
            .maybe_next_cursor(next)
            .build()
            .into())
    }

    async fn ingest_arrivals(
        &self,
        team: Caller<TeamId>,
        input: IngestArrivalsInput,
    ) -> Result<Lines<Acknowledgement>, ApiError> {
        let (team, key) = team.into_parts();
        let sender = Sender {
            owner: Owner::Team(team),
            key,
            scope: KeyScope::Ingest,
        };
        self.ingest(sender, input.body)
    }

    async fn import_records(
        &self,
        organisation: Option<Caller<OrganisationId>>,
        team: Option<Caller<TeamId>>,
        input: ImportRecordsInput,
    ) -> Result<Lines<Acknowledgement>, ApiError> {
        let organisation = organisation.filter(|organisation| organisation.has_scope("admin"));
        let (owner, key) = match (organisation, team) {
            (Some(organisation), _) => {
                let (organisation, key) = organisation.into_parts();
                (Owner::Organisation(organisation), key)
            }
            (None, Some(team)) => {
                let (team, key) = team.into_parts();
                (Owner::Team(team), key)
            }
            // What the document requires is there.
            (None, None) => return Err(ApiError::unauthorized("A key is missing.")),
        };
        let scope = KeyScope::Admin;
        self.import(Sender { owner, key, scope }, input.body)
    }
}

pub(super) fn encoded<T>(body: serde_json::Result<Encoded<T>>) -> ApiResult<T> {
    body.map(Reply::Encoded).map_err(ApiError::internal)
}

pub(super) fn no_user() -> ApiError {
    ApiError::not_found("No such user.")
}

pub(super) fn bad_cursor() -> ApiError {
    let violation = Violation::builder()
        .location("/query/next_cursor")
        .code("malformed")
        .message("must be a next_cursor that this listing gave")
        .build();
    ApiError::invalid(vec![violation])
}
