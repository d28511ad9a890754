//! Subscriptions of applications to notices. One process at a time makes and renews those of a provider.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use data_encoding::HEXLOWER;
use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use wearlab_delivery::backoff;
use wearlab_linking::Linker;
use wearlab_store::{StoreError, Transaction};

use super::{Puller, Running};
use crate::application::Application;
use crate::connector::NoticeSecret;
use crate::provider::Reply;
use crate::refusal::Refusal;

/// Interval between two searches for subscriptions to renew.
const INTERVAL: Duration = Duration::from_secs(60);
/// Maximum time of a renewal. A process that ends meanwhile is followed by another one after it.
const TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// First and maximum pause after failures.
const FIRST_PAUSE: Duration = Duration::from_secs(60);
const MAX_PAUSE: Duration = Duration::from_secs(6 * 60 * 60);
/// Maximum time until subscriptions are listed again.
const MAX_INTERVAL: TimeDelta = TimeDelta::days(7);

/// Note in the store about the subscriptions of an application.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Note {
    /// Hash of what they are for: another client or URL needs others.
    target: String,
    /// Time of the next renewal, or of its next attempt.
    due: Option<DateTime<Utc>>,
    /// Number of failed attempts in a row.
    failures: u32,
}

impl Note {
    fn read(text: Option<&str>) -> Self {
        text.and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    }

    fn is_due(&self, target: &str, now: DateTime<Utc>) -> bool {
        self.target != target || self.due.is_none_or(|due| due <= now)
    }

    fn write(&self, write: &Transaction<'_>, name: &str) -> Result<(), StoreError> {
        let what = "note about subscriptions";
        let text = serde_json::to_string(self).map_err(|_| StoreError::Document { what })?;
        write.put_meta(name, &text)
    }
}

/// Returns the name of the note of a provider.
fn note_name(slug: &str) -> String {
    format!("subscriptions {slug}")
}

impl Puller {
    /// Keeps the subscriptions of all applications in the wanted state.
    pub(super) async fn keep_subscribed(&self) -> Infallible {
        loop {
            match AssertUnwindSafe(self.subscribe_due()).catch_unwind().await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "cannot subscribe to the notices of providers"
                ),
                Err(_) => tracing::error!("subscribing to the notices of providers panicked"),
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Makes and renews the subscriptions that are due, and that no other process renews.
    ///
    /// # Errors
    ///
    /// If the store fails. The refusal of a provider is no error: it is logged, and followed by another attempt.
    pub async fn subscribe_due(&self) -> Result<(), StoreError> {
        for (slug, running) in &self.connectors {
            let Some(application) = self.application(running) else {
                continue;
            };
            // Nothing is sent yet.
            if let Some(reply) = running.connector.provider.subscribe(&application) {
                subscribe(&self.linker, slug, &application, reply).await?;
            }
        }
        Ok(())
    }

    /// Makes the subscriptions of all applications due, since a provider has lost them: a simulated one that started again.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn forget_subscriptions(&self) -> Result<(), StoreError> {
        let write = self.linker.store.write(|write| {
            let mut slugs = self.connectors.keys();
            slugs.try_for_each(|slug| Note::default().write(write, &note_name(slug)))
        });
        write.await
    }

    /// Returns the access to the subscriptions of an application. None if notices are off, or there is no secret key to
    /// derive their address from.
    fn application(&self, running: &Running) -> Option<Application> {
        let (settings, linking) = (&running.connector.settings, &self.linker.linking);
        if !settings.notices.unwrap_or(linking.is_secure()) {
            return None;
        }
        let verification = NoticeSecret::Verification;
        let verification = running.connector.notice_secrets(&self.linker.store, verification);
        Some(Application {
            http: self.http.clone(),
            base_url: settings.base_url.clone(),
            client_id: settings.client_id.clone()?,
            client_secret: settings.client_secret.clone()?,
            pace: running.pace.clone(),
            notices_url: running.connector.notices_url(&self.linker)?,
            verification_token: verification.into_iter().next()?,
            now: self.now(),
        })
    }
}

/// Calls a provider if its subscriptions are due, and notes when they are due next.
async fn subscribe(
    linker: &Linker,
    slug: &str,
    application: &Application,
    reply: Reply<'_, DateTime<Utc>>,
) -> Result<(), StoreError> {
    let (store, name, target) = (&linker.store, note_name(slug), target(application));
    // A read: an idle service takes no lock.
    if !Note::read(store.meta(&name).await?.as_deref()).is_due(&target, application.now) {
        return Ok(());
    }
    let claimed = store.write(|write| {
        let known = Note::read(write.meta(&name)?.as_deref());
        if !known.is_due(&target, application.now) {
            return Ok(None);
        }
        let claim = Note {
            due: Some(application.now + TimeDelta::from_std(TIMEOUT).unwrap_or(TimeDelta::zero())),
            target: target.clone(),
            failures: if known.target == target { known.failures } else { 0 },
        };
        claim.write(write, &name).map(|()| Some(claim))
    });
    let Some(claim) = claimed.await? else {
        return Ok(());
    };
    let replied = tokio::time::timeout(TIMEOUT, AssertUnwindSafe(reply).catch_unwind()).await;
    let replied = replied.unwrap_or(Ok(Err(Refusal::Later(None))));
    let replied = replied.unwrap_or_else(|_| Err(Refusal::Failed("the connector panicked".to_owned())));
    let now = (linker.now)();
    let next = match replied {
        Ok(due) => {
            tracing::info!(provider = slug, "subscribed to the notices of a provider");
            Note {
                due: Some(due.min(now + MAX_INTERVAL)),
                failures: 0,
                ..claim
            }
        }
        Err(refusal) => {
            let failures = claim.failures.saturating_add(1);
            tracing::warn!(
                provider = slug,
                failures,
                reason = refusal.to_string(),
                "cannot subscribe to the notices of a provider: it is polled alone until another attempt"
            );
            let pause = backoff(FIRST_PAUSE, MAX_PAUSE, failures, rand::random());
            let pause = match refusal {
                Refusal::Limited(after) | Refusal::Later(Some(after)) => after.min(MAX_PAUSE) + pause / 2,
                _ => pause,
            };
            Note {
                due: Some(now + TimeDelta::from_std(pause).unwrap_or(MAX_INTERVAL)),
                failures,
                ..claim
            }
        }
    };
    store.write(|write| next.write(write, &name)).await
}

/// Returns a hash of the client and the URL.
fn target(application: &Application) -> String {
    let mut hash = Sha256::new();
    for text in [
        &application.client_id,
        application.notices_url.expose(),
        application.verification_token.expose(),
    ] {
        hash.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(text);
    }
    HEXLOWER.encode(&hash.finalize()[..16])
}
