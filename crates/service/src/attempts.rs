//! Conversion of delivery attempts for responses.

use wearlab_models::{DeliveryAttempt, DeliveryAttemptOutcome, DeliveryResponse};
use wearlab_server::ApiError;
use wearlab_store::{AttemptOutcome, LoggedAttempt};

/// Converts an attempt for a response.
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
