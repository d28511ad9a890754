//! The wearable and lab data service.
//!
//! [`Service`] implements the interface with a [`Store`](wearlab_store::Store); [`serve`] runs its listeners, with the
//! settings of [`config`]; [`log`] starts the log; [`cli`] is the command line; [`sample`] generates sample data.

#![warn(clippy::print_stderr)]

mod administration;
mod assets;
pub mod cli;
pub mod config;
mod console;
mod document;
mod file_probe;
pub mod log;
mod metrics;
mod metrics_text;
#[cfg(feature = "otel")]
mod otel;
mod page_headers;
mod pages;
pub mod pruner;
mod redaction;
mod reference;
mod remote;
mod scrubber;
pub mod serve;
mod service;
mod simulated_provider;
pub mod stop;
pub mod trigger;

pub use service::{Service, Settings};
