//! `wearlab connectors`: lists the connectors that are on.

use std::sync::Arc;

use anyhow::{Result, ensure};
use serde::Serialize;
use wearlab_linking::{Linker, Linking};

use super::connecting;
use super::store_args::StoreArgs;
use super::table::{Format, Row};
use crate::serve::configured_url;

/// Connectors of the configuration.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// List the connectors that are on, with the URLs of their notices. These are secrets: some providers want them in the
    /// settings of the application.
    List(List),
}

#[derive(clap::Args)]
pub(super) struct List {
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) async fn run(command: Command) -> Result<()> {
    match command {
        Command::List(options) => list(options).await,
    }
}

async fn list(options: List) -> Result<()> {
    let config = options.store.config()?;
    let connectors = connecting::connectors(&config.connectors)?;
    ensure!(!connectors.is_empty(), connecting::NONE_ON);
    let linker = Linker {
        linking: Arc::new(Linking::new(config.linking.clone(), &configured_url(&config.http))),
        store: options.store.open().await?,
        now: wearlab_clock::now,
        forms: config.events.deprecated,
    };
    options.format.head::<ConnectorRow>()?;
    options.format.rows(connectors.iter().map(|connector| ConnectorRow {
        provider: connector.provider.profile().slug,
        notices_url: connector.notices_url(&linker).map(|url| url.expose().to_owned()),
    }))
}

/// Connector with the URL of its notices.
#[derive(Serialize)]
struct ConnectorRow {
    provider: &'static str,
    notices_url: Option<String>,
}

impl Row for ConnectorRow {
    fn head() -> String {
        format!("{:13}  notices", "provider")
    }

    fn line(&self) -> String {
        format!(
            "{:13}  {}",
            self.provider,
            self.notices_url.as_deref().unwrap_or_default()
        )
    }
}
