//! What the service tells a connector, and takes from it.

use std::time::Duration;

use chrono::{DateTime, FixedOffset, Utc};
use serde::Deserialize;
use serde_json::{Value, json};
use wearlab_client::models::{Acknowledgement, Uuid};
use wearlab_client::{Client, Error, Lines, LinesUpload};

use crate::provider::SLUG;
use crate::settings::Settings;

/// A stream has no limit of time.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

#[derive(Deserialize)]
pub(crate) struct Connection {
    pub(crate) team_id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) status: String,
    pub(crate) created_on: DateTime<FixedOffset>,
}

impl Connection {
    /// An arrival of data of this connection.
    pub(crate) fn data(&self, mut data: Value) -> Value {
        data["team_id"] = json!(self.team_id);
        data["user_id"] = json!(self.user_id);
        data["provider"] = json!(SLUG);
        json!({ "data": data })
    }

    /// An arrival: the provider no longer takes the tokens of this connection. The user has to link it anew.
    pub(crate) fn failed(&self) -> Value {
        json!({"connection_failed": {
            "team_id": self.team_id, "user_id": self.user_id, "provider": SLUG,
            "error_details": {
                "error_type": "consent_withdrawn",
                "error_message": "The provider rejects the access token.",
                "errored_at": Utc::now(),
            },
        }})
    }
}

pub(crate) struct Service {
    client: Client,
    http: reqwest::Client,
    url: String,
    key: String,
    org_id: String,
    team_id: Uuid,
}

impl Service {
    /// URLs and keys are in `WEARLAB_BASE_URL`, `WEARLAB_MANAGEMENT_URL`, `WEARLAB_MANAGEMENT_KEY` (scopes `read` and
    /// `ingest`) and `WEARLAB_API_KEY` (scope `ingest`).
    pub(crate) fn new(settings: &Settings) -> anyhow::Result<Self> {
        Ok(Self {
            client: Client::from_env()?,
            http: reqwest::Client::new(),
            url: std::env::var("WEARLAB_MANAGEMENT_URL")?,
            key: std::env::var("WEARLAB_MANAGEMENT_KEY")?,
            org_id: settings.org_id.clone(),
            team_id: settings.team_id,
        })
    }

    /// The connections of the team with the provider.
    pub(crate) async fn connections(&self) -> anyhow::Result<Vec<Connection>> {
        #[derive(Deserialize)]
        struct Page {
            connections: Vec<Connection>,
            next_cursor: Option<String>,
        }
        let (mut all, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let mut query = vec![("provider", SLUG.to_owned()), ("team_id", self.team_id.to_string())];
            query.extend(cursor.map(|cursor| ("next_cursor", cursor)));
            let page: Page = self.get("connections", &query).await?;
            all.extend(page.connections);
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(all);
            }
        }
    }

    /// An access token of a connection, which is good for a while.
    pub(crate) async fn access_token(&self, user_id: Uuid) -> anyhow::Result<String> {
        #[derive(Deserialize)]
        struct Token {
            access_token: String,
        }
        let path = format!("teams/{}/users/{user_id}/connections/{SLUG}/access_token", self.team_id);
        Ok(self.get::<Token>(&path, &[]).await?.access_token)
    }

    /// Sends arrivals, and returns their acknowledgements while they are sent.
    pub(crate) async fn ingest(&self, arrivals: LinesUpload<Value>) -> Result<Lines<Acknowledgement>, Error> {
        let call = self.client.ingest_arrivals(arrivals).timeout(FOREVER).deadline(FOREVER);
        Ok(call.send().await?.into_inner())
    }

    async fn get<T: serde::de::DeserializeOwned>(&self, path: &str, query: &[(&str, String)]) -> anyhow::Result<T> {
        let url = format!("{}/v1/org/{}/{path}", self.url, self.org_id);
        let request = self.http.get(url).header("x-management-key", &self.key).query(query);
        Ok(request.send().await?.error_for_status()?.json().await?)
    }
}
