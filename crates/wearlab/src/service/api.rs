//! The operations, all in one place.

use wearlab_models::{
    AccessToken, Acknowledgement, ActivityList, AuditLog, BloodPressurePage, BodyList, CancellationReason,
    ConnectedProviderList, ConnectionList, CreateKeyHeaders, CreateOrderHeaders, CreateTeamHeaders, CreateUserHeaders,
    CreateWebhookHeaders, CreatedKey, CreatedWebhookEndpoint, DeliveryAttemptList, DestinationList, Device, Diagnosis,
    ElectrocardiogramList, Encoded, EventList, FhirBundle, HistoricalPulls, IntrospectedResources, Key, KeyList,
    LabResultMetadata, LabResults, LabTest, LabTestList, LinkToken, LinkTokenList, LoggedEvent, MarkerList, Masked,
    MealList, MenstrualCycleList, NotePage, OAuthProvider, Order, OrderList, OrderResponse, Pipeline, PipelineList,
    PipelineTest, ProfileSummary, ProviderSettings, ProviderSettingsList, RedirectUrlList, ReplayedEvent,
    ReplayedEvents, RequisitionUrl, ResourceName, RotatedSecret, SamplePage, SleepCycleList, SleepList, SleepStream,
    Success, SupportedProvider, Team, TeamList, TriggerEventHeaders, TriggeredEvent, UndeliveredList, User, UserList,
    WebhookEndpoint, WebhookEndpointList, WebhookTest, WorkoutList, WorkoutStream,
};
use wearlab_server::{
    Api, ApiError, ApiResult, ByteStream, CancelOrderInput, CreateKeyInput, CreateLinkTokenInput, CreateOrderInput,
    CreateRequisitionUrlInput, CreateTeamInput, CreateUserInput, CreateWebhookInput, DeleteLinkTokenInput,
    DeletePipelineInput, DeleteProviderSettingsInput, DeleteUserInput, DeleteWebhookInput, DisconnectProviderInput,
    EnableWebhookInput, ExportUserInput, GetAccessTokenInput, GetEventInput, GetKeyInput, GetLabTestInput,
    GetOauthProviderInput, GetOrderInput, GetOrderRequisitionInput, GetOrderResultFhirInput, GetOrderResultInput,
    GetOrderResultMetadataInput, GetPipelineInput, GetProfileInput, GetProviderSettingsInput, GetRedirectUrlsInput,
    GetSleepStreamInput, GetTeamInput, GetUserDeviceInput, GetUserInput, GetWebhookInput, GetWorkoutStreamInput,
    ImportRecordsInput, IngestArrivalsInput, Lines, ListActivityInput, ListAllLabTestsInput, ListAuditLogInput,
    ListBloodPressureInput, ListBodyInput, ListConnectionsInput, ListDestinationsInput, ListElectrocardiogramsInput,
    ListEventAttemptsInput, ListEventsInput, ListHistoricalPullsInput, ListIntrospectedResourcesInput, ListKeysInput,
    ListLabTestMarkersInput, ListLabTestsInput, ListLinkTokensInput, ListMealsInput, ListMenstrualCyclesInput,
    ListNotesInput, ListOrdersInput, ListProviderSettingsInput, ListProvidersInput, ListSamplesInput,
    ListSleepCyclesInput, ListSleepInput, ListTeamPipelinesInput, ListTeamsInput, ListUndeliveredInput,
    ListUserDevicesInput, ListUserProvidersInput, ListUsersInput, ListWebhooksInput, ListWorkoutsInput,
    PutPipelineInput, PutProviderSettingsInput, PutRedirectUrlsInput, ReplayEventInput, ReplayEventsInput, Reply,
    ResolveUserInput, RevokeKeyInput, RotateWebhookSecretInput, SearchDiagnosesInput, SimulateOrderInput,
    TestPipelineInput, TestWebhookInput, TriggerEventInput, UpdateUserInput, UpdateWebhookInput,
};
use wearlab_store::{LinkTokenOwner, OrganisationId, TeamId};

use super::auth::Caller;
use super::intake::Sender;
use super::introspection::IntrospectionQuery;
use super::summaries::SummaryQuery;
use super::timeseries::{self, SampleQuery};
use super::users::connected_providers;
use super::{Service, encoded, no_user, store_error};

