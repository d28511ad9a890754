//! The attempts to deliver an event.

use wearlab_models::{DeliveryAttempt, DeliveryAttemptList, DeliveryAttemptOutcome, DeliveryResponse};
use wearlab_server::{ApiError, ApiResult, ListEventAttemptsInput};
use wearlab_store::{AttemptOutcome, LoggedAttempt, OrganisationId};

use super::auth::Caller;
use super::event_log::no_event;
use super::{Service, managed, store_error};

impl Service {
    /// The attempts to deliver an event, oldest first.
    pub(super) async fn attempts(
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
        let attempts = kept.into_iter().map(shown).collect::<Result<_, _>>()?;
        Ok(DeliveryAttemptList::builder().attempts(attempts).build().into())
    }
}

/// An attempt as the interface shows it.
pub(super) fn shown(kept: LoggedAttempt) -> Result<DeliveryAttempt, ApiError> {
    let LoggedAttempt {
        kind,
        webhook_id,
        attempt,
    } = kept;
    let integer = |number| i64::try_from(number).map_err(ApiError::internal);
    let length = attempt.content_length.map(integer).transpose()?;
    let response = attempt.status.map(|status| {
        DeliveryResponse::builder()
            .status(i64::from(status))
            .maybe_content_type(attempt.content_type)
            .maybe_content_length(length)
            .build()
    });
    let duration = u64::try_from(attempt.duration.as_millis()).unwrap_or(u64::MAX);
    Ok(DeliveryAttempt::builder()
        .kind(kind)
        .maybe_webhook_id(webhook_id)
        .attempt(i64::from(attempt.attempt))
        .attempted_on(attempt.attempted_on.fixed_offset())
        .duration_ms(integer(duration)?)
        .outcome(match attempt.outcome {
            AttemptOutcome::Delivered => DeliveryAttemptOutcome::Delivered,
            AttemptOutcome::Failed => DeliveryAttemptOutcome::Failed,
            AttemptOutcome::Undelivered => DeliveryAttemptOutcome::Undelivered,
        })
        .maybe_reason(attempt.reason)
        .maybe_response(response)
        .build())
}
