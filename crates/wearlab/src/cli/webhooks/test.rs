//! `wearlab webhooks test`: one event to one endpoint, at once.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::json;
use wearlab_delivery::webhook::{Sender, Webhook};
use wearlab_delivery::{Checked, Destination};

use super::find;
use crate::cli::output::{say, warn};
use crate::cli::place::Place;
use crate::cli::test_event::{failure, message};
use crate::clock;

/// Sends a test event, says what came of it, and fails unless the endpoint took it.
pub(super) async fn run(place: &Place, id: &str) -> Result<()> {
    let config = place.config()?;
    let endpoint = find(&place.open().await?, id).await?;
    let now = clock::now();
    let sender = Sender::new(config.webhooks.sender(), clock::now)?;
    let webhook = Webhook::of_endpoint(&sender, &endpoint, now).context("nothing can be sent to the webhook")?;
    if let Some(reason) = &endpoint.disabled {
        warn(format_args!(
            "it is disabled ({reason}): `wearlab webhooks enable {id}` puts it back to work"
        ));
    }
    let data = json!({"webhook_id": endpoint.webhook_id});
    let message = message("webhook.test", endpoint.team_id, &data, now);
    let begin = Instant::now();
    for Checked { target, outcome } in webhook.check(&message).await {
        let after = begin.elapsed().as_millis();
        match failure(outcome) {
            None => say(format_args!(
                "{target}: delivered, answered with a 2xx after {after} ms"
            ))?,
            Some(why) => bail!("{target}: not delivered after {after} ms: {why}"),
        }
    }
    Ok(())
}
