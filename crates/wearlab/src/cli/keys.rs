//! `wearlab keys` and `wearlab link-token`: who may call.

use anyhow::{Result, bail};
use chrono::TimeDelta;
use rand::distr::{Alphanumeric, SampleString};
use serde::Serialize;
use wearlab_models::{DateTime, Uuid};
use wearlab_store::{KeyInfo, KeyRecord, Store, StoreError, has_control_characters};

use super::output::{say, time};
use super::place::{Place, failed};
use super::table::{Format, Row};
use crate::clock;

/// How long a link token is good for.
pub(super) const TOKEN_MINUTES: u32 = 60;
/// How long one is good for at most, a day: whoever has it can read the descriptions for linking.
const MOST_MINUTES: i64 = 24 * 60;

/// Keys of teams and of organisations.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Make a key, and print it: the store keeps a hash of it only.
    Create(Create),
    /// List all keys, by their ids.
    List(List),
    /// Revoke a key, for good.
    Revoke(Revoke),
}

#[derive(clap::Args)]
pub(super) struct Create {
    #[command(flatten)]
    owner: Owner,
    /// What people call the key.
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    place: Place,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct Owner {
    /// Make a key of this team.
    #[arg(long, value_name = "UUID")]
    team: Option<Uuid>,
    /// Make a management key of this organisation.
    #[arg(long, value_name = "ID")]
    org: Option<String>,
}

#[derive(clap::Args)]
pub(super) struct List {
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    place: Place,
}

#[derive(clap::Args)]
pub(super) struct Revoke {
    /// The id of the key, as the list shows it.
    id: String,
    #[command(flatten)]
    place: Place,
}

/// What can be set for a link token.
#[derive(clap::Args)]
pub(super) struct LinkToken {
    #[command(subcommand)]
    command: LinkTokenCommand,
}

#[derive(clap::Subcommand)]
enum LinkTokenCommand {
    /// Make a link token of a team, and print it: the store keeps a hash of it only.
    Create {
        /// The team.
        #[arg(long, value_name = "UUID")]
        team: Uuid,
        /// For how many minutes it is good, at most 1440, a day.
        #[arg(long, value_name = "N", default_value_t = TOKEN_MINUTES, value_parser = clap::value_parser!(u32).range(1..=MOST_MINUTES))]
        minutes: u32,
        #[command(flatten)]
        place: Place,
    },
}

pub(super) async fn run(command: Command) -> Result<()> {
    match command {
        Command::Create(options) => create(options).await,
        Command::List(options) => list(options).await,
        Command::Revoke(options) => revoke(options).await,
    }
}

async fn create(options: Create) -> Result<()> {
    if options.name.as_deref().is_some_and(has_control_characters) {
        bail!("--name must not have control characters or invisible ones");
    }
    let store = options.place.open().await?;
    let key = match (options.owner.team, options.owner.org) {
        (Some(team), _) => new_team_key(&store, team, options.name).await,
        (None, Some(org)) => new_management_key(&store, &org, options.name).await,
        (None, None) => bail!("whose key? give --team or --org"),
    };
    say(key.map_err(failed)?)
}

/// Makes a key of a team.
pub(super) async fn new_team_key(store: &Store, team_id: Uuid, name: Option<String>) -> Result<String, StoreError> {
    let key = random("wl_team_");
    put(store, KeyRecord::of_team(team_id, &key), name).await?;
    Ok(key)
}

/// Makes a management key of an organisation.
pub(super) async fn new_management_key(store: &Store, org: &str, name: Option<String>) -> Result<String, StoreError> {
    let key = random("wl_mgmt_");
    put(store, KeyRecord::of_organisation(org, &key), name).await?;
    Ok(key)
}

async fn put(store: &Store, record: KeyRecord, name: Option<String>) -> Result<(), StoreError> {
    let record = KeyRecord {
        name,
        created_on: Some(clock::now().fixed_offset()),
        ..record
    };
    store.write(|write| write.put_key(&record)).await
}

async fn list(options: List) -> Result<()> {
    let keys = options.place.open().await?.keys().await.map_err(failed)?;
    options.format.head::<Key>()?;
    options.format.rows(keys.into_iter().map(Key::from))
}

/// A key, without anything to call with.
#[derive(Serialize)]
struct Key {
    id: String,
    team_id: Option<Uuid>,
    org_id: Option<String>,
    created_on: Option<DateTime>,
    revoked_on: Option<DateTime>,
    name: Option<String>,
}

impl From<KeyInfo> for Key {
    fn from(KeyInfo { id, record }: KeyInfo) -> Self {
        Self {
            id,
            team_id: record.team_id,
            org_id: record.org_id,
            created_on: record.created_on,
            revoked_on: record.revoked_on,
            name: record.name,
        }
    }
}

impl Row for Key {
    fn head() -> String {
        format!("{:16}  {:48}  {:20}  {:20}  name", "id", "of", "created", "revoked")
    }

    fn line(&self) -> String {
        let id = &self.id;
        let owner = match (self.team_id, &self.org_id) {
            (Some(team), _) => format!("team {team}"),
            (None, org) => format!("organisation {}", org.as_deref().unwrap_or_default()),
        };
        let shown = |at: Option<DateTime>| at.map_or_else(|| "-".to_owned(), |at| time(at.to_utc()));
        let (created, revoked) = (shown(self.created_on), shown(self.revoked_on));
        let name = self.name.as_deref().unwrap_or_default();
        format!("{id:16}  {owner:48}  {created:20}  {revoked:20}  {name}")
    }
}

async fn revoke(options: Revoke) -> Result<()> {
    let store = options.place.open().await?;
    let revoked = store.write(|write| write.revoke_key(&options.id, clock::now()));
    match revoked.await.map_err(failed)? {
        true => Ok(()),
        false => bail!("there is no key {:?}: `wearlab keys list` shows their ids", options.id),
    }
}

pub(super) async fn run_link_token(options: LinkToken) -> Result<()> {
    let LinkTokenCommand::Create { team, minutes, place } = options.command;
    let token = new_link_token(&place.open().await?, team, minutes)
        .await
        .map_err(failed)?;
    say(token)
}

/// Makes a link token of a team, and clears away those that are over.
pub(super) async fn new_link_token(store: &Store, team: Uuid, minutes: u32) -> Result<String, StoreError> {
    let token = random("wl_link_");
    let now = clock::now();
    let expires = now + TimeDelta::minutes(minutes.into());
    store
        .write(|write| {
            write.delete_link_tokens(now)?;
            let team = write.team(team)?.ok_or(StoreError::Missing { what: "team" })?;
            write.put_link_token(team, &token, expires)
        })
        .await?;
    Ok(token)
}

/// A prefix, and letters and digits that nobody guesses.
pub(super) fn random(prefix: &str) -> String {
    format!("{prefix}{}", Alphanumeric.sample_string(&mut rand::rng(), 32))
}
