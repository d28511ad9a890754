//! Deprecated details of sources in reads: the name, the logo and the slug of the provider.

use std::collections::BTreeMap;

use wearlab_ingest::{ExactObject, ExactValue, present};
use wearlab_models::{ConnectedProvider, Encoded, ResourceName, Uuid};
use wearlab_server::ApiError;
use wearlab_store::TeamId;

use super::{Service, no_user, store_error};

/// Connections of a user, by slug. Empty if the details are not sent.
#[derive(Clone, Default)]
pub(super) struct SourceDetails(BTreeMap<String, ConnectedProvider>);

impl Service {
    /// Returns the details of a user's sources, if the setting of events enables them.
    pub(super) async fn source_details(&self, team: TeamId, user_id: Uuid) -> Result<SourceDetails, ApiError> {
        if !self.forms.source_details.holds((self.now)()) {
            return Ok(SourceDetails::default());
        }
        let connections = self.store()?.team(team).connections(user_id).await;
        let connections = connections.map_err(store_error)?.ok_or_else(no_user)?;
        let read = |connection: &Encoded<ConnectedProvider>| {
            let read: ConnectedProvider = serde_json::from_slice(connection.as_bytes()).map_err(ApiError::internal)?;
            Ok((read.slug.clone(), read))
        };
        connections
            .iter()
            .map(read)
            .collect::<Result<_, _>>()
            .map(SourceDetails)
    }
}

impl SourceDetails {
    /// Returns the deprecated members of a source and their values. None for a provider that is no longer connected.
    pub(super) fn of(&self, provider: &str) -> Vec<(&'static str, &str)> {
        let details = self.0.get(provider);
        let details = details.map(|of| [("name", &*of.name), ("logo", &*of.logo), ("slug", &*of.slug)]);
        details.into_iter().flatten().collect()
    }

    /// Converts a stored summary for a response, with the details of its source.
    pub(super) fn presented<T>(&self, resource: &ResourceName, summary: Encoded<T>) -> Result<Encoded<T>, ApiError> {
        let mut object: ExactObject = serde_json::from_slice(summary.as_bytes()).map_err(ApiError::internal)?;
        present(resource, &mut object);
        if let Some(ExactValue::Object(source)) = object.get_mut("source")
            && let Some(ExactValue::String(provider)) = source.get("provider").cloned()
        {
            for (name, value) in self.of(&provider) {
                source.insert(name, ExactValue::String(value.to_owned()));
            }
        }
        let json = serde_json::to_vec(&object).map_err(ApiError::internal)?;
        Ok(Encoded::from_stored(json))
    }
}
