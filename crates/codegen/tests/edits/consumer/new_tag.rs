//! Reads the team, whose module and type are new.

use wearlab_client::teams::GetOwnTeam;
use wearlab_client::{Client, Error};
use wearlab_models::teams::OwnTeam;
use wearlab_models::{Environment, Uuid};
use wearlab_server::ApiResult;

/// The client.
pub async fn call(client: &Client) -> Result<OwnTeam, Error> {
    let call: GetOwnTeam<'_> = client.get_own_team();
    Ok(call.send().await?.into_inner())
}

/// The implementer.
pub fn respond() -> ApiResult<OwnTeam> {
    let team = OwnTeam::builder().team_id(Uuid::nil()).name("Example");
    Ok(team.environment(Environment::Sandbox).build().into())
}
