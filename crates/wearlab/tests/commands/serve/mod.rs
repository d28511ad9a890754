//! Tests of `wearlab serve` as a process.

mod beside;
mod busy;
mod connectors;
mod damaged;
mod database;
mod database_server;
mod deletions;
mod deliveries;
mod limits;
#[cfg(unix)]
mod linking;
mod log;
mod replaced;
mod secrets;
mod senders;
pub(crate) mod service;
mod settings;
mod stopping;
mod top;
mod unread;
mod wrong_settings;
