//! `wearlab demo`: the service on sample data.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use chrono::{TimeDelta, Utc};
use rand::distr::{Alphanumeric, SampleString};
use serde::Serialize;
use wearlab_store::Store;

use crate::sample::{self, Sample, SampleOptions};
use crate::{Service, Settings, serve};

const TOKEN_MINUTES: i64 = 60;

/// What can be set.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Keep the data in this folder, which is made if it is missing. Without it, the data goes when the demo ends.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The address to listen at. Port 0 takes any free port.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// How many users to make.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    users: u32,
    /// What the data and the keys are derived from.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print one line of JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// Fills a store, says what is in it, and serves it until the process is told to stop.
pub(super) async fn run(options: Options) -> Result<()> {
    start_log();
    // The address first: where it is taken, nothing is written.
    let listener = serve::bind(options.listen)
        .await
        .with_context(|| format!("cannot listen at {}", options.listen))?;
    let temporary = match options.data {
        Some(_) => None,
        None => Some(tempfile::tempdir().context("cannot make a temporary folder")?),
    };
    let folder: &Path = match (&options.data, &temporary) {
        (Some(folder), _) => folder,
        (None, Some(temporary)) => temporary.path(),
        (None, None) => Path::new("."),
    };
    let store = Store::open(folder).context("failed to")?;
    let wanted = SampleOptions {
        seed: options.seed,
        users: options.users,
    };
    let sample = sample::fill(&store, &wanted).await.context("failed to")?;
    let link_token = link_token(&store, &sample).await.context("failed to")?;
    let url = format!("http://{}", listener.local_addr()?);
    let demo = Demo::new(&url, &sample, &link_token);
    let service = Service::new(store, Settings::default(), Utc::now, rand::random())
        .await
        .context("failed to")?;
    demo.print(options.json)?;
    serve::serve(listener, Arc::new(service), serve::asked_to_stop())
        .await
        .context("the service failed")
}

/// The log goes to standard error, so that standard output is for programs to read.
fn start_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}

async fn link_token(store: &Store, sample: &Sample) -> Result<String, wearlab_store::StoreError> {
    let token = format!("wl_link_{}", Alphanumeric.sample_string(&mut rand::rng(), 32));
    let expires = Utc::now() + TimeDelta::minutes(TOKEN_MINUTES);
    let team = store.team_of_key(&sample.team_api_key).await?;
    let team = team.ok_or(wearlab_store::StoreError::Missing { what: "team key" })?;
    store.write(|write| write.put_link_token(team, &token, expires)).await?;
    Ok(token)
}

/// What a tester needs to know.
#[derive(Serialize)]
struct Demo<'a> {
    base_url: &'a str,
    management_url: &'a str,
    team_api_key: &'a str,
    management_key: &'a str,
    link_token: &'a str,
    org_id: &'a str,
    env: wearlab_models::Environment,
    region: wearlab_models::Region,
    team_id: wearlab_models::Uuid,
    user_id: wearlab_models::Uuid,
    lab_test_id: &'a str,
    lab_account_id: wearlab_models::Uuid,
    oauth_provider: &'a str,
}

impl<'a> Demo<'a> {
    fn new(url: &'a str, sample: &'a Sample, link_token: &'a str) -> Self {
        Self {
            base_url: url,
            management_url: url,
            team_api_key: &sample.team_api_key,
            management_key: &sample.management_key,
            link_token,
            org_id: &sample.org_id,
            env: sample.env,
            region: sample.region,
            team_id: sample.team_id,
            user_id: sample.user_id,
            lab_test_id: &sample.lab_test_id,
            lab_account_id: sample.lab_account_id,
            oauth_provider: &sample.oauth_provider,
        }
    }

    fn print(&self, json: bool) -> Result<()> {
        let mut out = std::io::stdout().lock();
        if json {
            serde_json::to_writer(&mut out, self)?;
            writeln!(out)?;
        } else {
            write!(out, "{}", self.text())?;
        }
        Ok(out.flush()?)
    }

    fn text(&self) -> String {
        let Self {
            base_url: url,
            team_api_key: key,
            management_key,
            link_token,
            org_id,
            env,
            region,
            team_id,
            user_id,
            lab_test_id,
            lab_account_id,
            oauth_provider,
            ..
        } = self;
        format!(
            "\
Wearlab is serving sample data.

  service         {url}
  management      {url}
  document        {url}/openapi.json

  team API key    {key}
  management key  {management_key}
  link token      {link_token}  (for {TOKEN_MINUTES} minutes)

  organisation    {org_id}  ({env}, {region})
  team            {team_id}
  user            {user_id}
  lab test        {lab_test_id}
  lab account     {lab_account_id}
  OAuth provider  {oauth_provider}

Try:

  curl -H 'x-service-api-key: {key}' '{url}/v2/user/?limit=2'
  curl -H 'x-service-api-key: {key}' {url}/v2/user/providers/{user_id}
  curl -H 'X-Management-Key: {management_key}' {url}/v1/org/{org_id}/team_etl_pipelines/{env}/{region}

Ctrl-C ends it.
"
        )
    }
}
