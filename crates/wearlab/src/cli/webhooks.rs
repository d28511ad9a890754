//! `wearlab webhooks`: manages webhook endpoints.

mod test;

use anyhow::{Result, anyhow};
use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;
use wearlab_delivery::webhook::{Settings, shown};
use wearlab_models::DeliveryKind;
use wearlab_store::{Store, WebhookEndpoint};

use super::output::{print_line, warn};
use super::store_args::{StoreArgs, failed};
use super::table::{Format, Row};
use crate::administration::webhooks;
use crate::clock;

/// Webhook endpoints.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Add an endpoint, and print its id and its signing secret. It receives events from now on.
    Add(Add),
    /// List all endpoints.
    List {
        #[command(flatten)]
        format: Format,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Send a signed test event, which is not in the log, to an endpoint, and print the outcome.
    Test {
        /// Id of the endpoint, from `wearlab webhooks list`.
        webhook_id: String,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Enable a disabled endpoint. It receives the events that it missed.
    Enable {
        /// Id of the endpoint, from `wearlab webhooks list`.
        webhook_id: String,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Remove an endpoint. Events that were not delivered to it yet are dropped.
    Remove {
        /// Id of the endpoint, from `wearlab webhooks list`.
        webhook_id: String,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Rotate the signing secret of an endpoint, and print the new one. The old one is used as well for a day.
    RotateSecret {
        /// Id of the endpoint, from `wearlab webhooks list`.
        webhook_id: String,
        #[command(flatten)]
        store: StoreArgs,
    },
}

#[derive(clap::Args)]
pub(super) struct Add {
    /// URL of the endpoint.
    url: String,
    /// Team whose events it receives.
    #[arg(long, value_name = "UUID")]
    team: Uuid,
    /// Send only events whose types begin with this. May be repeated.
    #[arg(long = "event-type", value_name = "PREFIX")]
    event_types: Vec<String>,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) async fn run(command: Command) -> Result<()> {
    match command {
        Command::Add(options) => add(options).await,
        Command::List { format, store } => list(&store.open().await?, format).await,
        Command::Test { webhook_id, store } => test::run(&store, &webhook_id).await,
        Command::Enable { webhook_id, store } => enable(&store, &webhook_id).await,
        Command::Remove { webhook_id, store } => remove(&store.open().await?, &webhook_id).await,
        Command::RotateSecret { webhook_id, store } => rotate(&store.open().await?, &webhook_id).await,
    }
}

async fn add(options: Add) -> Result<()> {
    for prefix in &options.event_types {
        webhooks::check_prefix(prefix).map_err(|reason| anyhow!("--event-type {reason}"))?;
    }
    let config = options.store.config()?;
    let store = super::store_args::open(&config).await?;
    let added = new_webhook(
        &store,
        &config.webhooks.sender(),
        options.team,
        &options.url,
        options.event_types,
    )
    .await?;
    let pipeline = store.pipeline(options.team).await.map_err(failed)?;
    if pipeline.is_some_and(|pipeline| !pipeline.preferences.enabled.contains(&DeliveryKind::Svix)) {
        warn("no webhooks are sent until the team's pipeline enables the kind svix");
    }
    print_line(added.webhook_id)?;
    print_line(added.secrets[0].secret.expose())
}

/// Adds an endpoint with a new secret.
pub(super) async fn new_webhook(
    store: &Store,
    settings: &Settings,
    team_id: Uuid,
    url: &str,
    event_type_prefixes: Vec<String>,
) -> Result<WebhookEndpoint> {
    settings.check(url)?;
    let webhook = webhooks::new_webhook(team_id, url, event_type_prefixes, clock::now());
    let put = store.write(|write| webhooks::put_new(write, &webhook));
    put.await.map_err(failed)?;
    Ok(webhook)
}

async fn list(store: &Store, format: Format) -> Result<()> {
    let endpoints = store.webhooks().await.map_err(failed)?;
    format.head::<Listed>()?;
    format.rows(endpoints.into_iter().map(Listed::from))
}

/// An endpoint, without its secrets.
#[derive(Serialize)]
struct Listed {
    webhook_id: String,
    team_id: Uuid,
    /// Scheme, host, port and the length of the path: the path often holds a secret.
    url: String,
    event_type_prefixes: Vec<String>,
    created_on: DateTime<Utc>,
    /// Why the endpoint is disabled, if it is.
    disabled: Option<String>,
}

impl From<WebhookEndpoint> for Listed {
    fn from(webhook: WebhookEndpoint) -> Self {
        Self {
            url: shown(&webhook.url),
            webhook_id: webhook.webhook_id,
            team_id: webhook.team_id,
            event_type_prefixes: webhook.event_type_prefixes,
            created_on: webhook.created_on,
            disabled: webhook.disabled,
        }
    }
}

impl Row for Listed {
    fn head() -> String {
        format!("{:35}  {:36}  {:12}  URL", "id", "team", "state")
    }

    fn line(&self) -> String {
        let Self {
            webhook_id,
            team_id,
            url,
            disabled,
            ..
        } = self;
        let state = if disabled.is_some() { "disabled" } else { "enabled" };
        let reason = disabled
            .as_ref()
            .map_or_else(String::new, |reason| format!("  ({reason})"));
        format!("{webhook_id:35}  {team_id:36}  {state:12}  {url}{reason}")
    }
}

/// The endpoint of an id.
async fn find(store: &Store, id: &str) -> Result<WebhookEndpoint> {
    let endpoints = store.webhooks().await.map_err(failed)?;
    let found = endpoints.into_iter().find(|webhook| webhook.webhook_id == id);
    found.ok_or_else(|| unknown(id))
}

fn unknown(id: &str) -> anyhow::Error {
    anyhow!("there is no webhook {id:?}: see `wearlab webhooks list`")
}

async fn enable(store: &StoreArgs, id: &str) -> Result<()> {
    let (config, store) = (store.config()?, store.open().await?);
    // With a URL that is not allowed, it would be disabled again at once.
    config.webhooks.sender().check(&find(&store, id).await?.url)?;
    let enabled = store.write(|write| {
        let Some(mut webhook) = write.webhook(id)? else {
            return Ok(false);
        };
        webhook.disabled = None;
        write.put_webhook(&webhook)?;
        Ok(true)
    });
    match enabled.await.map_err(failed)? {
        true => Ok(()),
        false => Err(unknown(id)),
    }
}

async fn remove(store: &Store, id: &str) -> Result<()> {
    match store.write(|write| write.delete_webhook(id)).await.map_err(failed)? {
        true => Ok(()),
        false => Err(unknown(id)),
    }
}

async fn rotate(store: &Store, id: &str) -> Result<()> {
    let now = clock::now();
    let fresh = webhooks::fresh_secret();
    let rotated = store.write(|write| {
        let Some(mut webhook) = write.webhook(id)? else {
            return Ok(false);
        };
        webhooks::rotate(&mut webhook, fresh.clone(), now);
        write.put_webhook(&webhook)?;
        Ok(true)
    });
    match rotated.await.map_err(failed)? {
        true => print_line(fresh.secret.expose()),
        false => Err(unknown(id)),
    }
}
