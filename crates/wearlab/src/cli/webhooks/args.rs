//! Options and errors of commands for one endpoint.

use anyhow::{Result, anyhow};
use futures_util::TryStreamExt;
use wearlab_models::WebhookEndpoint;

use crate::cli::session::{ApiArgs, OrgArg, Organisation, Session, is_absent};
use crate::cli::teams;

/// Options of commands for one endpoint.
#[derive(clap::Args)]
pub(in crate::cli) struct WebhookArg {
    /// Id of the endpoint, from `wearlab webhooks list`.
    pub(super) webhook_id: String,
    #[command(flatten)]
    pub(super) org: OrgArg,
    #[command(flatten)]
    pub(super) api: ApiArgs,
}

/// Returns the endpoints of the teams of an organisation.
pub(super) async fn endpoints(session: &Session, owner: &Organisation) -> Result<Vec<Vec<WebhookEndpoint>>> {
    let mut all = Vec::new();
    for team in teams::of(session, owner).await? {
        let found = owner
            .client
            .list_webhooks(&owner.id, team.team_id)
            .stream()
            .try_collect();
        all.push(
            found
                .await
                .map_err(|error| session.failed("list the webhooks", &error))?,
        );
    }
    Ok(all)
}

/// Finds an endpoint by its id, and its organisation.
pub(super) async fn find(session: &Session, options: &WebhookArg) -> Result<(Organisation, WebhookEndpoint)> {
    for owner in session.organisations(options.org.id()).await? {
        let mut all = endpoints(session, &owner).await?.into_iter().flatten();
        if let Some(found) = all.find(|webhook| webhook.webhook_id == options.webhook_id) {
            return Ok((owner, found));
        }
    }
    Err(unknown(&options.webhook_id))
}

fn unknown(id: &str) -> anyhow::Error {
    anyhow!("there is no webhook {id:?}: see `wearlab webhooks list`")
}

/// Converts the error of a call about an endpoint, which may have been deleted since it was found.
pub(super) fn failed(session: &Session, id: &str, what: &str, error: &wearlab_client::Error) -> anyhow::Error {
    match is_absent(error) {
        true => unknown(id),
        false => session.failed(what, error),
    }
}
