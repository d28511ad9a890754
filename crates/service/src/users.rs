//! Users: reads, creation, changes, deletion and export.

use chrono::{DateTime, FixedOffset};
use wearlab_ingest::{DEFAULT_ZONE_SOURCE, LineError};
use wearlab_intake::import;
use wearlab_models::{
    CreateUserHeaders, FallbackBirthDate, FallbackTimeZone, NewUser, RefreshedUser, Success, User, UserChanges,
    UserList,
};
use wearlab_server::operations::{CREATE_USER, DELETE_USER, DISCONNECT_PROVIDER, UPDATE_USER};
use wearlab_server::{
    ApiError, ApiResult, ByteStream, CreateUserInput, DeleteUserInput, DisconnectProviderInput, ExportUserInput,
    GetUserInput, ListUsersInput, RefreshUserInput, Reply, ResolveUserInput, UpdateUserInput, UsersApi,
};
use wearlab_store::{OrganisationId, TeamId, Transaction};

use super::auth::Caller;
use super::connections::connected_providers;
use super::export::Export;
use super::managed::{no_team, organisation};
use super::write::{Subject, Write, WriteError, check_precondition, invalid};
use super::{Service, no_user, store_error};

/// Source of the data that a team writes itself.
const SOURCE: &str = "manual";
/// Default time zone of users.
const UTC: &str = "UTC";

impl UsersApi for Service {
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

    async fn refresh_user(&self, caller: Caller<TeamId>, input: RefreshUserInput) -> ApiResult<RefreshedUser> {
        self.refresh_user(caller, input).await.map(Reply::from)
    }

    async fn create_user(
        &self,
        caller: Caller<TeamId>,
        input: CreateUserInput,
    ) -> Result<(Reply<User>, CreateUserHeaders), ApiError> {
        let write = Write::new(&CREATE_USER, &caller).repeatable(input.idempotency_key.as_deref(), &input.body)?;
        let team = caller.owner();
        let now = (self.now)();
        let user = new_user(team, input.body, now.fixed_offset());
        import::check_user(&user, now).map_err(located)?;
        let user: User = self
            .write(write, |transaction| {
                check_client_user_id(transaction, team, &user)?;
                transaction.put_user(team, &user)?;
                Ok(Subject::user(team, user.user_id).wrote(user))
            })
            .await?;
        let location = format!("/v2/user/{}", user.user_id);
        let headers = CreateUserHeaders::builder().location(location).build();
        Ok((user.into(), headers))
    }

    async fn update_user(&self, caller: Caller<TeamId>, input: UpdateUserInput) -> Result<(), ApiError> {
        let write = Write::new(&UPDATE_USER, &caller);
        let team = caller.owner();
        let now = (self.now)();
        self.write(write, |transaction| {
            let stored = transaction.stored_user(team, input.user_id)?.ok_or_else(no_user)?;
            check_precondition(input.if_match.as_deref(), &stored)?;
            let stored = serde_json::from_slice(stored.as_bytes()).map_err(ApiError::internal)?;
            let changed = changed_user(stored, input.body, now.fixed_offset());
            import::check_user(&changed, now).map_err(located)?;
            check_client_user_id(transaction, team, &changed)?;
            transaction.put_user(team, &changed)?;
            Ok(Subject::user(team, input.user_id).wrote(()))
        })
        .await
    }

    async fn delete_user(&self, caller: Caller<TeamId>, input: DeleteUserInput) -> ApiResult<Success> {
        let write = Write::new(&DELETE_USER, &caller);
        let team = caller.owner();
        let mut ended = Vec::new();
        self.write(write, |transaction| {
            let stored = transaction.stored_user(team, input.user_id)?.ok_or_else(no_user)?;
            check_precondition(input.if_match.as_deref(), &stored)?;
            ended = transaction.linked_connections(team, input.user_id, None)?;
            transaction.delete_user(team, input.user_id)?;
            Ok(Subject::user(team, input.user_id).wrote(()))
        })
        .await?;
        self.linker()?.revoke_all(ended);
        Ok(success())
    }

    async fn disconnect_provider(&self, caller: Caller<TeamId>, input: DisconnectProviderInput) -> ApiResult<Success> {
        let write = Write::new(&DISCONNECT_PROVIDER, &caller);
        let team = caller.owner();
        let mut ended = Vec::new();
        self.write(write, |transaction| {
            if let Some(tags) = &input.if_match {
                let connections = transaction
                    .stored_connections(team, input.user_id)?
                    .ok_or_else(no_user)?;
                check_precondition(
                    Some(tags),
                    &connected_providers(&connections).map_err(ApiError::internal)?,
                )?;
            }
            ended = transaction.linked_connections(team, input.user_id, Some(&input.provider))?;
            if !transaction.delete_connection(team, input.user_id, &input.provider)? {
                let detail = "No such user, or no connection with this provider.";
                return Err(ApiError::not_found(detail).into());
            }
            Ok(Subject::user(team, input.user_id).wrote(()))
        })
        .await?;
        self.linker()?.revoke_all(ended);
        Ok(success())
    }

