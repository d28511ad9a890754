//! Replay of events: one, or a selection, a part at a time.

use std::collections::HashMap;
use std::ops::ControlFlow;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::sql::chunks::in_chunks;
use crate::sql::document::{instant, rows};
use crate::sql::events::organisation_log::{Owner, Range, Selection};
use crate::sql::events::revisions::REPLAYS;
use crate::sql::value::{Bind, params};
use crate::sql::{Reader, Transaction};
use crate::{OrganisationId, ReplayFilter, ReplayPart, ReplayPosition, ReplayRead, ReplayTarget, StoreError};

/// Maximum number of failed deliveries, or of events, that one part reads.
const MAX_SCANNED: usize = 10_000;

/// A destination of a replay.
struct Target {
    id: i64,
    team: [u8; 16],
    /// Later events are sent there in their order.
    cursor: i64,
}

impl Reader<'_> {
    /// The next deliveries of a selection, in one organisation or in all.
    pub(crate) fn replay_part(
        &self,
        organisation: Option<&OrganisationId>,
        filter: &ReplayFilter,
        position: ReplayPosition,
        limit: usize,
    ) -> Result<ReplayRead, StoreError> {
        let mut team = filter.team_id;
        if let Some(organisation) = organisation {
            team = match self.owner(organisation, team, filter.user_id)? {
                Owner::Known(team) => team,
                Owner::NoTeam => return Ok(ReplayRead::NoTeam),
                Owner::NoUser => return Ok(ReplayRead::NoUser),
            };
        }
        let targets = self.targets(organisation, team, &filter.target)?;
        let part = match filter.parked {
            true => self.parked(&targets, filter, position, limit)?,
            false => self.sent(organisation, team, &targets, filter, position, limit)?,
        };
        Ok(ReplayRead::Part(part))
    }

    /// The destinations, by their ids.
    fn targets(
        &self,
        organisation: Option<&OrganisationId>,
        team: Option<Uuid>,
        target: &ReplayTarget,
    ) -> Result<Vec<Target>, StoreError> {
        let sql = "SELECT id, destinations.team_id, cursor FROM destinations
            JOIN teams ON teams.team_id = destinations.team_id
            WHERE (organisation_id = ?1 OR ?1 IS NULL) AND (destinations.team_id = ?2 OR ?2 IS NULL)
                AND (kind = ?3 OR ?3 IS NULL) AND (webhook_id = ?4 OR ?4 IS NULL)
            ORDER BY id";
        let params = params![
            organisation.map(OrganisationId::as_str),
            team.as_ref().map(|id| id.as_bytes()),
            target.kind,
            target.webhook_id,
        ];
        self.connection.all(sql, params, |row| {
            Ok(Target {
                id: row.get(0)?,
                team: row.get(1)?,
                cursor: row.get(2)?,
            })
        })
    }

    /// Parked events, by destination and number.
    fn parked(
        &self,
        targets: &[Target],
        filter: &ReplayFilter,
        position: ReplayPosition,
        limit: usize,
    ) -> Result<ReplayPart, StoreError> {
        // The state is compared here: a literal in the statement would replace the column, also in rows with
        // another state, which then count as damaged.
        let sql = "SELECT deliveries.number, deliveries.user_id, event_type, created_on, state
            FROM deliveries JOIN events ON events.number = deliveries.number
            WHERE destination = ?1 AND deliveries.number > ?2 AND deliveries.number <= ?3
            ORDER BY deliveries.number LIMIT ?4";
        let mut part = ReplayPart::of(true);
        let mut left = MAX_SCANNED;
        for target in targets.iter().filter(|target| target.id >= position.destination) {
            let after = match target.id == position.destination {
                true => filter.after.max(position.number),
                false => filter.after,
            };
            let params = params![target.id, after, filter.up_to.unwrap_or(i64::MAX), rows(left)];
            let mut full = None;
            self.connection.each(sql, params, |row| {
                let (number, user): (i64, [u8; 16]) = (row.get(0)?, row.get(1)?);
                let (event_type, created_on, state): (String, i64, String) = (row.get(2)?, row.get(3)?, row.get(4)?);
                left -= 1;
                let is_parked = state == "parked";
                if is_parked
                    && filter.user_id.is_none_or(|id| id.into_bytes() == user)
                    && filter.takes(&event_type, created_on)
                {
                    part.deliveries.push((target.id, number));
                }
                if left == 0 || part.deliveries.len() >= limit {
                    full = Some(number);
                    return Ok::<_, StoreError>(ControlFlow::Break(()));
                }
                Ok(ControlFlow::Continue(()))
            })?;
            if let Some(number) = full {
                part.next = Some(ReplayPosition {
                    destination: target.id,
                    number,
                });
                break;
            }
        }
        Ok(part)
    }

    /// Events that were sent before, or skipped, by number.
    fn sent(
        &self,
        organisation: Option<&OrganisationId>,
        team: Option<Uuid>,
        targets: &[Target],
        filter: &ReplayFilter,
        position: ReplayPosition,
        limit: usize,
    ) -> Result<ReplayPart, StoreError> {
        if targets.is_empty() {
            return Ok(ReplayPart::of(false));
        }
        let mut by_team: HashMap<_, Vec<&Target>> = HashMap::new();
        for target in targets {
            by_team.entry(target.team).or_default().push(target);
        }
        let selection = Selection {
            owner: organisation.map(OrganisationId::as_str),
            team: team.map(Uuid::into_bytes),
            user: filter.user_id.map(Uuid::into_bytes),
            prefix: filter.event_type_prefix.as_deref(),
            from: filter.from.map(instant),
            to: filter.to.map(instant),
        };
        let head = self.last_event()?.min(filter.up_to.unwrap_or(i64::MAX));
        let mut part = ReplayPart::of(false);
        let after = filter.after.max(position.number);
        let columns = "events.number, events.team_id";
        let range = Range::On(after, head);
        let last = self.each_of(&selection, columns, range, limit.max(MAX_SCANNED), |row| {
            let (number, team): (i64, [u8; 16]) = (row.get(0)?, row.get(1)?);
            let targets = by_team.get(&team).into_iter().flatten();
            let sent = targets.filter(|target| target.cursor >= number);
            part.deliveries.extend(sent.map(|target| (target.id, number)));
            Ok(match part.deliveries.len() >= limit {
                true => ControlFlow::Break(number),
                false => ControlFlow::Continue(()),
            })
        })?;
        part.next = (last < head).then_some(ReplayPosition {
            destination: 0,
            number: last,
        });
        Ok(part)
    }
}

