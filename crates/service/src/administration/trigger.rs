//! Simulated events in the log.

use uuid::Uuid;
use wearlab_store::{Ingestion, StoreError, TeamId, Transaction};

use crate::trigger::{UnknownType, event};

/// Error of creating an event.
#[derive(Debug)]
pub enum TriggerError {
    /// No event has the type.
    UnknownType(UnknownType),
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for TriggerError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Appends an event of a type about a user to the log, from which it is delivered like any other. Returns its id.
pub fn trigger(
    transaction: &Transaction<'_>,
    team: TeamId,
    user_id: Uuid,
    event_type: &str,
    ingestion: &Ingestion,
) -> Result<String, TriggerError> {
    let (mut event_id, mut unknown) = (String::new(), None);
    let logged = transaction.log(team, user_id, ingestion, |envelope| {
        event_id.clone_from(&envelope.event_id);
        event(event_type, envelope, ingestion.now).map_err(|error| {
            unknown = Some(error);
            StoreError::Document { what: "event" }
        })
    });
    match (unknown, logged) {
        (Some(error), _) => Err(TriggerError::UnknownType(error)),
        (None, logged) => Ok(logged.map(|()| event_id)?),
    }
}
