//! Tests of bundles: the mapping of each member, and requirements of FHIR for all of them.

mod any;
mod mapping;
#[path = "../../examples/bundles/samples.rs"]
mod samples;
mod values;
