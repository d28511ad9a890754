//! Reference: the one request that a program needs, hand-written with reqwest and serde.

use std::time::Duration;

use anyhow::Result;
use reqwest::redirect::Policy;
use wearlab_models::{User, Uuid};

use crate::service::KEY_HEADER;

/// A client with the default settings of Wearlab's client.
pub(super) struct ByHand {
    http: reqwest::Client,
    url: String,
    key: String,
}

impl ByHand {
    pub(super) fn new(url: &str, key: &str) -> Result<Self> {
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(10))
            .timeout(Duration::from_secs(30))
            .redirect(Policy::none())
            .user_agent("by-hand/1.0")
            .build()?;
        let (url, key) = (url.to_owned(), key.to_owned());
        Ok(Self { http, url, key })
    }

    pub(super) async fn get_user(&self, id: Uuid) -> Result<User> {
        let url = format!("{}/v2/user/{id}", self.url);
        let request = self.http.get(url).header(KEY_HEADER, &self.key);
        Ok(request.send().await?.error_for_status()?.json().await?)
    }
}
