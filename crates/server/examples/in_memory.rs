//! In-memory back end: one team and its users. It implements a part of the interface: the other operations respond 501.
//!
//! `cargo run -p wearlab-server --example in_memory`, then
//! `curl -H 'x-service-api-key: secret' http://127.0.0.1:8090/v2/user/`

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use wearlab_server::models::{
    ConnectedProviderList, Device, FallbackTimeZone, Masked, OAuthProvider, PipelineList, SupportedProvider, User,
    UserList, Uuid,
};
use wearlab_server::{
    ApiError, ApiResult, Auth, GetOauthProviderInput, GetUserInput, ListProvidersInput, ListTeamPipelinesInput,
    ListUserDevicesInput, ListUserProvidersInput, ListUsersInput, Partial, PartialApi, Scoped, router,
};

/// The back end.
pub(crate) struct InMemory {
    users: BTreeMap<Uuid, User>,
}

/// The owner of the one key.
pub(crate) struct Team;

impl Scoped for Team {
    fn has_scope(&self, scope: &str) -> bool {
        scope == "read"
    }
}

impl Auth for InMemory {
    type TeamApiKey = Team;
    type LinkToken = Team;
    type ManagementKey = Team;

    async fn team_api_key(&self, credential: &str) -> Result<Team, ApiError> {
        // A real service compares hashes, in constant time.
        if credential == "secret" {
            Ok(Team)
        } else {
            Err(ApiError::unauthorized("This key is nobody's."))
        }
    }

    async fn link_token(&self, _: &str) -> Result<Team, ApiError> {
        Err(ApiError::unauthorized("There are no link tokens here."))
    }

    async fn management_key(&self, credential: &str) -> Result<Team, ApiError> {
        self.team_api_key(credential).await
    }
}

impl PartialApi for InMemory {
    async fn list_user_providers(&self, _: Team, input: ListUserProvidersInput) -> ApiResult<ConnectedProviderList> {
        self.user(input.user_id)?;
        Ok(ConnectedProviderList::builder().providers(Vec::new()).build().into())
    }

    async fn get_user(&self, _: Team, input: GetUserInput) -> ApiResult<User> {
        Ok(self.user(input.user_id)?.clone().into())
    }

    async fn list_users(&self, _: Team, input: ListUsersInput) -> ApiResult<UserList> {
        let (offset, limit) = (input.offset as usize, input.limit as usize);
        let users: Vec<_> = self.users.values().skip(offset).take(limit).cloned().collect();
        let total = self.users.len() as i64;
        Ok(UserList::builder()
            .users(users)
            .total(total)
            .offset(input.offset)
            .limit(input.limit)
            .build()
            .into())
    }

    async fn list_user_devices(&self, _: Team, input: ListUserDevicesInput) -> ApiResult<Vec<Device>> {
        self.user(input.user_id)?;
        Ok(Vec::new().into())
    }

    async fn list_providers(&self, _: Team, _: ListProvidersInput) -> ApiResult<Vec<SupportedProvider>> {
        Ok(Vec::new().into())
    }

    async fn get_oauth_provider(
        &self,
        _: Option<Team>,
        _: Option<Team>,
        _: GetOauthProviderInput,
    ) -> ApiResult<OAuthProvider> {
        Err(ApiError::not_found("No such OAuth provider."))
    }

    async fn list_team_pipelines(&self, _: Team, _: ListTeamPipelinesInput) -> ApiResult<Masked<PipelineList>> {
        let pipelines = PipelineList::builder().pipelines(Vec::new()).build();
        Ok(Masked::new(pipelines).into())
    }
}

impl InMemory {
    /// A back end with a few users.
    pub(crate) fn with_users(count: u128) -> Result<Self, Box<dyn Error>> {
        let created_on = "2024-08-19T09:28:00+01:00".parse()?;
        let zone = FallbackTimeZone::builder()
            .id("Europe/Lisbon")
            .source_slug("stridewell")
            .updated_at(created_on)
            .build();
        let users = (1..=count).map(Uuid::from_u128).map(|id| {
            let user = User::builder()
                .user_id(id)
                .team_id(Uuid::from_u128(7))
                .client_user_id(format!("member-{}", id.as_u128()))
                .created_on(created_on)
                .connected_sources(Vec::new())
                .fallback_time_zone(zone.clone())
                .build();
            (id, user)
        });
        Ok(Self { users: users.collect() })
    }

    fn user(&self, id: Uuid) -> Result<&User, ApiError> {
        self.users.get(&id).ok_or_else(|| ApiError::not_found("No such user."))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let api = Arc::new(Partial(InMemory::with_users(3)?));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8090").await?;
    axum::serve(listener, router(api)).await?;
    Ok(())
}
