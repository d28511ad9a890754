//! Credentials of Google Cloud, from a file or the default locations.
//!
//! Errors have texts of our own: the library's errors may quote credentials.

use std::path::Path;

use google_cloud_auth::credentials::{
    self, Credentials, anonymous, external_account, impersonated, service_account, user_account,
};
use serde_json::Value;

use crate::Reason;
use crate::kinds::cloud_pubsub::settings::{Endpoint, Settings};

/// Advice if there is no file.
const DEFAULTS: &str = "Google's Application Default Credentials: set a credentials file, or run where Google Cloud \
                        gives credentials";

/// Credentials for an endpoint, with a first token, so that errors are found before anything is sent.
pub(super) async fn load(settings: &Settings, endpoint: &Endpoint) -> Result<Credentials, Reason> {
    if endpoint.emulator {
        return Ok(anonymous::Builder::new().build());
    }
    let credentials = match &settings.credentials_file {
        Some(path) => from_file(path).await?,
        None => credentials::Builder::default()
            .build()
            .map_err(|_| Reason::new(format!("cannot read {DEFAULTS}")))?,
    };
    match credentials.headers(Default::default()).await {
        Ok(_) => Ok(credentials),
        Err(error) => Err(no_token(settings.credentials_file.is_some(), error.is_transient())),
    }
}

async fn from_file(path: &Path) -> Result<Credentials, Reason> {
    let text = tokio::fs::read(path).await;
    let text = text.map_err(|error| Reason::new(format!("cannot read the credentials file: {}", error.kind())))?;
    let json: Value = serde_json::from_slice(&text)
        .map_err(|_| Reason::new("the credentials file is not JSON: download the service account key again"))?;
    let built = match json.get("type").and_then(Value::as_str) {
        Some("service_account") => service_account::Builder::new(json).build(),
        Some("authorized_user") => user_account::Builder::new(json).build(),
        Some("external_account") => external_account::Builder::new(json).build(),
        Some("impersonated_service_account") => impersonated::Builder::new(json).build(),
        _ => {
            return Err(Reason::new(
                "the credentials file has no supported `type`: give a service account key, as JSON",
            ));
        }
    };
    built.map_err(|_| Reason::new("the credentials file lacks fields that its `type` needs: download it again"))
}

/// Reason for a missing token.
pub(super) fn no_token(file: bool, transient: bool) -> Reason {
    Reason::new(match (file, transient) {
        (true, false) => {
            "no token with the credentials file: its key is invalid or revoked; create a new one".to_owned()
        }
        (true, true) => "no token with the credentials file: Google's token service does not respond".to_owned(),
        (false, _) => format!("no token with {DEFAULTS}"),
    })
}
