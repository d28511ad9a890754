//! Calls by the new name.

use wearlab_client::{Client, Error, ListDevices};
use wearlab_models::{Device, Uuid};
use wearlab_server::{ApiResult, ListDevicesInput};

/// The client.
pub async fn call(client: &Client, user: Uuid) -> Result<Vec<Device>, Error> {
    let call: ListDevices<'_> = client.list_devices(user);
    Ok(call.send().await?.into_inner())
}

/// The implementer.
pub fn respond(_: &ListDevicesInput) -> ApiResult<Vec<Device>> {
    Ok(Vec::new().into())
}
