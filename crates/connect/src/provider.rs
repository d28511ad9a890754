//! Interface of a connector of one provider.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, NaiveDate, Utc};
use futures_util::future::BoxFuture;
use wearlab_kit_client::{Error, PagedCall};
use wearlab_models::{ProviderSettings, ResourceName, ScopeSet, Secret};

use crate::{Application, NoticeRequest, NoticeSecrets, Pace, Quota, Reading, Received, Refusal, Span, pages};

/// Response of a provider.
pub type Reply<'a, T> = BoxFuture<'a, Result<T, Refusal>>;

/// Connector of one provider. It keeps no state: the queue of the store does.
pub trait Provider: Send + Sync {
    /// Returns the facts of the provider.
    fn profile(&self) -> &'static Profile;

    /// Returns the OAuth settings of the provider, without a client.
    fn settings(&self) -> ProviderSettings;

    /// Reads the account of the user, after a link. Steps that a provider needs before it gives data, such as a registration
    /// of the user, belong here: it is called again until it succeeds.
    fn account<'a>(&'a self, session: &'a Session) -> Reply<'a, Account>;

    /// Reads all values of a collection that belong to a span of days. A value belongs to one span: those of a night, also
    /// its samples before midnight, to that of the day of the night.
    fn pull<'a>(&'a self, session: &'a Session, collection: &'static Collection, span: Span)
    -> Reply<'a, Vec<Reading>>;

    /// Returns the day of a document of a collection that a notice names by its id alone, as a
    /// [`Change::Document`](crate::Change::Document). None if the provider does not have it.
    fn day_of<'a>(
        &'a self,
        session: &'a Session,
        collection: &'static Collection,
        provider_id: &'a str,
    ) -> Reply<'a, Option<NaiveDate>> {
        let _ = (session, collection, provider_id);
        Box::pin(async { Ok(None) })
    }

    /// Verifies and reads a request to the address of notices. Without an implementation, there are no notices, and the
    /// provider is only pulled.
    fn receive(&self, request: &NoticeRequest<'_>, secrets: &NoticeSecrets) -> Received {
        let _ = (request, secrets);
        Received::Unsupported
    }

    /// Brings the subscriptions of the application to notices into the wanted state: lists, makes, changes, renews and
    /// deletes them. Returns the time at which it is called again at the latest. It is called again earlier if a
    /// subscription may differ, and after a failure. None if the application has none: there are no notices, or they are
    /// set up by hand, or for each user.
    fn subscribe<'a>(&'a self, application: &'a Application) -> Option<Reply<'a, DateTime<Utc>>> {
        let _ = application;
        None
    }
}

/// Facts of a provider.
#[derive(Debug)]
pub struct Profile {
    /// Number in the catalogue.
    pub id: i64,
    /// Slug.
    pub slug: &'static str,
    /// Display name.
    pub name: &'static str,
    /// Description for the catalogue.
    pub description: &'static str,
    /// Kind of the sources of its data, such as `ring`.
    pub source_type: &'static str,
    /// Collections, each pulled by tasks of its own.
    pub collections: &'static [Collection],
    /// Limits of the requests of one client, for all its users.
    pub quotas: &'static [Quota],
    /// Pulls of one client at a time, in a process. One, where the requests of several would time out together.
    pub max_concurrent: usize,
    /// Days of history that are pulled after a link.
    pub history_days: u32,
}

/// Resources of a provider that are pulled together.
#[derive(Debug)]
pub struct Collection {
    /// Name in tasks, metrics and logs: lowercase letters and underscores.
    pub name: &'static str,
    /// Resources of its values. A resource belongs to one collection of a provider.
    pub resources: &'static [ResourceName],
    /// Scopes that the provider requires for it.
    pub scopes: &'static [&'static str],
    /// Maximum days of a request, and of a chunk of the history.
    pub window_days: u32,
    /// Days before today that are read again each time, since data come late and are corrected.
    pub look_back_days: u32,
    /// Seconds between two pulls of a connection.
    pub pace_seconds: u32,
    /// True if days of the past can be read; false for a profile.
    pub has_history: bool,
}

/// Access to the data of one user.
#[derive(Debug)]
pub struct Session {
    /// HTTP client, which connects only where the operator allows, and follows no redirects.
    pub http: reqwest::Client,
    /// Base URL of the API, in place of the provider's own.
    pub base_url: Option<String>,
    /// Access token of the user.
    pub access_token: Secret,
    /// Limits of the client at the provider.
    pub pace: Arc<Pace>,
    /// Number of requests that were permitted.
    pub requests: AtomicU64,
}

impl Session {
    /// Waits until the limits of the client allow a request. Each request to the provider waits for it before.
    pub async fn permit(&self) {
        self.pace.permit().await;
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Reads the items of all pages of a list.
    ///
    /// # Errors
    ///
    /// Those of [`pages`].
    pub async fn items<'a, C, P, T>(&self, call: C) -> Result<Vec<T>, Refusal>
    where
        C: PagedCall<'a, Page = P, Item = T, Position = String>,
    {
        self.items_or(call, Refusal::from).await
    }

    /// Reads the items of all pages of a list, of a provider that tells the `refusal` of an error in a way of its own.
    ///
    /// # Errors
    ///
    /// Like [`pages`], with the refusal of a page as `refusal` reads it.
    pub async fn items_or<'a, C, P, T>(&self, call: C, refusal: fn(Error) -> Refusal) -> Result<Vec<T>, Refusal>
    where
        // Types of their own, so that the future is `Send` whatever `'a` is.
        C: PagedCall<'a, Page = P, Item = T, Position = String>,
    {
        let page = |token: Option<String>| {
            let call = match token {
                Some(token) => call.clone().at(token),
                None => call.clone(),
            };
            async move {
                self.permit().await;
                let page = call.clone().fetch().await.map_err(refusal)?;
                let next = call.next(&page).map_err(refusal)?;
                Ok((C::into_items(page.into_inner()), next))
            }
        };
        pages(page).await
    }
}

/// Account of a user at a provider.
#[derive(Clone, Debug)]
pub struct Account {
    /// The provider's own id of the user, which its notices name. None if it has none.
    pub provider_user_id: Option<String>,
}

/// Returns the scopes of each resource of a provider, for its OAuth settings.
pub fn scopes(collections: &[Collection]) -> BTreeMap<ResourceName, ScopeSet> {
    let of = |collection: &Collection| {
        let required = collection.scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let set = ScopeSet::builder().required(required).optional(Vec::new()).build();
        collection
            .resources
            .iter()
            .map(move |resource| (resource.clone(), set.clone()))
            .collect::<Vec<_>>()
    };
    collections.iter().flat_map(of).collect()
}
