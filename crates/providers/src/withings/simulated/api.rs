//! Operations of the simulated API.

use wearlab_kit_server::{ApiError, ApiResult, Scoped};

use super::super::generated::models::{
    ActivityAction, ActivityResponse, HeartResponse, MeasureGroupsResponse, SleepAction, SleepResponse, Token,
    TokenAction, TokenResponse, UserId,
};
use super::super::generated::server::{
    Auth, ListMeasureGroupsInput, ManageTokenInput, PartialApi, QueryActivityInput, QueryHeartInput, QuerySleepInput,
};
use super::empty::{no_activity, no_groups, no_heart, no_sleep, no_token};
use super::simulation::Simulation;
use crate::simulated::oauth::{Grant, TokenRequest};

/// Id of the person.
const USER_ID: i64 = 9_001;

/// Application that has the grant of the person, or a token that is not valid.
#[derive(Clone, Debug)]
pub struct Caller(Option<Grant>);

impl Scoped for Caller {
    /// Returns true: a missing scope is a status of the response.
    fn has_scope(&self, _: &str) -> bool {
        true
    }
}

impl Auth for Simulation {
    type Oauth = Caller;

    async fn oauth(&self, credential: &str) -> Result<Caller, ApiError> {
        Ok(Caller(self.grants().check(credential)))
    }
}

impl Simulation {
    /// Returns the status and the text of a request that is refused.
    fn refusal(&self, caller: &Caller, scope: &str) -> Option<(i64, &'static str)> {
        let lacks_scope = |grant: &Grant| !grant.scopes.contains(scope);
        let refused = match &caller.0 {
            None => Some((401, "The access token is invalid")),
            Some(grant) if lacks_scope(grant) => Some((277, "The scope is missing")),
            Some(_) => None,
        };
        self.next_error().or(refused)
    }
}

/// Responds with a status and its text, where a request is refused. `body` has no members then.
macro_rules! refuse {
    ($simulation:ident, $caller:ident, $scope:literal, $response:ident, $empty:ident) => {
        if let Some((status, error)) = $simulation.refusal(&$caller, $scope) {
            let response = $response {
                status,
                body: Some($empty()),
                error: Some(error.to_owned()),
            };
            return Ok(response.into());
        }
    };
}

impl PartialApi for Simulation {
    async fn manage_token(&self, input: ManageTokenInput) -> ApiResult<TokenResponse> {
        let form = input.body;
        if form.action != TokenAction::RequestToken {
            return Err(ApiError::not_implemented("manage_token"));
        }
        let is_refresh = form.grant_type.as_deref() == Some("refresh_token");
        let request = TokenRequest {
            grant_type: form.grant_type.unwrap_or_default(),
            code: form.code.map(|code| code.expose().to_owned()),
            redirect_uri: form.redirect_uri,
            code_verifier: None,
            refresh_token: form.refresh_token.map(|token| token.expose().to_owned()),
            client_id: Some(form.client_id),
            client_secret: form.client_secret.map(|secret| secret.expose().to_owned()),
        };
        let refused = |error: &str| TokenResponse {
            status: 503,
            body: Some(no_token()),
            error: Some(format!("Invalid Params: {error}")),
        };
        if let Some((status, error)) = self.next_error() {
            let response = TokenResponse {
                status,
                error: Some(error.to_owned()),
                ..refused("")
            };
            return Ok(response.into());
        }
        let response = match self.grants().exchange(&request) {
            Ok(tokens) => TokenResponse {
                status: 0,
                body: Some(Token {
                    // A text after a code, and a number after a refresh.
                    userid: Some(match is_refresh {
                        true => UserId::Number(USER_ID),
                        false => UserId::Text(USER_ID.to_string()),
                    }),
                    access_token: Some(tokens.access_token.into()),
                    refresh_token: tokens.refresh_token.map(Into::into),
                    expires_in: Some(tokens.expires_in.into()),
                    scope: Some(tokens.scopes.into_iter().collect::<Vec<_>>().join(",")),
                    csrf_token: None,
                    token_type: Some("Bearer".to_owned()),
                }),
                error: None,
            },
            Err("invalid_grant") if is_refresh => refused("invalid refresh_token"),
            Err("invalid_grant") => refused("invalid code"),
            Err(error) => refused(error),
        };
        Ok(response.into())
    }

    async fn list_measure_groups(
        &self,
        caller: Caller,
        input: ListMeasureGroupsInput,
    ) -> ApiResult<MeasureGroupsResponse> {
        refuse!(self, caller, "user.metrics", MeasureGroupsResponse, no_groups);
        let response = MeasureGroupsResponse {
            status: 0,
            body: Some(self.groups(&input.body)),
            error: None,
        };
        Ok(response.into())
    }

    async fn query_activity(&self, caller: Caller, input: QueryActivityInput) -> ApiResult<ActivityResponse> {
        refuse!(self, caller, "user.activity", ActivityResponse, no_activity);
        let form = input.body;
        let body = match form.action {
            ActivityAction::GetActivity => self.activities(&form)?,
            ActivityAction::GetWorkouts => self.workouts(&form)?,
            ActivityAction::GetIntradayActivity => self.intraday(&form)?,
        };
        let response = ActivityResponse {
            status: 0,
            body: Some(body),
            error: None,
        };
        Ok(response.into())
    }

    async fn query_sleep(&self, caller: Caller, input: QuerySleepInput) -> ApiResult<SleepResponse> {
        refuse!(self, caller, "user.activity", SleepResponse, no_sleep);
        let form = input.body;
        let body = match form.action {
            SleepAction::GetSummary => self.nights(&form)?,
            SleepAction::Get => self.stages(&form)?,
        };
        let response = SleepResponse {
            status: 0,
            body: Some(body),
            error: None,
        };
        Ok(response.into())
    }

    async fn query_heart(&self, caller: Caller, input: QueryHeartInput) -> ApiResult<HeartResponse> {
        refuse!(self, caller, "user.metrics", HeartResponse, no_heart);
        let response = match self.heart(&input.body) {
            Some(body) => HeartResponse {
                status: 0,
                body: Some(body),
                error: None,
            },
            None => HeartResponse {
                status: 503,
                body: Some(no_heart()),
                error: Some("Invalid Params: invalid signalid".to_owned()),
            },
        };
        Ok(response.into())
    }
}
