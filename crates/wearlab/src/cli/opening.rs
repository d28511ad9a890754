//! Opens the store of a service, and retries while its database is unavailable.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use tokio::sync::oneshot;
use wearlab_delivery::backoff;
use wearlab_service::Service;
use wearlab_store::{Store, StoreError};

use super::store_args::{self, failed};
use crate::config::Config;

/// Pause after the first failed attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// Maximum pause.
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// Called with the name and the duration of each store operation.
pub(super) type Observer = Arc<dyn Fn(&'static str, Duration) + Send + Sync>;

/// Opens the store and hands it to the service. While its database is unavailable, it retries with jitter from `random`
/// (0 to 1). `tried` is notified after the first attempt, unless its error is permanent.
///
/// Fails if a retry does not help, and at the first failure of an embedded store.
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
                    tracing::info!(failures, "connected to the database");
                }
                return Ok(store);
            }
            Err(error) => error,
        };
        failures += 1;
        let error = failed(error).to_string();
        // Logged once for each reason.
        if error != last {
            tracing::warn!(error, "database unavailable: retrying");
            last = error;
        }
        tokio::time::sleep(backoff(FIRST_PAUSE, MAX_PAUSE, failures, random())).await;
    }
}

async fn try_open(config: &Config, service: &Service, observer: &Observer) -> Result<Result<Store, StoreError>> {
    let store = match store_args::try_open(config).await? {
        Ok(store) => {
            let observer = Arc::clone(observer);
            store.observed(move |operation, took| observer(operation, took))
        }
        Err(error) => return Ok(Err(error)),
    };
    Ok(service.open(store.clone(), rand::random()).await.map(|()| store))
}
