//! `wearlab webhooks test`: sends a test event to an endpoint.

use anyhow::{Result, bail};
use reqwest::Url;

use super::args::{WebhookArg, failed, find};
use crate::cli::output::{print_line, warn};
use crate::cli::session::TESTS;

/// Sends a test event, prints the outcome, and fails unless the event was delivered.
pub(super) async fn run(options: WebhookArg) -> Result<()> {
    let session = options.api.session().await?;
    let (owner, webhook) = find(&session, &options).await?;
    let id = &webhook.webhook_id;
    if let Some(reason) = &webhook.disabled {
        warn(format_args!(
            "the webhook is disabled ({reason}): enable it with `wearlab webhooks enable {id}`"
        ));
    }
    let tested = owner
        .client
        .test_webhook(&owner.id, webhook.team_id, id)
        .timeout(TESTS)
        .deadline(TESTS)
        .send()
        .await;
    let tested = tested.map_err(|error| failed(&session, id, "test the webhook", &error))?;
    let url = Url::parse(&webhook.url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let after = tested.duration_ms;
    match &tested.reason {
        _ if tested.delivered => print_line(format_args!(
            "endpoint at {host}: delivered, answered with a 2xx after {after} ms"
        )),
        reason => bail!(
            "endpoint at {host}: not delivered after {after} ms: {}",
            reason.as_deref().unwrap_or("no reason is known")
        ),
    }
}
