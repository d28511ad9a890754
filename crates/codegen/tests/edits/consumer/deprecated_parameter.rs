//! Uses the deprecated parameter: an unfulfilled expectation is an error here.

use wearlab_client::{Client, ListTeamPipelines};
use wearlab_models::{Environment, Region, Uuid};
use wearlab_server::ListTeamPipelinesInput;

/// The caller.
#[expect(deprecated, reason = "what this edit is about")]
pub fn call(client: &Client) -> ListTeamPipelines<'_> {
    client.list_team_pipelines("o", Environment::Sandbox, Region::Eu).team_id(Uuid::nil())
}

/// The implementer.
#[expect(deprecated, reason = "what this edit is about")]
pub fn team(input: &ListTeamPipelinesInput) -> Option<Uuid> {
    input.team_id
}
