//! `wearlab pipelines`: where the events of teams go.

use anyhow::{Result, bail};
use serde_json::json;
use uuid::Uuid;
use wearlab_delivery::webhook::Sender;
use wearlab_delivery::{CheckedLane, check};

use super::output::say;
use super::place::{self, Place, failed};
use super::sending;
use super::test_event::{failure, message};
use crate::clock;

/// Where the events of teams go.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Connect to the destinations of pipelines, send each a test event of the type `pipeline.test`, and say what worked
    /// and what to mend.
    Check {
        /// Only those of this team.
        #[arg(long, value_name = "UUID")]
        team: Option<Uuid>,
        #[command(flatten)]
        place: Place,
    },
}

pub(super) async fn run(command: Command) -> Result<()> {
    let Command::Check { team, place } = command;
    let config = place.config()?;
    let store = place::open(&config).await?;
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
    let checked = check(&kinds, pipelines, webhooks, now, |lane| {
        message("pipeline.test", lane.team_id, &json!({"kind": lane.kind}), now)
    })
    .await;
    if checked.is_empty() {
        bail!("there is no destination: no pipeline, and no webhook");
    }
    let mut bad = 0;
    for CheckedLane { lane, result } in checked {
        let name = lane
            .webhook_id
            .as_ref()
            .map_or_else(|| lane.kind.clone(), |id| format!("{} {id}", lane.kind));
        let said = match result {
            Err(unusable) => vec![(None, Some(unusable.to_string()))],
            Ok(checked) => checked
                .into_iter()
                .map(|checked| (Some(checked.target), failure(checked.outcome)))
                .collect(),
        };
        for (target, why) in said {
            let target = target.map_or_else(String::new, |target| format!(" {target}:"));
            bad += usize::from(why.is_some());
            let why = why.map_or_else(|| "delivered".to_owned(), |why| format!("FAILED, {why}"));
            say(format_args!("{} {name}:{target} {why}", lane.team_id))?;
        }
    }
    match bad {
        0 => Ok(()),
        1 => bail!("one destination does not work"),
        bad => bail!("{bad} destinations do not work"),
    }
}
