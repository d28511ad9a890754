//! `wearlab keys`: creates, lists and revokes keys.

use anyhow::{Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use futures_util::TryStreamExt;
use serde::Serialize;
use wearlab_models::{DateTime, Key, NewKey, Uuid};
use wearlab_store::{KeyScope, KeyScopes, has_control_characters};

use super::output::{print_line, time};
use super::session::{ApiArgs, OrgArg, is_absent};
use super::table::{Format, Row};

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
    /// Scopes of the key: read, write, ingest, admin. None implies another.
    #[arg(
        long = "scope",
        value_name = "SCOPE",
        value_delimiter = ',',
        default_value = "read",
        value_parser = PossibleValuesParser::new(KeyScope::ALL.map(KeyScope::as_str)).try_map(|name| name.parse::<KeyScope>())
    )]
    scopes: Vec<KeyScope>,
    #[command(flatten)]
    api: ApiArgs,
}

#[derive(clap::Args)]
#[group(required = true, multiple = true)]
struct Owner {
    /// Create an API key for this team.
    #[arg(long, value_name = "UUID")]
    team: Option<Uuid>,
    /// Create a management key for this organisation; with --team, the organisation of the team [with --base-url,
    /// default: the value of WEARLAB_ORG_ID].
    #[arg(long, value_name = "ID")]
    org: Option<String>,
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

#[derive(clap::Args)]
pub(super) struct Revoke {
    /// Id of the key, from `wearlab keys list`.
    id: String,
    #[command(flatten)]
    org: OrgArg,
    #[command(flatten)]
    api: ApiArgs,
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
    let session = options.api.session().await?;
    let Owner { team, org } = options.owner;
    let owner = match team {
        Some(team) => session.organisation_of(team, org.as_deref()).await?,
        None => session.organisation(org.as_deref()).await?,
    };
    let scopes = KeyScopes::from_iter(options.scopes);
    let key = NewKey::builder()
        .maybe_team_id(team)
        .maybe_name(options.name)
        .scopes(scopes.iter().map(|scope| scope.as_str().into()).collect())
        .build();
    let created = owner.client.create_key(&owner.id, key).send().await;
    let created = created.map_err(|error| session.failed("create the key", &error))?;
    print_line(created.key.expose())
}

async fn list(options: List) -> Result<()> {
    let session = options.api.session().await?;
    let mut keys = Vec::new();
    for owner in session.organisations(options.org.id()).await? {
        let found = owner.client.list_keys(&owner.id).stream().try_collect::<Vec<_>>().await;
        keys.extend(found.map_err(|error| session.failed("list the keys", &error))?);
    }
    // Sorted by owner and then by age.
    let sort_key = |key: &Key| (key.team_id, key.created_on);
    keys.sort_by(|one, other| {
        let owner = one.org_id.cmp(&other.org_id);
        owner.then_with(|| sort_key(one).cmp(&sort_key(other)))
    });
    options.format.head::<KeyRow>()?;
    options.format.rows(keys.into_iter().map(KeyRow::from))
}

/// Key in the list, without its secret.
#[derive(Serialize)]
struct KeyRow {
    id: String,
    team_id: Option<Uuid>,
    org_id: Option<String>,
    scopes: Vec<String>,
    created_on: Option<DateTime>,
    revoked_on: Option<DateTime>,
    name: Option<String>,
}

impl From<Key> for KeyRow {
    fn from(key: Key) -> Self {
        Self {
            id: key.key_id,
            team_id: key.team_id,
            org_id: key.org_id,
            scopes: key.scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
            created_on: key.created_on,
            revoked_on: key.revoked_on,
            name: key.name,
        }
    }
}

impl Row for KeyRow {
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
        let (scopes, name) = (self.scopes.join(" "), self.name.as_deref().unwrap_or_default());
        format!("{id:16}  {owner:48}  {scopes:23}  {created:20}  {revoked:20}  {name}")
    }
}

async fn revoke(options: Revoke) -> Result<()> {
    let session = options.api.session().await?;
    for owner in session.organisations(options.org.id()).await? {
        match owner.client.revoke_key(&owner.id, &options.id).send().await {
            Ok(_) => return Ok(()),
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(session.failed("revoke the key", &error)),
        }
    }
    bail!("there is no key {:?}: see `wearlab keys list`", options.id)
}
