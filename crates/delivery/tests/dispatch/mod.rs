//! The dispatcher, with a real store and real receivers.

mod attempts;
mod outages;
mod outcomes;
mod rules;
mod types;
mod world;
