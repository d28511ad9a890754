//! Orders of lab tests and their results as a Bundle of [FHIR R4](https://hl7.org/fhir/R4/), version 4.0.1. Pure: no I/O,
//! no clock, no randomness; the same order and results make the same bytes.
//!
//! [`bundle`] is the only function. Each resource is a file in `resources`; shared parts are in `concepts` (codes),
//! `links` (ids and references), `quantity`, `decimal` and `dates`. `prune` removes values that FHIR forbids
//! everywhere: nulls, and empty strings, lists and objects.
//!
//! # Why no crate of FHIR types
//!
//! A bundle has eight kinds of resources of the 146 in R4, and nothing here reads one. `fhirbolt` is experimental, had
//! its latest release in 2023 and unpacks to 75 MB of source; `fhir` and `fhirkit` generate every resource of one or
//! more releases, which takes longer to compile than the rest of this workspace. Their types would check names of
//! members at compile time, but not the common errors: dangling references, codes of the wrong system, values beside
//! the reason of their absence. `.ci/fhir` checks bundles with third-party validators instead.
//!
//! # Numbers
//!
//! A decimal of FHIR has a precision: 5.10 is not 5.1. A result becomes a quantity only when the number that a JSON
//! writer prints has the same digits, and zeros that it drops at the end are in the extension `quantity-precision` of R4. A number of
//! more digits than a double holds stays a string.

mod bundle;
mod concepts;
mod dates;
mod decimal;
mod links;
mod prune;
mod quantity;
mod resources;
mod source;

pub use bundle::bundle;

/// Test of the README's snippet.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
