//! Statements, in a directory for each subject, in SQL that all engines understand.

pub(crate) mod access;
pub(crate) mod admin;
pub(crate) mod arrivals;
mod chunks;
pub(crate) mod connection;
pub(crate) mod data;
pub(crate) mod delivery;
mod document;
pub(crate) mod events;
pub(crate) mod labs;
pub(crate) mod linking;
#[cfg(test)]
mod query_plan;
mod reader;
mod transaction;
pub(crate) mod users;
pub(crate) mod value;

pub(crate) use self::admin::sealing::CURSOR_KEY;
#[cfg(test)]
pub(crate) use self::query_plan::query_plan;
pub(crate) use self::reader::Reader;
pub use self::transaction::Transaction;
pub use self::users::user_export::{ValuePosition, ValuesPage};
