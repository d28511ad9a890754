//! Data of an organisation.

use uuid::Uuid;

use crate::reads::reads;
use crate::{
    LogFilter, LogRead, LoggedAttempt, LoggedEvent, OrganisationDestinations, OrganisationId, ReplayFilter,
    ReplayPosition, ReplayRead, Store, UndeliveredFilter, UndeliveredPage,
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

reads! { OrganisationStore<'_> => self.store;
    /// At most `limit` events of the log after a position, in the order of the log.
    ///
    /// Each call reads a part of the log, and returns the position that it reached.
    snapshot fn events(&self, filter: &LogFilter, limit: usize) -> LogRead as "log_page" =
        |reader| reader.log_page(self.organisation, filter, limit);

    /// An event of the log, by its id.
    read fn event(&self, event_id: &str) -> Option<LoggedEvent> as "organisation_event" =
        |reader| reader.event_of(self.organisation, event_id);

    /// The attempts to deliver an event, oldest first: the last 20 of each destination. None if there is no such event.
    snapshot fn attempts(&self, event_id: &str) -> Option<Vec<LoggedAttempt>> as "organisation_attempts" =
        |reader| reader.attempts_of(self.organisation, event_id);

    /// About `limit` deliveries of a selection to repeat, from a position on.
    snapshot fn replay_part(
        &self,
        filter: &ReplayFilter,
        position: ReplayPosition,
        limit: usize,
    ) -> ReplayRead as "organisation_replay_part" =
        |reader| reader.replay_part(Some(self.organisation), filter, position, limit);

    /// At most `limit` failed deliveries, by destination. A page may be short or empty without being the last one. None
    /// if the organisation lacks the team.
    snapshot fn undelivered(
        &self,
        filter: &UndeliveredFilter<'_>,
        limit: usize,
    ) -> Option<UndeliveredPage> as "organisation_undelivered" =
        |reader| reader.undelivered_of(self.organisation, filter, limit);

    /// The destinations of all teams or of one. None if the organisation lacks the team.
    snapshot fn destinations(
        &self,
        team_id: Option<Uuid>,
    ) -> Option<OrganisationDestinations> as "organisation_destinations" =
        |reader| reader.destinations_of(self.organisation, team_id);
}
