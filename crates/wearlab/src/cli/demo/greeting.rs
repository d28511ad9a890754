//! What the demo says once it is ready, to people or to programs.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;
use wearlab_models::{Environment, Region, Uuid};

use crate::cli::keys::TOKEN_MINUTES;
use crate::sample::Sample;

/// What a tester needs to know.
#[derive(Serialize)]
pub(super) struct Demo<'a> {
    base_url: &'a str,
    management_url: &'a str,
    team_api_key: &'a str,
    management_key: &'a str,
    link_token: &'a str,
    org_id: &'a str,
    env: Environment,
    region: Region,
    team_id: Uuid,
    user_id: Uuid,
    lab_test_id: &'a str,
    lab_account_id: Uuid,
    oauth_provider: &'a str,
}

impl<'a> Demo<'a> {
    pub(super) fn new(url: &'a str, sample: &'a Sample, link_token: &'a str) -> Self {
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

    pub(super) fn print(&self, json: bool) -> Result<()> {
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
