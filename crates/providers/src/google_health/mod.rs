//! Google Health, version 4: bands and watches of Fitbit and Google. The mapping of its data is in [`mapping`].
//!
//! Sleep and exercise have a time of their last change, by which they cannot be filtered, and other points have none: the last
//! days are read again each time. Points are read as Google's app shows them, in one stream of all sources, so that those of two
//! sources count once. Not read: settings, since points have offsets, and the age.

mod collections;
#[rustfmt::skip]
pub mod generated;
pub mod mapping;
mod refusal;
mod requests;
mod settings;
pub mod simulated;
#[cfg(test)]
mod tests;

use wearlab_connect::{Account, Collection, Profile, Provider, Reading, Refusal, Reply, Session, Span};
use wearlab_models::ProviderSettings;

use self::generated::client::Client;
use self::refusal::refusal;
use self::requests::Requests;
use crate::client::client;

/// Maximum size of a response: a page of 10,000 points has less than half of it.
const MAX_RESPONSE_BYTES: u64 = 16 * 1024 * 1024;

/// Connector of Google Health.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoogleHealth;

impl Provider for GoogleHealth {
    fn profile(&self) -> &'static Profile {
        &settings::PROFILE
    }

    fn settings(&self) -> ProviderSettings {
        settings::oauth()
    }

    fn account<'a>(&'a self, session: &'a Session) -> Reply<'a, Account> {
        Box::pin(async move {
            session.permit().await;
            let identity = client(session)?
                .get_identity()
                .send()
                .await
                .map_err(refusal)?
                .into_inner();
            Ok(Account {
                provider_user_id: Some(identity.health_user_id),
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
            let requests = Requests::new(session, client(session)?);
            collections::read(&requests, collection.name, span).await
        })
    }
}

fn client(session: &Session) -> Result<Client, Refusal> {
    Ok(client!(session, Client, settings::API_URL, MAX_RESPONSE_BYTES)?)
}
