//! Rules of the dispatcher, on a real store and a destination with all kinds of failures.

mod fake;
mod leases;
mod order;
mod outcomes;
mod progress;
#[path = "../../../../../tests/src/seed.rs"]
mod seed;
mod world;