/// The most hits of a diagnosis search.
const DIAGNOSES: usize = 50;

/// What a request asks: the same fields of each operation's input.
macro_rules! query {
    ($query:ident, $input:ident, $($field:ident),*) => {
        $query { $($field: $input.$field,)* }
    };
}

/// The summaries of a resource, in the field that its list has for them.
macro_rules! summaries {
    ($self:ident, $team:ident, $input:ident, $resource:ident, $list:ident, $field:ident) => {{
        let query = query!(SummaryQuery, $input, user_id, start_date, end_date, provider);
        let envelope = $list::builder().$field(Vec::new()).build();
        let (resource, field) = (ResourceName::$resource, stringify!($field));
        $self.summaries($team.owner(), resource, query, envelope, field).await
    }};
}

impl Api for Service {
    async fn list_user_providers(
        &self,
        team: Caller<TeamId>,
        input: ListUserProvidersInput,
    ) -> ApiResult<ConnectedProviderList> {
        let store = self.store()?.team(team.owner());
        let providers = store.connections(input.user_id).await.map_err(store_error)?;
        let providers = providers.ok_or_else(no_user)?;
        encoded(connected_providers(&providers))
    }

    async fn get_user(&self, team: Caller<TeamId>, input: GetUserInput) -> ApiResult<User> {
        let store = self.store()?.team(team.owner());
        let user = store.user(input.user_id).await.map_err(store_error)?;
        user.map(Reply::Encoded).ok_or_else(no_user)
    }

    async fn resolve_user(&self, team: Caller<TeamId>, input: ResolveUserInput) -> ApiResult<User> {
        let store = self.store()?.team(team.owner());
        let user = store.user_of_client(&input.client_user_id).await.map_err(store_error)?;
        user.map(Reply::Encoded).ok_or_else(no_user)
    }

    async fn create_user(
        &self,
        team: Caller<TeamId>,
        input: CreateUserInput,
    ) -> Result<(Reply<User>, CreateUserHeaders), ApiError> {
        self.create_user_of(team, input).await
    }

    async fn update_user(&self, team: Caller<TeamId>, input: UpdateUserInput) -> Result<(), ApiError> {
        self.update_user_of(team, input).await
    }

    async fn delete_user(&self, team: Caller<TeamId>, input: DeleteUserInput) -> ApiResult<Success> {
        self.delete_user_of(team, input).await
    }

    async fn disconnect_provider(&self, team: Caller<TeamId>, input: DisconnectProviderInput) -> ApiResult<Success> {
        self.disconnect(team, input).await
    }

    async fn list_users(&self, team: Caller<TeamId>, input: ListUsersInput) -> ApiResult<UserList> {
        let store = self.store()?.team(team.owner());
        let list = store.user_list(input.offset, input.limit).await;
        list.map(Reply::Encoded).map_err(store_error)
    }

    async fn list_user_devices(&self, team: Caller<TeamId>, input: ListUserDevicesInput) -> ApiResult<Vec<Device>> {
        let store = self.store()?.team(team.owner());
        let devices = store.devices(input.user_id).await.map_err(store_error)?;
        devices
            .map(|devices| Reply::Encoded(Encoded::list(&devices)))
            .ok_or_else(no_user)
    }

    async fn get_user_device(&self, team: Caller<TeamId>, input: GetUserDeviceInput) -> ApiResult<Device> {
        let store = self.store()?.team(team.owner());
        let device = store
            .device(input.user_id, input.device_id)
            .await
            .map_err(store_error)?;
        device
            .map(Reply::Encoded)
            .ok_or_else(|| ApiError::not_found("No such user, or no such device."))
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
        linking: Option<LinkTokenOwner>,
        input: GetOauthProviderInput,
    ) -> ApiResult<OAuthProvider> {
        self.oauth_provider(team, linking, input.oauth_provider.as_str()).await
    }

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

    async fn get_sleep_stream(&self, team: Caller<TeamId>, input: GetSleepStreamInput) -> ApiResult<SleepStream> {
        self.sleep_stream(team.owner(), input.sleep_id).await
    }

