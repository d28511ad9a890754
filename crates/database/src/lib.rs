#![doc = include_str!("../README.md")]

mod access;
mod connection;
mod database;
mod error;
mod partitioned;
#[cfg(feature = "postgres")]
pub mod postgres;
mod schema;
pub mod sqlite;
mod value;
mod verified;

pub use access::Access;
pub use connection::{Connection, Driver, Failure};
pub use database::{Database, Permit, blocking};
pub use error::{DatabaseError, WorkError};
pub use partitioned::Partitioned;
#[cfg(feature = "postgres")]
pub use schema::PostgresSchema;
pub use schema::{Earlier, SqliteSchema};
pub use value::{Bind, Column, Columns, OwnedValue, Params, Row, Value};
pub use verified::{Damage, Verified};
