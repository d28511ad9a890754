//! Schema of a store: the migrations of each engine, and the tables that follow from them.

#[cfg(feature = "postgres")]
pub(crate) mod translation;

pub(crate) mod tables;

// Lists of migrations, from the files in `src/migrations`.
include!(concat!(env!("OUT_DIR"), "/migrations.rs"));
