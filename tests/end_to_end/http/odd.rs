//! A back end that is slow, panics, or is not there, as it is asked to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use wearlab::config::http::HttpSettings;
use wearlab::serve::{Backend, Server};
use wearlab_models::{
    Acknowledgement, ActivityList, BloodPressurePage, BodyList, CancellationReason, ConnectedProviderList, Device,
    Diagnosis, ElectrocardiogramList, HistoricalPulls, IntrospectedResources, MarkerList, MealList, MenstrualCycleList,
    NotePage, OAuthProvider, PipelineList, ProfileSummary, SamplePage, SessionStream, SleepCycleList, SleepList,
    SupportedProvider, User, UserList, WorkoutList,
};
use wearlab_server::{
    Api, ApiError, ApiResult, Auth, GetOauthProviderInput, GetProfileInput, GetSleepStreamInput, GetUserDeviceInput,
    GetUserInput, GetWorkoutStreamInput, ImportRecordsInput, IngestArrivalsInput, Lines, ListActivityInput,
    ListBloodPressureInput, ListBodyInput, ListElectrocardiogramsInput, ListHistoricalPullsInput,
    ListIntrospectedResourcesInput, ListLabTestMarkersInput, ListMealsInput, ListMenstrualCyclesInput, ListNotesInput,
    ListProvidersInput, ListSamplesInput, ListSleepCyclesInput, ListSleepInput, ListTeamPipelinesInput,
    ListUserDevicesInput, ListUserProvidersInput, ListUsersInput, ListWorkoutsInput, ResolveUserInput, Scoped,
    SearchDiagnosesInput,
};
use wearlab_tests::{on_free_ports, url};

/// What opens everything.
pub(super) const KEY: (&str, &str) = ("x-service-api-key", "any");

#[derive(Default)]
pub(super) struct Odd {
    /// Whether it says that it is not ready.
    pub(super) away: AtomicBool,
}

/// The odd back end, served.
pub(super) struct Served {
    pub(super) url: String,
    pub(super) management_url: String,
    pub(super) api: Arc<Odd>,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<()>,
}

impl Served {
    pub(super) async fn start(settings: HttpSettings) -> Self {
        let server = Server::bind(on_free_ports(settings)).await.expect("free ports");
        let (stop, stopped) = oneshot::channel();
        let api = Arc::new(Odd::default());
        Self {
            url: url(server.scheme(), server.address()),
            management_url: url(server.management_scheme(), server.management_address()),
            api: api.clone(),
            stop: Some(stop),
            running: tokio::spawn(server.run(api, async {
                let _ = stopped.await;
            })),
        }
    }

    /// The address of an operation that takes so many milliseconds.
    pub(super) fn slow(&self, milliseconds: u64) -> String {
        format!("{}/v2/user/?offset={milliseconds}", self.url)
    }

    /// Asks it to stop.
    pub(super) fn stop(&mut self) {
        self.stop.take();
    }

    /// Waits until it has stopped.
    pub(super) async fn ended(&mut self) {
        let ended = tokio::time::timeout(super::TIMEOUT, &mut self.running).await;
        ended.expect("it ends").expect("it does not fail");
    }
}

impl Backend for Odd {
    async fn ready(&self) -> Result<(), ApiError> {
        if self.away.load(Ordering::Relaxed) {
            return Err(ApiError::unavailable(Duration::from_secs(3)));
        }
        Ok(())
    }
}

/// Whoever calls.
pub(super) struct Caller;

impl Scoped for Caller {
    fn has_scope(&self, _: &str) -> bool {
        true
    }
}

impl Auth for Odd {
    type TeamApiKey = Caller;
    type LinkToken = ();
    type ManagementKey = Caller;

    async fn team_api_key(&self, _: &str) -> Result<Caller, ApiError> {
        Ok(Caller)
    }

    async fn link_token(&self, _: &str) -> Result<(), ApiError> {
        Ok(())
    }

    async fn management_key(&self, _: &str) -> Result<Caller, ApiError> {
        Ok(Caller)
    }
}

/// Operations that find nothing.
macro_rules! nothing {
    ($($operation:ident($input:ty) -> $output:ty;)*) => {
        $(async fn $operation(&self, _: Caller, _: $input) -> ApiResult<$output> {
            Err(nothing())
        })*
    };
}

impl Api for Odd {
    async fn ingest_arrivals(&self, _: Caller, _: IngestArrivalsInput) -> Result<Lines<Acknowledgement>, ApiError> {
        Err(nothing())
    }

    async fn import_records(
        &self,
        _: Option<Caller>,
        _: Option<Caller>,
        _: ImportRecordsInput,
    ) -> Result<Lines<Acknowledgement>, ApiError> {
        Err(nothing())
    }

    async fn list_users(&self, _: Caller, input: ListUsersInput) -> ApiResult<UserList> {
        tokio::time::sleep(Duration::from_millis(input.offset.unsigned_abs())).await;
        let list = UserList::builder().users(Vec::new()).total(0);
        Ok(list.offset(input.offset).limit(input.limit).build().into())
    }

    async fn get_user(&self, _: Caller, input: GetUserInput) -> ApiResult<User> {
        panic!("user {} is called Ada", input.user_id)
    }

    async fn get_oauth_provider(
        &self,
        _: Option<Caller>,
        _: Option<()>,
        _: GetOauthProviderInput,
    ) -> ApiResult<OAuthProvider> {
        Err(nothing())
    }

    async fn list_cancellation_reasons(&self, _: Caller) -> ApiResult<Vec<CancellationReason>> {
        Err(nothing())
    }

    nothing! {
        list_user_providers(ListUserProvidersInput) -> ConnectedProviderList;
        list_user_devices(ListUserDevicesInput) -> Vec<Device>;
        resolve_user(ResolveUserInput) -> User;
        get_user_device(GetUserDeviceInput) -> Device;
        list_providers(ListProvidersInput) -> Vec<SupportedProvider>;
        list_lab_test_markers(ListLabTestMarkersInput) -> MarkerList;
        search_diagnoses(SearchDiagnosesInput) -> Vec<Diagnosis>;
        list_team_pipelines(ListTeamPipelinesInput) -> PipelineList;
        list_activity(ListActivityInput) -> ActivityList;
        list_body(ListBodyInput) -> BodyList;
        list_sleep(ListSleepInput) -> SleepList;
        list_sleep_cycles(ListSleepCyclesInput) -> SleepCycleList;
        list_workouts(ListWorkoutsInput) -> WorkoutList;
        list_meals(ListMealsInput) -> MealList;
        list_menstrual_cycles(ListMenstrualCyclesInput) -> MenstrualCycleList;
        list_electrocardiograms(ListElectrocardiogramsInput) -> ElectrocardiogramList;
        get_profile(GetProfileInput) -> ProfileSummary;
        list_samples(ListSamplesInput) -> SamplePage;
        list_blood_pressure(ListBloodPressureInput) -> BloodPressurePage;
        list_notes(ListNotesInput) -> NotePage;
        get_sleep_stream(GetSleepStreamInput) -> SessionStream;
        get_workout_stream(GetWorkoutStreamInput) -> SessionStream;
        list_introspected_resources(ListIntrospectedResourcesInput) -> IntrospectedResources;
        list_historical_pulls(ListHistoricalPullsInput) -> HistoricalPulls;
    }
}

fn nothing() -> ApiError {
    ApiError::not_found("Nothing is here.")
}
