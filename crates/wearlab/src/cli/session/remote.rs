//! Session with a remote service.

use std::env;

use anyhow::{Context, Result, anyhow, bail};
use wearlab_client::{Client, ClientBuilder, Error};
use wearlab_models::Secret;

use super::errors::{is_unknown_operation, reason};
use super::organisation::Organisation;
use crate::config::ORGANISATION_VARIABLE;

const API_KEY: &str = "WEARLAB_API_KEY";
const MANAGEMENT_KEY: &str = "WEARLAB_MANAGEMENT_KEY";
const HEADER_PREFIX: &str = "WEARLAB_HEADER_PREFIX";

/// Remote service, by its URL.
pub(in crate::cli) struct Remote {
    url: String,
}

impl Remote {
    pub(super) fn new(url: &str) -> Result<Self> {
        // Checked before any call: an invalid URL is refused without showing it.
        builder(url).build().context("--base-url")?;
        Ok(Self {
            url: url.trim_end_matches('/').to_owned(),
        })
    }

    pub(super) fn organisation(&self, org: Option<&str>) -> Result<Organisation> {
        let Some(id) = org.map(str::to_owned).or_else(|| variable(ORGANISATION_VARIABLE)) else {
            bail!("missing organisation: give --org, or set {ORGANISATION_VARIABLE}");
        };
        let Some(key) = key(MANAGEMENT_KEY) else {
            bail!("missing key: set {MANAGEMENT_KEY} to a management key of the organisation");
        };
        let client = builder(&self.url).management_key(key.expose()).build();
        let client = client.context(MANAGEMENT_KEY)?;
        Ok(Organisation { client, id })
    }

    pub(super) fn team(&self) -> Result<Client> {
        let Some(key) = key(API_KEY) else {
            bail!("missing key: set {API_KEY} to a key of the team");
        };
        builder(&self.url).api_key(key.expose()).build().context(API_KEY)
    }

    pub(super) fn failed(&self, what: &str, error: &Error) -> anyhow::Error {
        let url = &self.url;
        if is_unknown_operation(error) {
            return anyhow!(
                "failed to {what}: {url} does not have this operation: the service is of an older version, or this is \
                 another of its URLs"
            );
        }
        match error.failure() {
            Some(_) => anyhow!("failed to {what}: {}", reason(error)),
            None => anyhow!("failed to {what} at {url}: {}", reason(error)),
        }
    }
}

/// Returns the builder of a client for the service at a URL.
pub(in crate::cli) fn builder(url: &str) -> ClientBuilder {
    let url = url.trim_end_matches('/');
    let builder = Client::builder().base_url(url).management_url(url);
    match variable(HEADER_PREFIX) {
        Some(prefix) => builder.header_prefix(prefix),
        None => builder,
    }
}

/// Returns a key from an environment variable, if it is set.
pub(in crate::cli) fn key(name: &str) -> Option<Secret> {
    variable(name).map(Secret::from)
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
