//! Strava: workouts of any device. The mapping of its data is in [`mapping`].
//!
//! Activities have no time of last change, so the last days are read again each time. Each activity costs two requests,
//! its details and its streams, and the limits are low: `limits.rs` checks that they leave enough before the first one.

mod collections;
#[rustfmt::skip]
pub mod generated;
mod limits;
pub mod mapping;
mod refusal;
mod settings;
pub mod simulated;
#[cfg(test)]
mod tests;

use wearlab_connect::{Account, Collection, Profile, Provider, Reading, Refusal, Reply, Session, Span};
use wearlab_models::ProviderSettings;

use self::generated::client::Client;
use self::refusal::refusal;
use crate::client::client;

/// Maximum size of a response: all streams of a day without a pause have less than half of it.
const MAX_RESPONSE_BYTES: u64 = 16 * 1024 * 1024;

/// Connector of Strava.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strava;

impl Provider for Strava {
    fn profile(&self) -> &'static Profile {
        &settings::PROFILE
    }

    fn settings(&self) -> ProviderSettings {
        settings::oauth()
    }

    fn account<'a>(&'a self, session: &'a Session) -> Reply<'a, Account> {
        Box::pin(async move {
            session.permit().await;
            let athlete = client(session)?.get_athlete().send().await;
            let athlete = athlete
                .map_err(|error| refusal(error, wearlab_clock::now()))?
                .into_inner();
            Ok(Account {
                provider_user_id: Some(athlete.id.to_string()),
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
