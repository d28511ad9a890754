//! `wearlab webhooks test`: sends a test event to an endpoint.

use anyhow::{Context, Result, bail};
use wearlab_delivery::webhook::{Sender, Webhook};

use super::find;
use crate::administration::test_event::test_webhook;
use crate::cli::output::{print_line, warn};
use crate::cli::store_args::StoreArgs;
use crate::clock;

/// Sends a test event, prints the outcome, and fails unless the event was delivered.
pub(super) async fn run(store: &StoreArgs, id: &str) -> Result<()> {
    let config = store.config()?;
    let endpoint = find(&store.open().await?, id).await?;
    let now = clock::now();
    let sender = Sender::new(config.webhooks.sender(), clock::now)?;
    let unusable = "cannot send to the webhook";
    Webhook::of_endpoint(&sender, &endpoint, now).context(unusable)?;
    if let Some(reason) = &endpoint.disabled {
        warn(format_args!(
            "the webhook is disabled ({reason}): enable it with `wearlab webhooks enable {id}`"
        ));
    }
    let result = test_webhook(&sender, &endpoint, now).await.context(unusable)?;
    let (target, after) = (result.target, result.duration.as_millis());
    match result.failure {
        None => print_line(format_args!(
            "{target}: delivered, answered with a 2xx after {after} ms"
        )),
        Some(why) => bail!("{target}: not delivered after {after} ms: {why}"),
    }
}
