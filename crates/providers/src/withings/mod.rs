//! Withings: scales, cuffs, watches and mats. The mapping of its data is in [`mapping`].
//!
//! A request is a form whose `action` chooses what it does, and an error is a `status` in a response of HTTP 200. Data are read
//! by spans of days, since a connector keeps no state: `lastupdate`, which lists what changed, does not tell days of a
//! history apart. A change before the days that are read again is not seen. Not read: devices, since measures tell their
//! kind, and goals.

mod collections;
#[rustfmt::skip]
pub mod generated;
pub mod mapping;
mod requests;
mod settings;
pub mod simulated;
mod status;
#[cfg(test)]
mod tests;

use wearlab_connect::{Account, Collection, Profile, Provider, Reading, Refusal, Reply, Session, Span};
use wearlab_models::ProviderSettings;

use self::generated::client::Client;
use self::requests::Requests;
use crate::client::client;

/// Maximum size of a response: the samples of a day have less than a tenth of it.
const MAX_RESPONSE_BYTES: u64 = 16 * 1024 * 1024;

/// Connector of Withings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Withings;

impl Provider for Withings {
    fn profile(&self) -> &'static Profile {
        &settings::PROFILE
    }

    fn settings(&self) -> ProviderSettings {
        settings::oauth()
    }

    /// Returns no id: the response with the tokens has it, and no other one does.
    fn account<'a>(&'a self, _: &'a Session) -> Reply<'a, Account> {
        Box::pin(async { Ok(Account { provider_user_id: None }) })
    }

    fn pull<'a>(
        &'a self,
        session: &'a Session,
        collection: &'static Collection,
        span: Span,
    ) -> Reply<'a, Vec<Reading>> {
        Box::pin(async move {
            let requests = Requests::new(session, client(session)?);
            collections::read(&requests, collection.name, span).await
        })
    }
}

fn client(session: &Session) -> Result<Client, Refusal> {
    Ok(client!(session, Client, settings::API_URL, MAX_RESPONSE_BYTES)?)
}