    async fn get_workout_stream(&self, team: Caller<TeamId>, input: GetWorkoutStreamInput) -> ApiResult<WorkoutStream> {
        self.workout_stream(team.owner(), input.workout_id).await
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
        self.markers(team.owner(), input).await
    }

    async fn list_lab_tests(&self, team: Caller<TeamId>, input: ListLabTestsInput) -> ApiResult<LabTestList> {
        self.lab_tests(team.owner(), input).await
    }

    async fn list_all_lab_tests(&self, team: Caller<TeamId>, input: ListAllLabTestsInput) -> ApiResult<Vec<LabTest>> {
        self.all_lab_tests(team.owner(), input).await
    }

    async fn get_lab_test(&self, team: Caller<TeamId>, input: GetLabTestInput) -> ApiResult<LabTest> {
        self.lab_test(team.owner(), input).await
    }

    async fn create_order(
        &self,
        team: Caller<TeamId>,
        input: CreateOrderInput,
    ) -> Result<(Reply<OrderResponse>, CreateOrderHeaders), ApiError> {
        self.create_order_of(team, input).await
    }

    async fn get_order(&self, team: Caller<TeamId>, input: GetOrderInput) -> ApiResult<Order> {
        self.order(team.owner(), input.order_id).await
    }

    async fn list_orders(&self, team: Caller<TeamId>, input: ListOrdersInput) -> ApiResult<OrderList> {
        self.orders(team.owner(), input).await
    }

    async fn cancel_order(&self, team: Caller<TeamId>, input: CancelOrderInput) -> ApiResult<OrderResponse> {
        self.cancel_order_of(team, input).await
    }

    async fn simulate_order(&self, team: Caller<TeamId>, input: SimulateOrderInput) -> ApiResult<OrderResponse> {
        self.simulate_order_of(team, input).await
    }

    async fn get_order_result(&self, team: Caller<TeamId>, input: GetOrderResultInput) -> ApiResult<LabResults> {
        self.order_result(team.owner(), input.order_id).await
    }

    async fn get_order_result_metadata(
        &self,
        team: Caller<TeamId>,
        input: GetOrderResultMetadataInput,
    ) -> ApiResult<LabResultMetadata> {
        self.order_result_metadata(team.owner(), input.order_id).await
    }

    async fn get_order_result_fhir(
        &self,
        team: Caller<TeamId>,
        input: GetOrderResultFhirInput,
    ) -> ApiResult<FhirBundle> {
        self.order_result_fhir(team.owner(), input.order_id).await
    }

    async fn get_order_requisition(
        &self,
        team: Caller<TeamId>,
        input: GetOrderRequisitionInput,
    ) -> Result<ByteStream, ApiError> {
        self.requisition(team, input.order_id).await
    }

    async fn create_requisition_url(
        &self,
        team: Caller<TeamId>,
        input: CreateRequisitionUrlInput,
    ) -> ApiResult<RequisitionUrl> {
        self.create_requisition_url_of(team, input).await
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
    ) -> ApiResult<Masked<PipelineList>> {
        self.pipelines(organisation.owner(), input).await
    }

    async fn list_teams(&self, organisation: Caller<OrganisationId>, input: ListTeamsInput) -> ApiResult<TeamList> {
        self.teams(organisation, input).await
    }

    async fn create_team(
        &self,
        organisation: Caller<OrganisationId>,
        input: CreateTeamInput,
    ) -> Result<(Reply<Team>, CreateTeamHeaders), ApiError> {
        self.new_team(organisation, input).await
    }

    async fn get_team(&self, organisation: Caller<OrganisationId>, input: GetTeamInput) -> ApiResult<Team> {
        self.team(organisation, input).await
    }

    async fn list_keys(&self, organisation: Caller<OrganisationId>, input: ListKeysInput) -> ApiResult<KeyList> {
        self.keys(organisation, input).await
    }

    async fn create_key(
        &self,
        organisation: Caller<OrganisationId>,
        input: CreateKeyInput,
    ) -> Result<(Reply<CreatedKey>, CreateKeyHeaders), ApiError> {
        self.new_key(organisation, input).await
    }

    async fn get_key(&self, organisation: Caller<OrganisationId>, input: GetKeyInput) -> ApiResult<Key> {
        self.key(organisation, input).await
    }

