//! Reads of the console, besides the operations of the API.

use std::ops::RangeInclusive;

use chrono::{DateTime, NaiveDate, Utc};
use serde::de::DeserializeOwned;
use uuid::Uuid;
use wearlab_models::{Encoded, ResourceName, Secret, SleepCycleSummary, User};
use wearlab_server::ApiError;
use wearlab_store::{KeyOwner, KeyScope, OrganisationId, SampleFilter, SamplePage, TeamId};

use super::{Service, no_team, no_user, store_error};
use crate::sessions::Sessions;

impl Service {
    /// Returns the sessions of the console.
    pub fn sessions(&self) -> &Sessions {
        &self.console.sessions
    }

    /// Returns the time, by the service's clock.
    pub fn time(&self) -> DateTime<Utc> {
        (self.now)()
    }

    /// Returns a credential that reads a team of an organisation, for calls within this process.
    ///
    /// # Errors
    ///
    /// Fails if the organisation has no such team.
    pub async fn console_team_key(&self, organisation: &OrganisationId, team_id: Uuid) -> Result<Secret, ApiError> {
        self.console_team(organisation, team_id).await?;
        Ok(self.console.reader.team_key(team_id))
    }

    /// Returns a team of an organisation.
    ///
    /// # Errors
    ///
    /// Fails if the organisation has no such team.
    pub async fn console_team(&self, organisation: &OrganisationId, team_id: Uuid) -> Result<TeamId, ApiError> {
        let team = self
            .store()?
            .team_of(organisation, team_id)
            .await
            .map_err(store_error)?;
        team.ok_or_else(no_team)
    }

    /// Returns the team of a credential that [`console_team_key`](Self::console_team_key) created: it only reads. None
    /// for any other credential.
    pub(super) async fn team_of_console(&self, credential: &str) -> Result<Option<KeyOwner<TeamId>>, ApiError> {
        if !self.console.reader.made(credential) {
            return Ok(None);
        }
        let mut team = self.team_of_operator(&self.console.reader, credential).await?;
        team.scopes = [KeyScope::Read].into_iter().collect();
        Ok(Some(team))
    }

    /// Returns at most `limit` users whose `client_user_id` begins with a text.
    pub async fn console_users(&self, team: TeamId, prefix: &str, limit: usize) -> Result<Vec<User>, ApiError> {
        let store = self.store()?.team(team);
        let users = store.users_by_prefix(prefix, limit).await.map_err(store_error)?;
        decoded(&users)
    }

    /// Returns sleep of a user by stages, for any number of days.
    pub async fn console_sleep(
        &self,
        team: TeamId,
        user_id: Uuid,
        days: RangeInclusive<NaiveDate>,
        provider: &str,
    ) -> Result<Vec<SleepCycleSummary>, ApiError> {
        let store = self.store()?.team(team);
        let summaries = store.summaries(user_id, &ResourceName::SleepCycle, days, Some(provider));
        let summaries: Vec<Encoded<SleepCycleSummary>> = summaries.await.map_err(store_error)?.ok_or_else(no_user)?;
        decoded(&summaries)
    }

    /// Returns a page of samples of a user, of any length.
    pub async fn console_samples(
        &self,
        team: TeamId,
        user_id: Uuid,
        filter: &SampleFilter<'_>,
        limit: usize,
    ) -> Result<SamplePage, ApiError> {
        let store = self.store()?.team(team);
        let page = store.samples(user_id, filter, limit).await.map_err(store_error)?;
        page.ok_or_else(no_user)
    }
}

pub(super) fn decoded<T: DeserializeOwned>(found: &[Encoded<T>]) -> Result<Vec<T>, ApiError> {
    let decoded = found.iter().map(|one| serde_json::from_slice(one.as_bytes()));
    decoded.collect::<Result<_, _>>().map_err(ApiError::internal)
}
