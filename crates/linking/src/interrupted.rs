//! Interrupted exchanges of codes: the provider may have issued tokens that were never stored.

use chrono::TimeDelta;
use wearlab_ingest::payload;
use wearlab_models::{ConnectedProvider, ConnectionStatus};
use wearlab_store::{PendingAuthorization, StoreError, Transaction};

use super::Linker;
use super::refresh::connection_error;

/// Maximum duration of an exchange, with the writes after it.
const MAX_EXCHANGE: TimeDelta = TimeDelta::minutes(2);

impl Linker {
    /// Ends exchanges that no process will complete. A code cannot be sent twice, so the user has to link again: an
    /// existing connection is left unchanged, and if there is none, one with an error is created.
    pub(super) async fn end_interrupted(&self) -> Result<(), StoreError> {
        let before = (self.now)() - MAX_EXCHANGE;
        if !self.store.has_interrupted_authorizations(before).await? {
            return Ok(());
        }
        let ended = self.store.write(|write| {
            let interrupted = write.interrupted_authorizations(before)?;
            for pending in &interrupted {
                self.end_one(write, pending)?;
            }
            Ok(interrupted.len())
        });
        let count = ended.await?;
        tracing::warn!(
            count,
            "exchanges of codes were cut short: their users have to link again"
        );
        Ok(())
    }

    fn end_one(&self, write: &mut Transaction<'_>, pending: &PendingAuthorization) -> Result<(), StoreError> {
        write.end_authorization(pending.id)?;
        let (team, user_id, slug) = (pending.team, pending.user_id, &pending.provider);
        if write.connection(team, user_id, slug)?.is_some() {
            return Ok(());
        }
        let ingestion = self.ingestion();
        let message = "The service was cut short while it linked the provider.";
        let error = connection_error("link_interrupted", message, ingestion.now);
        let catalogued = write.oauth_provider(slug)?;
        let connection = ConnectedProvider::builder()
            .name(catalogued.as_ref().map_or(slug, |known| &known.name))
            .slug(slug)
            .logo(catalogued.and_then(|known| known.logo).unwrap_or_default())
            .status(ConnectionStatus::Error)
            .created_on(ingestion.now.fixed_offset())
            .resource_availability(Default::default())
            .error_details(error.clone())
            .build();
        write.put_connection(team, user_id, &connection)?;
        write.log(team, user_id, &ingestion, |envelope| {
            Ok(payload::connection_failed(envelope, slug, &error))
        })
    }
}
