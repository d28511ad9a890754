//! The dispatcher's rules, on a real store and a destination that fails in all the ways there are.

mod fake;
mod leases;
mod order;
mod outcomes;
mod progress;
#[path = "../../../../../tests/src/seed.rs"]
mod seed;
mod world;
