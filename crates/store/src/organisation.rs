//! Data of an organisation.

use uuid::Uuid;

use crate::{
    LogFilter, LogRead, LoggedAttempt, LoggedEvent, OrganisationDestinations, OrganisationId, ReplayFilter,
    ReplayPosition, ReplayRead, Store, StoreError, UndeliveredFilter, UndeliveredPage,
};

/// Data of the teams of one organisation. Data of other organisations is out of reach.
#[derive(Clone, Copy, Debug)]
pub struct OrganisationStore<'a> {
    store: &'a Store,
    organisation: &'a OrganisationId,
}

impl Store {
    /// Returns the data of an organisation's teams.
    pub fn organisation<'a>(&'a self, organisation: &'a OrganisationId) -> OrganisationStore<'a> {
        OrganisationStore {
            store: self,
            organisation,
        }
    }
}

impl OrganisationStore<'_> {
    /// At most `limit` events of the log after a position, in the order of the log.
    ///
    /// Each call reads a part of the log, and returns the position that it reached.
    pub async fn events(&self, filter: &LogFilter, limit: usize) -> Result<LogRead, StoreError> {
        self.store
            .snapshot("log_page", |reader| reader.log_page(self.organisation, filter, limit))
            .await
    }

    /// An event of the log, by its id.
    pub async fn event(&self, event_id: &str) -> Result<Option<LoggedEvent>, StoreError> {
        self.store
            .read("organisation_event", |reader| {
                reader.event_of(self.organisation, event_id)
            })
            .await
    }

    /// The attempts to deliver an event, oldest first: the last 20 of each destination. None if there is no such event.
    pub async fn attempts(&self, event_id: &str) -> Result<Option<Vec<LoggedAttempt>>, StoreError> {
        self.store
            .snapshot("organisation_attempts", |reader| {
                reader.attempts_of(self.organisation, event_id)
            })
            .await
    }

    /// About `limit` deliveries of a selection to repeat, from a position on.
    pub async fn replay_part(
        &self,
        filter: &ReplayFilter,
        position: ReplayPosition,
        limit: usize,
    ) -> Result<ReplayRead, StoreError> {
        self.store
            .snapshot("organisation_replay_part", |reader| {
                reader.replay_part(Some(self.organisation), filter, position, limit)
            })
            .await
    }

    /// At most `limit` failed deliveries, by destination. A page may be short or empty without being the last one. None
    /// if the organisation lacks the team.
    pub async fn undelivered(
        &self,
        filter: &UndeliveredFilter<'_>,
        limit: usize,
    ) -> Result<Option<UndeliveredPage>, StoreError> {
        self.store
            .snapshot("organisation_undelivered", |reader| {
                reader.undelivered_of(self.organisation, filter, limit)
            })
            .await
    }

    /// The destinations of all teams or of one. None if the organisation lacks the team.
    pub async fn destinations(&self, team_id: Option<Uuid>) -> Result<Option<OrganisationDestinations>, StoreError> {
        self.store
            .snapshot("organisation_destinations", |reader| {
                reader.destinations_of(self.organisation, team_id)
            })
            .await
    }
}
