//! Reads the device that a device replaced.

use wearlab_client::{Client, Error};
use wearlab_mock::{Then, get_predecessor};
use wearlab_models::{Device, DeviceSourceType, Uuid};
use wearlab_server::{ApiResult, GetPredecessorInput};

/// The client.
pub async fn call(client: &Client, user: Uuid, device: Uuid) -> Result<Device, Error> {
    let response = client.get_predecessor(user, device).send().await?;
    Ok(response.into_inner())
}

/// The implementer.
pub fn respond(input: &GetPredecessorInput) -> ApiResult<Device> {
    let device = Device::builder()
        .id(input.device_id)
        .user_id(input.user_id)
        .provider("stridewell")
        .source_type(DeviceSourceType::Ring);
    Ok(device.build().into())
}

/// Mocks it.
pub fn mock(user: Uuid, device: &Device) -> Then {
    get_predecessor().user_id(user).device_id(device.id).then_ok(device)
}
