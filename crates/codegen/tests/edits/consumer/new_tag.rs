//! Reads the team, whose module and type are new.

use wearlab_client::teams::GetTeam;
use wearlab_client::{Client, Error};
use wearlab_models::teams::Team;
use wearlab_models::{Environment, Uuid};
use wearlab_server::ApiResult;

/// The client.
pub async fn call(client: &Client) -> Result<Team, Error> {
    let call: GetTeam<'_> = client.get_team();
    Ok(call.send().await?.into_inner())
}

/// The implementer.
pub fn respond() -> ApiResult<Team> {
    let team = Team::builder().team_id(Uuid::nil()).name("Example");
    Ok(team.environment(Environment::Sandbox).build().into())
}
