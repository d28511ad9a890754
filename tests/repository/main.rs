//! Tests of the repository itself: its crates, files, and pages for maintainers.

mod circles;
mod guarantees;
mod layers;
mod links;
mod names;
mod targets;
