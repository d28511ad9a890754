//! Events of the log in responses, and the wait for the next one.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::Instant;
use wearlab_delivery::delivered_payload;
use wearlab_models::{Encoded, LoggedEvent, Pipeline, Uuid};
use wearlab_server::ApiError;
use wearlab_store::{self as store, KeyScope, LogFilter, LogPage, LogRead, OrganisationId, Store, StoreError};

use super::write::invalid;
use super::{Service, managed, store_error};

impl Service {
    /// Waits until there may be events after a page, the timeout has passed, or the service stops.
    pub(super) async fn news(
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

    /// Converts a page of the log for a response, and takes its events.
    pub(super) async fn shown_page(
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

    /// Converts events for a response.
    pub(super) async fn shown(
        &self,
        events: Vec<store::LoggedEvent>,
        full: bool,
    ) -> Result<Vec<Encoded<LoggedEvent>>, ApiError> {
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

/// Event of the log, with its payload as it is sent.
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

/// Returns a page of the log, or the error.
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

/// Fails unless the key still belongs to the organisation: it may have been revoked while its request waited.
pub(super) async fn check_key(store: &Store, key: &Arc<str>, organisation: &OrganisationId) -> Result<(), ApiError> {
    let found = store.management_key(key).await.map_err(store_error)?;
    match found {
        Some(found) if found.owner == *organisation && found.scopes.contains(KeyScope::Read) => Ok(()),
        _ => Err(ApiError::unauthorized("The management key is unknown or revoked.")),
    }
}
