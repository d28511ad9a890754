//! The log of an organisation's events, from a position on.

use std::ops::ControlFlow;

use uuid::Uuid;

use super::Reader;
use super::deliveries::LONGEST;
use super::document::rows;
use super::events::{COLUMNS, event};
use super::retention::PRUNED;
use super::value::{Bind, Row, params};
use crate::{LogFilter, LogPage, LogRead, LoggedEvent, OrganisationId, StoreError};

/// How many numbers of the log are looked through at once, where no index leads from one event to the next.
const SPAN: i64 = 1_000;

/// How many times for one page.
const SPANS: usize = 16;

/// The organisation of an event. Asked of each one: no engine then begins with the teams, and sorts their events.
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
        if filter.after > head && filter.after > self.connection.last_event_number()? {
            return Ok(LogRead::AheadOfLog);
        }
        let mut team = filter.team_id;
        if let Some(team_id) = team
            && !self.has_team(organisation, team_id)?
        {
            return Ok(LogRead::NoTeam);
        }
        if let Some(user_id) = filter.user_id {
            let teams = self.teams_of_user(organisation, user_id)?;
            match (team, teams.as_slice()) {
                (Some(team), teams) if teams.contains(&team) => {}
                (Some(_), _) | (None, []) => return Ok(LogRead::NoUser),
                (None, [only]) => team = Some(*only),
                (None, _) => {}
            }
        }
        let selection = Selection {
            owner: Some(organisation.as_str()),
            team: team.map(Uuid::into_bytes),
            user: filter.user_id.map(Uuid::into_bytes),
            prefix: filter.event_type_prefix.as_deref(),
            ..Selection::default()
        };
        let (events, last) = self.scan(&selection, filter.after, head, limit)?;
        Ok(LogRead::Page(LogPage {
            events,
            last,
            more: last < head,
            complete_after: self.complete_after()?,
        }))
    }

    /// The events of a selection behind a position, and how far the log was looked through.
    fn scan(
        &self,
        selection: &Selection<'_>,
        after: i64,
        head: i64,
        limit: usize,
    ) -> Result<(Vec<LoggedEvent>, i64), StoreError> {
        let (mut events, mut length) = (Vec::<LoggedEvent>::new(), 0);
        let last = self.each_of(selection, COLUMNS, after, head, limit, |row| {
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

    /// Hands on the columns of at most `limit` events of a selection behind a position, the number first, until `each` breaks
    /// off with the number to continue from. Returns how far the log was looked through: a part of it at a time, and not
    /// beyond `head`.
    pub(super) fn each_of(
        &self,
        selection: &Selection<'_>,
        columns: &str,
        after: i64,
        head: i64,
        limit: usize,
        mut each: impl FnMut(&Row<'_>) -> Result<ControlFlow<i64>, StoreError>,
    ) -> Result<i64, StoreError> {
        let (mut last, mut left) = (after, limit);
        for _ in 0..SPANS {
            // Over what was deleted, and what is of others where there is an index.
            let first = self.next_number(selection, last)?;
            let Some(first) = first.filter(|first| *first <= head) else {
                return Ok(last.max(head));
            };
            let end = match selection.is_indexed() {
                true => head,
                false => head.min(first.saturating_add(SPAN - 1)),
            };
            let (sql, conditions) = selection.part(columns);
            let left_rows = rows(left);
            let mut params: Vec<&dyn Bind> = vec![&first, &end, &left_rows];
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
            last = end;
            if last >= head {
                break;
            }
        }
        Ok(last)
    }

    /// The number of the next event behind a position; with an index, of those that are wanted.
    fn next_number(&self, selection: &Selection<'_>, after: i64) -> Result<Option<i64>, StoreError> {
        let (conditions, more) = selection.indexed(2);
        let sql = format!("SELECT min(number) FROM events WHERE number > ?1{conditions}");
        let mut params: Vec<&dyn Bind> = vec![&after];
        params.extend(more);
        self.connection.one(&sql, &params, |row| row.get(0))
    }

    /// Behind this position no event was deleted for its age.
    fn complete_after(&self) -> Result<i64, StoreError> {
        let noted = self.meta(PRUNED)?.and_then(|text| text.parse().ok());
        Ok(noted.unwrap_or(0))
    }

    pub(super) fn has_team(&self, organisation: &OrganisationId, team_id: Uuid) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM teams WHERE team_id = ?1 AND organisation_id = ?2";
        let params = params![team_id.as_bytes(), organisation.as_str()];
        let found = self.connection.first(sql, params, |_| Ok::<_, StoreError>(()))?;
        Ok(found.is_some())
    }

    /// The teams of an organisation that have a user of this id.
    pub(super) fn teams_of_user(&self, organisation: &OrganisationId, user_id: Uuid) -> Result<Vec<Uuid>, StoreError> {
        let sql = "SELECT team_id FROM teams WHERE organisation_id = ?1 AND EXISTS (SELECT 1 FROM users
            WHERE users.team_id = teams.team_id AND user_id = ?2)";
        let params = params![organisation.as_str(), user_id.as_bytes()];
        (self.connection).all(sql, params, |row| Ok(Uuid::from_bytes(row.get(0)?)))
    }

    /// An event of an organisation.
    pub(crate) fn event_of(
        &self,
        organisation: &OrganisationId,
        event_id: &str,
    ) -> Result<Option<LoggedEvent>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM events WHERE event_id = ?1 AND {OWNER} = ?2");
        (self.connection).first(&sql, params![event_id, organisation.as_str()], event)
    }

    /// The organisations that have events behind a position, each with the number of the last one.
    pub(crate) fn organisations_with_events(&self, after: i64) -> Result<Vec<(String, i64)>, StoreError> {
        let sql = "SELECT (SELECT organisation_id FROM teams WHERE teams.team_id = new.team_id), last
            FROM (SELECT team_id, max(number) AS last FROM events WHERE number > ?1 GROUP BY team_id) AS new";
        (self.connection).all(sql, params![after], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

/// Which events are wanted.
#[derive(Default)]
pub(super) struct Selection<'a> {
    /// Those of an organisation; of all, where none is named.
    pub(super) owner: Option<&'a str>,
    pub(super) team: Option<[u8; 16]>,
    pub(super) user: Option<[u8; 16]>,
    pub(super) prefix: Option<&'a str>,
    /// Those written at this time or later.
    pub(super) from: Option<i64>,
    /// Those written before this time.
    pub(super) to: Option<i64>,
}

impl Selection<'_> {
    /// Whether an index leads from one event to the next.
    fn is_indexed(&self) -> bool {
        self.team.is_some() && self.prefix.is_none() && self.from.is_none() && self.to.is_none()
    }

    /// The conditions that an index is good for, whose first parameter has this number.
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
    fn part(&self, columns: &str) -> (String, Vec<&dyn Bind>) {
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
            "SELECT {columns} FROM events WHERE number >= ?1 AND number <= ?2{conditions} ORDER BY number LIMIT ?3"
        );
        (sql, params)
    }
}
