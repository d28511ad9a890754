//! Connections of a user with providers.

use wearlab_models::{ConnectedProvider, ConnectedProviderList, Encoded};
use wearlab_server::{ApiResult, ConnectionsApi, ListUserProvidersInput};
use wearlab_store::TeamId;

use super::auth::Caller;
use super::{Service, encoded, no_user, store_error};

impl ConnectionsApi for Service {
    async fn list_user_providers(
        &self,
        team: Caller<TeamId>,
        input: ListUserProvidersInput,
    ) -> ApiResult<ConnectedProviderList> {
        let store = self.store()?.team(team.owner());
        let providers = store.connections(input.user_id).await.map_err(store_error)?;
        let providers = providers.ok_or_else(no_user)?;
        encoded(connected_providers(&providers))
    }
}

/// Creates the response of the read of a user's connections.
pub(super) fn connected_providers(
    connections: &[Encoded<ConnectedProvider>],
) -> serde_json::Result<Encoded<ConnectedProviderList>> {
    let envelope = ConnectedProviderList::builder().providers(Vec::new()).build();
    Encoded::with_list(&envelope, "providers", connections)
}
