//! What belongs to a team.

use uuid::Uuid;
use wearlab_models::{ConnectedProvider, Device, Encoded, User};

use crate::{MarkerPage, Store, StoreError, TeamId, UserPage};

/// What belongs to one team. Nothing of another team can be reached through it.
#[derive(Clone, Copy, Debug)]
pub struct TeamStore<'a> {
    store: &'a Store,
    team: TeamId,
}

impl<'a> TeamStore<'a> {
    pub(crate) fn new(store: &'a Store, team: TeamId) -> Self {
        Self { store, team }
    }

    /// A user of the team.
    pub async fn user(&self, user_id: Uuid) -> Result<Option<Encoded<User>>, StoreError> {
        self.store.read("user", |reader| reader.user(self.team, user_id)).await
    }

    /// A page of the team's users, by the time they were created and then by id.
    pub async fn users(&self, offset: i64, limit: i64) -> Result<UserPage, StoreError> {
        self.store
            .snapshot("users", |reader| reader.users(self.team, offset, limit))
            .await
    }

    /// The connections of a user, oldest first and then by slug; nothing if the team has no such user.
    pub async fn connections(&self, user_id: Uuid) -> Result<Option<Vec<Encoded<ConnectedProvider>>>, StoreError> {
        self.store
            .read("connections", |reader| reader.connections(self.team, user_id))
            .await
    }

    /// The devices of a user, by id; nothing if the team has no such user.
    pub async fn devices(&self, user_id: Uuid) -> Result<Option<Vec<Encoded<Device>>>, StoreError> {
        self.store
            .read("devices", |reader| reader.devices(self.team, user_id))
            .await
    }

    /// A page of the markers of a lab test, by id, or of those that a lab account may see. Pages count from 1.
    ///
    /// Nothing if there is no such lab test, the team has no such account, or the account may not see the test.
    pub async fn markers(
        &self,
        lab_test_id: &str,
        account: Option<Uuid>,
        page: i64,
        size: i64,
    ) -> Result<Option<MarkerPage>, StoreError> {
        self.store
            .snapshot("markers", |reader| {
                reader.markers(self.team, lab_test_id, account, page, size)
            })
            .await
    }
}
