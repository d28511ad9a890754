//! What the destinations of an organisation do not have.

use uuid::Uuid;

use super::deliveries::undelivered;
use super::document::rows;
use super::outages::status;
use super::value::params;
use super::{Reader, Transaction};
use crate::{
    DestinationBacklog, DestinationStatus, OrganisationId, StoreError, TeamId, Undelivered, UndeliveredFilter,
    UndeliveredPage,
};

impl Reader<'_> {
    /// Failed deliveries of an organisation, by destination. None if the organisation lacks the team.
    pub(crate) fn undelivered_of(
        &self,
        organisation: &OrganisationId,
        filter: &UndeliveredFilter<'_>,
        limit: usize,
    ) -> Result<Option<UndeliveredPage>, StoreError> {
        if !self.reaches(organisation, filter.team_id)? {
            return Ok(None);
        }
        let sql = "SELECT event_id, event_type, destinations.team_id, kind, webhook_id, attempts, state, due, reason,
                deliveries.number, deliveries.destination
            FROM destinations JOIN teams ON teams.team_id = destinations.team_id
            JOIN deliveries ON deliveries.destination = destinations.id
            JOIN events ON events.number = deliveries.number
            WHERE organisation_id = ?1 AND (deliveries.destination, deliveries.number) > (?2, ?3)
                AND (destinations.team_id = ?4 OR ?4 IS NULL) AND (state = ?5 OR ?5 IS NULL)
            ORDER BY deliveries.destination, deliveries.number LIMIT ?6";
        let (destination, number) = filter.after.unwrap_or_default();
        let params = params![
            organisation.as_str(),
            destination,
            number,
            filter.team_id.as_ref().map(|id| id.as_bytes()),
            filter.state,
            // One more shows whether others follow.
            rows(limit.saturating_add(1)),
        ];
        let mut found: Vec<(Undelivered, i64)> = self
            .connection
            .all(sql, params, |row| Ok((undelivered(row)?, row.get(10)?)))?;
        let more = found.len() > limit;
        found.truncate(limit);
        let last = found.last().map(|(event, destination)| (*destination, event.number));
        Ok(Some(UndeliveredPage {
            events: found.into_iter().map(|(event, _)| event).collect(),
            next: if more { last } else { None },
        }))
    }

    /// The destinations of an organisation, by team and kind. None if the organisation lacks the team.
    pub(crate) fn destinations_of(
        &self,
        organisation: &OrganisationId,
        team_id: Option<Uuid>,
    ) -> Result<Option<Vec<DestinationBacklog>>, StoreError> {
        if !self.reaches(organisation, team_id)? {
            return Ok(None);
        }
        let sql = "SELECT id, destinations.team_id, kind, webhook_id, since, next_attempt, reason
            FROM destinations JOIN teams ON teams.team_id = destinations.team_id
            LEFT JOIN outages ON destination = id
            WHERE organisation_id = ?1 AND (destinations.team_id = ?2 OR ?2 IS NULL)
            ORDER BY destinations.team_id, kind, id";
        let params = params![organisation.as_str(), team_id.as_ref().map(|id| id.as_bytes())];
        let known: Vec<DestinationStatus> = self.connection.all(sql, params, status)?;
        let behind = known.into_iter().map(|status| {
            Ok(DestinationBacklog {
                backlog: self.backlog(status.id)?,
                next_due: self.next_due(status.id)?,
                status,
            })
        });
        behind.collect::<Result<_, _>>().map(Some)
    }

    /// Whether a team, where one is named, is one of the organisation.
    fn reaches(&self, organisation: &OrganisationId, team_id: Option<Uuid>) -> Result<bool, StoreError> {
        match team_id {
            Some(team_id) => Ok(self.organisation_team(organisation, team_id)?.is_some()),
            None => Ok(true),
        }
    }
}

impl Transaction<'_> {
    /// The team of an event, if it is one of the organisation.
    pub fn team_of_event(&self, organisation: &OrganisationId, event_id: &str) -> Result<Option<TeamId>, StoreError> {
        let sql = "SELECT events.team_id FROM events JOIN teams ON teams.team_id = events.team_id
            WHERE event_id = ?1 AND organisation_id = ?2";
        (self.connection).first(sql, params![event_id, organisation.as_str()], |row| {
            Ok(TeamId::new(Uuid::from_bytes(row.get(0)?)))
        })
    }
}