impl Transaction<'_> {
    /// Schedules an event for all destinations that it was sent to; returns their number. None if there is no such
    /// event.
    pub fn replay(
        &self,
        event_id: &str,
        target: &ReplayTarget,
        now: DateTime<Utc>,
    ) -> Result<Option<usize>, StoreError> {
        let sql = "SELECT number FROM events WHERE event_id = ?1";
        let found: Option<i64> = self.connection.first(sql, params![event_id], |row| row.get(0))?;
        let Some(number) = found else { return Ok(None) };
        let sql = "SELECT id FROM events JOIN destinations ON destinations.team_id = events.team_id
            WHERE number = ?1 AND cursor >= number AND (kind = ?2 OR ?2 IS NULL) AND (webhook_id = ?3 OR ?3 IS NULL)";
        let params = params![number, target.kind, target.webhook_id];
        let mut part = ReplayPart::of(false);
        part.deliveries = (self.connection).all(sql, params, |row| Ok((row.get(0)?, number)))?;
        self.replay_all(&part, now).map(Some)
    }

    /// Schedules a part of a selection, except for deliveries that changed meanwhile; returns the number of deliveries.
    pub fn replay_all(&self, part: &ReplayPart, now: DateTime<Utc>) -> Result<usize, StoreError> {
        let now = instant(now);
        let mut by_destination: HashMap<i64, Vec<i64>> = HashMap::new();
        for (destination, number) in &part.deliveries {
            by_destination.entry(*destination).or_default().push(*number);
        }
        let mut replayed = 0;
        for (destination, numbers) in by_destination {
            let sql = |rows| statement(part.parked, rows);
            in_chunks(&numbers, sql, |statement, numbers| {
                let mut params: Vec<&dyn Bind> = vec![&destination, &now];
                params.extend(numbers.iter().map(|number| number as &dyn Bind));
                replayed += self.connection.execute(statement, &params)?;
                Ok(())
            })?;
        }
        if replayed > 0 {
            self.bump(REPLAYS)?;
        }
        Ok(replayed)
    }
}

/// The statement that schedules a number of events for a destination.
fn statement(parked: bool, rows: usize) -> String {
    let numbers: Vec<_> = (3..rows + 3).map(|at| format!("?{at}")).collect();
    let numbers = numbers.join(", ");
    match parked {
        true => format!(
            "UPDATE deliveries SET state = 'waiting', attempts = 0, due = ?2, reason = 'replayed'
            WHERE destination = ?1 AND state = 'parked' AND number IN ({numbers})"
        ),
        false => format!(
            "INSERT INTO deliveries (destination, number, user_id, state, attempts, due, reason)
            SELECT id, number, user_id, 'waiting', 0, ?2, 'replayed'
            FROM events JOIN destinations USING (team_id)
            WHERE id = ?1 AND cursor >= number AND number IN ({numbers})
            ON CONFLICT (destination, number) DO UPDATE SET state = excluded.state, attempts = 0,
                due = excluded.due, reason = excluded.reason"
        ),
    }
}
