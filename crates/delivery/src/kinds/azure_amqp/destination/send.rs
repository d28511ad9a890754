//! Sends the messages of one call to their hubs and containers, those of each user in order.

use std::iter::repeat_n;

use futures_util::{StreamExt, stream};
use tokio::time::Instant;

use super::container::Container;
use super::event::{encode, envelope, fitting, size};
use super::fault::Fault;
use super::link::{Link, Links};
use super::namespace::Namespace;
use super::payload::Payload;
use super::routes::Route;
use crate::fan_out::{fan_out, user_queues};
use crate::{Message, Outcome};

/// Maximum number of blobs of one user that are written concurrently.
const BLOBS_OF_A_USER: usize = 8;

/// Events that are sent together, and their deadline.
pub(super) struct Call<'a> {
    namespace: &'a Namespace,
    links: Links,
    deadline: Instant,
    /// True if there is only one target.
    alone: bool,
}

impl<'a> Call<'a> {
    pub(super) fn new(namespace: &'a Namespace, links: Links) -> Self {
        let routes = &namespace.routes;
        Self {
            namespace,
            links,
            deadline: Instant::now() + namespace.settings.confirm_timeout,
            alone: routes.hubs.len() + routes.containers().len() == 1,
        }
    }

    /// Sends messages, and returns their outcomes.
    pub(super) async fn deliver(&self, messages: &[Message]) -> Vec<Outcome> {
        let in_flight = self.namespace.settings.in_flight;
        fan_out(user_queues(messages), in_flight, |queue| async move {
            let of_user: Vec<_> = queue.iter().map(|index| &messages[*index]).collect();
            let outcomes = self.deliver_queue(&of_user).await;
            queue.into_iter().zip(outcomes).collect()
        })
        .await
    }

    /// Sends a message to each of the hubs.
    pub(super) async fn check_hubs(&self, hubs: &[&str], message: &Message) -> Vec<Result<(), Fault>> {
        let payload = self.namespace.gzip.apply(&message.payload);
        let event = encode(message, &payload);
        let mut sent = Vec::with_capacity(hubs.len());
        for hub in hubs {
            sent.push(match self.link(hub) {
                Ok(link) if size(&event) > link.limit => Err(Fault::too_large(hub, size(&event), link.limit)),
                Ok(link) => {
                    link.send(envelope(message.user_id, std::slice::from_ref(&event)), self.deadline)
                        .await
                }
                Err(fault) => Err(fault),
            });
        }
        sent
    }

    fn link(&self, hub: &str) -> Result<&Link, Fault> {
        match self.links.get(hub) {
            Some(Ok(link)) => Ok(link),
            Some(Err(fault)) => Err(fault.clone()),
            None => Err(Fault::link(hub, None)),
        }
    }

    /// Sends one user's messages. After one that may not have arrived, the others are behind it.
    async fn deliver_queue(&self, messages: &[&Message]) -> Vec<Outcome> {
        let routes = &self.namespace.routes;
        let mut outcomes = Vec::with_capacity(messages.len());
        while let Some(first) = messages.get(outcomes.len()) {
            let route = routes.of(&first.event_type);
            let rest = &messages[outcomes.len()..];
            let same_way = |message: &&&Message| std::ptr::eq(routes.of(&message.event_type), route);
            let run = &rest[..rest.iter().take_while(same_way).count()];
            if let Err(fault) = self.deliver_run(route, run, &mut outcomes).await {
                outcomes.push(fault.outcome(self.alone));
                outcomes.resize(messages.len(), Outcome::Held);
            }
        }
        outcomes
    }

    /// Sends messages to the same targets, up to one that fails: that one has no outcome yet.
    async fn deliver_run(
        &self,
        route: &Route,
        messages: &[&Message],
        outcomes: &mut Vec<Outcome>,
    ) -> Result<(), Fault> {
        let link = route.hub.as_deref().map(|hub| self.link(hub)).transpose()?;
        let apply = |message: &&Message| self.namespace.gzip.apply(&message.payload);
        let payloads: Vec<_> = messages.iter().map(apply).collect();
        let (count, failed) = match &route.container {
            Some(container) => self.write(container, messages, &payloads).await,
            None => (messages.len(), Ok(())),
        };
        match link {
            Some(link) => self.send(link, &messages[..count], &payloads, outcomes).await?,
            None => outcomes.extend(repeat_n(Outcome::Delivered, count)),
        }
        failed
    }

    /// Writes the blobs of messages. Returns the number of those before the first failure, and that
    /// failure.
    async fn write(
        &self,
        container: &Container,
        messages: &[&Message],
        payloads: &[Payload],
    ) -> (usize, Result<(), Fault>) {
        let blobs = &self.namespace.blobs;
        let write = |index: usize| async move {
            let _permit = blobs.acquire().await;
            container.put(messages[index], &payloads[index]).await
        };
        let mut written = stream::iter((0..messages.len()).map(write)).buffered(BLOBS_OF_A_USER);
        let mut count = 0;
        while let Some(put) = written.next().await {
            match put {
                Ok(()) => count += 1,
                Err(fault) => return (count, Err(fault)),
            }
        }
        (count, Ok(()))
    }

    /// Sends one user's messages to a hub, as many together as it accepts.
    async fn send(
        &self,
        link: &Link,
        messages: &[&Message],
        payloads: &[Payload],
        outcomes: &mut Vec<Outcome>,
    ) -> Result<(), Fault> {
        let user = messages.first().and_then(|message| message.user_id);
        let events: Vec<_> = messages
            .iter()
            .zip(payloads)
            .map(|(message, payload)| encode(message, payload))
            .collect();
        let mut one_by_one = false;
        let mut done = 0;
        while let Some(event) = events.get(done) {
            if size(event) > link.limit {
                outcomes.push(Fault::too_large(&link.hub, size(event), link.limit).outcome(self.alone));
                done += 1;
                continue;
            }
            let count = match one_by_one {
                true => 1,
                false => fitting(&events[done..], link.limit),
            };
            match link
                .send(envelope(user, &events[done..done + count]), self.deadline)
                .await
            {
                Ok(()) => outcomes.extend(repeat_n(Outcome::Delivered, count)),
                // It accepted none of them: the rejected one is found by sending each alone.
                Err(Fault::Message(_) | Fault::Refused(_)) if count > 1 => {
                    one_by_one = true;
                    continue;
                }
                Err(refused @ Fault::Refused(_)) => outcomes.push(refused.outcome(self.alone)),
                Err(fault) => return Err(fault),
            }
            done += count;
        }
        Ok(())
    }
}
