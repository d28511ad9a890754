//! Reads of the event log of an organisation, and the wait for its next event.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, FixedOffset};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::Instant;
use wearlab_delivery::delivered_payload;
use wearlab_models::{Encoded, EventList, LoggedEvent, Pipeline, Uuid};
use wearlab_server::{ApiError, ApiResult, GetEventInput, ListEventsInput, Reply};
use wearlab_store::{self as store, KeyScope, LogFilter, LogPage, LogRead, OrganisationId, Store, StoreError};

use super::auth::Caller;
use super::write::invalid;
use super::{Service, encoded, managed, store_error};
use crate::http;

impl Service {
    /// Events behind a position, which are waited for where there are none.
    pub(super) async fn events(&self, caller: Caller<OrganisationId>, input: ListEventsInput) -> ApiResult<EventList> {
        if input.before.is_some() && input.wait > 0 {
            let message = "must be 0 where the log is read back: nothing new is ahead of a position";
            return Err(invalid("/query/wait", "not_allowed", message));
        }
        let until = Instant::now() + Duration::from_secs(input.wait.unsigned_abs());
        let key = caller.credential();
        let organisation = managed::organisation(caller, &input.org_id)?;
        let store = self.store()?;
        let limit = usize::try_from(input.limit).unwrap_or_default();
        let mut filter = LogFilter {
            after: input.after,
            before: input.before,
            team_id: input.team_id,
            user_id: input.user_id,
            event_type_prefix: input.event_type,
        };
        let (mut page, mut events) = self.shown_page(&organisation, &filter, limit, input.full).await?;
        let mut place = None;
        while events.is_empty() && Instant::now() < until && !*self.stopping.borrow() {
            if place.is_none() {
                place = Some(self.waits.take(&organisation)?);
            }
            filter.after = page.last;
            let waiting = self.news(store, &organisation, &page, until);
            let next = http::after(waiting, async |waited| {
                waited.map_err(store_error)?;
                check_key(store, &key, &organisation).await?;
                // All queries of the store stand here: those behind this have the deadline of the request again.
                self.shown_page(&organisation, &filter, limit, input.full).await
            });
            (page, events) = next.await?;
        }
        drop(place);
        let envelope = EventList::builder()
            .events(Vec::new())
            .last(page.last)
            .more(page.more)
            .end(page.end)
            .complete_after(page.complete_after)
            .build();
        encoded(Encoded::with_list(&envelope, "events", &events))
    }

    /// Ready once there may be more than a page had, once the time is over, or the service stops.
    async fn news(
        &self,
        store: &Store,
        organisation: &OrganisationId,
        page: &LogPage,
        until: Instant,
    ) -> Result<(), StoreError> {
        if page.more {
            return Ok(());
        }
        let mut stopping = self.stopping.subscribe();
        tokio::select! {
            waited = self.log_watch.wait(store, organisation, page.last) => waited,
            () = tokio::time::sleep_until(until) => Ok(()),
            _ = stopping.wait_for(|stopping| *stopping) => Ok(()),
        }
    }

    /// One event.
    pub(super) async fn event(&self, caller: Caller<OrganisationId>, input: GetEventInput) -> ApiResult<LoggedEvent> {
        let organisation = managed::organisation(caller, &input.org_id)?;
        let event = self.store()?.organisation(&organisation).event(&input.event_id).await;
        let event = event.map_err(store_error)?.ok_or_else(no_event)?;
        let mut shown = self.shown(vec![event], input.full).await?;
        shown.pop().map(Reply::Encoded).ok_or_else(no_event)
    }

    /// A part of the log, and its events as reads return them, which it has no more.
    async fn shown_page(
        &self,
        organisation: &OrganisationId,
        filter: &LogFilter,
        limit: usize,
        full: bool,
    ) -> Result<(LogPage, Vec<Encoded<LoggedEvent>>), ApiError> {
        let mut page = page_of(self.store()?, organisation, filter, limit).await?;
        let events = std::mem::take(&mut page.events);
        let events = self.shown(events, full).await?;
        Ok((page, events))
    }

    /// Events as reads return them.
    async fn shown(&self, events: Vec<store::LoggedEvent>, full: bool) -> Result<Vec<Encoded<LoggedEvent>>, ApiError> {
        let mut pipelines: HashMap<Uuid, Option<Pipeline>> = HashMap::new();
        let mut shown = Vec::with_capacity(events.len());
        for event in events {
            if !full && !pipelines.contains_key(&event.team_id) {
                let pipeline = self.store()?.pipeline(event.team_id).await.map_err(store_error)?;
                pipelines.insert(event.team_id, pipeline);
            }
            let pipeline = pipelines.get(&event.team_id).and_then(Option::as_ref);
            shown.push(show(event, pipeline, full).map_err(ApiError::internal)?);
        }
        Ok(shown)
    }
}

/// An event of the log, with its payload as it is sent.
#[derive(Serialize)]
struct Shown<'a> {
    number: i64,
    event_id: &'a str,
    team_id: Uuid,
    user_id: Uuid,
    event_type: &'a str,
    created_on: DateTime<FixedOffset>,
    payload: &'a RawValue,
}

fn show(
    event: store::LoggedEvent,
    pipeline: Option<&Pipeline>,
    full: bool,
) -> serde_json::Result<Encoded<LoggedEvent>> {
    let payload = match full {
        true => event.payload.into_bytes(),
        false => delivered_payload(&event.event_type, event.payload, pipeline)?,
    };
    let shown = Shown {
        number: event.number,
        event_id: &event.event_id,
        team_id: event.team_id,
        user_id: event.user_id,
        event_type: &event.event_type,
        created_on: event.created_on.fixed_offset(),
        payload: serde_json::from_slice(&payload)?,
    };
    serde_json::to_vec(&shown).map(Encoded::from_stored)
}

/// A part of the log, or why there is none.
async fn page_of(
    store: &Store,
    organisation: &OrganisationId,
    filter: &LogFilter,
    limit: usize,
) -> Result<LogPage, ApiError> {
    let read = store.organisation(organisation).events(filter, limit).await;
    match read.map_err(store_error)? {
        LogRead::Page(page) => Ok(page),
        LogRead::NoTeam => Err(managed::no_team()),
        LogRead::NoUser => Err(super::no_user()),
        LogRead::AheadOfLog => Err(invalid(
            "/query/after",
            "out_of_range",
            "must be a position that the log has",
        )),
    }
}

/// Fails unless the key is still one of the organisation: it may have been revoked while its request waited.
async fn check_key(store: &Store, key: &Arc<str>, organisation: &OrganisationId) -> Result<(), ApiError> {
    let found = store.management_key(key).await.map_err(store_error)?;
    match found {
        Some(found) if found.owner == *organisation && found.scopes.contains(KeyScope::Read) => Ok(()),
        _ => Err(ApiError::unauthorized("The management key is unknown or revoked.")),
    }
}

pub(super) fn no_event() -> ApiError {
    ApiError::not_found("No such event.")
}
