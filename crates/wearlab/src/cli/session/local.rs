//! Session on a store of this machine: the command serves the store to itself, at a port of its own.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use wearlab_client::{Client, ClientBuilder, Error, RetryPolicy};
use wearlab_delivery::webhook::Sender;
use wearlab_linking::Linking;
use wearlab_models::Uuid;
use wearlab_service::{Failure, Operator, Service};
use wearlab_store::{OrganisationId, Store, StoreError};

use super::errors::reason;
use super::organisation::Organisation;
use crate::cli::output::warn;
use crate::cli::sending;
use crate::cli::store_args::{StoreArgs, failed};
use crate::serve::configured_url;

/// Timeout for pending requests to providers at the end.
const PROVIDER_TIMEOUT: Duration = Duration::from_secs(30);

/// Use of destinations by a command. Configuring them reads certificates and secrets.
#[derive(Clone, Copy)]
pub(super) enum Kinds {
    Unread,
    /// Invalid settings are a warning.
    Optional,
    Required,
}

/// A store and a private service on it: each request carries a secret that this process alone has.
pub(in crate::cli) struct Local {
    store: Store,
    operator: Arc<Operator>,
    failure: Failure,
    linking: Arc<Linking>,
    url: String,
    http: reqwest::Client,
    /// Aborts the server when dropped.
    _serving: JoinSet<()>,
}

impl Local {
    pub(super) async fn open(args: &StoreArgs, kinds: Kinds) -> Result<Self> {
        let config = args.config()?;
        let read = || sending::kinds(&config, Sender::new(config.webhooks.sender(), wearlab_clock::now)?);
        let kinds = match kinds {
            Kinds::Unread => None,
            Kinds::Optional => read()
                .inspect_err(|error| warn(format_args!("delivery is not possible: {error:#}")))
                .ok(),
            Kinds::Required => Some(read()?),
        };
        let store = args.open().await?;
        let linking = Arc::new(Linking::new(config.linking.clone(), &configured_url(&config.http)));
        let service = Service::starting(wearlab_service::Settings::default(), wearlab_clock::now)
            .with_deprecated_forms(config.events.deprecated)
            .with_webhooks(config.webhooks.sender())
            .with_rejected_notes(config.ingest.rejected())
            .with_kinds(kinds);
        Self::serve(store, service, linking).await
    }

    pub(super) async fn serve(store: Store, service: Service, linking: Arc<Linking>) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.context("cannot listen at 127.0.0.1")?;
        let url = format!("http://{}", listener.local_addr()?);
        let operator = Arc::new(Operator::new(rand::random()));
        let service = service.with_linking(linking.clone()).operated_by(operator.clone());
        service.open_once(store.clone(), rand::random()).await.map_err(failed)?;
        let failure = Failure::default();
        let noted = failure.clone();
        let note = move |request: Request, next: Next| noted.clone().during(next.run(request));
        let routes = wearlab_server::routes::<Service>().layer(from_fn(note));
        let router = wearlab_server::finish(routes, Arc::new(service));
        let mut serving = JoinSet::new();
        // `serve` does not fail once it listens, and ends with the command.
        serving.spawn(async move { drop(axum::serve(listener, router).await) });
        // A server on loopback needs no proxy, redirects or certificates.
        let http = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .tls_certs_only([])
            .build();
        Ok(Self {
            store,
            operator,
            failure,
            linking,
            url,
            http: http.context("cannot make an HTTP client")?,
            _serving: serving,
        })
    }

    pub(super) async fn organisations(&self) -> Result<Vec<Organisation>> {
        let ids = self.store.organisations().await.map_err(failed)?;
        ids.iter().map(|id| self.acting_for(id)).collect()
    }

    pub(super) async fn organisation(&self, org: &str) -> Result<Organisation> {
        let ids = self.store.organisations().await.map_err(failed)?;
        let id = ids.iter().find(|id| id.as_str() == org);
        self.acting_for(id.ok_or(missing("organisation")).map_err(failed)?)
    }

    pub(super) async fn organisation_of(&self, team: Uuid, org: Option<&str>) -> Result<Organisation> {
        let id = self.store.organisation_of_team(team).await.map_err(failed)?;
        let id = id.filter(|id| org.is_none_or(|org| id.as_str() == org));
        self.acting_for(&id.ok_or(missing("team")).map_err(failed)?)
    }

    pub(super) async fn team(&self, team: Uuid) -> Result<Client> {
        let id = self.store.organisation_of_team(team).await.map_err(failed)?;
        id.ok_or(missing("team")).map_err(failed)?;
        Ok(self.builder().api_key(self.operator.team_key(team).expose()).build()?)
    }

    pub(super) fn failed(&self, what: &str, error: &Error) -> anyhow::Error {
        match self.failure.take() {
            Some(failure) => anyhow!("failed to {failure}"),
            None => anyhow!("failed to {what}: {}", reason(error)),
        }
    }

    pub(super) async fn scrub(&self) -> Result<()> {
        self.store.scrub_deletions().await.map(drop).map_err(failed)
    }

    pub(super) async fn finish(self) {
        self.linking.finish(PROVIDER_TIMEOUT).await;
    }

    #[cfg(test)]
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    fn acting_for(&self, id: &OrganisationId) -> Result<Organisation> {
        let key = self.operator.organisation_key(id.as_str());
        Ok(Organisation {
            client: self.builder().management_key(key.expose()).build()?,
            id: id.as_str().to_owned(),
        })
    }

    /// Returns a client without retries and timeouts: the store has timeouts.
    fn builder(&self) -> ClientBuilder {
        Client::builder()
            .base_url(&self.url)
            .http_client(self.http.clone())
            .retry(RetryPolicy::none())
    }
}

fn missing(what: &'static str) -> StoreError {
    StoreError::Missing { what }
}
