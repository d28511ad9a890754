//! Oura: rings. The mapping of its data is in [`mapping`].
//!
//! Documents have no time of last change, so the last days are read again each time, and when a notice tells of new ones. Not read: sessions, tags, stress,
//! resilience and rings, which have no counterpart, and `sleep.heart_rate`, since `heartrate` has the same samples.

mod collections;
#[rustfmt::skip]
pub mod generated;
pub mod mapping;
mod notices;
mod settings;
pub mod simulated;
mod subscriptions;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use wearlab_connect::{
    Account, Application, Collection, NoticeRequest, NoticeSecrets, Profile, Provider, Reading, Received, Refusal,
    Reply, Session, Span,
};
use wearlab_models::ProviderSettings;

use self::generated::client::Client;
use crate::client::client;

/// Connector of Oura.
#[derive(Clone, Copy, Debug, Default)]
pub struct Oura;

impl Provider for Oura {
    fn profile(&self) -> &'static Profile {
        &settings::PROFILE
    }

    fn settings(&self) -> ProviderSettings {
        settings::oauth()
    }

    fn account<'a>(&'a self, session: &'a Session) -> Reply<'a, Account> {
        Box::pin(async move {
            session.permit().await;
            let person = client(session)?.get_personal_info().send().await?.into_inner();
            Ok(Account {
                provider_user_id: Some(person.id),
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
            let read = collections::read(session, &client, collection.name, span).await;
            if read != Err(Refusal::Unauthorized) {
                return read;
            }
            // A missing scope is a 401, too. Any valid token reads the id of the person.
            session.permit().await;
            match client.get_personal_info().send().await {
                Ok(_) => Err(Refusal::Forbidden),
                Err(_) => read,
            }
        })
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
