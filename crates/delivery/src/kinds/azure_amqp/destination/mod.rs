//! Azure Event Hubs: hubs of one namespace, and blob storage.
//!
//! The first matcher of the pipeline that fits an event's type decides where it goes: to a hub, a container of blobs, or
//! both. What none fits goes to the default hub.
//!
//! # What a consumer gets from a hub
//!
//! | part of the message | what it holds |
//! |---|---|
//! | body | the event as JSON, in one data section, compressed by gzip as the pipeline's `compression` says |
//! | partition key | the user's id: a user's events are in one partition, in their order |
//! | `message-id` | the event's id, the same at every attempt |
//! | `content-type` | `application/json` |
//! | `content-encoding` | `gzip`, absent where the body is not compressed |
//! | application property `event-type` | the event's type |
//! | application property `event-id` | the event's id |
//! | application property `team-id` | whose event it is |
//! | application property `user-id` | the user it is about, absent where it is about none |
//! | application property `content-encoding` | as above, for consumers that do not see the other |
//!
//! An event may arrive more than once, also after later ones of its user: drop those whose id is known.
//!
//! # What a consumer finds in a container
//!
//! A blob for each event, named `team id/day/event type/event id.json`, or `.json.gz`: all of a day begin with
//! `team id/2026-01-31/`. The day is that of the event's making, in UTC. Content type and content encoding are properties
//! of the blob. A blob is written once: a repeated attempt finds it there, and leaves it.
//!
//! # What becomes of a message
//!
//! | what happened | outcome |
//! |---|---|
//! | the hub accepted it, and the blob is written, where both are wanted | delivered |
//! | the hub rejected it, released it or gave it back modified | tried again |
//! | it is larger than the hub takes | refused |
//! | a hub or a container is not there, and the pipeline has others; blob storage cannot be reached or refuses its key | tried again |
//! | the only hub is not there; the namespace cannot be reached, refuses the key, or is throttled; the connection was lost; no confirm came in time | down |
//!
//! Events of one user that are sent together go as one batch, which a hub takes or refuses as a whole, and wait for the
//! confirm of the batch before. The users' batches go side by side. Where a hub rejects a batch, its events go one by one,
//! so that one that is never taken holds up itself alone. Where a batch may not have arrived, its first event says why, and
//! the user's others are behind it.
//!
//! # Why not by the service's own library
//!
//! `azure_messaging_eventhubs` 0.16 calls a batch sent that the hub released or modified, sends one batch at a time over a
//! link, and tries again by itself. So AMQP is spoken through `fe2o3-amqp`, which all of that library rests on.

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
mod settings;
#[cfg(test)]
mod tests;
mod token;

use tokio::time::{Instant, timeout_at};

use self::connection::Connection;
use self::fault::Fault;
use self::link::Links;
use self::send::Call;
use crate::tls::client_config;
use crate::{Check, Checked, Delivery, Destination, Message, Outcome, Reason};

pub use self::namespace::Namespace;
pub use self::settings::Settings;

/// How many events are handed over together.
const BATCH: usize = 500;
impl Namespace {
    /// Links to hubs, over the connection that is there or one that is made now.
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
                    .get_or_try_init(|| async { client_config(&self.settings.extra_roots) })
                    .await?
                    .clone(),
            ),
            false => None,
        };
        Connection::open(&self.endpoint, tls, &self.settings.policy).await
    }

    /// The hubs that messages go to, each once.
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

/// Does what may need a connection, for as long as that is there.
async fn watch<T>(connection: &mut Option<Connection>, work: impl Future<Output = T>) -> T {
    match connection {
        Some(connection) => connection.watch(work).await,
        None => work.await,
    }
}
