//! Bundles: each member where it is, and what FHIR requires of all of them.

mod any;
mod mapping;
#[path = "../../examples/bundles/samples.rs"]
mod samples;
mod values;
