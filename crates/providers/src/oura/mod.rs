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
use wearlab_kit_client::RetryPolicy;
use wearlab_models::ProviderSettings;

use self::generated::client::Client;

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
            match collections::read(session, &client, collection.name, span).await {
                // A missing scope is a 401, too. Any valid token reads the id of the person.
                Err(Refusal::Unauthorized) if client.get_personal_info().send().await.is_ok() => {
                    Err(Refusal::Forbidden)
                }
                read => read,
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

/// Returns a client for the data of one user. The queue repeats what fails, so the client does not.
fn client(session: &Session) -> Result<Client, Refusal> {
    let client = Client::builder()
        .http_client(session.http.clone())
        .base_url(session.base_url.as_deref().unwrap_or(settings::API_URL))
        .access_token(session.access_token.expose())
        .retry(RetryPolicy::none())
        .max_response_bytes(settings::MAX_RESPONSE_BYTES)
        .build()?;
    Ok(client)
}
