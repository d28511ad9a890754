//! Dexcom: continuous glucose monitors. The mapping of its data is in [`mapping`].
//!
//! Records can be filtered by their time alone, so the last days are read again each time. The span of what is new, which
//! the provider tells since a time, is not used: connectors keep no state. Not read: devices, and alerts, which have no
//! counterpart.

mod collections;
#[rustfmt::skip]
pub mod generated;
pub mod mapping;
mod settings;
pub mod simulated;
#[cfg(test)]
mod tests;

use wearlab_connect::{Account, Collection, Profile, Provider, Reading, Refusal, Reply, Session, Span};
use wearlab_models::ProviderSettings;

use self::generated::client::Client;
use crate::client::client;

/// Maximum size of a response: 30 days have about 8,640 records of less than 1 KiB.
const MAX_RESPONSE_BYTES: u64 = 16 * 1024 * 1024;

/// Connector of Dexcom.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dexcom;

impl Provider for Dexcom {
    fn profile(&self) -> &'static Profile {
        &settings::PROFILE
    }

    fn settings(&self) -> ProviderSettings {
        settings::oauth()
    }

    fn account<'a>(&'a self, session: &'a Session) -> Reply<'a, Account> {
        Box::pin(async move {
            session.permit().await;
            let range = client(session)?.get_data_range().send().await?.into_inner();
            Ok(Account {
                provider_user_id: Some(range.user_id),
            })
        })
    }

    fn pull<'a>(
        &'a self,
        session: &'a Session,
        collection: &'static Collection,
        span: Span,
    ) -> Reply<'a, Vec<Reading>> {
        Box::pin(async move {
            let client = client(session)?;
            collections::read(session, &client, collection.name, span).await
        })
    }
}

fn client(session: &Session) -> Result<Client, Refusal> {
    Ok(client!(session, Client, settings::API_URL, MAX_RESPONSE_BYTES)?)
}
