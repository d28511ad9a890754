//! Tests of the commands as processes: output, exit codes and files.

mod at_a_service;
mod check;
mod closed_output;
mod copies;
mod endpoints;
mod export;
mod fixture;
mod full_disk;
mod import;
mod ingest;
mod keys;
mod listing;
mod migrate;
mod mistakes;
mod orders;
mod pipelines;
mod records;
mod secrecy;
mod seed;
mod serve;
#[path = "../../../../tests/src/seed.rs"]
mod test_seed;
mod unwritable;
#[cfg(unix)]
mod upgrade;
mod upkeep;
mod webhooks;
