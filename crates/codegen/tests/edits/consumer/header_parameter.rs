//! Sets both headers.

use wearlab_client::{Client, Error};
use wearlab_models::CancellationReason;
use wearlab_server::{ApiResult, ListCancellationReasonsInput};

/// The client.
#[expect(deprecated, reason = "another edit")]
pub async fn call(client: &Client) -> Result<Vec<CancellationReason>, Error> {
    let call = client.list_cancellation_reasons(2);
    Ok(call.x_service_locale("pt-PT").send().await?.into_inner())
}

/// The implementer.
pub fn respond(input: &ListCancellationReasonsInput) -> ApiResult<Vec<CancellationReason>> {
    let reason = CancellationReason::builder()
        .id(input.x_service_edition.to_string())
        .name(input.x_service_locale.as_deref().unwrap_or("en"))
        .is_refundable(true);
    Ok(vec![reason.build()].into())
}
