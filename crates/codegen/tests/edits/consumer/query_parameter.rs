//! Sets the parameter, which has a default.

use wearlab_client::{Client, Error};
use wearlab_mock::{Then, list_providers};
use wearlab_models::SupportedProvider;
use wearlab_server::{ApiResult, ListProvidersInput};

/// The client, with the parameter and without.
pub async fn call(client: &Client) -> Result<Vec<SupportedProvider>, Error> {
    client.list_providers().send().await?;
    Ok(client.list_providers().limit(20).send().await?.into_inner())
}

/// Always finds one.
pub fn respond(input: &ListProvidersInput) -> ApiResult<Vec<SupportedProvider>> {
    let limit: i32 = input.limit;
    Ok(Vec::with_capacity(limit as usize).into())
}

/// Mocks it.
pub fn mock() -> Then {
    list_providers().limit(20).then_ok(&Vec::new())
}
