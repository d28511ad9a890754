//! Event log of an organisation: reads, replays, attempts, and undelivered events.

use std::time::Duration;

use tokio::time::Instant;
use wearlab_models::{
    DeliveryAttemptList, DestinationList, Encoded, EventList, LoggedEvent, ReplaySelection, ReplayedEvent,
    ReplayedEvents, TriggerEventHeaders, TriggeredEvent, UndeliveredList,
};
use wearlab_server::operations::{REPLAY_EVENT, REPLAY_EVENTS, TRIGGER_EVENT};
use wearlab_server::{
    ApiError, ApiResult, EventLogApi, GetEventInput, ListDestinationsInput, ListEventAttemptsInput, ListEventsInput,
    ListUndeliveredInput, ReplayEventInput, ReplayEventsInput, Reply, TriggerEventInput,
};
use wearlab_store::{
    LogFilter, OrganisationId, ReplayFilter, ReplayPosition, ReplayRead, ReplayTarget, UndeliveredFilter,
};

use super::auth::Caller;
use super::cursor::Listing;
use super::errors::no_event;
use super::managed::{self, location, managed_team};
use super::write::{Subject, Write, invalid};
use super::{Opened, Service, attempts, encoded, logged_events, no_user, replay, store_error, undelivered};
use crate::administration::destinations::describe;
use crate::administration::trigger::trigger;

impl EventLogApi for Service {
    async fn list_events(&self, caller: Caller<OrganisationId>, input: ListEventsInput) -> ApiResult<EventList> {
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
            let next = wearlab_http::after(waiting, async |waited| {
                waited.map_err(store_error)?;
                logged_events::check_key(store, &key, &organisation).await?;
                // All queries of the store are here: those after this have the deadline of the request again.
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

    async fn get_event(&self, caller: Caller<OrganisationId>, input: GetEventInput) -> ApiResult<LoggedEvent> {
        let organisation = managed::organisation(caller, &input.org_id)?;
        let event = self.store()?.organisation(&organisation).event(&input.event_id).await;
        let event = event.map_err(store_error)?.ok_or_else(no_event)?;
        let mut shown = self.shown(vec![event], input.full).await?;
        shown.pop().map(Reply::Encoded).ok_or_else(no_event)
    }

    async fn list_event_attempts(
        &self,
        caller: Caller<OrganisationId>,
        input: ListEventAttemptsInput,
    ) -> ApiResult<DeliveryAttemptList> {
        let organisation = managed::organisation(caller, &input.org_id)?;
        let kept = self
            .store()?
            .organisation(&organisation)
            .attempts(&input.event_id)
            .await;
        let kept = kept.map_err(store_error)?.ok_or_else(no_event)?;
        let attempts = kept.into_iter().map(attempts::shown).collect::<Result<_, _>>()?;
        Ok(DeliveryAttemptList::builder().attempts(attempts).build().into())
    }

    async fn replay_event(&self, caller: Caller<OrganisationId>, input: ReplayEventInput) -> ApiResult<ReplayedEvent> {
        let asked = (&input.org_id, &input.event_id, &input.kind, &input.webhook_id);
        let write = Write::new(&REPLAY_EVENT, &caller).repeatable(input.idempotency_key.as_deref(), &asked)?;
        let organisation = managed::organisation(caller, &input.org_id)?;
        let target = ReplayTarget {
            kind: input.kind,
            webhook_id: input.webhook_id,
        };
        let (event_id, now) = (input.event_id, (self.now)());
        let replayed: ReplayedEvent = self
            .write(write, |transaction| {
                let team = transaction
                    .team_of_event(&organisation, &event_id)?
                    .ok_or_else(no_event)?;
                let destinations = transaction.replay(&event_id, &target, now)?.ok_or_else(no_event)?;
                let destinations = i64::try_from(destinations).map_err(ApiError::internal)?;
                let replayed = ReplayedEvent::builder().event_id(&event_id).destinations(destinations);
                Ok(Subject::Team(team, event_id.clone()).wrote(replayed.build()))
            })
            .await?;
        Ok(replayed.into())
    }

    async fn replay_events(
        &self,
        caller: Caller<OrganisationId>,
        input: ReplayEventsInput,
    ) -> ApiResult<ReplayedEvents> {
        let write = Write::new(&REPLAY_EVENTS, &caller)
            .repeatable(input.idempotency_key.as_deref(), &(&input.org_id, &input.body))?;
        let organisation = managed::organisation(caller, &input.org_id)?;
        let ReplaySelection { limit, next_cursor, .. } = &input.body;
        let limit = usize::try_from(*limit).unwrap_or_default();
        let filter = replay::filter(&input.body);
        if filter == ReplayFilter::default() {
            return Err(invalid("/body", "empty", "must have a condition"));
        }
        let Opened { store, cursors, .. } = self.opened()?;
        let listing = Listing::new("replay", (organisation.as_str(), replay::described(&filter)));
        let after: Option<(i64, i64)> = cursors.after_in("/body/next_cursor", next_cursor.as_deref(), &listing)?;
        let position = after.map(ReplayPosition::from).unwrap_or_default();
        // Read first, so that no other writer waits for that.
        let read = store
            .organisation(&organisation)
            .replay_part(&filter, position, limit)
            .await;
        let part = match read.map_err(store_error)? {
            ReplayRead::Part(part) => part,
            ReplayRead::NoTeam => return Err(managed::no_team()),
            ReplayRead::NoUser => return Err(no_user()),
        };
        let next = part.next.map(|next| cursors.seal(&<(i64, i64)>::from(next), &listing));
        let now = (self.now)();
        let replayed: ReplayedEvents = self
            .write(write, |transaction| {
                let deliveries = transaction.replay_all(&part, now)?;
                let deliveries = i64::try_from(deliveries).map_err(ApiError::internal)?;
                let replayed = ReplayedEvents::builder().deliveries(deliveries).maybe_next_cursor(next);
                let subject = match filter.team_id {
                    Some(team_id) => {
                        let team = managed::managed_team(transaction, &organisation, team_id)?;
                        Subject::Team(team.ok_or_else(managed::no_team)?, team_id.to_string())
                    }
                    None => Subject::Organisation(organisation.clone(), organisation.as_str().to_owned()),
                };
                Ok(subject.wrote(replayed.build()))
            })
            .await?;
        Ok(replayed.into())
    }

    async fn list_undelivered(
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
            .undelivered(page.events.into_iter().map(undelivered::undelivered).collect())
            .maybe_next_cursor(next)
            .build()
            .into())
    }

    async fn list_destinations(
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
        // Without clients of destinations, everything but configuration errors is still reported.
        let kinds = self.kinds().ok();
        let described = describe(listed, kinds.as_deref(), self.is_demo, (self.now)());
        let destinations = described.into_iter().map(undelivered::destination).collect();
        Ok(DestinationList::builder().destinations(destinations).build().into())
    }

    async fn trigger_event(
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
