//! `wearlab teams`: creates and lists teams.

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use futures_util::TryStreamExt;
use serde::Serialize;
use wearlab_models::{Environment, NewTeam, Region, Team, Uuid};

use super::output::print_line;
use super::session::{ApiArgs, OrgArg, Organisation, Session};
use super::table::{Format, Row};

/// Teams of organisations.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Create a team and print its id.
    Create(Create),
    /// List the teams.
    List(List),
}

#[derive(clap::Args)]
pub(super) struct Create {
    #[command(flatten)]
    org: OrgArg,
    /// Environment of the team: production or sandbox.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(["production", "sandbox"]).try_map(|name| name.parse::<Environment>()))]
    environment: Environment,
    /// Region of the team: us or eu.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(["us", "eu"]).try_map(|name| name.parse::<Region>()))]
    region: Region,
    /// Id of the team [default: a new one].
    #[arg(long, value_name = "UUID")]
    id: Option<Uuid>,
    #[command(flatten)]
    api: ApiArgs,
}

#[derive(clap::Args)]
pub(super) struct List {
    #[command(flatten)]
    org: OrgArg,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    api: ApiArgs,
}

pub(super) async fn run(command: Command) -> Result<()> {
    match command {
        Command::Create(options) => create(options).await,
        Command::List(options) => list(options).await,
    }
}

async fn create(options: Create) -> Result<()> {
    let session = options.api.session().await?;
    let owner = session.organisation(options.org.id()).await?;
    let team = NewTeam::builder()
        .environment(options.environment)
        .region(options.region)
        .maybe_team_id(options.id)
        .build();
    let created = owner.client.create_team(&owner.id, team).send().await;
    let created = created.map_err(|error| session.failed("create the team", &error))?;
    print_line(created.team_id)
}

async fn list(options: List) -> Result<()> {
    let session = options.api.session().await?;
    let owners = session.organisations(options.org.id()).await?;
    options.format.head::<TeamRow>()?;
    for owner in owners {
        let teams = of(&session, &owner).await?;
        options.format.rows(teams.into_iter().map(TeamRow))?;
    }
    Ok(())
}

/// Returns the teams of an organisation.
pub(super) async fn of(session: &Session, owner: &Organisation) -> Result<Vec<Team>> {
    let teams = owner.client.list_teams(&owner.id).stream().try_collect().await;
    teams.map_err(|error| session.failed("list the teams", &error))
}

/// Team as in the API.
#[derive(Serialize)]
#[serde(transparent)]
struct TeamRow(Team);

impl Row for TeamRow {
    fn head() -> String {
        format!("{:36}  {:11}  {:6}  organisation", "id", "environment", "region")
    }

    fn line(&self) -> String {
        let Team {
            team_id,
            environment,
            region,
            org_id,
            ..
        } = &self.0;
        format!(
            "{team_id:36}  {:11}  {:6}  {org_id}",
            environment.as_str(),
            region.as_str()
        )
    }
}
