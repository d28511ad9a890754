//! `wearlab keys` and `wearlab link-token`: credentials of callers.

use anyhow::{Result, bail};
use chrono::TimeDelta;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use wearlab_models::{DateTime, Uuid};
use wearlab_store::{KeyInfo, KeyScope, KeyScopes, Store, StoreError, has_control_characters};

use super::output::{print_line, time};
use super::store_args::{StoreArgs, failed};
use super::table::{Format, Row};
use crate::administration::keys::{KeyFor, new_key, random};
use crate::clock;

/// The default validity of a link token, in minutes.
pub(super) const TOKEN_MINUTES: u32 = 60;
/// The longest validity, a day: the token gives access to the descriptions of providers for linking.
const MOST_MINUTES: i64 = 24 * 60;

/// Keys of teams and of organisations.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Create a key and print it. The store keeps only its hash.
    Create(Create),
    /// List all keys with their ids.
    List(List),
    /// Revoke a key permanently.
    Revoke(Revoke),
}

#[derive(clap::Args)]
pub(super) struct Create {
    #[command(flatten)]
    owner: Owner,
    /// Name of the key, for people.
    #[arg(long)]
    name: Option<String>,
    /// What the key allows: read, write, ingest, admin. None implies another. admin imports records of any owner.
    #[arg(
        long = "scope",
        value_name = "SCOPE",
        value_delimiter = ',',
        default_value = "read",
        value_parser = PossibleValuesParser::new(KeyScope::ALL.map(KeyScope::as_str)).try_map(|name| name.parse::<KeyScope>())
    )]
    scopes: Vec<KeyScope>,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct Owner {
    /// Create an API key for this team.
    #[arg(long, value_name = "UUID")]
    team: Option<Uuid>,
    /// Create a management key for this organisation.
    #[arg(long, value_name = "ID")]
    org: Option<String>,
}

#[derive(clap::Args)]
pub(super) struct List {
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(clap::Args)]
pub(super) struct Revoke {
    /// Id of the key, from `wearlab keys list`.
    id: String,
    #[command(flatten)]
    store: StoreArgs,
}

/// The options of a link token.
#[derive(clap::Args)]
pub(super) struct LinkToken {
    #[command(subcommand)]
    command: LinkTokenCommand,
}

#[derive(clap::Subcommand)]
enum LinkTokenCommand {
    /// Create a link token of a team and print it. The store keeps only its hash.
    Create {
        /// Team of the token.
        #[arg(long, value_name = "UUID")]
        team: Uuid,
        /// Validity in minutes, at most 1440 (a day).
        #[arg(long, value_name = "N", default_value_t = TOKEN_MINUTES, value_parser = clap::value_parser!(u32).range(1..=MOST_MINUTES))]
        minutes: u32,
        #[command(flatten)]
        store: StoreArgs,
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
    let store = options.store.open().await?;
    let scopes = KeyScopes::from_iter(options.scopes);
    let key = match (options.owner.team, options.owner.org) {
        (Some(team), _) => new_team_key(&store, team, options.name, scopes).await,
        (None, Some(org)) => new_management_key(&store, &org, options.name, scopes).await,
        (None, None) => bail!("missing owner: give --team or --org"),
    };
    print_line(key.map_err(failed)?)
}

/// Creates a key of a team.
pub(super) async fn new_team_key(
    store: &Store,
    team_id: Uuid,
    name: Option<String>,
    scopes: KeyScopes,
) -> Result<String, StoreError> {
    put(store, KeyFor::Team(team_id), name, scopes).await
}

/// Creates a management key of an organisation.
pub(super) async fn new_management_key(
    store: &Store,
    org: &str,
    name: Option<String>,
    scopes: KeyScopes,
) -> Result<String, StoreError> {
    put(store, KeyFor::Organisation(org.to_owned()), name, scopes).await
}

async fn put(store: &Store, owner: KeyFor, name: Option<String>, scopes: KeyScopes) -> Result<String, StoreError> {
    let record = new_key(owner, name, scopes, clock::now(), random);
    store.write(|write| write.put_key(&record)).await?;
    Ok(record.key.map(|key| key.expose().to_owned()).unwrap_or_default())
}

async fn list(options: List) -> Result<()> {
    let keys = options.store.open().await?.keys().await.map_err(failed)?;
    options.format.head::<Key>()?;
    options.format.rows(keys.into_iter().map(Key::from))
}

/// A key in the list, without its secret.
#[derive(Serialize)]
struct Key {
    id: String,
    team_id: Option<Uuid>,
    org_id: Option<String>,
    scopes: KeyScopes,
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
            scopes: record.scopes.unwrap_or_default(),
            created_on: record.created_on,
            revoked_on: record.revoked_on,
            name: record.name,
        }
    }
}

impl Row for Key {
    fn head() -> String {
        format!(
            "{:16}  {:48}  {:23}  {:20}  {:20}  name",
            "id", "of", "scopes", "created", "revoked"
        )
    }

    fn line(&self) -> String {
        let id = &self.id;
        let owner = match (self.team_id, &self.org_id) {
            (Some(team), _) => format!("team {team}"),
            (None, org) => format!("organisation {}", org.as_deref().unwrap_or_default()),
        };
        let shown = |at: Option<DateTime>| at.map_or_else(|| "-".to_owned(), |at| time(at.to_utc()));
        let (created, revoked) = (shown(self.created_on), shown(self.revoked_on));
        let (scopes, name) = (self.scopes, self.name.as_deref().unwrap_or_default());
        format!("{id:16}  {owner:48}  {scopes:23}  {created:20}  {revoked:20}  {name}")
    }
}

async fn revoke(options: Revoke) -> Result<()> {
    let store = options.store.open().await?;
    let revoked = store.write(|write| write.revoke_key(&options.id, clock::now()));
    match revoked.await.map_err(failed)? {
        true => Ok(()),
        false => bail!("there is no key {:?}: see `wearlab keys list`", options.id),
    }
}

pub(super) async fn run_link_token(options: LinkToken) -> Result<()> {
    let LinkTokenCommand::Create { team, minutes, store } = options.command;
    let token = new_link_token(&store.open().await?, team, minutes)
        .await
        .map_err(failed)?;
    print_line(token)
}

/// Creates a link token of a team, and deletes expired ones.
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
