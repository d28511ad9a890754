//! `wearlab events list` and `wearlab events tail`: the log, without payloads.

use std::time::Duration;

use anyhow::{Result, bail};
use futures_util::future::try_join_all;
use serde::Serialize;
use wearlab_models::{DateTime, EventList, LoggedEvent, Uuid};

use crate::cli::output::time;
use crate::cli::session::{ApiArgs, OrgArg, Organisation, Session, is_absent};
use crate::cli::table::{Format, Row};

/// Page size, in events.
const PAGE: usize = 500;
/// Long polling of a tail, in seconds.
const WAIT_SECONDS: i64 = 30;
/// Timeout of such a request.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(clap::Args)]
pub(in crate::cli) struct List {
    #[command(flatten)]
    only: Filter,
    /// Only events after this number of the log.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    after: i64,
    /// Maximum number of events, oldest first.
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Last N events, oldest first.
    #[arg(long, value_name = "N", conflicts_with = "limit")]
    last: Option<usize>,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    api: ApiArgs,
}

#[derive(clap::Args)]
pub(in crate::cli) struct Tail {
    #[command(flatten)]
    only: Filter,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    api: ApiArgs,
}

/// Filters of events.
#[derive(clap::Args)]
struct Filter {
    /// Only events of this team.
    #[arg(long, value_name = "UUID")]
    team: Option<Uuid>,
    /// Only events about this user.
    #[arg(long, value_name = "UUID")]
    user: Option<Uuid>,
    /// Only events whose type begins with this, such as daily.data.sleep.
    #[arg(long = "type", value_name = "PREFIX")]
    event_type: Option<String>,
    #[command(flatten)]
    org: OrgArg,
}

/// The log of one organisation.
struct Log<'a> {
    session: &'a Session,
    owner: Organisation,
    only: &'a Filter,
}

/// Range of a request.
#[derive(Clone, Copy)]
enum Part {
    /// Events after a position, with a wait of so many seconds for the first.
    After(i64, i64),
    /// The newest events between two positions.
    Between(i64, i64),
}

impl Filter {
    /// Returns the logs of the organisations that have the user. A store may have several organisations.
    async fn logs<'a>(&'a self, session: &'a Session) -> Result<Vec<Log<'a>>> {
        let owners = session.organisations_with(self.team, self.org.id()).await?;
        let log = |owner| Log {
            session,
            owner,
            only: self,
        };
        let mut known = Vec::new();
        for log in owners.into_iter().map(log) {
            // A log is absent if the user belongs to another organisation.
            if self.user.is_none() || log.page(Part::Between(0, i64::MAX), 1).await?.is_some() {
                known.push(log);
            }
        }
        if known.is_empty() && self.user.is_some() {
            bail!("there is no such user: `wearlab user list` shows their ids");
        }
        Ok(known)
    }
}

impl Log<'_> {
    /// Returns a page of the log; none if there is no such user.
    async fn page(&self, part: Part, limit: usize) -> Result<Option<EventList>> {
        let mut call = self.owner.client.list_events(&self.owner.id);
        call = call.limit(i64::try_from(limit.min(PAGE))?);
        call = match part {
            Part::After(after, wait) => call
                .after(after)
                .wait(wait)
                .timeout(WAIT_TIMEOUT)
                .deadline(WAIT_TIMEOUT),
            Part::Between(after, before) => call.after(after).before(before),
        };
        if let Some(team) = self.only.team {
            call = call.team_id(team);
        }
        if let Some(user) = self.only.user {
            call = call.user_id(user);
        }
        if let Some(event_type) = &self.only.event_type {
            call = call.event_type(event_type);
        }
        match call.send().await {
            Ok(page) => Ok(Some(page.into_inner())),
            Err(error) if is_absent(&error) && self.only.user.is_some() => Ok(None),
            Err(error) => Err(self.session.failed("list the events", &error)),
        }
    }

    /// Reads at most so many events after a position, and passes on each page.
    async fn read(
        &self,
        mut after: i64,
        mut left: usize,
        mut page_of: impl FnMut(Vec<EventRow>) -> Result<()>,
    ) -> Result<()> {
        while left > 0 {
            let Some(page) = self.page(Part::After(after, 0), left).await? else {
                break;
            };
            left -= page.events.len().min(left);
            page_of(page.events.into_iter().map(EventRow::from).collect())?;
            after = page.last;
            if !page.more {
                break;
            }
        }
        Ok(())
    }

    /// Returns the last events after a position, newest first.
    async fn last(&self, after: i64, limit: usize) -> Result<Vec<EventRow>> {
        let (mut events, mut before) = (Vec::new(), i64::MAX);
        while events.len() < limit {
            let page = self.page(Part::Between(after, before), limit - events.len()).await?;
            let Some(page) = page else { break };
            events.extend(page.events.into_iter().map(EventRow::from));
            before = page.last;
            if !page.more {
                break;
            }
        }
        Ok(events)
    }
}

pub(super) async fn list(options: List) -> Result<()> {
    let (format, after) = (options.format, options.after);
    let session = options.api.session().await?;
    let logs = options.only.logs(&session).await?;
    format.head::<EventRow>()?;
    if let (None, [only]) = (options.last, logs.as_slice()) {
        return only.read(after, options.limit, |page| format.rows(page)).await;
    }
    let mut events = Vec::new();
    for log in &logs {
        match options.last {
            Some(last) => events.extend(log.last(after, last).await?),
            None => {
                let add = |page| {
                    events.extend::<Vec<_>>(page);
                    Ok(())
                };
                log.read(after, options.limit, add).await?;
            }
        }
    }
    events.sort_by_key(|event| event.number);
    match options.last {
        Some(last) => drop(events.drain(..events.len().saturating_sub(last))),
        None => events.truncate(options.limit),
    }
    format.rows(events)
}

pub(super) async fn tail(options: Tail) -> Result<()> {
    let session = options.api.session().await?;
    let logs = options.only.logs(&session).await?;
    let format = options.format;
    let tails = logs.iter().map(async |log| -> Result<()> {
        let newest = log.page(Part::Between(0, i64::MAX), 1).await?;
        let mut after = newest.map_or(0, |page| page.end);
        loop {
            let Some(page) = log.page(Part::After(after, WAIT_SECONDS), PAGE).await? else {
                bail!("there is no such user any more");
            };
            after = page.last;
            format.rows(page.events.into_iter().map(EventRow::from))?;
        }
    });
    try_join_all(tails).await.map(drop)
}

/// An event, without its payload. Columns omit the user: JSON has it.
#[derive(Serialize)]
struct EventRow {
    number: i64,
    event_id: String,
    created_on: DateTime,
    team_id: Uuid,
    user_id: Uuid,
    event_type: String,
}

impl From<LoggedEvent> for EventRow {
    fn from(event: LoggedEvent) -> Self {
        Self {
            number: event.number,
            event_id: event.event_id,
            created_on: event.created_on,
            team_id: event.team_id,
            user_id: event.user_id,
            event_type: event.event_type,
        }
    }
}

impl Row for EventRow {
    fn head() -> String {
        format!("{:>10}  {:36}  {:20}  {:36}  type", "number", "id", "written", "team")
    }

    fn line(&self) -> String {
        let Self {
            number,
            event_id,
            team_id,
            event_type,
            ..
        } = self;
        let written = time(self.created_on.to_utc());
        format!("{number:>10}  {event_id:36}  {written:20}  {team_id:36}  {event_type}")
    }
}
