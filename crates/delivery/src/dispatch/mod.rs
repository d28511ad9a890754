//! Reads the event log, and sends each destination its events.
//!
//! Every destination has a task, a cursor and retries of its own, so that none waits for another. The progress is saved
//! after each batch: after a crash before that, the batch is sent again, with the same event ids.
//!
//! Processes that share a store divide the destinations among them with leases. The others take over the destinations of a
//! process that is gone, once its leases expire.

mod assignments;
mod attempt;
mod check;
mod condition;
mod destinations;
mod dispatcher;
mod filter;
mod health;
mod lease;
mod observer;
mod payload;
mod progress;
mod routes;
mod send;
mod settings;
mod shared;
#[cfg(test)]
mod tests;
mod worker;

pub use self::check::{CheckedDestination, check, misconfigured};
pub use self::dispatcher::Dispatcher;
pub use self::observer::{DeliveryObserver, DestinationKey, Sent};
pub use self::payload::payload as delivered_payload;
pub use self::settings::DispatchSettings;
