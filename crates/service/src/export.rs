//! Export of all data of one user, as a stream of lines.

use std::collections::VecDeque;

use axum::body::Bytes;
use futures_util::stream;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_server::{ApiError, ByteStream};
use wearlab_store::{
    IntrospectionFilter, LogFilter, LogRead, LoggedEvent, OrganisationId, Record, Store, TeamId, ValuePosition,
};

use super::places::Place;
use super::{attempts, audit_log, store_error};

/// Page size, in events or entries of the audit log.
const PAGE: usize = 200;

/// Next step of an export.
enum Step {
    /// Values after a position.
    Values(ValuePosition),
    /// Sync status of resources, and historical pulls.
    Introspection,
    /// Events of the log, after a position.
    Events(i64),
    /// Entries of the audit log, after a position.
    AuditLog(i64),
    /// Last line.
    Complete,
}

/// Export in progress. It reads the next page on demand.
pub(super) struct Export {
    _place: Place,
    store: Store,
    organisation: OrganisationId,
    team: TeamId,
    user_id: Uuid,
    /// Subjects of entries of the audit log: the user and their orders.
    subjects: Vec<String>,
    /// Lines that were read, but not written yet.
    lines: VecDeque<Vec<u8>>,
    written: usize,
}

impl Export {
    /// Creates an export from the records of a user that were already read.
    pub(super) fn new(
        store: Store,
        organisation: OrganisationId,
        (team, user_id): (TeamId, Uuid),
        records: &[Record],
        place: Place,
    ) -> Result<Self, ApiError> {
        let mut export = Self {
            _place: place,
            store,
            organisation,
            team,
            user_id,
            subjects: vec![user_id.to_string()],
            lines: VecDeque::new(),
            written: 0,
        };
        for record in records {
            if let Record::Order(order) = record {
                export.subjects.push(order.order.id.to_string());
            }
            export.push(record)?;
        }
        Ok(export)
    }

    /// Reads and writes all lines, one step after another.
    pub(super) fn into_stream(self) -> ByteStream {
        let next = Some(Step::Values(ValuePosition::default()));
        ByteStream::new(stream::try_unfold((self, next), async |(mut export, mut next)| {
            while export.lines.is_empty() {
                let Some(step) = next.take() else { return Ok(None) };
                next = export.read(step).await?;
            }
            let lines: Vec<_> = export.lines.drain(..).collect();
            export.written += lines.len();
            Ok(Some((Bytes::from(lines.concat()), (export, next))))
        }))
    }

    fn push(&mut self, line: &impl Serialize) -> Result<(), ApiError> {
        let mut line = serde_json::to_vec(line).map_err(ApiError::internal)?;
        line.push(b'\n');
        self.lines.push_back(line);
        Ok(())
    }

    /// Adds events, each followed by the attempts to deliver it.
    async fn push_events(&mut self, events: &[LoggedEvent]) -> Result<(), ApiError> {
        let numbers: Vec<_> = events.iter().map(|event| event.number).collect();
        let attempts = self.store.attempts_of_events(&numbers).await.map_err(store_error)?;
        let mut attempts = attempts.into_iter().peekable();
        for event in events {
            self.push(&Line::of(event)?)?;
            while let Some((number, attempt)) = attempts.next_if(|(number, _)| *number <= event.number) {
                let attempt = attempts::shown(attempt)?;
                self.push(&json!({ "delivery_attempt": { "event": number, "attempt": attempt } }))?;
            }
        }
        Ok(())
    }

    /// Reads the lines of a step, and returns the next one. None if the user was deleted.
    async fn read(&mut self, step: Step) -> Result<Option<Step>, ApiError> {
        Ok(match step {
            Step::Values(after) => {
                let page = self.store.team(self.team).user_export_values(self.user_id, after).await;
                let Some((records, next)) = page.map_err(store_error)? else {
                    return Ok(None);
                };
                records.iter().try_for_each(|record: &Record| self.push(record))?;
                Some(next.map_or(Step::Introspection, Step::Values))
            }
            Step::Introspection => {
                let filter = IntrospectionFilter {
                    user_id: Some(self.user_id),
                    provider: None,
                    after: None,
                };
                let team = self.store.team(self.team);
                let resources = team.introspected_resources(&filter, 1).await.map_err(store_error)?;
                let pulls = team.historical_pulls(&filter, 1).await.map_err(store_error)?;
                let (Some(resources), Some(pulls)) = (resources, pulls) else {
                    return Ok(None);
                };
                for one in resources.users {
                    self.push(&json!({ "resources": one.provider }))?;
                }
                for one in pulls.users {
                    self.push(&json!({ "pulls": one.provider }))?;
                }
                Some(Step::Events(0))
            }
            Step::Events(after) => {
                let filter = LogFilter {
                    after,
                    before: None,
                    team_id: Some(self.team.uuid()),
                    user_id: Some(self.user_id),
                    event_type_prefix: None,
                };
                let page = self.store.organisation(&self.organisation).events(&filter, PAGE).await;
                // There is no page without a user.
                let LogRead::Page(page) = page.map_err(store_error)? else {
                    return Ok(None);
                };
                self.push_events(&page.events).await?;
                Some(match page.more {
                    true => Step::Events(page.last),
                    false => Step::AuditLog(0),
                })
            }
            Step::AuditLog(after) => {
                let entries = self
                    .store
                    .audit_log_about(&self.organisation, &self.subjects, after, PAGE)
                    .await;
                let entries = entries.map_err(store_error)?;
                let last = entries.last().map(|entry| entry.number);
                let count = entries.len();
                let team = Some(self.team.uuid());
                for entry in entries.into_iter().filter(|entry| entry.team_id == team) {
                    self.push(&json!({ "audit_entry": audit_log::shown(entry) }))?;
                }
                Some(match last {
                    Some(last) if count == PAGE => Step::AuditLog(last),
                    _ => Step::Complete,
                })
            }
            Step::Complete => {
                let person = self
                    .store
                    .team(self.team)
                    .user_export(self.user_id)
                    .await
                    .map_err(store_error)?;
                if person.is_some() {
                    let lines = self.written + self.lines.len();
                    self.push(&json!({ "complete": { "lines": lines } }))?;
                }
                None
            }
        })
    }
}

/// Line of an event with its number, its time and its stored payload.
#[derive(Serialize)]
struct Line<'e> {
    event: Event<'e>,
}

#[derive(Serialize)]
struct Event<'e> {
    number: i64,
    created_on: Value,
    payload: &'e serde_json::value::RawValue,
}

impl<'e> Line<'e> {
    fn of(event: &'e LoggedEvent) -> Result<Self, ApiError> {
        let payload = serde_json::from_slice(event.payload.as_bytes()).map_err(ApiError::internal)?;
        Ok(Self {
            event: Event {
                number: event.number,
                created_on: json!(event.created_on),
                payload,
            },
        })
    }
}
