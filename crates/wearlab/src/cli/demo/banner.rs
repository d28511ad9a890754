//! Text or JSON that the demo prints when it is ready.

use std::fmt::Display;

use serde::Serialize;
use wearlab_service::administration::link_tokens::MINUTES;

use super::summary::DemoSummary;

/// URLs, and the summary of the data.
#[derive(Serialize)]
pub(super) struct Banner<'a> {
    base_url: &'a str,
    management_url: &'a str,
    #[serde(skip)]
    header_prefix: &'a str,
    #[serde(flatten)]
    summary: &'a DemoSummary,
}

impl<'a> Banner<'a> {
    pub(super) fn new(
        base_url: &'a str,
        management_url: &'a str,
        header_prefix: &'a str,
        summary: &'a DemoSummary,
    ) -> Self {
        Self {
            base_url,
            management_url,
            header_prefix,
            summary,
        }
    }

    /// Formats it as text, or as a line of JSON.
    pub(super) fn text(&self, json: bool) -> serde_json::Result<String> {
        match json {
            true => serde_json::to_string(self),
            false => Ok(self.for_people()),
        }
    }

    fn for_people(&self) -> String {
        let Self {
            base_url: url,
            management_url,
            header_prefix: prefix,
            summary,
        } = self;
        let DemoSummary {
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
            data_of,
            webhook_secret,
        } = summary;
        let webhooks = webhook_secret
            .as_ref()
            .map_or_else(String::new, |secret| format!("\n  webhook secret  {}", secret.expose()));
        let providers = user_id.map_or_else(String::new, |user_id| {
            format!("\n  curl -H 'x-{prefix}-api-key: {key}' {url}/v2/user/providers/{user_id}")
        });
        let data = user_id.zip(*data_of).map_or_else(String::new, |(user_id, day)| {
            [
                format!("summary/sleep/{user_id}?start_date={day}"),
                format!("timeseries/{user_id}/heartrate/grouped?start_date={day}"),
            ]
            .map(|path| format!("\n  curl -H 'x-{prefix}-api-key: {key}' '{url}/v2/{path}'"))
            .concat()
        });
        format!(
            "\
Wearlab is ready.

  service         {url}
  management      {management_url}
  API reference   {url}/docs
  console         {management_url}/console  (its key is filled in)
  OpenAPI         {url}/openapi.json

  team API key    {key}
  management key  {management_key}
  link token      {link_token}  (of the user, for {MINUTES} minutes){webhooks}
  link page       {url}/link?token={link_token}  (a year of data arrives from each of its simulated providers)

  organisation    {org_id}  ({env}, {region})
  team            {team_id}
  user            {user}
  lab test        {lab_test}
  lab account     {lab_account}
  OAuth provider  {oauth_provider}

Try:

  curl -H 'x-{prefix}-api-key: {key}' '{url}/v2/user/?limit=2'{providers}{data}
  curl -H 'X-Management-Key: {management_key}' {management_url}/v1/org/{org_id}/team_etl_pipelines/{env}/{region}

Press Ctrl-C to stop.",
            user = shown(user_id.as_ref()),
            lab_test = shown(lab_test_id.as_ref()),
            lab_account = shown(lab_account_id.as_ref()),
        )
    }
}

fn shown(value: Option<&impl Display>) -> String {
    value.map_or_else(|| "-".to_owned(), ToString::to_string)
}
