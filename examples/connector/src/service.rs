//! Client of the service: connections, access tokens and ingestion.

use std::time::Duration;

use chrono::Utc;
use futures_util::TryStreamExt;
use serde_json::{Value, json};
use wearlab_client::models::{Acknowledgement, Secret, TeamConnection, Uuid};
use wearlab_client::{Client, Error, Lines, LinesUpload};

use crate::provider::SLUG;
use crate::settings::Settings;

/// Timeout of a stream: practically none.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Creates an arrival of data of a connection.
pub(crate) fn arrival(connection: &TeamConnection, mut data: Value) -> Value {
    data["team_id"] = json!(connection.team_id);
    data["user_id"] = json!(connection.user_id);
    data["provider"] = json!(SLUG);
    json!({ "data": data })
}

/// Creates an arrival of a failed connection: the provider no longer accepts its tokens, and the user has to link it
/// again.
pub(crate) fn failed(connection: &TeamConnection) -> Value {
    json!({"connection_failed": {
        "team_id": connection.team_id, "user_id": connection.user_id, "provider": SLUG,
        "error_details": {
            "error_type": "consent_withdrawn",
            "error_message": "The provider rejects the access token.",
            "errored_at": Utc::now(),
        },
    }})
}

pub(crate) struct Service {
    client: Client,
    org_id: String,
    team_id: Uuid,
}

impl Service {
    /// Creates a client. URLs and keys are in `WEARLAB_BASE_URL`, `WEARLAB_MANAGEMENT_URL`, `WEARLAB_MANAGEMENT_KEY`
    /// (scopes `read` and `ingest`) and `WEARLAB_API_KEY` (scope `ingest`).
    pub(crate) fn new(settings: &Settings) -> Result<Self, Error> {
        Ok(Self {
            client: Client::from_env()?,
            org_id: settings.org_id.clone(),
            team_id: settings.team_id,
        })
    }

    /// Returns the connections of the team with the provider.
    pub(crate) async fn connections(&self) -> Result<Vec<TeamConnection>, Error> {
        let call = self.client.list_connections(&self.org_id);
        call.provider(SLUG).team_id(self.team_id).stream().try_collect().await
    }

    /// Returns a valid access token of a connection.
    pub(crate) async fn access_token(&self, user_id: Uuid) -> Result<Secret, Error> {
        let call = self.client.get_access_token(&self.org_id, self.team_id, user_id, SLUG);
        Ok(call.send().await?.into_inner().access_token)
    }

    /// Sends arrivals, and returns their acknowledgements while they are sent.
    pub(crate) async fn ingest(&self, arrivals: LinesUpload<Value>) -> Result<Lines<Acknowledgement>, Error> {
        let call = self.client.ingest_arrivals(arrivals).timeout(FOREVER).deadline(FOREVER);
        Ok(call.send().await?.into_inner())
    }
}
