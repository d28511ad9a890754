//! What the destinations of an organisation do not have, and events that are made up.

use wearlab_models::{
    Destination, DestinationList, TriggerEventHeaders, TriggeredEvent, UndeliveredEvent, UndeliveredList,
    UndeliveredState,
};
use wearlab_server::operations::TRIGGER_EVENT;
use wearlab_server::{ApiError, ApiResult, ListDestinationsInput, ListUndeliveredInput, Reply, TriggerEventInput};
use wearlab_store::{DeliveryState, DestinationBacklog, OrganisationId, Undelivered, UndeliveredFilter};

use super::auth::Caller;
use super::cursor::Listing;
use super::managed::{self, location, managed_team, refused};
use super::write::{Subject, Write, WriteError};
use super::{Opened, Service, no_user, store_error};
use crate::administration::destinations::{Described, describe};
use crate::administration::trigger::{TriggerError, trigger};

impl Service {
    /// A page of failed deliveries.
    pub(super) async fn undelivered(
        &self,
        caller: Caller<OrganisationId>,
        input: ListUndeliveredInput,
    ) -> ApiResult<UndeliveredList> {
        let organisation = managed::organisation(caller, &input.org_id)?;
        let state = input.state.as_ref().map(|state| state.as_str());
        let listing = Listing::new("undelivered", (organisation.as_str(), input.team_id, state));
        let Opened { store, cursors, .. } = self.opened()?;
        let filter = UndeliveredFilter {
            team_id: input.team_id,
            state,
            after: cursors.after(input.next_cursor.as_deref(), &listing)?,
        };
        let limit = usize::try_from(input.limit).unwrap_or_default();
        let page = store.organisation(&organisation).undelivered(&filter, limit).await;
        let page = page.map_err(store_error)?.ok_or_else(managed::no_team)?;
        let next = page.next.map(|after| cursors.seal(&after, &listing));
        Ok(UndeliveredList::builder()
            .undelivered(page.events.into_iter().map(undelivered).collect())
            .maybe_next_cursor(next)
            .build()
            .into())
    }

    /// The destinations, each with what it does not have.
    pub(super) async fn destinations(
        &self,
        caller: Caller<OrganisationId>,
        input: ListDestinationsInput,
    ) -> ApiResult<DestinationList> {
        let organisation = managed::organisation(caller, &input.org_id)?;
        let listed = self
            .store()?
            .organisation(&organisation)
            .destinations(input.team_id)
            .await;
        let listed = listed.map_err(store_error)?.ok_or_else(managed::no_team)?;
        // Without them, all but what is wrong with a configuration is still known.
        let kinds = self.kinds().ok();
        let described = describe(listed, kinds.as_deref(), self.is_demo, (self.now)());
        let destinations = described.into_iter().map(destination).collect();
        Ok(DestinationList::builder().destinations(destinations).build().into())
    }

    /// Makes an event up.
    pub(super) async fn trigger(
        &self,
        caller: Caller<OrganisationId>,
        input: TriggerEventInput,
    ) -> Result<(Reply<TriggeredEvent>, TriggerEventHeaders), ApiError> {
        let asked = (&input.org_id, input.team_id, input.user_id, &input.body);
        let write = Write::new(&TRIGGER_EVENT, &caller).repeatable(input.idempotency_key.as_deref(), &asked)?;
        let organisation = managed::organisation(caller, &input.org_id)?;
        let ingestion = self.ingestion();
        let event_type = &input.body.event_type;
        let triggered: TriggeredEvent = self
            .write(write, |transaction| {
                let team = managed_team(transaction, &organisation, input.team_id)?.ok_or_else(managed::no_team)?;
                transaction.stored_user(team, input.user_id)?.ok_or_else(no_user)?;
                let event_id = trigger(transaction, team, input.user_id, event_type, &ingestion)?;
                let triggered = TriggeredEvent::builder().event_id(&event_id).build();
                Ok(Subject::Team(team, event_id)
                    .wrote(triggered)
                    .about(team, input.user_id))
            })
            .await?;
        let location = location(&organisation, &["events", &triggered.event_id]);
        let headers = TriggerEventHeaders::builder().location(location).build();
        Ok((triggered.into(), headers))
    }
}

impl From<TriggerError> for WriteError {
    fn from(error: TriggerError) -> Self {
        match error {
            TriggerError::Store(error) => Self::Store(error),
            TriggerError::UnknownType(error) => refused("event_type", "unknown", &error.to_string()).into(),
        }
    }
}

fn undelivered(event: Undelivered) -> UndeliveredEvent {
    let (state, due) = match event.state {
        DeliveryState::Waiting(due) => (UndeliveredState::Waiting, Some(due.fixed_offset())),
        DeliveryState::Held => (UndeliveredState::Held, None),
        DeliveryState::Parked => (UndeliveredState::Parked, None),
    };
    UndeliveredEvent::builder()
        .number(event.number)
        .event_id(event.event_id)
        .event_type(event.event_type)
        .team_id(event.team_id)
        .kind(event.kind)
        .maybe_webhook_id(event.webhook_id)
        .attempts(i64::from(event.attempts))
        .state(state)
        .maybe_due(due)
        .reason(event.reason)
        .build()
}

fn destination(described: Described) -> Destination {
    let DestinationBacklog { status, backlog, .. } = described.known;
    let since = status.outage.map(|outage| outage.since);
    Destination::builder()
        .team_id(status.team_id)
        .kind(status.kind)
        .maybe_webhook_id(status.webhook_id)
        .status(described.status)
        .maybe_reason(described.reason)
        .maybe_since(since.map(|since| since.fixed_offset()))
        .maybe_next_attempt(described.next_attempt.map(|next| next.fixed_offset()))
        .waiting(backlog.waiting)
        .parked(backlog.parked)
        .maybe_oldest(backlog.oldest.map(|oldest| oldest.fixed_offset()))
        .build()
}
