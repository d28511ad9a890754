//! Guarantees of the store, through its public interface.
//!
//! `embedded` tests the files of the embedded engine. All other tests apply to any engine, and also run on PostgreSQL,
//! with `--features postgres` and a server in `WEARLAB_TEST_DATABASE`.

mod arrivals;
mod arriving;
mod attempts;
mod audit;
mod available;
mod catalogue;
mod clock;
mod concurrent;
mod connections;
mod days;
mod deletions;
mod deliveries;
mod delivery_attempts;
mod destinations;
mod earlier;
mod embedded;
mod event_log;
mod event_times;
mod idempotency_keys;
mod introspection;
mod key_list;
mod keys;
mod lab_tests;
mod labs;
mod lifecycle;
mod limits;
mod linking;
mod migrate;
mod model;
mod moves;
mod noted_days;
mod notes;
mod orders;
mod organisations;
mod pipelines;
mod place;
mod pull_days;
mod pulls;
mod records;
mod repeats;
mod replay;
#[path = "../../../../tests/src/seed.rs"]
mod seed;
mod sleep;
mod summary_ids;
mod summary_matches;
mod times;
mod undelivered;
mod user_export;
mod users;
mod value_records;
mod world;
mod writes;
