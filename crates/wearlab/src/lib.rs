//! The wearable and lab data service.
//!
//! [`serve`] runs the listeners of a [`Service`](wearlab_service::Service), with the settings of [`config`]; [`log`] starts
//! the log; [`cli`] is the command line.

#![warn(clippy::print_stderr)]

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
mod reference;
mod remote;
mod scrubber;
pub mod serve;
mod simulated_provider;
pub mod stop;
