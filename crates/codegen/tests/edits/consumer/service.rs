//! Implements the edited operations.

use wearlab_models::{
    CancellationReason, ConnectedProviderList, Device, Diagnosis, Masked, MarkerList, OAuthProvider, PipelineList,
    SupportedProvider, OwnTeam, User, UserList,
};
use wearlab_server::{
    ApiResult, ApiError, Auth, GetOauthProviderInput, GetPredecessorInput, GetUserInput, ListCancellationReasonsInput,
    ListDevicesInput, ListLabTestMarkersInput, ListProvidersInput, ListTeamPipelinesInput, ListUserProvidersInput,
    ListUsersInput, PartialApi, Scoped, SearchDiagnosesInput,
};

use crate::{
    header_parameter, new_tag, new_credential, new_endpoint, path_parameter, query_parameter, renamed_operation,
};

/// A back end.
pub struct Service;

/// The caller.
pub struct Caller;

impl Scoped for Caller {
    fn has_scope(&self, scope: &str) -> bool {
        scope == "read"
    }
}

/// Returns a 404.
fn nothing<T>() -> ApiResult<T> {
    Err(ApiError::not_found("Nothing."))
}

impl Auth for Service {
    type TeamApiKey = Caller;
    type LinkToken = Caller;
    type ManagementKey = Caller;
    type AuditKey = Caller;

    async fn team_api_key(&self, _: &str) -> Result<Caller, ApiError> {
        Ok(Caller)
    }

    async fn link_token(&self, _: &str) -> Result<Caller, ApiError> {
        Ok(Caller)
    }

    async fn audit_key(&self, _: &str) -> Result<Caller, ApiError> {
        Ok(Caller)
    }

    async fn management_key(&self, _: &str) -> Result<Caller, ApiError> {
        Ok(Caller)
    }
}

impl PartialApi for Service {
    async fn get_predecessor(&self, _: Caller, input: GetPredecessorInput) -> ApiResult<Device> {
        new_endpoint::respond(&input)
    }

    async fn get_own_team(&self, _: Caller) -> ApiResult<OwnTeam> {
        new_tag::respond()
    }

    async fn list_providers(&self, _: Caller, input: ListProvidersInput) -> ApiResult<Vec<SupportedProvider>> {
        query_parameter::respond(&input)
    }

    async fn list_cancellation_reasons(
        &self,
        _: Caller,
        input: ListCancellationReasonsInput,
    ) -> ApiResult<Vec<CancellationReason>> {
        header_parameter::respond(&input)
    }

    async fn search_diagnoses(&self, _: Caller, input: SearchDiagnosesInput) -> ApiResult<Vec<Diagnosis>> {
        path_parameter::respond(&input)
    }

    async fn list_devices(&self, _: Caller, input: ListDevicesInput) -> ApiResult<Vec<Device>> {
        renamed_operation::respond(&input)
    }

    async fn list_user_providers(&self, _: Caller, _: ListUserProvidersInput) -> ApiResult<ConnectedProviderList> {
        nothing()
    }

    async fn get_user(&self, _: Caller, _: GetUserInput) -> ApiResult<User> {
        nothing()
    }

    async fn list_users(
        &self,
        team: Option<Caller>,
        auditor: Option<Caller>,
        input: ListUsersInput,
    ) -> ApiResult<UserList> {
        new_credential::respond::<Self>(team, auditor, &input)
    }

    async fn get_oauth_provider(
        &self,
        _: Option<Caller>,
        _: Option<Caller>,
        _: GetOauthProviderInput,
    ) -> ApiResult<OAuthProvider> {
        nothing()
    }

    async fn list_lab_test_markers(&self, _: Caller, _: ListLabTestMarkersInput) -> ApiResult<MarkerList> {
        nothing()
    }

    async fn list_team_pipelines(&self, _: Caller, _: ListTeamPipelinesInput) -> ApiResult<Masked<PipelineList>> {
        nothing()
    }
}
