//! `wearlab webhooks`: manages webhook endpoints.

mod args;
mod test;

use anyhow::{Result, anyhow};
use serde::Serialize;
use uuid::Uuid;
use wearlab_models::{DeliveryKind, NewWebhookEndpoint, Secret, WebhookEndpoint};
use wearlab_service::administration::webhooks::check_prefix;

use self::args::{WebhookArg, endpoints, failed, find};
use super::output::{print_line, warn};
use super::session::{ApiArgs, OrgArg, Organisation, Session};
use super::table::{Format, Row};

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
        org: OrgArg,
        #[command(flatten)]
        api: ApiArgs,
    },
    /// Send a signed test event, which is not in the log, to an endpoint, and print the outcome.
    Test(WebhookArg),
    /// Enable a disabled endpoint. It receives the events that it missed.
    Enable(WebhookArg),
    /// Remove an endpoint. Events that were not delivered to it yet are dropped.
    Remove(WebhookArg),
    /// Rotate the signing secret of an endpoint, and print the new one. The old one is used as well for a day.
    RotateSecret(WebhookArg),
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
    org: OrgArg,
    #[command(flatten)]
    api: ApiArgs,
}

pub(super) async fn run(command: Command) -> Result<()> {
    match command {
        Command::Add(options) => add(options).await,
        Command::List { format, org, api } => list(&api.session().await?, &org, format).await,
        Command::Test(options) => test::run(options).await,
        Command::Enable(options) => enable(options).await,
        Command::Remove(options) => remove(options).await,
        Command::RotateSecret(options) => rotate(options).await,
    }
}

async fn add(options: Add) -> Result<()> {
    for prefix in &options.event_types {
        check_prefix(prefix).map_err(|reason| anyhow!("--event-type {reason}"))?;
    }
    let session = options.api.session().await?;
    let Organisation { client, id } = session.organisation_of(options.team, options.org.id()).await?;
    let webhook = NewWebhookEndpoint::builder()
        .url(Secret::from(options.url))
        .event_type_prefixes(options.event_types)
        .build();
    let added = client.create_webhook(&id, options.team, webhook).send().await;
    let added = added.map_err(|error| session.failed("add the webhook", &error))?;
    match client.get_pipeline(&id, options.team).send().await {
        Ok(pipeline) if !pipeline.preferences.enabled.contains(&DeliveryKind::Svix) => {
            warn("no webhooks are sent until the team's pipeline enables the kind svix");
        }
        // Webhooks are enabled without a pipeline. If reading the pipeline failed, the endpoint was still created.
        _ => {}
    }
    print_line(&added.webhook_id)?;
    print_line(added.secret.expose())
}

async fn list(session: &Session, org: &OrgArg, format: Format) -> Result<()> {
    let owners = session.organisations(org.id()).await?;
    format.head::<WebhookRow>()?;
    for owner in owners {
        for endpoints in endpoints(session, &owner).await? {
            format.rows(endpoints.into_iter().map(WebhookRow))?;
        }
    }
    Ok(())
}

/// Endpoint as in the API, without its secrets and with a masked path, which often contains one.
#[derive(Serialize)]
#[serde(transparent)]
struct WebhookRow(WebhookEndpoint);

impl Row for WebhookRow {
    fn head() -> String {
        format!("{:35}  {:36}  {:12}  URL", "id", "team", "state")
    }

    fn line(&self) -> String {
        let WebhookEndpoint {
            webhook_id,
            team_id,
            url,
            disabled,
            ..
        } = &self.0;
        let state = if disabled.is_some() { "disabled" } else { "enabled" };
        let reason = disabled
            .as_ref()
            .map_or_else(String::new, |reason| format!("  ({reason})"));
        format!("{webhook_id:35}  {team_id:36}  {state:12}  {url}{reason}")
    }
}

async fn enable(options: WebhookArg) -> Result<()> {
    let session = options.api.session().await?;
    let (owner, webhook) = find(&session, &options).await?;
    let call = owner
        .client
        .enable_webhook(&owner.id, webhook.team_id, &webhook.webhook_id);
    let enabled = call.send().await.map(drop);
    enabled.map_err(|error| failed(&session, &webhook.webhook_id, "enable the webhook", &error))
}

async fn remove(options: WebhookArg) -> Result<()> {
    let session = options.api.session().await?;
    let (owner, webhook) = find(&session, &options).await?;
    let call = owner
        .client
        .delete_webhook(&owner.id, webhook.team_id, &webhook.webhook_id);
    let removed = call.send().await.map(drop);
    removed.map_err(|error| failed(&session, &webhook.webhook_id, "remove the webhook", &error))
}

async fn rotate(options: WebhookArg) -> Result<()> {
    let session = options.api.session().await?;
    let (owner, webhook) = find(&session, &options).await?;
    let call = owner
        .client
        .rotate_webhook_secret(&owner.id, webhook.team_id, &webhook.webhook_id);
    let rotated = call.send().await;
    let rotated = rotated.map_err(|error| failed(&session, &webhook.webhook_id, "rotate the secret", &error))?;
    print_line(rotated.secret.expose())
}
