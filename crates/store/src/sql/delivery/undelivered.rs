//! Undelivered events of an organisation.

use std::ops::{ControlFlow, RangeInclusive};

use uuid::Uuid;

use super::deliveries::undelivered;
use super::outages::status;
use crate::sql::document::rows;
use crate::sql::value::params;
use crate::sql::{Reader, Transaction};
use crate::{
    DestinationBacklog, DestinationStatus, OrganisationDestinations, OrganisationId, StoreError, TeamId, Undelivered,
    UndeliveredFilter, UndeliveredPage,
};

/// Maximum number of rows that one page reads.
const MAX_SCANNED: usize = 10_000;

/// Maximum count of the events of a destination.
const COUNTED: i64 = 10_000;

/// Progress of a search for failed deliveries.
struct Scan {
    found: usize,
    /// The last row that was read.
    last: i64,
    /// Number of rows that may still be read.
    left: usize,
}

impl Reader<'_> {
    /// A page of failed deliveries of an organisation, by destination. If it ends early because others are in another
    /// state, it has the position to continue from. None if the organisation lacks the team.
    pub(crate) fn undelivered_of(
        &self,
        organisation: &OrganisationId,
        filter: &UndeliveredFilter<'_>,
        limit: usize,
    ) -> Result<Option<UndeliveredPage>, StoreError> {
        if !self.reaches(organisation, filter.team_id)? {
            return Ok(None);
        }
        let (from, after) = filter.after.unwrap_or_default();
        let mut page = UndeliveredPage::default();
        let (mut left, mut last) = (MAX_SCANNED, (from, after));
        for destination in self.behind(organisation, filter.team_id, from)? {
            let after = if destination == from { after } else { 0 };
            let wanted = limit - page.events.len();
            let mut found = match filter.state {
                None => self.failed_at(destination, after..=i64::MAX, None, wanted.saturating_add(1))?,
                Some(state) => {
                    let scan = self.scan_failed(destination, after, state, left, wanted.saturating_add(1))?;
                    left = scan.left;
                    if left == 0 {
                        page.next = Some((destination, scan.last));
                    }
                    match scan.found {
                        0 => Vec::new(),
                        found => self.failed_at(destination, after..=scan.last, Some(state), found)?,
                    }
                }
            };
            let more = found.len() > wanted;
            found.truncate(wanted);
            if let Some(event) = found.last() {
                last = (destination, event.number);
            }
            page.events.append(&mut found);
            if more {
                page.next = Some(last);
            }
            if page.next.is_some() {
                break;
            }
        }
        Ok(Some(page))
    }

    /// The destinations from one on that have failed deliveries. The others are not scanned.
    fn behind(&self, organisation: &OrganisationId, team_id: Option<Uuid>, from: i64) -> Result<Vec<i64>, StoreError> {
        let sql = "SELECT id FROM destinations JOIN teams ON teams.team_id = destinations.team_id
            WHERE organisation_id = ?1 AND id >= ?2 AND (destinations.team_id = ?3 OR ?3 IS NULL)
                AND (SELECT min(number) FROM deliveries WHERE destination = id) IS NOT NULL
            ORDER BY id";
        let params = params![organisation.as_str(), from, team_id.as_ref().map(|id| id.as_bytes())];
        self.connection.all(sql, params, |row| row.get(0))
    }

    /// Scans failed deliveries in a state, with a cost that does not depend on the distance to the next one.
    fn scan_failed(
        &self,
        destination: i64,
        after: i64,
        state: &str,
        most: usize,
        wanted: usize,
    ) -> Result<Scan, StoreError> {
        // The state is compared here: see the parked events of a replay.
        let sql =
            "SELECT number, state FROM deliveries WHERE destination = ?1 AND number > ?2 ORDER BY number LIMIT ?3";
        let mut scan = Scan {
            found: 0,
            last: after,
            left: most,
        };
        self.connection
            .each(sql, params![destination, after, rows(most)], |row| {
                let is: String = row.get(1)?;
                scan.last = row.get(0)?;
                scan.left -= 1;
                scan.found += usize::from(is == state);
                Ok::<_, StoreError>(match scan.found == wanted {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                })
            })?;
        Ok(scan)
    }

    /// Failed deliveries of a destination, with their events, after a number and up to another one.
    fn failed_at(
        &self,
        destination: i64,
        numbers: RangeInclusive<i64>,
        state: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Undelivered>, StoreError> {
        let sql = "SELECT event_id, event_type, destinations.team_id, kind, webhook_id, attempts, state, due, reason,
                deliveries.number
            FROM deliveries JOIN destinations ON destinations.id = deliveries.destination
            JOIN events ON events.number = deliveries.number
            WHERE deliveries.destination = ?1 AND deliveries.number > ?2 AND deliveries.number <= ?3
                AND (state = ?4 OR ?4 IS NULL)
            ORDER BY deliveries.number LIMIT ?5";
        let params = params![destination, numbers.start(), numbers.end(), state, rows(limit)];
        self.connection.all(sql, params, undelivered)
    }

    /// The destinations of an organisation, by team and kind, and the routing data of events. None if the organisation
    /// lacks the team.
    pub(crate) fn destinations_of(
        &self,
        organisation: &OrganisationId,
        team_id: Option<Uuid>,
    ) -> Result<Option<OrganisationDestinations>, StoreError> {
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
                backlog: self.backlog(status.id, COUNTED)?,
                next_due: self.next_due(status.id)?,
                status,
            })
        });
        Ok(Some(OrganisationDestinations {
            destinations: behind.collect::<Result<_, StoreError>>()?,
            pipelines: self.organisation_pipelines(organisation, team_id)?,
            webhooks: self.organisation_webhooks(organisation, team_id)?,
        }))
    }

    /// Returns whether a team belongs to the organisation. True without a team.
    fn reaches(&self, organisation: &OrganisationId, team_id: Option<Uuid>) -> Result<bool, StoreError> {
        match team_id {
            Some(team_id) => Ok(self.organisation_team(organisation, team_id)?.is_some()),
            None => Ok(true),
        }
    }
}

impl Transaction<'_> {
    /// The team of an event of the organisation.
    pub fn team_of_event(&self, organisation: &OrganisationId, event_id: &str) -> Result<Option<TeamId>, StoreError> {
        let sql = "SELECT events.team_id FROM events JOIN teams ON teams.team_id = events.team_id
            WHERE event_id = ?1 AND organisation_id = ?2";
        (self.connection).first(sql, params![event_id, organisation.as_str()], |row| {
            Ok(TeamId::new(Uuid::from_bytes(row.get(0)?)))
        })
    }
}

#[cfg(test)]
mod tests;
