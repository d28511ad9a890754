//! `wearlab pipelines`: checks the destinations of pipelines.

use std::fmt;

use anyhow::{Result, bail};
use serde::Serialize;
use uuid::Uuid;
use wearlab_models::DestinationTest;

use super::output::print_line;
use super::session::{ApiArgs, OrgArg, TESTS, is_absent};
use super::teams;

/// Pipelines.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Connect to the destinations of pipelines, send each a test event of the type `pipeline.test`, and print the
    /// outcome with how to fix it.
    Check {
        /// Only destinations of this team.
        #[arg(long, value_name = "UUID")]
        team: Option<Uuid>,
        /// Print a line of JSON for each target.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        org: OrgArg,
        #[command(flatten)]
        api: ApiArgs,
    },
}

pub(super) async fn run(command: Command) -> Result<()> {
    let Command::Check { team, json, org, api } = command;
    let session = api.sending_session().await?;
    let (mut targets, mut failed) = (0, 0);
    for owner in session.organisations_with(team, org.id()).await? {
        let teams = match team {
            Some(team) => vec![team],
            None => {
                let teams = teams::of(&session, &owner).await?.into_iter();
                teams.map(|team| team.team_id).collect()
            }
        };
        for team_id in teams {
            let tested = match owner
                .client
                .test_pipeline(&owner.id, team_id)
                .timeout(TESTS)
                .deadline(TESTS)
                .send()
                .await
            {
                Ok(tested) => tested.into_inner(),
                // The team was deleted meanwhile.
                Err(error) if is_absent(&error) && team.is_none() => continue,
                Err(error) => return Err(session.failed("check the destinations", &error)),
            };
            for test in tested.results {
                targets += 1;
                failed += usize::from(!test.delivered);
                let result = CheckResult::new(team_id, test);
                match json {
                    true => print_line(serde_json::to_string(&result)?)?,
                    false => print_line(result)?,
                }
            }
        }
    }
    match failed {
        _ if targets == 0 => bail!("there is no destination: neither a pipeline nor a webhook"),
        0 => Ok(()),
        1 => bail!("1 destination failed"),
        failed => bail!("{failed} destinations failed"),
    }
}

/// Outcome of a test event for one target of a destination.
#[derive(Serialize)]
struct CheckResult {
    team_id: Uuid,
    kind: String,
    webhook_id: Option<String>,
    /// Target of the event; none if the destination cannot be used.
    target: Option<String>,
    /// Reason of the failure, if it was not delivered.
    error: Option<String>,
}

impl CheckResult {
    fn new(team_id: Uuid, test: DestinationTest) -> Self {
        let error = match test.delivered {
            true => None,
            false => Some(test.reason.unwrap_or_else(|| "no reason is known".to_owned())),
        };
        Self {
            team_id,
            kind: test.kind,
            webhook_id: test.webhook_id,
            target: test.target,
            error,
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
