//! Devices of a user.

use wearlab_models::{Device, Encoded};
use wearlab_server::{ApiError, ApiResult, DevicesApi, GetUserDeviceInput, ListUserDevicesInput, Reply};
use wearlab_store::TeamId;

use super::auth::Caller;
use super::{Service, no_user, store_error};

impl DevicesApi for Service {
    async fn list_user_devices(&self, team: Caller<TeamId>, input: ListUserDevicesInput) -> ApiResult<Vec<Device>> {
        let store = self.store()?.team(team.owner());
        let devices = store.devices(input.user_id).await.map_err(store_error)?;
        devices
            .map(|devices| Reply::Encoded(Encoded::list(&devices)))
            .ok_or_else(no_user)
    }

    async fn get_user_device(&self, team: Caller<TeamId>, input: GetUserDeviceInput) -> ApiResult<Device> {
        let store = self.store()?.team(team.owner());
        let device = store
            .device(input.user_id, input.device_id)
            .await
            .map_err(store_error)?;
        device
            .map(Reply::Encoded)
            .ok_or_else(|| ApiError::not_found("No such user, or no such device."))
    }
}
