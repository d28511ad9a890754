//! WHOOP: wrist bands. The mapping of its data is in [`mapping`].
//!
//! Records can be filtered by their time alone, and not by that of their last change, so the last days are read again each
//! time. Notices tell of new, changed and deleted sleeps and workouts, and of recoveries.

mod collections;
#[rustfmt::skip]
pub mod generated;
pub mod mapping;
mod notices;
mod settings;
pub mod simulated;
#[cfg(test)]
mod tests;

use chrono::NaiveDate;
use wearlab_connect::{
    Account, Collection, NoticeRequest, NoticeSecrets, Profile, Provider, Reading, Received, Refusal, Reply, Session,
    Span,
};
use wearlab_kit_client::Error;
use wearlab_models::ProviderSettings;

use self::generated::client::Client;
use crate::client::client;

/// Maximum size of a response: a page has 25 records of less than 2 KiB.
const MAX_RESPONSE_BYTES: u64 = 1024 * 1024;

/// Connector of WHOOP.
#[derive(Clone, Copy, Debug, Default)]
pub struct Whoop;

impl Provider for Whoop {
    fn profile(&self) -> &'static Profile {
        &settings::PROFILE
    }

    fn settings(&self) -> ProviderSettings {
        settings::oauth()
    }

    fn account<'a>(&'a self, session: &'a Session) -> Reply<'a, Account> {
        Box::pin(async move {
            let client = client(session)?;
            session.permit().await;
            let id = match client.get_profile().send().await {
                Ok(person) => Some(person.user_id),
                // Any record has the id, too, where the user did not grant the profile.
                Err(Error::Forbidden(_) | Error::Unauthorized(_)) => {
                    session.permit().await;
                    let page = client.list_cycles().limit(1).send().await?;
                    page.records.first().map(|cycle| cycle.user_id)
                }
                Err(error) => return Err(error.into()),
            };
            Ok(Account {
                provider_user_id: id.map(|id| id.to_string()),
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
            // A missing scope may be a 401, too. Any valid token reads the person, if the user granted that.
            session.permit().await;
            match client.get_profile().send().await {
                Ok(_) => Err(Refusal::Forbidden),
                Err(_) => read,
            }
        })
    }

    fn day_of<'a>(
        &'a self,
        session: &'a Session,
        collection: &'static Collection,
        provider_id: &'a str,
    ) -> Reply<'a, Option<NaiveDate>> {
        Box::pin(async move { collections::day_of(session, &client(session)?, collection.name, provider_id).await })
    }

    fn receive(&self, request: &NoticeRequest<'_>, secrets: &NoticeSecrets) -> Received {
        notices::receive(request, secrets)
    }
}

fn client(session: &Session) -> Result<Client, Refusal> {
    Ok(client!(session, Client, settings::API_URL, MAX_RESPONSE_BYTES)?)
}