    async fn list_users(&self, team: Caller<TeamId>, input: ListUsersInput) -> ApiResult<UserList> {
        let store = self.store()?.team(team.owner());
        let list = store.user_list(input.offset, input.limit).await;
        list.map(Reply::Encoded).map_err(store_error)
    }

    async fn export_user(
        &self,
        caller: Caller<OrganisationId>,
        input: ExportUserInput,
    ) -> Result<ByteStream, ApiError> {
        let organisation = organisation(caller, &input.org_id)?;
        let store = self.store()?.clone();
        let team = store.team_of(&organisation, input.team_id).await.map_err(store_error)?;
        let team = team.ok_or_else(no_team)?;
        let records = store.team(team).user_export(input.user_id).await.map_err(store_error)?;
        let place = self.streams.take(&organisation)?;
        let records = records.ok_or_else(no_user)?;
        let export = Export::new(store, organisation, (team, input.user_id), &records, place)?;
        Ok(export.into_stream())
    }
}

fn success() -> Reply<Success> {
    Success::builder().success(true).build().into()
}

fn new_user(team: TeamId, body: NewUser, now: DateTime<FixedOffset>) -> User {
    let zone = match body.fallback_time_zone {
        Some(zone) => time_zone(zone, SOURCE, now),
        None => time_zone(UTC.to_owned(), DEFAULT_ZONE_SOURCE, now),
    };
    User::builder()
        .user_id(wearlab_clock::fresh_id())
        .team_id(team.uuid())
        .client_user_id(body.client_user_id)
        .created_on(now)
        .connected_sources(Vec::new())
        .fallback_time_zone(zone)
        .maybe_fallback_birth_date(body.fallback_birth_date.map(|value| birth_date(value, now)))
        .maybe_ingestion_start(body.ingestion_start)
        .maybe_ingestion_end(body.ingestion_end)
        .build()
}

/// Returns the user with the changes. Unchanged values keep their time.
fn changed_user(mut user: User, changes: UserChanges, now: DateTime<FixedOffset>) -> User {
    if let Some(client_user_id) = changes.client_user_id {
        user.client_user_id = client_user_id;
    }
    let is_default = user.fallback_time_zone.source_slug == DEFAULT_ZONE_SOURCE;
    if let Some(zone) = changes
        .fallback_time_zone
        .filter(|zone| is_default || *zone != user.fallback_time_zone.id)
    {
        user.fallback_time_zone = time_zone(zone, SOURCE, now);
    }
    if let Some(value) = changes.fallback_birth_date
        && value != user.fallback_birth_date.as_ref().map(|known| known.value)
    {
        user.fallback_birth_date = value.map(|value| birth_date(value, now));
    }
    user.ingestion_start = changes.ingestion_start.unwrap_or(user.ingestion_start);
    user.ingestion_end = changes.ingestion_end.unwrap_or(user.ingestion_end);
    user
}

fn time_zone(id: String, source: &str, now: DateTime<FixedOffset>) -> FallbackTimeZone {
    FallbackTimeZone::builder()
        .id(id)
        .source_slug(source)
        .updated_at(now)
        .build()
}

fn birth_date(value: chrono::NaiveDate, now: DateTime<FixedOffset>) -> FallbackBirthDate {
    FallbackBirthDate::builder()
        .value(value)
        .source_slug(SOURCE)
        .updated_at(now)
        .build()
}

/// Fails with 409 if another user of the team has the customer's own id.
fn check_client_user_id(transaction: &Transaction<'_>, team: TeamId, user: &User) -> Result<(), WriteError> {
    match transaction.user_id_of_client(team, &user.client_user_id)? {
        Some(other) if other != user.user_id => {
            let detail = "Another user of the team has this client_user_id.";
            Err(ApiError::conflict(detail, "user", Some(other.to_string())).into())
        }
        _ => Ok(()),
    }
}

/// Converts the error of an import rule, with its location in a body.
fn located(error: LineError) -> ApiError {
    let path = error.path.strip_prefix("user.").unwrap_or(&error.path);
    // An object of a user is a single value in a body.
    let member = path.split('.').next().unwrap_or(path);
    invalid(&format!("/body/{member}"), "invalid", &error.reason)
}
