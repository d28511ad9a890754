//! Opens the store of a service, also where its database is away at first.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use tokio::sync::oneshot;
use wearlab_delivery::backoff;
use wearlab_store::{Store, StoreError};

use super::place::{self, failed};
use crate::Service;
use crate::config::Config;

/// The pause after the first attempt; twice as long each time.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// No pause is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Hears the name of an operation of the store, and how long it took.
pub(super) type Observer = Arc<dyn Fn(&'static str, Duration) + Send + Sync>;

/// Opens the store and gives it to the service. While its database is away, it tries again; `tried` hears of the first
/// attempt, unless that fails for good. `random` gives numbers from 0
/// to 1, so that services that lost their database together do not come back together.
///
/// Fails where trying again does not help, and at the first failure of a store in a folder.
pub(super) async fn open(
    config: &Config,
    service: &Service,
    observer: &Observer,
    tried: oneshot::Sender<()>,
    random: impl Fn() -> f64,
) -> Result<Store> {
    let mut failures = 0;
    let mut tried = Some(tried);
    let mut last = String::new();
    loop {
        let opened = try_open(config, service, observer).await?;
        if let Err(error) = &opened
            && !(config.database.is_set() && error.is_transient())
        {
            return opened.map_err(failed);
        }
        if let Some(tried) = tried.take() {
            let _ = tried.send(());
        }
        let error = match opened {
            Ok(store) => {
                if failures > 0 {
                    tracing::info!(failures, "the database is there");
                }
                return Ok(store);
            }
            Err(error) => error,
        };
        failures += 1;
        let error = failed(error).to_string();
        // Once for each reason.
        if error != last {
            tracing::warn!(error, "the database is away: trying again");
            last = error;
        }
        tokio::time::sleep(backoff(FIRST_PAUSE, LONGEST_PAUSE, failures, random())).await;
    }
}

async fn try_open(config: &Config, service: &Service, observer: &Observer) -> Result<Result<Store, StoreError>> {
    let store = match place::try_open(config).await? {
        Ok(store) => {
            let observer = Arc::clone(observer);
            store.observed(move |operation, took| observer(operation, took))
        }
        Err(error) => return Ok(Err(error)),
    };
    Ok(service.open(store.clone(), rand::random()).await.map(|()| store))
}
