//! The dispatcher, with a real store and real receivers.

mod attempts;
#[path = "../shared/events.rs"]
mod events;
mod outages;
mod outcomes;
#[path = "../webhook/receiver.rs"]
#[allow(
    dead_code,
    clippy::allow_attributes,
    reason = "the tests of webhooks need more of it"
)]
mod receiver;
mod rules;
mod types;
mod world;
