//! Strava: workouts of any device. The mapping of its data is in [`mapping`].
//!
//! Activities have no time of last change, so the last days are read again each time. Each activity costs two requests,
//! its details and its streams, and the limits are low: `limits.rs` checks that they leave enough before the first one.
//! Notices tell of new, changed and deleted activities, and of the end of a grant.

mod collections;
#[rustfmt::skip]
pub mod generated;
mod limits;
pub mod mapping;
mod notices;
mod refusal;
mod settings;
pub mod simulated;
mod subscriptions;
#[cfg(test)]
mod tests;

use chrono::{DateTime, NaiveDate, Utc};
use wearlab_connect::{
    Account, Application, Collection, NoticeRequest, NoticeSecrets, Profile, Provider, Reading, Received, Refusal,
    Reply, Session, Span,
};
use wearlab_models::ProviderSettings;

use self::generated::client::Client;
use self::refusal::refusal;
use crate::client::client;

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

    fn day_of<'a>(
        &'a self,
        session: &'a Session,
        _: &'static Collection,
        provider_id: &'a str,
    ) -> Reply<'a, Option<NaiveDate>> {
        Box::pin(async move { collections::day_of_activity(session, &client(session)?, provider_id).await })
    }

    fn receive(&self, request: &NoticeRequest<'_>, secrets: &NoticeSecrets) -> Received {
        notices::receive(request, secrets)
    }

    fn subscribe<'a>(&'a self, application: &'a Application) -> Option<Reply<'a, DateTime<Utc>>> {
        Some(Box::pin(subscriptions::subscribe(application)))
    }
}

fn client(session: &Session) -> Result<Client, Refusal> {
    Ok(client!(
        session,
        Client,
        settings::API_URL,
        settings::MAX_RESPONSE_BYTES
    )?)
}
