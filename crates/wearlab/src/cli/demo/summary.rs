//! Summary of a demo: keys, and an example id of each resource.

use anyhow::{Result, bail};
use chrono::{NaiveDate, TimeDelta};
use serde::Serialize;
use wearlab_models::{Environment, Region, Secret, Uuid};
use wearlab_sample::{Sample, team_scopes};
use wearlab_service::administration::keys::{KeyFor, new_key, random};
use wearlab_service::administration::link_tokens::{self, MINUTES};
use wearlab_store::{KeyScopes, LinkOptions, Record, Store, StoreError, TeamRecord};
use wearlab_web::reference::Demo;

use super::linking;
use crate::cli::store_args::failed;

/// Team with its keys, and an example of each parameter of the API. Values without an example are null.
#[derive(Serialize)]
pub(super) struct DemoSummary {
    pub(super) team_api_key: String,
    pub(super) management_key: String,
    pub(super) link_token: String,
    pub(super) org_id: String,
    pub(super) env: Environment,
    pub(super) region: Region,
    pub(super) team_id: Uuid,
    pub(super) user_id: Option<Uuid>,
    pub(super) lab_test_id: Option<String>,
    pub(super) lab_account_id: Option<Uuid>,
    pub(super) oauth_provider: &'static str,
    /// Day with data of the user; none if there is none.
    #[serde(skip)]
    pub(super) data_of: Option<NaiveDate>,
    /// Signing secret of webhooks, if any are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) webhook_secret: Option<Secret>,
}

impl DemoSummary {
    /// Returns the summary of sample data.
    pub(super) async fn sample(store: &Store, sample: Sample) -> Result<Self, StoreError> {
        Ok(Self {
            link_token: link_token(store, sample.team_id, Some(sample.user_id)).await?,
            team_api_key: sample.team_api_key,
            management_key: sample.management_key,
            org_id: sample.org_id,
            env: sample.env,
            region: sample.region,
            team_id: sample.team_id,
            user_id: Some(sample.user_id),
            lab_test_id: Some(sample.lab_test_id),
            lab_account_id: Some(sample.lab_account_id),
            oauth_provider: linking::PROVIDER,
            data_of: None,
            webhook_secret: None,
        })
    }

    /// Returns the values for the pages of the demo.
    pub(super) fn shown(&self, base_url: &str, management_url: &str) -> Demo {
        let named = |name, value: Option<String>| Some((name, value?));
        let values = [
            named("org_id", Some(self.org_id.clone())),
            named("env", Some(self.env.to_string())),
            named("region", Some(self.region.to_string())),
            named("team_id", Some(self.team_id.to_string())),
            named("user_id", self.user_id.map(|id| id.to_string())),
            named("lab_test_id", self.lab_test_id.clone()),
            named("lab_account_id", self.lab_account_id.map(|id| id.to_string())),
            named("oauth_provider", Some(self.oauth_provider.to_owned())),
            named("start_date", self.data_of.map(|day| day.to_string())),
        ];
        Demo {
            base_url: base_url.to_owned(),
            management_url: management_url.to_owned(),
            link_url: format!("{base_url}/link?token={}", self.link_token),
            keys: vec![
                ("teamApiKey", self.team_api_key.clone()),
                ("managementKey", self.management_key.clone()),
                ("linkToken", self.link_token.clone()),
            ],
            values: values.into_iter().flatten().collect(),
        }
    }

    /// Sets a day with data of the user.
    pub(super) fn with_data_of(self, day: NaiveDate) -> Self {
        Self {
            data_of: Some(day),
            ..self
        }
    }

    /// Creates the summary of imported data, with new keys: existing ones cannot be shown.
    pub(super) async fn found(store: &Store) -> Result<Self> {
        let found = FirstResources::scan(store).await.map_err(failed)?;
        let Some(team) = found.team else {
            bail!("the imported data have no team: a demo needs one");
        };
        let organisation = KeyFor::Organisation(team.org_id.clone());
        let keys = async {
            Ok::<_, StoreError>((
                put_key(store, KeyFor::Team(team.team_id), team_scopes()).await?,
                put_key(store, organisation, KeyScopes::READ).await?,
                link_token(store, team.team_id, found.user_id).await?,
            ))
        };
        let (team_api_key, management_key, link_token) = keys.await.map_err(failed)?;
        Ok(Self {
            team_api_key,
            management_key,
            link_token,
            org_id: team.org_id,
            env: team.environment,
            region: team.region,
            team_id: team.team_id,
            user_id: found.user_id,
            lab_test_id: found.lab_test_id,
            lab_account_id: found.lab_account_id,
            oauth_provider: linking::PROVIDER,
            data_of: None,
            webhook_secret: None,
        })
    }
}

/// Creates a key.
async fn put_key(store: &Store, owner: KeyFor, scopes: KeyScopes) -> Result<String, StoreError> {
    let record = new_key(owner, Some("demo".to_owned()), scopes, wearlab_clock::now(), random);
    store.write(|write| write.put_key(&record)).await?;
    Ok(record.key.map(|key| key.expose().to_owned()).unwrap_or_default())
}

/// Creates a link token of a user, or of the team if there is none.
async fn link_token(store: &Store, team_id: Uuid, user_id: Option<Uuid>) -> Result<String, StoreError> {
    let Some(user_id) = user_id else {
        return link_tokens::create(store, team_id, MINUTES).await;
    };
    let token = link_tokens::new_link_token();
    let expires = wearlab_clock::now() + TimeDelta::minutes(MINUTES.into());
    store
        .write(|write| {
            let team = write.team(team_id)?.ok_or(StoreError::Missing { what: "team" })?;
            write.put_user_link_token(team, user_id, &token, &LinkOptions::default(), expires)
        })
        .await?;
    Ok(token)
}

/// First resource of each kind.
#[derive(Default)]
struct FirstResources {
    /// Team of the first user, or else the first team.
    team: Option<TeamRecord>,
    user_id: Option<Uuid>,
    lab_test_id: Option<String>,
    lab_account_id: Option<Uuid>,
}

/// Ends the scan of a store.
enum End {
    Complete,
    Failed(StoreError),
}

impl From<StoreError> for End {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl FirstResources {
    async fn scan(store: &Store) -> Result<Self, StoreError> {
        let mut found = Self::default();
        let mut teams = Vec::new();
        let mut accounts = Vec::new();
        let looked = store.export(|record| {
            match record {
                Record::Team(team) => teams.push(team),
                Record::LabTest(test) if !test.markers.is_empty() => {
                    found.lab_test_id.get_or_insert(test.lab_test_id);
                }
                Record::LabAccount(account) => accounts.push(account),
                Record::User(user) => {
                    found.user_id = Some(user.user_id);
                    found.team = teams.iter().find(|team| team.team_id == user.team_id).cloned();
                    // The users come last.
                    return Err(End::Complete);
                }
                _ => {}
            }
            Ok(())
        });
        if let Err(End::Failed(error)) = looked.await {
            return Err(error);
        }
        found.team = found.team.or_else(|| teams.into_iter().next());
        let team_id = found.team.as_ref().map(|team| team.team_id);
        let account = accounts.into_iter().find(|account| Some(account.team_id) == team_id);
        if let Some(account) = account {
            found.lab_account_id = Some(account.lab_account_id);
            // A test that is visible to the account is preferred.
            found.lab_test_id = account.visible.into_keys().next().or(found.lab_test_id);
        }
        Ok(found)
    }
}
