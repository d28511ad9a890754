//! Namespace of Event Hubs, with containers of blobs, as a destination.

mod cbs;
mod connection;
mod container;
mod event;
mod fault;
mod frames;
mod link;
mod namespace;
mod payload;
mod routes;
mod send;
#[cfg(test)]
mod tests;
mod token;

use tokio::time::{Instant, timeout_at};
use wearlab_models::AzureAmqp;

use self::connection::Connection;
use self::fault::Fault;
use self::link::Links;
use self::send::Call;
use super::config::EventHubsConfig;
use super::settings::Settings;
use crate::kinds::kind::{Connect, Target};
use crate::tls::{client_config, verifier};
use crate::{Check, Checked, ConfigError, Delivery, Destination, Message, Outcome, Reason};

pub use self::namespace::Namespace;

/// Maximum number of events of one call.
const BATCH: usize = 500;
impl Namespace {
    /// Links to hubs, over an existing connection or a new one.
    async fn links(&self, kept: Option<Connection>, hubs: &[&str]) -> (Option<Connection>, Links) {
        let kept = kept.and_then(Connection::if_active);
        if hubs.is_empty() {
            return (kept, Links::new());
        }
        let limit = self.settings.connect_timeout;
        let deadline = Instant::now() + limit;
        let late = || Reason::new(format!("the namespace did not respond within {limit:?}"));
        let connection = match kept {
            Some(connection) => Ok(connection),
            None => timeout_at(deadline, self.open()).await.unwrap_or_else(|_| Err(late())),
        };
        let mut connection = match connection {
            Ok(connection) => connection,
            Err(reason) => {
                let none = |hub: &&str| ((*hub).to_owned(), Err(Fault::Namespace(reason.clone())));
                return (None, hubs.iter().map(none).collect());
            }
        };
        let mut links = Links::new();
        for hub in hubs {
            let link = timeout_at(deadline, connection.link(hub, &self.endpoint, &self.settings)).await;
            let link = link.unwrap_or_else(|_| {
                connection.set_broken(late());
                Err(Fault::Namespace(late()))
            });
            links.insert((*hub).to_owned(), link);
        }
        (Some(connection), links)
    }

    async fn open(&self) -> Result<Connection, Reason> {
        let tls = match self.endpoint.tls {
            true => Some(
                self.tls
                    .get_or_try_init(|| async { client_config(verifier(&self.settings.extra_roots)?) })
                    .await?
                    .clone(),
            ),
            false => None,
        };
        Connection::open(&self.endpoint, tls, &self.settings.policy).await
    }

    /// The hubs of messages, each once.
    fn hubs_of(&self, messages: &[Message]) -> Vec<&str> {
        let mut hubs = Vec::new();
        let routes = messages.iter().map(|message| self.routes.of(&message.event_type));
        for hub in routes.filter_map(|route| route.hub.as_deref()) {
            if !hubs.contains(&hub) {
                hubs.push(hub);
            }
        }
        hubs
    }
}

impl Destination for Namespace {
    fn ordered(&self) -> bool {
        true
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a> {
        Box::pin(async move {
            let mut slot = self.connection.lock().await;
            let (mut connection, links) = self.links(slot.take(), &self.hubs_of(messages)).await;
            let call = Call::new(self, links);
            let outcomes = watch(&mut connection, call.deliver(messages)).await;
            drop(call);
            *slot = connection.and_then(Connection::if_active);
            outcomes
        })
    }

    fn check<'a>(&'a self, message: &'a Message) -> Check<'a> {
        Box::pin(async move {
            let hubs: Vec<_> = self.routes.hubs.iter().map(String::as_str).collect();
            let outcome = |sent: Result<(), Fault>| sent.err().map_or(Outcome::Delivered, |fault| fault.outcome(true));
            let mut checked = Vec::new();
            let mut slot = self.connection.lock().await;
            let (mut connection, links) = self.links(slot.take(), &hubs).await;
            let call = Call::new(self, links);
            let sent = watch(&mut connection, call.check_hubs(&hubs, message)).await;
            drop(call);
            *slot = connection.and_then(Connection::if_active);
            for (hub, sent) in hubs.iter().zip(sent) {
                let target = format!("event hub {hub}");
                checked.push(Checked {
                    target,
                    outcome: outcome(sent),
                });
            }
            for container in self.routes.containers() {
                let target = format!("container {}", container.name);
                let written = container.put(message, &self.gzip.apply(&message.payload)).await;
                checked.push(Checked {
                    target,
                    outcome: outcome(written),
                });
            }
            checked
        })
    }
}

/// Runs work that may need a connection, for as long as that exists.
async fn watch<T>(connection: &mut Option<Connection>, work: impl Future<Output = T>) -> T {
    match connection {
        Some(connection) => connection.watch(work).await,
        None => work.await,
    }
}

impl Connect for AzureAmqp {
    fn connect(
        config: EventHubsConfig,
        settings: &Settings,
        target: &Target<'_>,
    ) -> Result<Box<dyn Destination>, ConfigError> {
        let mut settings = settings.clone();
        settings.policy.clone_from(&target.egress.hosts);
        Ok(Box::new(Namespace::from_config(config, settings)?))
    }
}
