//! Sends the messages of one call: requests, their order, and the outcomes.

use std::sync::OnceLock;

use tokio::time::timeout;

use super::client::Client;
use super::connection::Renew;
use super::fault::Fault;
use super::topic::Topic;
use super::{request, wire};
use crate::fan_out::{fan_out, user_queues};
use crate::{Message, Outcome, Reason};

/// Maximum number of requests in flight. The service accepts 100 on a connection; waiting ones would exceed their
/// timeout.
const IN_FLIGHT: usize = 64;

/// Maximum number of messages of a request without an order, so that the requests of a call are concurrent.
const TOGETHER: usize = 100;

/// Reason to send nothing more in this call.
#[derive(Clone)]
struct Down {
    reason: Reason,
    renew: Renew,
}

/// Messages that are sent one request after the other.
struct Queue {
    indices: Vec<usize>,
    /// True if messages after one that may not have arrived are held back.
    ordered: bool,
}

/// One call of `deliver`.
pub(super) struct Publish<'a> {
    topic: &'a Topic,
    messages: &'a [Message],
    down: OnceLock<Down>,
}

impl<'a> Publish<'a> {
    pub(super) fn new(topic: &'a Topic, messages: &'a [Message]) -> Self {
        Self {
            topic,
            messages,
            down: OnceLock::new(),
        }
    }

    pub(super) async fn run(self) -> Vec<Outcome> {
        let connection = &self.topic.connection;
        let client = connection.client().await;
        let outcomes = fan_out(self.queues(), IN_FLIGHT, |queue| self.deliver(&client, queue)).await;
        if let Some(down) = self.down.get() {
            connection.renew(down.renew).await;
        }
        outcomes
    }

    fn queues(&self) -> Vec<Queue> {
        let (bound, free): (Vec<_>, Vec<_>) = match self.topic.ordered {
            true => user_queues(self.messages)
                .into_iter()
                .partition(|indices| self.messages[indices[0]].user_id.is_some()),
            false => (Vec::new(), vec![(0..self.messages.len()).collect()]),
        };
        let bound = bound.into_iter().map(|indices| Queue { indices, ordered: true });
        let free: Vec<usize> = free.into_iter().flatten().collect();
        let free = free.chunks(TOGETHER).map(|indices| Queue {
            indices: indices.to_vec(),
            ordered: false,
        });
        bound.chain(free).collect()
    }

    async fn deliver(&self, client: &Result<Client, Reason>, queue: Queue) -> Vec<(usize, Outcome)> {
        let mut outcomes = Vec::with_capacity(queue.indices.len());
        let mut fit = Vec::with_capacity(queue.indices.len());
        for index in queue.indices {
            match request::refusal(&self.messages[index], &self.topic.name) {
                Some(reason) => outcomes.push((index, Outcome::Refused { reason })),
                None => fit.push(index),
            }
        }
        let mut parts = request::parts(self.messages, fit);
        parts.reverse();
        while let Some(mut part) = parts.pop() {
            let failed = match self.send(client, &part).await {
                Ok(()) => {
                    outcomes.extend(part.into_iter().map(|index| (index, Outcome::Delivered)));
                    continue;
                }
                Err(Fault::Unacceptable(_)) if part.len() > 1 => {
                    let second = part.split_off(part.len() / 2);
                    parts.extend([second, part]);
                    continue;
                }
                Err(Fault::Unacceptable(reason)) => {
                    let refused = Outcome::Refused { reason };
                    outcomes.extend(part.into_iter().map(|index| (index, refused.clone())));
                    continue;
                }
                Err(Fault::Passing(reason)) => Outcome::Retry {
                    reason,
                    not_before: None,
                },
                Err(Fault::Down(reason, _)) => Outcome::Down { reason },
            };
            if queue.ordered {
                let held = parts.drain(..).rev().flatten();
                let what = std::iter::once(failed).chain(std::iter::repeat(Outcome::Held));
                outcomes.extend(part.into_iter().chain(held).zip(what));
            } else {
                outcomes.extend(part.into_iter().map(|index| (index, failed.clone())));
            }
        }
        outcomes
    }

    /// Sends messages as one request, unless the destination turned out to be down.
    async fn send(&self, client: &Result<Client, Reason>, part: &[usize]) -> Result<(), Fault> {
        let client = client
            .as_ref()
            .map_err(|reason| Fault::Down(reason.clone(), Renew::Nothing))?;
        let messages = || part.iter().map(|index| &self.messages[*index]);
        let bytes = messages().map(request::size).sum::<usize>();
        // Never closed, and a request is shorter than the buffer.
        let _room = self
            .topic
            .room
            .acquire_many(u32::try_from(bytes).unwrap_or(u32::MAX))
            .await;
        if let Some(Down { reason, renew }) = self.down.get().cloned() {
            return Err(Fault::Down(reason, renew));
        }
        let sent = self.publish(client, messages()).await;
        if let Err(Fault::Down(reason, renew)) = &sent {
            self.down.get_or_init(|| Down {
                reason: reason.clone(),
                renew: *renew,
            });
        }
        sent
    }

    /// Publishes messages by one request.
    async fn publish(&self, client: &Client, messages: impl Iterator<Item = &'a Message> + Clone) -> Result<(), Fault> {
        let (connection, topic) = (&self.topic.connection, &self.topic.name);
        let (request, count) = wire::request(topic, messages, self.topic.ordered);
        match timeout(connection.settings.timeout, client.publish(topic, request, count)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(Fault::of(&error, connection)),
            Err(_) => Err(Fault::no_response(connection)),
        }
    }
}
