//! `wearlab pipelines`: checks the destinations of pipelines.

use std::fmt;

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;
use wearlab_delivery::webhook::Sender;
use wearlab_delivery::{Checked, CheckedDestination, check};

use super::output::print_line;
use super::sending;
use super::store_args::{self, StoreArgs, failed};
use crate::administration::test_event::{failure, message};
use crate::clock;

/// Pipelines.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Connect to the destinations of pipelines, send each a test event of the type `pipeline.test`, and print the outcome
    /// with how to fix it.
    Check {
        /// Only destinations of this team.
        #[arg(long, value_name = "UUID")]
        team: Option<Uuid>,
        /// Print a line of JSON for each target.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
}

pub(super) async fn run(command: Command) -> Result<()> {
    let Command::Check { team, json, store } = command;
    let config = store.config()?;
    let store = store_args::open(&config).await?;
    let (mut pipelines, mut webhooks) = (
        store.all_pipelines().await.map_err(failed)?,
        store.webhooks().await.map_err(failed)?,
    );
    if let Some(team) = team {
        pipelines.retain(|of| of.pipeline.team_id == team);
        webhooks.retain(|of| of.team_id == team);
    }
    let kinds = sending::kinds(&config, Sender::new(config.webhooks.sender(), clock::now)?)?;
    let now = clock::now();
    let checked = check(&kinds, pipelines, webhooks, now, |key| {
        message("pipeline.test", key.team_id, &json!({"kind": key.kind}), now)
    })
    .await;
    if checked.is_empty() {
        bail!("there is no destination: neither a pipeline nor a webhook");
    }
    let results: Vec<_> = checked.into_iter().flat_map(results).collect();
    let failed = results.iter().filter(|result| result.error.is_some()).count();
    for result in results {
        match json {
            true => print_line(serde_json::to_string(&result)?)?,
            false => print_line(result)?,
        }
    }
    match failed {
        0 => Ok(()),
        1 => bail!("1 destination failed"),
        failed => bail!("{failed} destinations failed"),
    }
}

/// The outcome of a test event for one target of a destination.
#[derive(Serialize)]
struct CheckResult {
    team_id: Uuid,
    kind: String,
    webhook_id: Option<String>,
    /// Where the event was sent; none if the destination cannot be used.
    target: Option<String>,
    /// Why it was not delivered, if so.
    error: Option<String>,
}

fn results(CheckedDestination { key, result }: CheckedDestination) -> Vec<CheckResult> {
    let of = |target, error| CheckResult {
        team_id: key.team_id,
        kind: key.kind.clone(),
        webhook_id: key.webhook_id.clone(),
        target,
        error,
    };
    match result {
        Err(unusable) => vec![of(None, Some(unusable.to_string()))],
        Ok(checked) => {
            let checked = checked.into_iter();
            checked
                .map(|Checked { target, outcome }| of(Some(target), failure(outcome)))
                .collect()
        }
    }
}

impl fmt::Display for CheckResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.team_id, self.kind)?;
        if let Some(id) = &self.webhook_id {
            write!(f, " {id}")?;
        }
        f.write_str(":")?;
        if let Some(target) = &self.target {
            write!(f, " {target}:")?;
        }
        match &self.error {
            None => f.write_str(" delivered"),
            Some(error) => write!(f, " FAILED, {error}"),
        }
    }
}
