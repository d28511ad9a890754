//! Assumptions about arrivals, which depend on stored data of their users.

use wearlab_models::LineNote;

use crate::sql::Transaction;
use crate::{Arrival, Ingested, StoreError, ValidArrival};

impl Transaction<'_> {
    /// Assumptions about an ingested arrival. If its sender does not accept any, the transaction must be rolled back.
    ///
    /// The times of a duplicate are the stored ones: nothing is assumed about them.
    pub fn notes(&self, arrival: &ValidArrival, ingested: Ingested) -> Result<Vec<LineNote>, StoreError> {
        let Arrival::Data(data) = &**arrival else {
            return Ok(Vec::new());
        };
        let mut notes = data.notes();
        if arrival.has_local_times() && ingested != Ingested::Duplicate {
            let team = self.require_team(data.team_id)?;
            let known = self.user_with_available(team, data.user_id)?;
            let known = known.ok_or(StoreError::Missing { what: "user" })?;
            notes.extend(
                data.time_notes(&known.user)
                    .map_err(wearlab_ingest::IngestError::from)?,
            );
        }
        Ok(notes)
    }
}
