//! What belongs to an organisation.

use crate::{LogFilter, LogRead, LoggedEvent, OrganisationId, Store, StoreError};

/// What belongs to the teams of one organisation. Nothing of another organisation can be reached through it.
#[derive(Clone, Copy, Debug)]
pub struct OrganisationStore<'a> {
    store: &'a Store,
    organisation: &'a OrganisationId,
}

impl Store {
    /// What belongs to the teams of an organisation.
    pub fn organisation<'a>(&'a self, organisation: &'a OrganisationId) -> OrganisationStore<'a> {
        OrganisationStore {
            store: self,
            organisation,
        }
    }
}

impl OrganisationStore<'_> {
    /// At most `limit` events of the log behind a position, in its order.
    ///
    /// It looks through a part of the log at a time, and says how far it came.
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
}