    async fn revoke_key(&self, organisation: Caller<OrganisationId>, input: RevokeKeyInput) -> Result<(), ApiError> {
        self.revoke(organisation, input).await
    }

    async fn list_audit_log(
        &self,
        organisation: Caller<OrganisationId>,
        input: ListAuditLogInput,
    ) -> ApiResult<AuditLog> {
        self.audit_log(organisation, input).await
    }

    async fn get_pipeline(
        &self,
        organisation: Caller<OrganisationId>,
        input: GetPipelineInput,
    ) -> ApiResult<Masked<Pipeline>> {
        self.pipeline(organisation, input).await
    }

    async fn put_pipeline(
        &self,
        organisation: Caller<OrganisationId>,
        input: PutPipelineInput,
    ) -> ApiResult<Masked<Pipeline>> {
        self.replace_pipeline(organisation, input).await
    }

    async fn delete_pipeline(
        &self,
        organisation: Caller<OrganisationId>,
        input: DeletePipelineInput,
    ) -> Result<(), ApiError> {
        self.remove_pipeline(organisation, input).await
    }

    async fn list_webhooks(
        &self,
        organisation: Caller<OrganisationId>,
        input: ListWebhooksInput,
    ) -> ApiResult<WebhookEndpointList> {
        self.webhooks(organisation, input).await
    }

    async fn create_webhook(
        &self,
        organisation: Caller<OrganisationId>,
        input: CreateWebhookInput,
    ) -> Result<(Reply<CreatedWebhookEndpoint>, CreateWebhookHeaders), ApiError> {
        self.new_webhook(organisation, input).await
    }

    async fn get_webhook(
        &self,
        organisation: Caller<OrganisationId>,
        input: GetWebhookInput,
    ) -> ApiResult<WebhookEndpoint> {
        self.webhook(organisation, input).await
    }

    async fn update_webhook(
        &self,
        organisation: Caller<OrganisationId>,
        input: UpdateWebhookInput,
    ) -> ApiResult<WebhookEndpoint> {
        self.change_webhook(organisation, input).await
    }

    async fn delete_webhook(
        &self,
        organisation: Caller<OrganisationId>,
        input: DeleteWebhookInput,
    ) -> Result<(), ApiError> {
        self.remove_webhook(organisation, input).await
    }

    async fn rotate_webhook_secret(
        &self,
        organisation: Caller<OrganisationId>,
        input: RotateWebhookSecretInput,
    ) -> ApiResult<RotatedSecret> {
        self.rotate_secret(organisation, input).await
    }

    async fn enable_webhook(
        &self,
        organisation: Caller<OrganisationId>,
        input: EnableWebhookInput,
    ) -> ApiResult<WebhookEndpoint> {
        self.enable(organisation, input).await
    }

    async fn test_pipeline(
        &self,
        organisation: Caller<OrganisationId>,
        input: TestPipelineInput,
    ) -> ApiResult<PipelineTest> {
        self.send_pipeline_test(organisation, input).await
    }

    async fn test_webhook(
        &self,
        organisation: Caller<OrganisationId>,
        input: TestWebhookInput,
    ) -> ApiResult<WebhookTest> {
        self.try_webhook(organisation, input).await
    }

    async fn export_user(
        &self,
        organisation: Caller<OrganisationId>,
        input: ExportUserInput,
    ) -> Result<ByteStream, ApiError> {
        self.export(organisation, input).await
    }

    async fn list_events(&self, organisation: Caller<OrganisationId>, input: ListEventsInput) -> ApiResult<EventList> {
        self.events(organisation, input).await
    }

    async fn get_event(&self, organisation: Caller<OrganisationId>, input: GetEventInput) -> ApiResult<LoggedEvent> {
        self.event(organisation, input).await
    }

    async fn list_event_attempts(
        &self,
        organisation: Caller<OrganisationId>,
        input: ListEventAttemptsInput,
    ) -> ApiResult<DeliveryAttemptList> {
        self.attempts(organisation, input).await
    }

    async fn replay_event(
        &self,
        organisation: Caller<OrganisationId>,
        input: ReplayEventInput,
    ) -> ApiResult<ReplayedEvent> {
        self.replay(organisation, input).await
    }

