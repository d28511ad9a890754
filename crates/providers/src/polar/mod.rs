//! Polar AccessLink, version 3: watches, bands and chest straps. The mapping of its data is in [`mapping`].
//!
//! A person must be registered before anything is read. Lists have no time of last change, so the last days are read again
//! each time, and when a notice tells of new ones. Not read: cardio load, alertness and circadian bedtimes, contact with the skin, which have no counterpart.

mod collections;
#[rustfmt::skip]
pub mod generated;
mod limits;
pub mod mapping;
mod notices;
mod settings;
pub mod simulated;
mod subscriptions;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use wearlab_connect::{
    Account, Application, Collection, NoticeRequest, NoticeSecrets, Profile, Provider, Reading, Received, Refusal,
    Reply, Session, Span,
};
use wearlab_kit_client::Error;
use wearlab_models::ProviderSettings;

use self::generated::client::{Client, RegisterUserResponse};
use self::generated::models::Registration;
use self::limits::refusal;
use crate::client::client;

/// Connector of Polar.
#[derive(Clone, Copy, Debug, Default)]
pub struct Polar;

impl Provider for Polar {
    fn profile(&self) -> &'static Profile {
        &settings::PROFILE
    }

    fn settings(&self) -> ProviderSettings {
        settings::oauth()
    }

    /// Registers the person. One who was registered before is a 409, which does not tell the id: the token response did.
    fn account<'a>(&'a self, session: &'a Session) -> Reply<'a, Account> {
        Box::pin(async move {
            session.permit().await;
            // An id that no other person has, so that a 409 is not about it.
            let registration = Registration {
                member_id: Uuid::new_v4().to_string(),
            };
            let provider_user_id = match client(session)?.register_user(registration).send().await {
                Ok(response) => match response.into_inner() {
                    RegisterUserResponse::Ok(user) => Some(user.polar_user_id.to_string()),
                    RegisterUserResponse::NoContent => return Err(Refusal::NotFound),
                },
                Err(Error::Conflict(_)) => None,
                Err(error) => return Err(refusal(error)),
            };
            Ok(Account { provider_user_id })
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

    fn receive(&self, request: &NoticeRequest<'_>, _: &NoticeSecrets) -> Received {
        notices::receive(request)
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
