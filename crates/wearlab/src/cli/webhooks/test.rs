//! `wearlab webhooks test`: sends a test event to an endpoint.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::json;
use wearlab_delivery::webhook::{Sender, Webhook};
use wearlab_delivery::{Checked, Destination};

use super::find;
use crate::administration::test_event::{failure, message};
use crate::cli::output::{print_line, warn};
use crate::cli::store_args::StoreArgs;
use crate::clock;

/// Sends a test event, prints the outcome, and fails unless the event was delivered.
pub(super) async fn run(store: &StoreArgs, id: &str) -> Result<()> {
    let config = store.config()?;
    let endpoint = find(&store.open().await?, id).await?;
    let now = clock::now();
    let sender = Sender::new(config.webhooks.sender(), clock::now)?;
    let webhook = Webhook::of_endpoint(&sender, &endpoint, now).context("cannot send to the webhook")?;
    if let Some(reason) = &endpoint.disabled {
        warn(format_args!(
            "the webhook is disabled ({reason}): enable it with `wearlab webhooks enable {id}`"
        ));
    }
    let data = json!({"webhook_id": endpoint.webhook_id});
    let message = message("webhook.test", endpoint.team_id, &data, now);
    let begin = Instant::now();
    for Checked { target, outcome } in webhook.check(&message).await {
        let after = begin.elapsed().as_millis();
        match failure(outcome) {
            None => print_line(format_args!(
                "{target}: delivered, answered with a 2xx after {after} ms"
            ))?,
            Some(why) => bail!("{target}: not delivered after {after} ms: {why}"),
        }
    }
    Ok(())
}
