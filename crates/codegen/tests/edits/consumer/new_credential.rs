//! Sends the credential, and receives its owner.

use wearlab_client::operations::Credential;
use wearlab_client::{Client, Error};
use wearlab_models::UserList;
use wearlab_server::{ApiResult, ApiError, Auth, ListUsersInput};

/// The client, with only that credential.
pub async fn call() -> Result<UserList, Error> {
    let client = Client::builder()
        .base_url("http://127.0.0.1:8080")
        .credential(Credential::AuditKey, "secret")
        .build()?;
    Ok(client.list_users().send().await?.into_inner())
}

/// The implementer: either credential is accepted.
pub fn respond<A: Auth>(
    team: Option<A::TeamApiKey>,
    auditor: Option<A::AuditKey>,
    _: &ListUsersInput,
) -> ApiResult<UserList> {
    match (team, auditor) {
        (None, Some(_)) => Err(ApiError::not_found("No users.")),
        _ => Err(ApiError::unauthorized("Auditors only.")),
    }
}
