//! Available resources of the connections of a user, stored beside the user's document.
//!
//! Each arrival of data reads its user. If the resource is found here, the connection exists and already shows it:
//! its row, elsewhere in the file, is not read.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;
use wearlab_models::{ConnectedProvider, ResourceAvailabilityStatus, ResourceName, User};

use super::row::UserRow;
use super::stored_user::StoredUser;
use crate::sql::Transaction;
use crate::sql::document::{decode, encode};
use crate::sql::value::params;
use crate::{DataArrival, StoreError, TeamId};

/// The kind of document.
const KIND: &str = "available resources";
const FIND: &str = "SELECT document, available, id FROM users WHERE team_id = ?1 AND user_id = ?2";

/// The available resources of each provider, as stored in the row of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Available(BTreeMap<String, BTreeSet<ResourceName>>);

impl Available {
    /// Returns the available resources of all connections of a user.
    pub(crate) fn of(connections: &[ConnectedProvider]) -> Self {
        let available = |connection: &ConnectedProvider| {
            let resources = connection.resource_availability.iter();
            let resources = resources.filter(|(_, known)| known.status == ResourceAvailabilityStatus::Available);
            resources.map(|(resource, _)| resource.clone()).collect()
        };
        let of = connections.iter();
        Self(of.map(|each| (each.slug.clone(), available(each))).collect())
    }

    fn shows(&self, provider: &str, resource: &ResourceName) -> bool {
        self.0.get(provider).is_some_and(|known| known.contains(resource))
    }

    /// The stored text.
    pub(crate) fn encode(&self) -> Result<String, StoreError> {
        encode(KIND, &self.0)
    }

    /// Decodes the text of a row. None if no connection changed since the column exists.
    pub(crate) fn decode(text: Option<&str>) -> Result<Option<Self>, StoreError> {
        text.map(|text| decode(KIND, text).map(Self)).transpose()
    }
}

/// A user, with the available resources of their connections.
pub(crate) struct UserWithAvailable {
    pub(crate) user: User,
    pub(crate) available: Option<Available>,
}

impl Transaction<'_> {
    /// Reads a user with the available resources of their connections.
    pub(crate) fn user_with_available(
        &self,
        team: TeamId,
        user_id: Uuid,
    ) -> Result<Option<UserWithAvailable>, StoreError> {
        let read_ahead = self.prefetched_users.borrow().get(&(team, user_id)).cloned();
        let found = match read_ahead {
            Some(found) => found,
            None => self.find_user(team, user_id)?,
        };
        let known = |found: StoredUser| {
            self.last_user.set(Some((team, user_id, found.row)));
            Ok(UserWithAvailable {
                user: decode("user", &found.document)?,
                available: Available::decode(found.available.as_deref())?,
            })
        };
        found.map(known).transpose()
    }

    /// Reads the row of a user.
    pub(crate) fn find_user(&self, team: TeamId, user_id: Uuid) -> Result<Option<StoredUser>, StoreError> {
        let key = params![team.as_bytes(), user_id.as_bytes()];
        self.connection.first(FIND, key, |row| {
            Ok(StoredUser {
                document: row.get(0)?,
                available: row.get(1)?,
                row: UserRow::of(row, 2)?,
            })
        })
    }

    /// Prefetches the row that [`Self::find_user`] reads.
    pub(crate) fn prefetch_user(&self, team: TeamId, user_id: Uuid) -> Result<(), StoreError> {
        self.connection
            .prefetch(FIND, params![team.as_bytes(), user_id.as_bytes()])
    }

    /// Returns whether the row of the user shows that the connection of an arrival exists, and that its resource is
    /// available.
    pub(crate) fn shows_available(&self, team: TeamId, known: &UserWithAvailable, arrival: &DataArrival) -> bool {
        let (provider, resource) = (&arrival.provider, &arrival.resource);
        let shown = (known.available.as_ref()).is_some_and(|available| available.shows(provider, resource));
        // Also by the document: a process of an earlier version updates nothing else.
        shown
            && (known.user.connected_sources.iter()).any(|source| source.source.slug == *provider)
            && !self.stale.borrow().contains(&(team, known.user.user_id))
    }
}
