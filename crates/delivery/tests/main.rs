//! Tests of the dispatcher, of webhooks, and of rules for all kinds. Each broker has a program of its own, which needs a peer.

mod dispatch;
#[cfg(all(feature = "azure_amqp", feature = "rabbitmq"))]
mod egress;
mod interop;
mod pipelines;
mod webhook;

#[path = "shared/events.rs"]
mod events;
#[path = "shared/log.rs"]
mod log;
