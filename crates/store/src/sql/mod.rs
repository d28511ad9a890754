//! The statements, a file for each table, in words that all engines understand.

mod arrivals;
pub(crate) mod connection;
mod connections;
mod days;
mod dedup;
mod deliveries;
mod devices;
mod document;
mod events;
mod export;
mod keys;
pub(crate) mod known_keys;
mod lab_accounts;
mod labs;
pub(crate) mod meta;
pub(crate) mod migration;
mod neighbours;
mod outages;
mod pipelines;
mod progress;
mod providers;
mod pulls;
mod reader;
mod reasons;
mod retention;
mod revisions;
mod sealing;
pub(crate) mod tables;
mod teams;
mod transaction;
pub(crate) mod user_order;
mod users;
pub(crate) mod value;
mod webhooks;

pub(crate) use self::reader::Reader;
pub use self::transaction::Transaction;
