//! The write side.

use std::fmt;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use wearlab_models::{CancellationReason, ConnectedProvider, Device, Diagnosis, Marker, Pipeline, User};

use crate::sqlite::Writer;
use crate::{OrganisationId, PutLabAccount, PutProvider, PutTeam, StoreError, TeamId};

/// One transaction of [`Store::write`](crate::Store::write).
///
/// Every `put` makes or replaces, and the same `put` twice changes nothing.
pub struct Write<'a> {
    writer: &'a Writer<'a>,
}

impl<'a> Write<'a> {
    pub(crate) fn new(writer: &'a Writer<'a>) -> Self {
        Self { writer }
    }

    /// Leaves a note in the store, for [`Store::meta`](crate::Store::meta).
    pub fn put_meta(&mut self, name: &str, value: &str) -> Result<(), StoreError> {
        self.writer.put_meta(name, value)
    }

    /// Leaves a note in the store unless one of this name is there, and returns the one that is there afterwards.
    ///
    /// For what must be made once, like a secret: of several processes that do this, one makes it, and all of them
    /// get the same.
    pub fn put_meta_if_absent(&mut self, name: &str, value: &str) -> Result<String, StoreError> {
        self.writer.put_meta_if_absent(name, value)
    }

    /// A note that was left in the store, in this transaction or before.
    pub fn meta(&mut self, name: &str) -> Result<Option<String>, StoreError> {
        self.writer.meta(name)
    }

    /// Whether the store holds nothing but notes, with what this transaction wrote.
    pub fn is_empty(&mut self) -> Result<bool, StoreError> {
        self.writer.is_empty()
    }

    /// Puts an organisation.
    pub fn put_organisation(&mut self, id: &str) -> Result<OrganisationId, StoreError> {
        self.writer.put_organisation(id)
    }

    /// Puts a team. A team never changes its organisation.
    pub fn put_team(&mut self, team: PutTeam) -> Result<TeamId, StoreError> {
        self.writer.put_team(&team)
    }

    /// A team that was put before.
    pub fn team(&mut self, team_id: Uuid) -> Result<Option<TeamId>, StoreError> {
        self.writer.team(team_id)
    }

    /// Puts a key of a team. The store keeps a hash of it only; a revoked key stays revoked.
    pub fn put_team_key(&mut self, team: TeamId, key: &str) -> Result<(), StoreError> {
        self.writer.put_team_key(team, key)
    }

    /// Puts a management key of an organisation, like [`Self::put_team_key`].
    pub fn put_management_key(&mut self, organisation: &OrganisationId, key: &str) -> Result<(), StoreError> {
        self.writer.put_management_key(organisation, key)
    }

    /// Revokes a team key or a management key, for good. False if there is no such key.
    pub fn revoke_key(&mut self, key: &str) -> Result<bool, StoreError> {
        self.writer.revoke_key(key)
    }

    /// Puts a link token of a team. The store keeps a hash of it only.
    pub fn put_link_token(&mut self, team: TeamId, token: &str, expires: DateTime<Utc>) -> Result<(), StoreError> {
        self.writer.put_link_token(team, token, expires)
    }

    /// Puts a user. Their `connected_sources` are not taken from here: they follow from the connections.
    pub fn put_user(&mut self, team: TeamId, user: &User) -> Result<(), StoreError> {
        self.writer.put_user(team, user)
    }

    /// Puts a connection of a user, one for each provider, and keeps the user's `connected_sources` in step.
    pub fn put_connection(
        &mut self,
        team: TeamId,
        user_id: Uuid,
        connection: &ConnectedProvider,
    ) -> Result<(), StoreError> {
        self.writer.put_connection(team, user_id, connection)
    }

    /// Puts a device of a user.
    pub fn put_device(&mut self, team: TeamId, device: &Device) -> Result<(), StoreError> {
        self.writer.put_device(team, device)
    }

    /// Puts the pipeline of a team. Its organisation, environment and region are the team's.
    pub fn put_pipeline(&mut self, team: TeamId, pipeline: &Pipeline) -> Result<(), StoreError> {
        self.writer.put_pipeline(team, pipeline)
    }

    /// Puts a provider into the catalogue.
    pub fn put_provider(&mut self, provider: &PutProvider) -> Result<(), StoreError> {
        self.writer.put_provider(provider)
    }

    /// Puts a lab test with all its markers. A marker that several tests have is the same in all of them.
    pub fn put_lab_test(&mut self, id: &str, name: &str, markers: &[Marker]) -> Result<(), StoreError> {
        self.writer.put_lab_test(id, name, markers)
    }

    /// Puts a lab account of a team, with all that it may see.
    pub fn put_lab_account(&mut self, team: TeamId, account: &PutLabAccount) -> Result<(), StoreError> {
        self.writer.put_lab_account(team, account)
    }

    /// Puts a diagnosis.
    pub fn put_diagnosis(&mut self, diagnosis: &Diagnosis) -> Result<(), StoreError> {
        self.writer.put_diagnosis(diagnosis)
    }

    /// Puts a reason for cancelling an appointment.
    pub fn put_cancellation_reason(&mut self, reason: &CancellationReason) -> Result<(), StoreError> {
        self.writer.put_cancellation_reason(reason)
    }
}

impl fmt::Debug for Write<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Write").finish_non_exhaustive()
    }
}
