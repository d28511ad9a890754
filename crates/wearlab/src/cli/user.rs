//! `wearlab user`: lists, shows and deletes users.

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::json;
use wearlab_models::{User, Uuid};
use wearlab_store::{Store, StoreError, TeamId};

use super::output::{print_line, time};
use super::progress;
use super::store_args::{StoreArgs, failed};
use super::table::{Format, Row};

/// Users per read.
const PAGE: i64 = 500;

/// Users.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// List the users of a team, in the order of their creation.
    List(List),
    /// Print a user with their connections and devices, as JSON.
    Show(One),
    /// Delete a user with all their data, also from the free space of the store's files.
    Delete(One),
}

#[derive(clap::Args)]
pub(super) struct List {
    /// Team of the users.
    #[arg(long, value_name = "UUID")]
    team: Uuid,
    /// Number of users to skip.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    offset: i64,
    /// Maximum number of users.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(i64).range(0..))]
    limit: i64,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(clap::Args)]
pub(super) struct One {
    /// Team of the user.
    #[arg(long, value_name = "UUID")]
    team: Uuid,
    /// Id of the user.
    #[arg(value_name = "USER_ID")]
    user_id: Uuid,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) async fn run(command: Command) -> Result<()> {
    match command {
        Command::List(options) => list(options).await,
        Command::Show(options) => show(options).await,
        Command::Delete(options) => delete(options).await,
    }
}

async fn list(options: List) -> Result<()> {
    let store = options.store.open().await?;
    let team = store.team(team(&store, options.team).await?);
    let (mut offset, mut left) = (options.offset, options.limit);
    options.format.head::<Listed>()?;
    while left > 0 {
        let limit = left.min(PAGE);
        let users = team.users(offset, limit).await.map_err(failed)?.users;
        let read = i64::try_from(users.len())?;
        for user in users {
            options
                .format
                .rows([Listed(serde_json::from_slice(user.as_bytes())?)])?;
        }
        if read < limit {
            break;
        }
        offset += read;
        left -= read;
    }
    Ok(())
}

/// A user as in the API.
#[derive(Serialize)]
#[serde(transparent)]
struct Listed(User);

impl Row for Listed {
    fn head() -> String {
        format!(
            "{:36}  {:20}  {:24}  {:>7}  client user id",
            "id", "created", "time zone", "sources"
        )
    }

    fn line(&self) -> String {
        let user = &self.0;
        format!(
            "{:36}  {:20}  {:24}  {:>7}  {}",
            user.user_id,
            time(user.created_on.to_utc()),
            user.fallback_time_zone.id,
            user.connected_sources.len(),
            user.client_user_id
        )
    }
}

async fn show(options: One) -> Result<()> {
    let store = options.store.open().await?;
    let team = store.team(team(&store, options.team).await?);
    let Some(user) = team.user(options.user_id).await.map_err(failed)? else {
        bail!(unknown());
    };
    let connections = team.connections(options.user_id).await.map_err(failed)?;
    let devices = team.devices(options.user_id).await.map_err(failed)?;
    let json = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes);
    let list = |all: Vec<&[u8]>| all.into_iter().map(json).collect::<Result<Vec<_>, _>>();
    let (connections, devices) = (connections.unwrap_or_default(), devices.unwrap_or_default());
    let shown = json!({
        "user": json(user.as_bytes())?,
        "providers": list(connections.iter().map(|one| one.as_bytes()).collect())?,
        "devices": list(devices.iter().map(|one| one.as_bytes()).collect())?,
    });
    print_line(serde_json::to_string_pretty(&shown)?)
}

async fn delete(options: One) -> Result<()> {
    let user_id = options.user_id;
    let store = options.store.open().await?;
    let team = team(&store, options.team).await?;
    let bar = progress::working("deleting and rewriting the store's files");
    let deleted = store.forget(team, user_id).await;
    bar.finish_and_clear();
    match deleted.map_err(failed)? {
        true => print_line(format_args!("deleted user {user_id} with all their data")),
        false => bail!(unknown()),
    }
}

async fn team(store: &Store, team_id: Uuid) -> Result<TeamId> {
    let team = store.write(|write| write.team(team_id)).await.map_err(failed)?;
    team.ok_or(StoreError::Missing { what: "team" }).map_err(failed)
}

fn unknown() -> &'static str {
    "the team has no such user: see `wearlab user list`"
}