    async fn replay_events(
        &self,
        organisation: Caller<OrganisationId>,
        input: ReplayEventsInput,
    ) -> ApiResult<ReplayedEvents> {
        self.replay_selection(organisation, input).await
    }

    async fn list_undelivered(
        &self,
        organisation: Caller<OrganisationId>,
        input: ListUndeliveredInput,
    ) -> ApiResult<UndeliveredList> {
        self.undelivered(organisation, input).await
    }

    async fn list_destinations(
        &self,
        organisation: Caller<OrganisationId>,
        input: ListDestinationsInput,
    ) -> ApiResult<DestinationList> {
        self.destinations(organisation, input).await
    }

    async fn trigger_event(
        &self,
        organisation: Caller<OrganisationId>,
        input: TriggerEventInput,
    ) -> Result<(Reply<TriggeredEvent>, TriggerEventHeaders), ApiError> {
        self.trigger(organisation, input).await
    }

    async fn create_link_token(&self, team: Caller<TeamId>, input: CreateLinkTokenInput) -> ApiResult<LinkToken> {
        self.create_link_token_of(team, input).await
    }

    async fn list_provider_settings(
        &self,
        organisation: Caller<OrganisationId>,
        input: ListProviderSettingsInput,
    ) -> ApiResult<ProviderSettingsList> {
        self.all_provider_settings(organisation.owner(), input).await
    }

    async fn get_provider_settings(
        &self,
        organisation: Caller<OrganisationId>,
        input: GetProviderSettingsInput,
    ) -> ApiResult<ProviderSettings> {
        self.provider_settings(organisation.owner(), input).await
    }

    async fn put_provider_settings(
        &self,
        organisation: Caller<OrganisationId>,
        input: PutProviderSettingsInput,
    ) -> ApiResult<ProviderSettings> {
        self.put_provider_settings_of(organisation, input).await
    }

    async fn delete_provider_settings(
        &self,
        organisation: Caller<OrganisationId>,
        input: DeleteProviderSettingsInput,
    ) -> Result<(), ApiError> {
        self.delete_provider_settings_of(organisation, input).await
    }

    async fn get_redirect_urls(
        &self,
        organisation: Caller<OrganisationId>,
        input: GetRedirectUrlsInput,
    ) -> ApiResult<RedirectUrlList> {
        self.redirect_urls(organisation.owner(), input).await
    }

    async fn put_redirect_urls(
        &self,
        organisation: Caller<OrganisationId>,
        input: PutRedirectUrlsInput,
    ) -> ApiResult<RedirectUrlList> {
        self.put_redirect_urls_of(organisation, input).await
    }

    async fn list_link_tokens(
        &self,
        organisation: Caller<OrganisationId>,
        input: ListLinkTokensInput,
    ) -> ApiResult<LinkTokenList> {
        self.link_tokens(organisation.owner(), input).await
    }

    async fn delete_link_token(
        &self,
        organisation: Caller<OrganisationId>,
        input: DeleteLinkTokenInput,
    ) -> Result<(), ApiError> {
        self.delete_link_token_of(organisation, input).await
    }

    async fn list_connections(
        &self,
        organisation: Caller<OrganisationId>,
        input: ListConnectionsInput,
    ) -> ApiResult<ConnectionList> {
        self.connections_of(organisation.owner(), input).await
    }

    async fn get_access_token(
        &self,
        organisation: Caller<OrganisationId>,
        input: GetAccessTokenInput,
    ) -> ApiResult<AccessToken> {
        self.access_token_of(organisation.owner(), input).await
    }

    async fn ingest_arrivals(
        &self,
        team: Caller<TeamId>,
        input: IngestArrivalsInput,
    ) -> Result<Lines<Acknowledgement>, ApiError> {
        self.ingest(Sender::ingesting(team), input.strict, input.body).await
    }

    async fn import_records(
        &self,
        organisation: Option<Caller<OrganisationId>>,
        team: Option<Caller<TeamId>>,
        input: ImportRecordsInput,
    ) -> Result<Lines<Acknowledgement>, ApiError> {
        self.import(Sender::importing(organisation, team)?, input.body).await
    }
}
