//! The log of an organisation's events.

use std::ops::ControlFlow;

use uuid::Uuid;

use super::log::{COLUMNS, event};
use crate::schema::EVENTS;
use crate::sql::Reader;
use crate::sql::data::retention::PRUNED;
use crate::sql::delivery::deliveries::LONGEST;
use crate::sql::document::rows;
use crate::sql::value::{Bind, Row, params};
use crate::{LogFilter, LogPage, LogRead, LoggedEvent, OrganisationId, StoreError};

/// Number of log positions that a statement scans, if no index leads from one event to the next.
const SPAN: i64 = 1_000;

/// Maximum number of such scans for one page.
const SPANS: usize = 16;

/// The organisation of an event. A subquery for each one: no engine then begins with the teams, and sorts their events.
const OWNER: &str = "(SELECT organisation_id FROM teams WHERE teams.team_id = events.team_id)";

impl Reader<'_> {
    /// A part of the log.
    pub(crate) fn log_page(
        &self,
        organisation: &OrganisationId,
        filter: &LogFilter,
        limit: usize,
    ) -> Result<LogRead, StoreError> {
        let head = self.last_event()?;
        if filter.after > head && filter.after > self.connection.last_number(EVENTS.table, "number")? {
            return Ok(LogRead::AheadOfLog);
        }
        let team = match self.owner(organisation, filter.team_id, filter.user_id)? {
            Owner::Known(team) => team,
            Owner::NoTeam => return Ok(LogRead::NoTeam),
            Owner::NoUser => return Ok(LogRead::NoUser),
        };
        let selection = Selection {
            owner: Some(organisation.as_str()),
            team: team.map(Uuid::into_bytes),
            user: filter.user_id.map(Uuid::into_bytes),
            prefix: filter.event_type_prefix.as_deref(),
            ..Selection::default()
        };
        let range = match filter.before {
            None => Range::On(filter.after, head),
            Some(before) => Range::Back(before.min(head.saturating_add(1)), filter.after),
        };
        let (events, last) = self.scan(&selection, range, limit)?;
        Ok(LogRead::Page(LogPage {
            events,
            last,
            more: !range.ends_at(last),
            end: head,
            complete_after: self.complete_after()?,
        }))
    }

    /// The events of a selection in a range, and the scanned position of the log.
    fn scan(
        &self,
        selection: &Selection<'_>,
        range: Range,
        limit: usize,
    ) -> Result<(Vec<LoggedEvent>, i64), StoreError> {
        let (mut events, mut length) = (Vec::<LoggedEvent>::new(), 0);
        let last = self.each_of(selection, COLUMNS, range, limit, |row| {
            let event = event(row)?;
            length += event.payload.as_bytes().len();
            if length > LONGEST
                && let Some(last) = events.last()
            {
                return Ok(ControlFlow::Break(last.number));
            }
            events.push(event);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((events, last))
    }

    /// Calls `each` with the columns of at most `limit` events of a selection in a range, the number first, until it
    /// breaks with the number to continue from. Returns the scanned position: each part of the log is one statement.
    pub(crate) fn each_of(
        &self,
        selection: &Selection<'_>,
        columns: &str,
        range: Range,
        limit: usize,
        mut each: impl FnMut(&Row<'_>) -> Result<ControlFlow<i64>, StoreError>,
    ) -> Result<i64, StoreError> {
        let (mut last, mut left) = (range.begin(), limit);
        for _ in 0..SPANS {
            // Skips deleted events, and those of others if there is an index.
            let next = self.next_number(selection, range, last)?;
            let Some(part) = next.and_then(|next| range.part(next, selection.is_indexed())) else {
                return Ok(range.end(last));
            };
            let (sql, conditions) = selection.part(columns, range.direction());
            let left_rows = rows(left);
            let mut params: Vec<&dyn Bind> = vec![&part.0, &part.1, &left_rows];
            params.extend(conditions);
            let (mut stopped, mut seen, mut number) = (None, 0, last);
            self.connection.each(&sql, &params, |row| {
                if let ControlFlow::Break(at) = each(row)? {
                    stopped = Some(at);
                    return Ok::<_, StoreError>(ControlFlow::Break(()));
                }
                (seen, number) = (seen + 1, row.get(0)?);
                Ok(ControlFlow::Continue(()))
            })?;
            if stopped.is_some() || seen == left {
                return Ok(stopped.unwrap_or(number));
            }
            left -= seen;
            last = range.far_end(part);
            if range.ends_at(last) {
                break;
            }
        }
        Ok(last)
    }

    /// The number of the next event of a range after a position; with an index, of the wanted ones.
    fn next_number(&self, selection: &Selection<'_>, range: Range, last: i64) -> Result<Option<i64>, StoreError> {
        let (conditions, more) = selection.indexed(2);
        let next = match range {
            Range::On(..) => "min(number) FROM events WHERE number > ?1",
            Range::Back(..) => "max(number) FROM events WHERE number < ?1",
        };
        let sql = format!("SELECT {next}{conditions}");
        let mut params: Vec<&dyn Bind> = vec![&last];
        params.extend(more);
        self.connection.one(&sql, &params, |row| row.get(0))
    }

    /// Position after which no event was deleted for its age.
    fn complete_after(&self) -> Result<i64, StoreError> {
        let noted = self.meta(PRUNED)?.and_then(|text| text.parse().ok());
        Ok(noted.unwrap_or(0))
    }

    /// The team of the events, if a team or a user is given.
    pub(crate) fn owner(
        &self,
        organisation: &OrganisationId,
        team: Option<Uuid>,
        user: Option<Uuid>,
    ) -> Result<Owner, StoreError> {
        if let Some(team_id) = team
            && !self.has_team(organisation, team_id)?
        {
            return Ok(Owner::NoTeam);
        }
        let Some(user_id) = user else {
            return Ok(Owner::Known(team));
        };
        let teams = self.teams_of_user(organisation, user_id)?;
        Ok(match (team, teams.as_slice()) {
            (Some(known), teams) if teams.contains(&known) => Owner::Known(team),
            (Some(_), _) | (None, []) => Owner::NoUser,
            (None, [only]) => Owner::Known(Some(*only)),
            (None, _) => Owner::Known(None),
        })
    }

    /// The teams of an organisation that have a user of this id.
    fn teams_of_user(&self, organisation: &OrganisationId, user_id: Uuid) -> Result<Vec<Uuid>, StoreError> {
        let sql = "SELECT team_id FROM teams WHERE organisation_id = ?1 AND EXISTS (SELECT 1 FROM users
            WHERE users.team_id = teams.team_id AND user_id = ?2)";
        let params = params![organisation.as_str(), user_id.as_bytes()];
        (self.connection).all(sql, params, |row| Ok(Uuid::from_bytes(row.get(0)?)))
    }

    /// An event of the organisation.
    pub(crate) fn event_of(
        &self,
        organisation: &OrganisationId,
        event_id: &str,
    ) -> Result<Option<LoggedEvent>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM events WHERE event_id = ?1 AND {OWNER} = ?2");
        (self.connection).first(&sql, params![event_id, organisation.as_str()], event)
    }

    /// The organisations with events after a position, each with the number of the last one.
    pub(crate) fn organisations_with_events(&self, after: i64) -> Result<Vec<(String, i64)>, StoreError> {
        let sql = "SELECT (SELECT organisation_id FROM teams WHERE teams.team_id = new.team_id), last
            FROM (SELECT team_id, max(number) AS last FROM events WHERE number > ?1 GROUP BY team_id) AS new";
        (self.connection).all(sql, params![after], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

/// Owner of the selected events.
pub(crate) enum Owner {
    /// A team. None for all teams of the organisation, or for several teams that have the user.
    Known(Option<Uuid>),
    /// The organisation has no such team.
    NoTeam,
    /// The organisation, or the team, has no such user.
    NoUser,
}

/// A part of the log, and the direction it is read in.
#[derive(Clone, Copy)]
pub(crate) enum Range {
    /// Forward: positions after the first one, up to and including the second one.
    On(i64, i64),
    /// Backward: positions before the first one, down to and excluding the second one.
    Back(i64, i64),
}

impl Range {
    fn begin(self) -> i64 {
        let (Self::On(begin, _) | Self::Back(begin, _)) = self;
        begin
    }

    /// Returns the SQL order of this direction.
    fn direction(self) -> &'static str {
        match self {
            Self::On(..) => "",
            Self::Back(..) => " DESC",
        }
    }

    /// The lowest and the highest number to scan from `next` on, within a limit if no index skips the others.
    /// None if `next` is not in the range.
    fn part(self, next: i64, is_indexed: bool) -> Option<(i64, i64)> {
        let span = if is_indexed { i64::MAX } else { SPAN };
        match self {
            Self::On(_, head) => (next <= head).then(|| (next, head.min(next.saturating_add(span - 1)))),
            Self::Back(_, after) => (next > after).then(|| ((after + 1).max(next.saturating_sub(span - 1)), next)),
        }
    }

    /// The number of a part that is read last.
    fn far_end(self, (lowest, highest): (i64, i64)) -> i64 {
        match self {
            Self::On(..) => highest,
            Self::Back(..) => lowest,
        }
    }

    /// Returns whether the range ends at a position.
    fn ends_at(self, last: i64) -> bool {
        match self {
            Self::On(_, head) => last >= head,
            Self::Back(_, after) => last <= after.saturating_add(1),
        }
    }

    /// The position at the end of the range, if nothing more is found.
    fn end(self, last: i64) -> i64 {
        match self {
            Self::On(_, head) => last.max(head),
            Self::Back(_, after) => last.min(after.saturating_add(1)),
        }
    }
}

/// Filter of events.
#[derive(Default)]
pub(crate) struct Selection<'a> {
    /// The organisation. None for all.
    pub(crate) owner: Option<&'a str>,
    pub(crate) team: Option<[u8; 16]>,
    pub(crate) user: Option<[u8; 16]>,
    pub(crate) prefix: Option<&'a str>,
    /// Events written at this time or later.
    pub(crate) from: Option<i64>,
    /// Events written before this time.
    pub(crate) to: Option<i64>,
}

impl Selection<'_> {
    /// Returns whether an index leads from one event to the next.
    fn is_indexed(&self) -> bool {
        self.team.is_some() && self.prefix.is_none() && self.from.is_none() && self.to.is_none()
    }

    /// The conditions of an index, whose first parameter has this number.
    fn indexed(&self, at: usize) -> (String, Vec<&dyn Bind>) {
        match (&self.team, &self.user) {
            (Some(team), Some(user)) => {
                let user_at = at + 1;
                (
                    format!(" AND team_id = ?{at} AND user_id = ?{user_at}"),
                    vec![team, user],
                )
            }
            (Some(team), None) => (format!(" AND team_id = ?{at}"), vec![team]),
            (None, _) => (String::new(), Vec::new()),
        }
    }

    /// The statement that reads columns from `?1` to `?2`, at most `?3` events, and its other parameters.
    fn part(&self, columns: &str, direction: &str) -> (String, Vec<&dyn Bind>) {
        let (mut conditions, mut params) = self.indexed(4);
        let mut and = |condition: &dyn Fn(usize) -> String, value| {
            conditions += &condition(params.len() + 4);
            params.push(value);
        };
        if self.team.is_none() {
            if let Some(owner) = &self.owner {
                and(&|at| format!(" AND {OWNER} = ?{at}"), owner);
            }
            if let Some(user) = &self.user {
                and(&|at| format!(" AND user_id = ?{at}"), user);
            }
        }
        if let Some(prefix) = &self.prefix {
            let begins = |at| format!(" AND substr(event_type, 1, length(CAST(?{at} AS TEXT))) = ?{at}");
            and(&begins, prefix);
        }
        if let Some(from) = &self.from {
            and(&|at| format!(" AND created_on >= ?{at}"), from);
        }
        if let Some(to) = &self.to {
            and(&|at| format!(" AND created_on < ?{at}"), to);
        }
        let sql = format!(
            "SELECT {columns} FROM events WHERE number >= ?1 AND number <= ?2{conditions} ORDER BY number{direction} LIMIT ?3"
        );
        (sql, params)
    }
}
