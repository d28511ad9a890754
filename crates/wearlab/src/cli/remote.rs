//! Options and progress of commands that can send their lines to a remote service.

use anyhow::{Context, Result};
use wearlab_client::RetryPolicy;
use wearlab_intake::{Progress, Summary};

use super::lines::{Inputs, intake_error};
use super::output::warn;
use super::session::{builder, key};
use crate::remote::{Endpoint, Remote, RemoteError};

/// Options of a remote service.
#[derive(clap::Args)]
pub(super) struct RemoteArgs {
    /// Base URL of the management API of a remote service, such as https://wearlab.example:8081, to send lines to in
    /// place of a store on this machine. The key is in the variable WEARLAB_API_KEY, or WEARLAB_MANAGEMENT_KEY for an
    /// import.
    #[arg(long, value_name = "URL", conflicts_with_all = ["config", "data", "database", "settings"])]
    base_url: Option<String>,
    /// Maximum number of consecutive connections that end without an acknowledgement, with --base-url.
    #[arg(long, value_name = "N", default_value_t = 20, requires = "base_url")]
    retries: u32,
}

impl RemoteArgs {
    /// Returns the remote service, if one is given.
    pub(super) fn remote(&self, endpoint: Endpoint) -> Result<Option<Remote>> {
        let Some(url) = &self.base_url else { return Ok(None) };
        let mut builder = builder(url).retry(RetryPolicy::none());
        if let Some(key) = key("WEARLAB_API_KEY") {
            builder = builder.api_key(key.expose());
        }
        if let Some(key) = key("WEARLAB_MANAGEMENT_KEY").filter(|_| endpoint == Endpoint::Import) {
            builder = builder.management_key(key.expose());
        }
        Ok(Some(Remote {
            client: builder.build().context("--base-url")?,
            endpoint,
            retries: self.retries,
        }))
    }
}

/// Sends all lines. Lost connections are reported on standard error.
pub(super) async fn send(remote: &Remote, inputs: Inputs, progress: &mut (dyn Progress + Send)) -> Result<Summary> {
    let retrying = |why: &str, pause: std::time::Duration| {
        warn(format_args!(
            "{why}; sending again what was not acknowledged, in {:.1} s",
            pause.as_secs_f64()
        ));
    };
    remote
        .send(inputs.list, progress, retrying)
        .await
        .map_err(|error| match error {
            RemoteError::Intake(error) => intake_error(error),
            error => anyhow::Error::new(error).context("not all lines are stored: send the rest again"),
        })
}
