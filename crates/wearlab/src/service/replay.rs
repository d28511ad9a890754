//! Events that are sent again: one, or those of a selection.

use chrono::Utc;
use wearlab_models::{ReplaySelection, ReplayedEvent, ReplayedEvents};
use wearlab_server::operations::{REPLAY_EVENT, REPLAY_EVENTS};
use wearlab_server::{ApiError, ApiResult, ReplayEventInput, ReplayEventsInput};
use wearlab_store::{OrganisationId, ReplayFilter, ReplayPosition, ReplayRead, ReplayTarget};

use super::auth::Caller;
use super::cursor::Listing;
use super::event_log::no_event;
use super::managed;
use super::write::{Subject, Write, invalid};
use super::{Opened, Service, no_user, store_error};

impl Service {
    /// Sends an event again.
    pub(super) async fn replay(
        &self,
        caller: Caller<OrganisationId>,
        input: ReplayEventInput,
    ) -> ApiResult<ReplayedEvent> {
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

    /// Sends a part of a selection of events again.
    pub(super) async fn replay_selection(
        &self,
        caller: Caller<OrganisationId>,
        input: ReplayEventsInput,
    ) -> ApiResult<ReplayedEvents> {
        let write = Write::new(&REPLAY_EVENTS, &caller)
            .repeatable(input.idempotency_key.as_deref(), &(&input.org_id, &input.body))?;
        let organisation = managed::organisation(caller, &input.org_id)?;
        let ReplaySelection { limit, next_cursor, .. } = &input.body;
        let limit = usize::try_from(*limit).unwrap_or_default();
        let filter = filter(&input.body);
        if filter == ReplayFilter::default() {
            return Err(invalid("/body", "empty", "must have a condition"));
        }
        let Opened { store, cursors, .. } = self.opened()?;
        let listing = Listing::new("replay", (organisation.as_str(), described(&filter)));
        let after: Option<(i64, i64)> = cursors.after_in("/body/next_cursor", next_cursor.as_deref(), &listing)?;
        let position = after.map(ReplayPosition::from).unwrap_or_default();
        // Read first: no other writer waits for that.
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
}

fn filter(selection: &ReplaySelection) -> ReplayFilter {
    ReplayFilter {
        team_id: selection.team_id,
        user_id: selection.user_id,
        event_type_prefix: selection.event_type.clone(),
        from: selection.from.map(|from| from.with_timezone(&Utc)),
        to: selection.to.map(|to| to.with_timezone(&Utc)),
        after: selection.after.unwrap_or_default(),
        up_to: selection.up_to,
        target: ReplayTarget {
            kind: selection.kind.clone(),
            webhook_id: selection.webhook_id.clone(),
        },
        parked: selection.parked,
    }
}

/// What a cursor is good for: all conditions.
fn described(filter: &ReplayFilter) -> impl serde::Serialize {
    let ReplayFilter {
        team_id,
        user_id,
        event_type_prefix,
        from,
        to,
        after,
        up_to,
        target,
        parked,
    } = filter.clone();
    let times = (from, to);
    let target = (target.kind, target.webhook_id);
    (team_id, user_id, event_type_prefix, times, after, up_to, target, parked)
}
